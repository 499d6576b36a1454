"""Derivatives and batches of the family's table: cumulative."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.cumulative")
TestBatches = check_batches("tensor.cumulative")
