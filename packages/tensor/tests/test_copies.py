"""The calls in the family's table: copies."""

from samples.values import check_values

TestSamples = check_values("tensor.copies")
