"""Derivatives and batches of the family's table: joining."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.joining")
TestBatches = check_batches("tensor.joining")
