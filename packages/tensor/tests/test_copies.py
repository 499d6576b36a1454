"""The calls in the family's table: copies."""

import pytest

import flambeau_tensor as ft
from samples.values import check_values

TestSamples = check_values("tensor.copies")


def test_copies_of_pieces_into_given_tensors():
    x = ft.arange(4.0)
    first, second = ft.zeros(2), ft.zeros(2)
    ft.split_copy(x, 2, out=(first, second))
    assert first.tolist() == [0.0, 1.0] and second.tolist() == [2.0, 3.0]
    ft.unbind_copy(x.view(2, 2), 1, out=(first, second))
    assert first.tolist() == [0.0, 2.0] and second.tolist() == [1.0, 3.0]
    ft.split_with_sizes_copy(x, [2, 2], out=[second, first])
    assert second.tolist() == [0.0, 1.0]
    with pytest.raises(TypeError, match="a tuple of 2 Tensors"):
        ft.split_copy(x, 2, out=(first,))
