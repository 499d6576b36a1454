"""The calls of the family's table: dimension order."""

from samples.values import check_values

TestSamples = check_values("tensor.dimension_order")
