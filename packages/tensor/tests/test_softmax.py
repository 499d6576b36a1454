"""softmax and log_softmax against NumPy in double precision, and their edges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from flambeau_tensor.ops import softmax as ops
from samples.values import check_values

NAN, INF = float("nan"), float("inf")


def reference(a, dim):
    a = a.astype("float64")
    shifted = a - a.max(dim, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(dim, keepdims=True))


def check(a, dim, rtol):
    x = ft.from_numpy(a)
    expected = reference(a, dim)
    soft, log = ops.softmax(x, dim), ops.log_softmax(x, dim)
    assert soft.shape == log.shape == a.shape and soft.dtype is log.dtype is x.dtype
    np.testing.assert_allclose(log.numpy(), expected, rtol=rtol, atol=4 * rtol * max(1, np.abs(a).max(initial=0)))
    np.testing.assert_allclose(soft.numpy(), np.exp(expected), rtol=100 * rtol, atol=1e-37)


# Lengths around the blocks of 16, 32 and 64 elements and the tiles of 512 columns, and sizes that are split over
# threads.
@pytest.mark.parametrize(
    "shape",
    [
        (1,),
        (2,),
        (7,),
        (8, 8),
        (3, 15),
        (3, 16),
        (5, 31),
        (5, 33),
        (2, 64, 3),
        (2, 100, 5),
        (3, 5, 513),
        (4, 1000),
        (300, 200),
        (2, 30, 1100),
        (40_000,),
        (70_000, 2),
    ],
)
@pytest.mark.parametrize("dtype, rtol", [("float32", 3e-7), ("float64", 1e-15)])
def test_against_numpy(shape, dtype, rtol):
    a = (np.random.default_rng(0).standard_normal(shape) * 3).astype(dtype)
    for dim in range(a.ndim):
        check(a, dim, rtol)
        check(np.ascontiguousarray(a.T).T, dim, rtol)
        check(np.repeat(a, 2, -1)[..., ::2], dim - a.ndim, rtol)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-80, 80, width=32), min_size=1, max_size=80), st.sampled_from(("float32", "float64")))
def test_any_values(values, dtype):
    check(np.array(values, dtype), 0, 4e-7 if dtype == "float32" else 1e-15)
    total = ops.softmax(ft.tensor(values, dtype=getattr(ft, dtype)), 0).numpy().astype("float64").sum()
    assert total == pytest.approx(1, rel=1e-5 if dtype == "float32" else 1e-13)


def test_exp_is_accurate_to_an_ulp():
    for dtype, lowest, bound in (("float32", -87, 2**-23), ("float64", -708, 2**-51)):
        x = np.linspace(lowest, -1e-3, 200_001).astype(dtype)
        pairs = np.stack([np.zeros_like(x), x], 1)
        got = ops.softmax(ft.from_numpy(pairs), 1).numpy()[:, 1].astype("longdouble")
        e = np.exp(x.astype("longdouble"))
        assert np.abs(got / (e / (1 + e)) - 1).max() < 2 * bound


def test_nothing_overflows():
    assert ops.softmax(ft.tensor([1e4, 1e4]), 0).tolist() == [0.5, 0.5]
    assert ops.softmax(ft.tensor([-3e38, 3e38]), 0).tolist() == [0, 1]
    assert ops.log_softmax(ft.tensor([-1e4, 1e4]), 0).tolist() == [-2e4, 0]


@pytest.mark.parametrize("length", [2, 20, 40, 100])
def test_infinities_and_nan(length):
    def rows(*head):
        a = np.zeros((3, length))
        a[1, : len(head)] = head
        return a

    for dim, turn in ((1, lambda a: a), (0, np.transpose)):

        def run(f, a, dim=dim, turn=turn):
            return turn(f(ft.from_numpy(np.ascontiguousarray(turn(a))), dim).numpy())

        for f in (ops.softmax, ops.log_softmax):
            for head in ((NAN,), (0, NAN), (INF,)):
                got = run(f, rows(*head))
                assert np.isnan(got[1]).all() and not np.isnan(got[[0, 2]]).any()
            assert np.isnan(run(f, np.full((1, length), -INF))).all()
        assert run(ops.softmax, rows(-INF))[1].tolist() == [0] + [pytest.approx(1 / (length - 1))] * (length - 1)
        assert run(ops.log_softmax, rows(-INF))[1, 0] == -INF


def test_dtypes():
    x = ft.tensor([[1, 2, 3]])
    assert ops.softmax(x, 1, dtype=ft.float32).dtype is ft.float32
    assert ops.softmax(x.to(ft.float32), -1, ft.float64).dtype is ft.float64
    for dtype in (ft.float16, ft.bfloat16):
        got = ops.softmax(x.to(dtype), 1)
        assert got.dtype is dtype
        assert got.to(ft.float32).tolist()[0] == pytest.approx([0.0900306, 0.2447285, 0.6652410], rel=8e-3)
    assert ft.Tensor.softmax.target is ops.softmax and ft.Tensor.log_softmax.target is ops.log_softmax


def test_sizes_at_the_edge():
    assert ops.softmax(ft.tensor(3.0), 0).item() == 1 and ops.log_softmax(ft.tensor(3.0), -1).item() == 0
    assert ops.softmax(ft.empty(0, 3), 0).shape == ops.softmax(ft.empty(0, 3), 1).shape == (0, 3)
    assert ops.softmax(ft.ones(3, 1), 1).tolist() == [[1]] * 3
    out = ft.empty(2)
    assert ops.softmax(ft.zeros(2), 0, out=out) is out and out.tolist() == [0.5, 0.5]
    assert math.isclose(ops.softmax(ft.zeros(1, 3).expand(4, 3), 1).numpy().sum(), 4, rel_tol=1e-6)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda x: ops.softmax(x, 2),
            IndexError,
            r"Dimension out of range \(expected .* range of \[-2, 1\], but got 2\)",
        ),
        (lambda x: ops.softmax(x), TypeError, r'softmax\(\) missing 1 required positional arguments: "dim"'),
        (
            lambda x: ops.softmax(x, 0.5),
            TypeError,
            r"softmax\(\): argument 'dim' \(position 2\) must be int, not float",
        ),
        (lambda x: ops.softmax(x.to(ft.int64), 0), NotImplementedError, "\"softmax\" not implemented for 'Long'"),
        (lambda x: ops.log_softmax(x.to(ft.complex64), 0), NotImplementedError, "not implemented for 'ComplexFloat'"),
        (lambda x: ops.softmax(x, 0, dtype=ft.int64), NotImplementedError, "not implemented for 'Long'"),
    ],
)
def test_bad_input(call, error, text):
    with pytest.raises(error, match=text):
        call(ft.ones(2, 3))


def test_elements_are_converted_to_the_dtype_before():
    """Numbers that exceed the dtype are infinite then."""
    x = ft.tensor([[2**31 - 1, 3], [5, 4]])
    for op in (ft.softmax, ft.log_softmax):
        assert op(x, 1, dtype=ft.float16)[0].isnan().all() and op(x, 1, dtype=ft.float16)[1].isfinite().all()
        assert op(x, 1, dtype=ft.float32)[:, 0].isfinite().all()


TestSamples = check_values("tensor.softmax")
