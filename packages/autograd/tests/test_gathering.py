"""Derivatives and batches of the family's table: gathering."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.gathering")
TestBatches = check_batches("tensor.gathering")
