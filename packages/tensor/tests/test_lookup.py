"""Lookup of elements against NumPy; PyTorch's rules as literals (2.13, CPU)."""

import numpy as np
import pytest

import flambeau_tensor as ft
from samples.values import check_values

RNG = np.random.default_rng(8)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("size", [0, 3, 40])
def test_membership(dtype, size):
    a, b = RNG.integers(0, 60, (5, 7)).astype(dtype), RNG.integers(0, 60, (size,)).astype(dtype)
    for invert in False, True:
        np.testing.assert_array_equal(ft.isin(ft.tensor(a), ft.tensor(b), invert=invert), np.isin(a, b, invert=invert))
    assert ft.isin(ft.tensor(a), ft.tensor(b), assume_unique=True).tolist() == np.isin(a, b).tolist()


def test_membership_of_numbers():
    i = ft.arange(6).view(2, 3)
    assert ft.isin(i, 3).tolist() == ft.isin(i, 3.0).tolist() == [[False] * 3, [True, False, False]]
    assert ft.isin(3, i).item() is True and ft.isin(2.5, i).item() is False and ft.isin(i, 2.5).sum() == 0
    nan = ft.tensor([float("nan")])
    assert not ft.isin(nan, nan) and not ft.isin(nan, nan.expand(20))[0]
    assert ft.isin(ft.tensor([1.5]).bfloat16(), ft.tensor([1.5])).tolist() == [True]


def test_coordinates():
    for shape in (2, 3), (3, 1, 2), (6,), 6, [2, 3], ft.Size([3, 2]):
        i = np.arange(6).reshape(3, 2)
        found = ft.unravel_index(ft.tensor(i), shape)
        for mine, theirs in zip(found, np.unravel_index(i, shape), strict=True):
            assert mine.dtype is ft.int64 and mine.tolist() == theirs.tolist()
    # indices out of range wrap around
    assert [t.tolist() for t in ft.unravel_index(ft.tensor([4, 5, -1], dtype=ft.int32), (2, 2))] == [
        [0, 0, 1],
        [0, 1, 1],
    ]
    assert ft.unravel_index(ft.tensor([0]), ()) == ()
    assert [t.shape for t in ft.unravel_index(ft.empty(0, 3, dtype=ft.int64), (2, 0))] == [(0, 3)] * 2


def test_places_of_a_known_number():
    x = ft.tensor([[0, 1, 2], [3, 0, 5]])
    assert ft.nonzero_static(x, size=3).tolist() == [[0, 1], [0, 2], [1, 0]]
    assert x.nonzero_static(size=5, fill_value=7).tolist() == [[0, 1], [0, 2], [1, 0], [1, 2], [7, 7]]
    assert ft.nonzero_static(ft.ones(()), size=2).shape == (2, 0)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda i: ft.isin(i > 0, i), RuntimeError, r"Unsupported input type encountered for isin\(\): Bool"),
        (lambda i: ft.isin(i, i.to(ft.complex64)), RuntimeError, "encountered for isin.*: ComplexFloat"),
        (lambda i: ft.isin(3, 3), TypeError, r"isin\(\) received an invalid combination of arguments"),
        (lambda i: ft.nonzero_static(i, size=-1), RuntimeError, "'size' must be an non-negative integer"),
        (
            lambda i: ft.unravel_index(i.float(), (2, 3)),
            TypeError,
            "'indices' to be integer dtype, but got torch.float32",
        ),
        (lambda i: ft.unravel_index(i > 0, (2, 3)), TypeError, "'indices' to be integer dtype, but got torch.bool"),
        (lambda i: ft.unravel_index(i, i), TypeError, "expected 'shape' to be int or sequence of ints, but got"),
        (lambda i: ft.unravel_index(i, (2.0, 3)), TypeError, "sequence to only contain ints, but got <class 'float'>"),
        (lambda i: ft.unravel_index(i, (2, -3)), ValueError, r"'shape' cannot have negative values, but got \(2, -3\)"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call(ft.arange(3))


# --- hashes ---------------------------------------------------------------------------------------------------------


def test_hashes():
    x = ft.arange(6.0).reshape(2, 3)
    assert ft.hash_tensor(x).dtype is ft.uint64 and ft.hash_tensor(x).item() == 4610560118520545280
    assert ft.hash_tensor(x, 0).tolist() == [4613937818241073152, 9214364837600034816, 5629499534213120]
    assert x.hash_tensor((0, 1), keepdim=True).tolist() == [[4610560118520545280]]
    for dtype in ("int8", "int16", "int32", "int64"):
        assert ft.hash_tensor(ft.tensor([1, -3, 2], dtype=getattr(ft, dtype))).item() == 2**64 - 2
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        assert ft.hash_tensor(ft.tensor([1, -3, 2], dtype=getattr(ft, dtype))).item() == 13832806255468478464
    assert ft.hash_tensor(ft.tensor([1, 253], dtype=ft.uint8)).item() == 252
    assert ft.hash_tensor(ft.tensor(3.0)).item() == 4613937818241073152
    assert ft.hash_tensor(ft.ones(0, 3), 1).tolist() == []
    for call, error in ((lambda: ft.hash_tensor(x, mode=1), RuntimeError),
                        (lambda: ft.hash_tensor(ft.ones(0)), RuntimeError),
                        (lambda: ft.hash_tensor(ft.ones(0, 3), 0), IndexError),
                        (lambda: ft.hash_tensor(x * 1j), NotImplementedError)):  # fmt: skip
        with pytest.raises(error):
            call()


TestSamples = check_values("tensor.lookup")
