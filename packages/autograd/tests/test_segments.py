"""Derivatives and batches of the family's table: segments."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.segments")
TestBatches = check_batches("tensor.segments")
