"""The calls in the family's table: linear algebra."""

from samples.values import check_values

TestSamples = check_values("tensor.linear_algebra")
