"""Derivatives and batches of the family's table: statistics."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.statistics")
TestBatches = check_batches("tensor.statistics")
