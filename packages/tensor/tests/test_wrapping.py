"""Integers wrap around as in PyTorch: results are exact modulo two to the number of bits.

For signed integers, overflow is an error in C, which the session `asan` reports.
"""

import math

import pytest

import flambeau_tensor as ft

BITS = {ft.int8: 8, ft.int16: 16, ft.int32: 32, ft.int64: 64}
EACH = pytest.mark.parametrize("dtype", BITS)


def wrapped(value, dtype):
    half = 2 ** (BITS[dtype] - 1)
    return (value + half) % (2 * half) - half


def extremes(dtype):
    """Return 40 numbers whose sums and products overflow."""
    last = 2 ** (BITS[dtype] - 1)
    return [[-last, last - 1, -last, last - 3, 7 - last, last // 3, -1, 77][i % 8] for i in range(40)]


@EACH
def test_elementwise(dtype):
    values = extremes(dtype)
    x, y = ft.tensor(values, dtype=dtype), ft.tensor(values[3:] + values[:3], dtype=dtype)
    z = ft.full((40,), 3).to(dtype)
    a, b = x.tolist(), y.tolist()
    pairs = list(zip(a, b, strict=True))
    assert (x + y).tolist() == [wrapped(p + q, dtype) for p, q in pairs]
    assert (x - y).tolist() == [wrapped(p - q, dtype) for p, q in pairs]
    assert (x * y).tolist() == [wrapped(p * q, dtype) for p, q in pairs]
    assert (-x).tolist() == [wrapped(-p, dtype) for p in a]
    assert x.abs().tolist() == [wrapped(abs(p), dtype) for p in a]
    assert (x**3).tolist() == [wrapped(p**3, dtype) for p in a]
    assert x.square().tolist() == [wrapped(p * p, dtype) for p in a]
    assert ft.addcmul(x, y, z, value=5).tolist() == [wrapped(p + 5 * q * 3, dtype) for p, q in pairs]
    assert ft.addcmul(x[:1], y, x[1:2], value=-1).tolist() == [wrapped(a[0] - q * a[1], dtype) for q in b]
    assert ft.add(x, y, alpha=9).tolist() == [wrapped(p + 9 * q, dtype) for p, q in pairs]
    assert ft.sub(x, y, alpha=9).tolist() == [wrapped(p - 9 * q, dtype) for p, q in pairs]
    assert ft.div(x, -1, rounding_mode="trunc").tolist() == [wrapped(-p, dtype) for p in a]
    assert ft.div(x, ft.full((40,), -1).to(dtype), rounding_mode="trunc").tolist() == [wrapped(-p, dtype) for p in a]
    assert ft.diff(x).tolist() == [wrapped(q - p, dtype) for p, q in zip(a, a[1:], strict=False)]


@EACH
def test_along_dimensions(dtype):
    values = extremes(dtype)
    x = ft.tensor(values, dtype=dtype)
    square = x.reshape(5, 8)
    columns = [values[i::8] for i in range(8)]

    def to(v):
        return wrapped(v, ft.int64)

    assert x.sum().item() == to(sum(values)) and x.prod().item() == to(math.prod(values))
    assert square.sum(0).tolist() == [to(sum(c)) for c in columns]
    assert square.prod(0).tolist() == [to(math.prod(c)) for c in columns]
    assert square.sum(0, dtype=dtype).tolist() == [wrapped(sum(c), dtype) for c in columns]
    assert x.cumsum(0).tolist() == [to(sum(values[: i + 1])) for i in range(40)]
    assert x.cumprod(0).tolist() == [to(math.prod(values[: i + 1])) for i in range(40)]
    assert square.cumsum(0)[4].tolist() == [to(sum(c)) for c in columns]
    assert square.cumprod(0)[4].tolist() == [to(math.prod(c)) for c in columns]


@EACH
def test_at_indices(dtype):
    values = extremes(dtype)
    x, places = ft.tensor(values, dtype=dtype), ft.arange(40) % 3
    totals = [wrapped(1 + sum(values[i::3]), dtype) for i in range(3)]
    products = [wrapped(math.prod(values[i::3]), dtype) for i in range(3)]
    ones = ft.ones(3, dtype=dtype)
    assert ones.index_add(0, places, x).tolist() == totals
    assert ones.scatter_add(0, places, x).tolist() == totals
    assert ones.clone().index_put_((places,), x, accumulate=True).tolist() == totals
    assert ones.scatter_reduce(0, places, x, "prod").tolist() == products
    assert ones.index_reduce(0, places, x, "prod").tolist() == products
    assert ones.index_add(0, places, x, alpha=7).tolist() == [
        wrapped(1 + 7 * sum(values[i::3]), dtype) for i in range(3)
    ]


@EACH
@pytest.mark.parametrize("n", [2, 20])
def test_products_of_matrices(dtype, n):
    values = extremes(dtype)[:n]
    x, y = ft.tensor(values, dtype=dtype), ft.tensor(values[::-1], dtype=dtype)
    total = wrapped(sum(p * q for p, q in zip(values, values[::-1], strict=True)), dtype)
    assert ft.dot(x, y).item() == total
    assert ft.mv(x.reshape(1, n), y).tolist() == [total]
    assert ft.mm(x.reshape(1, n), y.reshape(n, 1)).tolist() == [[total]]
    assert ft.bmm(x.reshape(1, 1, n), y.reshape(1, n, 1)).tolist() == [[[total]]]
    outer = ft.outer(x, y)
    assert outer.tolist() == [[wrapped(p * q, dtype) for q in values[::-1]] for p in values]
