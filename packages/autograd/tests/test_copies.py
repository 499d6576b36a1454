"""Derivatives and batches of the family's table: copies."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.copies")
TestBatches = check_batches("tensor.copies")
