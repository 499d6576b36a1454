"""Derivatives and batches of the family's table: placement."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.placement")
TestBatches = check_batches("tensor.placement")
