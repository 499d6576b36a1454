"""Derivatives and batches of the family's table: contraction."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.contraction")
TestBatches = check_batches("tensor.contraction")
