"""Loops of elementary functions at all levels of the processor: errors in units in the last place, and edge cases."""

import ctypes
import math

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor._core.elementwise.cpu_levels import LEVEL, built_levels, hot

LEVELS = built_levels()[built_levels().index(LEVEL) :]  # those that this processor supports
LOOP = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
FLOATS = ("float32", "float64")
WIDE = np.longdouble
# name: the range of most of the numbers, for float32 and float64
UNARY = {
    "exp": ((-104, 89), (-746, 710)),
    "exp2": ((-151, 128), (-1076, 1024)),
    "expm1": ((-40, 89), (-60, 710)),
    "log": ((0, 50), (0, 50)),
    "log2": ((0, 50), (0, 50)),
    "log10": ((0, 50), (0, 50)),
    "log1p": ((-1, 50), (-1, 50)),
    "sin": ((-1e5, 1e5), (-1e5, 1e5)),
    "cos": ((-1e5, 1e5), (-1e5, 1e5)),
    "tan": ((-1e5, 1e5), (-1e5, 1e5)),
    "sinh": ((-90, 90), (-711, 711)),
    "cosh": ((-90, 90), (-711, 711)),
    "tanh": ((-10, 10), (-25, 25)),
    "arcsin": ((-1, 1), (-1, 1)),
    "arccos": ((-1, 1), (-1, 1)),
    "arctan": ((-50, 50), (-50, 50)),
    "arcsinh": ((-50, 50), (-50, 50)),
    "arccosh": ((1, 50), (1, 50)),
    "arctanh": ((-1, 1), (-1, 1)),
}
BINARY = ("arctan2", "hypot", "logaddexp")


def loops(level):
    return __import__(f"flambeau_tensor._kernels.hot_{level}.elementary", fromlist=["LOOPS"]).LOOPS


def run(level, name, *operands, out=None):
    """Run a loop on 1-d arrays with any strides."""
    out = np.empty_like(operands[0]) if out is None else out
    arrays = (*operands, out)
    pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    steps = (ctypes.c_ssize_t * len(arrays))(*(a.strides[0] for a in arrays))
    LOOP(loops(level)[name][out.dtype.name])(pointers, ctypes.byref(ctypes.c_ssize_t(out.size)), steps, None)
    return out


def numbers(name, dtype, rng, n=1500):
    low, high = UNARY[name][dtype == "float64"]
    tenth, info = n // 10, np.finfo(dtype)
    small = 10 ** rng.uniform(np.log10(float(info.smallest_subnormal)) + 1, 0, n) * rng.choice([-1, 1], n)
    large = 10 ** rng.uniform(0, np.log10(float(info.max)) - 1, tenth) * rng.choice([-1, 1], tenth)
    around = 1 + rng.uniform(-1, 1, n) * 10 ** rng.uniform(-8, 0, n)
    turns = rng.integers(-2000, 2000, tenth) * np.pi / 4
    x = np.concatenate([rng.uniform(low, high, 2 * n), rng.uniform(-8, 8, n), small, large, around, turns])
    x = x.astype(dtype)
    if name.startswith("log"):
        return x[x > -1] if name == "log1p" else np.abs(x)
    if name in ("arcsin", "arccos", "arctanh"):
        return x[np.abs(x) <= 1]
    return x[x >= 1] if name == "arccosh" else x


def in_ulps(got, exact):
    """Return the largest error of finite results; asserts that the others agree."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(got.dtype)
    finite = np.isfinite(rounded) & np.isfinite(got)
    np.testing.assert_array_equal(got[~finite], rounded[~finite])
    np.testing.assert_array_equal(np.signbit(got[finite]), np.signbit(rounded[finite]))
    unit = np.spacing(np.abs(rounded[finite])).astype(WIDE)
    return float((np.abs(got[finite].astype(WIDE) - exact[finite]) / unit).max(initial=0))


@pytest.mark.skipif(np.finfo(WIDE).nmant < 60, reason="needs a wider type than double for comparison")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_errors_of_one_operand(level, dtype):
    for name in UNARY:
        if dtype not in loops(level)[name]:
            continue
        x = numbers(name, dtype, np.random.default_rng(7))
        with np.errstate(all="ignore"):
            exact = getattr(np, name)(x.astype(WIDE))
        bound = 2 if level in ("v2", "base") or name == "tanh" else 1.1
        assert in_ulps(run(level, name, x), exact) < bound, name


@pytest.mark.skipif(np.finfo(WIDE).nmant < 60, reason="needs a wider type than double for comparison")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_errors_of_two_operands(level, dtype):
    rng = np.random.default_rng(8)
    x = numbers("arctan", dtype, rng)
    y = rng.permutation(x)
    with np.errstate(all="ignore"):
        assert in_ulps(run(level, "arctan2", x, y), np.arctan2(x.astype(WIDE), y.astype(WIDE))) < 2
        assert in_ulps(run(level, "hypot", x, y), np.hypot(x.astype(WIDE), y.astype(WIDE))) < 1.1
    x, y = np.abs(x[np.abs(x) < 80]), np.abs(y[np.abs(y) < 80])  # except where the logarithm is near 0
    n = min(x.size, y.size)
    exact = np.logaddexp(x[:n].astype(WIDE), y[:n].astype(WIDE))
    assert in_ulps(run(level, "logaddexp", x[:n], y[:n]), exact) < 3
    assert run(level, "logaddexp2", x, x).tolist() == (x + 1).tolist()
    exact = np.logaddexp2(x[:n].astype(WIDE), y[:n].astype(WIDE))
    assert in_ulps(run(level, "logaddexp2", x[:n], y[:n]), exact) < 3


def edges(dtype):
    info = np.finfo(dtype)
    ones = [0, np.inf, 1, 2, 0.5, info.tiny, info.max, info.smallest_subnormal, 1e7, 709, 1e30]
    return np.array([*ones, *(-x for x in ones), np.nan], dtype)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_edges(level, dtype):
    x = edges(dtype)
    grid = [a.ravel().copy() for a in np.meshgrid(x, x)]
    cases = [(name, (x,)) for name in UNARY if dtype in loops(level)[name]] + [(name, grid) for name in BINARY]
    for name, operands in cases:
        with np.errstate(all="ignore"):
            want = getattr(np, name)(*operands)
        got = run(level, name, *operands)
        np.testing.assert_allclose(got, want, rtol=2e-6 if dtype == "float32" else 1e-15, atol=0, err_msg=name)
        number = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(want[number]), err_msg=name)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_layouts(level, dtype):
    """An element's result does not depend on its position: in tails, with strides, in place, backwards."""
    rng = np.random.default_rng(9)
    for name in (*UNARY, *BINARY):
        if dtype not in loops(level)[name]:
            continue
        count = 2 if name in BINARY else 1
        x = [rng.uniform(1, 1.9, 1100).astype(dtype) if name == "arccosh" else rng.uniform(0.1, 0.9, 1100).astype(dtype)
             for _ in range(count)]  # fmt: skip
        whole = run(level, name, *x)
        for n in (0, 1, 7, 513):
            np.testing.assert_allclose(run(level, name, *(a[:n] for a in x)), whole[:n], rtol=3e-7)
        wide = [np.repeat(a, 3) for a in x]
        out = np.zeros(2200, dtype)
        np.testing.assert_allclose(run(level, name, *(a[::3] for a in wide), out=out[::2]), whole, rtol=3e-7)
        assert not out[1::2].any()
        np.testing.assert_allclose(run(level, name, *(a[::-1] for a in x)), whole[::-1], rtol=3e-7)
        place = x[0].copy()
        np.testing.assert_allclose(run(level, name, place, *x[1:], out=place), whole, rtol=3e-7)


def test_constant_operands():
    x = ft.tensor([1.0, -2.0, 3.0])
    assert ft.atan2(x, ft.tensor(1.0)).tolist() == ft.atan2(x, ft.ones(3)).tolist()
    assert ft.xlogy(ft.tensor([0.0, 0.0, 2.0]), 0.0).tolist() == [0, 0, -np.inf]


def test_operators_use_these_loops():
    if LEVEL != "v4":
        assert hot("elementary").LOOPS["exp"]["float32"]
    x = np.linspace(-3, 3, 1001)
    np.testing.assert_allclose(ft.sin(ft.from_numpy(x)).numpy(), np.sin(x), rtol=4e-16, atol=1e-300)


@pytest.mark.parametrize("dtype", FLOATS)
def test_erf_is_accurate(dtype):
    x = np.random.default_rng(1).uniform(-6, 6, 20000).astype(dtype)
    exact = np.array([math.erf(v) for v in x.tolist()])
    assert in_ulps(ft.erf(ft.from_numpy(x)).numpy(), exact.astype(WIDE)) < 2
