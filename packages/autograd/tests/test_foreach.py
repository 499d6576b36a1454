"""Derivatives and batches of the family's table: foreach."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.foreach")
TestBatches = check_batches("tensor.foreach")
