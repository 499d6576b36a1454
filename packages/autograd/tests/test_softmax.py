"""Derivatives and batches of the family's table: softmax."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.softmax")
TestBatches = check_batches("tensor.softmax")
