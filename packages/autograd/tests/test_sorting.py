"""Derivatives and batches of the family's table: sorting."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.sorting")
TestBatches = check_batches("tensor.sorting")
