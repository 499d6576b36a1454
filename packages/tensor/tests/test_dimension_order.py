"""The order of dimensions in memory."""

import pytest

import flambeau_tensor as ft
from samples.values import check_values


def test_dim_order():
    t = ft.empty(2, 3, 4, 5)
    assert t.dim_order() == (0, 1, 2, 3) and t.permute(3, 1, 0, 2).dim_order() == (2, 1, 3, 0)
    assert t.to(memory_format=ft.channels_last).dim_order(ambiguity_check=True) == (0, 2, 3, 1)
    assert ft.empty(2, 3, 1).dim_order() == (0, 1, 2) and ft.empty(()).dim_order() == ()
    assert ft.empty(2, 1).dim_order(ambiguity_check=[ft.contiguous_format]) == (0, 1)
    with pytest.raises(RuntimeError, match="does not have unique dim order"):
        ft.empty(2, 3, 1).dim_order(ambiguity_check=True)
    with pytest.raises(TypeError, match="must be a bool or a list of memory formats"):
        t.dim_order(ambiguity_check=1)


TestSamples = check_values("tensor.dimension_order")
