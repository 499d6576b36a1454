"""Derivatives and batches of the family's table: storages."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.storages")
TestBatches = check_batches("tensor.storages")
