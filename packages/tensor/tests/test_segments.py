"""Segments against NumPy's reduction of each; PyTorch's rules as literals (2.13, CPU)."""

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor.extend import Tracer
from samples.values import check_values

RNG = np.random.default_rng(9)
X, L = ft.arange(10.0).view(5, 2) - 3, ft.tensor([2, 0, 3])
REDUCTIONS = {
    "sum": (np.sum, 0),
    "mean": (np.mean, np.nan),
    "prod": (np.prod, 1),
    "max": (np.max, -np.inf),
    "min": (np.min, np.inf),
}


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_segments(reduce):
    function, empty = REDUCTIONS[reduce]
    a, lengths = RNG.standard_normal((2, 7, 3)), np.array([[2, 0, 5], [1, 3, 3]])
    ends = lengths.cumsum(1)
    expected = np.array(
        [
            [function(a[r, e - n : e], 0) if n else np.full(3, empty) for n, e in zip(*pair, strict=True)]
            for r, pair in enumerate(zip(lengths, ends, strict=True))
        ]
    )
    offsets = np.concatenate([np.zeros((2, 1), int), ends], 1)
    for found in (
        ft.segment_reduce(ft.tensor(a), reduce, lengths=ft.tensor(lengths), axis=1),
        ft.segment_reduce(ft.tensor(a), reduce, offsets=ft.tensor(offsets, dtype=ft.int32), axis=1),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_beginnings_and_what_is_left_out():
    assert ft.segment_reduce(X, "sum", lengths=L, initial=5).tolist() == [[1, 3], [5, 5], [14, 17]]
    assert ft.segment_reduce(X, "mean", lengths=L, initial=5)[:2].tolist() == [[0.5, 1.5], [5, 5]]
    assert ft.segment_reduce(X, "max", lengths=L, initial=1).tolist() == [[1, 1], [1, 1], [5, 6]]
    assert ft.segment_reduce(X, "sum", offsets=ft.tensor([1, 2, 4])).tolist() == [[-1, 0], [4, 6]]
    assert ft.segment_reduce(X, "sum", lengths=ft.tensor([2, 1]), unsafe=True).tolist() == [[-4, -2], [1, 2]]
    assert ft.segment_reduce(X.half(), "sum", lengths=L).dtype is ft.float16


@pytest.mark.parametrize(
    "how, error, text",
    [
        ({"lengths": ft.tensor([2, 1])}, RuntimeError, "Expected all rows of lengths along axis to sum to"),
        ({"lengths": ft.tensor([-2, 7])}, RuntimeError, "lengths contains negative value!"),
        ({}, RuntimeError, "Either lengths or offsets must be defined"),
        ({"indices": L}, RuntimeError, "indices based reduction is not supported yet"),
        ({"lengths": L, "axis": 1}, RuntimeError, "Expected axis to be the last dimension of lengths but got 1"),
        ({"lengths": L.float()}, NotImplementedError, "not implemented for 'Float'"),
        ({"lengths": L.view(1, 3), "axis": 1}, RuntimeError, "do not fit data of shape"),
    ],
)
def test_errors(how, error, text):
    with pytest.raises(error, match=text):
        ft.segment_reduce(X, "sum", **how)
    with pytest.raises(RuntimeError, match="must be either sum, prod, mean, amax or amin, got foo"):
        ft.segment_reduce(X, "foo", lengths=L)
    with pytest.raises(NotImplementedError, match="\"_segment_reduce_cpu\" not implemented for 'Int'"):
        ft.segment_reduce(X.int(), "sum", lengths=L)


TestSamples = check_values("tensor.segments")


def test_results_are_contiguous_where_a_tracer_has_them_composed():
    x, lengths = ft.rand(5, 5, 2), ft.tensor([[0, 1, 2, 2]] * 5)
    plain = ft.segment_reduce(x, "max", lengths=lengths, axis=1)
    with Tracer():
        traced = ft.segment_reduce(x, "max", lengths=lengths, axis=1)
    assert traced.stride() == plain.stride() == (8, 2, 1)
