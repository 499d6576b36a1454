"""Derivatives and batches of the family's table: decompositions."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.decompositions")
TestBatches = check_batches("tensor.decompositions")
