"""The calls of the family's table: softmax."""

from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

TestSamples = check_values("nn.softmax")
TestDerivatives = check_derivatives("nn.softmax")
TestBatches = check_batches("nn.softmax")
