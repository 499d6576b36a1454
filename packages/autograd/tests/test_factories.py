"""Derivatives and batches of the family's table: factories."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.factories")
TestBatches = check_batches("tensor.factories")
