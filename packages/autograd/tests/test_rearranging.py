"""Derivatives and batches of the family's table: rearranging."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.rearranging")
TestBatches = check_batches("tensor.rearranging")
