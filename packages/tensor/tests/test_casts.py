"""Conversions between dtypes: all half numbers, all roundings to them, any run length, every CPU level."""

import ctypes
import importlib

import numpy as np
import pytest
from flambeau_tensor._core.elementwise.dtype import all_dtypes

import flambeau_tensor as ft
from flambeau_tensor._core.elementwise.cpu_levels import LEVEL, built_levels

TABLE = [d.name for d in all_dtypes()]
NAMES = [name for name in TABLE if name != "complex32"]  # which is tested with its operators
LEVELS = built_levels()[built_levels().index(LEVEL) :]  # those that this processor supports
LOOP = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_ssize_t)


def storage(name):
    """Return the NumPy dtype that holds the elements; for bfloat16, uint16."""
    return np.dtype("uint16" if name == "bfloat16" else name)


@pytest.fixture(params=LEVELS)
def cast(request):
    """Return a function that converts an array by the loop of one CPU level."""
    table = importlib.import_module(f"flambeau_tensor._core.elementwise.hot_{request.param}.casts").TABLE

    def run(values, source, target, step=1):
        place = len(TABLE) * TABLE.index(source) + TABLE.index(target)
        loop = LOOP(ctypes.c_void_p.from_address(table + 8 * place).value)
        values = np.ascontiguousarray(values, storage(source))
        out = np.zeros(len(values) * step, storage(target))[::step]
        given = np.zeros(len(values) * step, storage(source))[::step]
        given[:] = values
        loop(given.ctypes.data, given.strides[0], out.ctypes.data, out.strides[0], len(values))
        return out

    return run


def wide(values, name):
    """Return elements as NumPy can compute with them."""
    return (values.astype("uint32") << 16).view("float32") if name == "bfloat16" else values


def rounded_to_bfloat16(x):
    bits = x.astype("float32").view("uint32").astype("uint64")
    nearest = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("uint16")
    return np.where(np.isnan(x), 0x7FC0, nearest).astype("uint16")


def converted(values, source, target):
    """Return the elements in the target dtype; floats are truncated to integers, and become halves through float32."""
    x = wide(values, source)
    with np.errstate(all="ignore"):
        if target == "bool":
            return x != 0
        if np.iscomplexobj(x) and "complex" not in target:
            x = x.real
        if target == "bfloat16":
            return rounded_to_bfloat16(x.astype("float32"))
        if target == "float16":
            return x.astype("float32").astype("float16")
        if np.dtype(target).kind in "iu" and x.dtype.kind == "f":
            x = x.astype("int64")
        return x.astype(target)


HALVES = np.arange(65536).astype("uint16")


@pytest.mark.parametrize("source", ["float16", "bfloat16"])
def test_every_half(source, cast):
    halves = HALVES.view(storage(source))
    with np.errstate(all="ignore"):
        expected = wide(halves, source).astype("float32")
    for n in (65536, 1, 7, 15, 16, 17, 31, 300):
        np.testing.assert_array_equal(cast(halves[-n:], source, "float32"), expected[-n:])
    np.testing.assert_array_equal(cast(halves, source, "float32", step=3), expected)


@pytest.mark.parametrize("step", [1, 2])
def test_rounding_to_float16(cast, step):
    exact = HALVES[:0x7C01].view("float16").astype("float32")
    middle = (exact[:-1].astype("float64") + exact[1:]) / 2
    middle[-1] = 65520  # from this number, the result is infinite
    near = np.concatenate([np.nextafter(middle.astype("float32"), np.float32(way)) for way in (-np.inf, np.inf)])
    x = np.concatenate([exact, middle.astype("float32"), near, np.float32([1e-10, 1e-40, 1e30, np.inf])])
    x = np.concatenate([x, -x])
    with np.errstate(over="ignore"):
        expected = x.astype("float16")
    np.testing.assert_array_equal(cast(x, "float32", "float16", step).view("uint16"), expected.view("uint16"))
    assert np.isnan(cast(np.float32([np.nan] * 40), "float32", "float16", step)).all()


@pytest.mark.parametrize("step", [1, 2])
def test_rounding_to_bfloat16(cast, step):
    bits = (np.arange(0x7F80, dtype="uint32") << 16)[:, None] + np.uint32([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF])
    x = bits.reshape(-1).view("float32")
    x = np.concatenate([x, -x, np.float32([np.inf, -np.inf])])
    np.testing.assert_array_equal(cast(x, "float32", "bfloat16", step), rounded_to_bfloat16(x))
    nan = wide(cast(np.float32([np.nan] * 40), "float32", "bfloat16", step), "bfloat16")
    assert np.isnan(nan).all()


@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("target", NAMES)
def test_every_pair(source, target, cast):
    values = np.arange(700) % 100
    if source == "bool":
        given = values % 2 == 0
    elif source == "bfloat16":
        given = rounded_to_bfloat16(values.astype("float32") / 4)
    else:
        given = (values / 4 if np.dtype(source).kind in "fc" else values).astype(source)
    for n, step in ((700, 1), (700, 3), (5, 1), (0, 1)):
        np.testing.assert_array_equal(cast(given[:n], source, target, step), converted(given[:n], source, target))


def test_the_table_is_of_this_processor():
    x = ft.from_numpy(HALVES.view("float16")[:0x7C00])
    np.testing.assert_array_equal(x.float().numpy(), HALVES[:0x7C00].view("float16").astype("float32"))
