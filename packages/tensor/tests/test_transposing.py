"""Copies between layouts with different innermost dimensions: all element sizes, whole and partial squares."""

import itertools

import numpy as np
import pytest

import flambeau_tensor as ft


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(33, 70), (128, 129), (1, 64, 64), (3, 5, 64, 7), (2, 3, 130, 65), (4, 1, 3)])
def test_every_order_of_dimensions(shape, dtype):
    a = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
    t = ft.from_numpy(a)
    for order in itertools.permutations(range(len(shape))):
        turned = t.permute(order)
        np.testing.assert_array_equal(turned.contiguous().numpy(), a.transpose(order))
        part = (slice(None, None, 2), slice(1, None))[: len(shape)]
        np.testing.assert_array_equal(turned[part].contiguous().numpy(), a.transpose(order)[part])


def test_into_part_of_a_tensor():
    a = np.arange(70 * 90.0).reshape(70, 90)
    wide = np.full((100, 80), -1.0)
    ft.from_numpy(wide)[3:93, 5:75].copy_(ft.from_numpy(a).t())
    expected = np.full((100, 80), -1.0)
    expected[3:93, 5:75] = a.T
    np.testing.assert_array_equal(wide, expected)


def test_a_matrix_into_its_own_transpose_is_refused():
    t = ft.arange(1600.0).reshape(40, 40)
    before = t.clone()
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        t.copy_(t.t())
    assert ft.equal(t, before)
