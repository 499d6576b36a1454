"""The placement of tensors: all are in the same memory, which no device reads."""

import flambeau_tensor as ft
from samples.values import check_values


def test_sizes():
    assert ft.is_same_size(ft.ones(2, 3), ft.zeros(2, 3)) and not ft.is_same_size(ft.ones(2, 3), ft.ones(3, 2))
    assert not ft.is_same_size(ft.ones(1, 3), ft.ones(3)) and not ft.is_distributed(ft.ones(2))


TestSamples = check_values("tensor.placement")
