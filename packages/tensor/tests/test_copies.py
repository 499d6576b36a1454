"""The calls of the family's table: copies."""

from samples.values import check_values

TestSamples = check_values("tensor.copies")
