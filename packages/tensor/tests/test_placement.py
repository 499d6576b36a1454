"""The calls of the family's table: placement."""

from samples.values import check_values

TestSamples = check_values("tensor.placement")
