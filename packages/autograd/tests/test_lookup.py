"""Batches of the family's table: lookup."""

from samples.derivatives import check_batches

TestBatches = check_batches("tensor.lookup")
