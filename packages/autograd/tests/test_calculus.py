"""Derivatives and batches of the family's table: calculus."""

from samples.derivatives import check_batches, check_derivatives

TestDerivatives = check_derivatives("tensor.calculus")
TestBatches = check_batches("tensor.calculus")
