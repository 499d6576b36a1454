"""The calls of the family's table: distance."""

from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

TestSamples = check_values("nn.distance")
TestDerivatives = check_derivatives("nn.distance")
TestBatches = check_batches("nn.distance")
