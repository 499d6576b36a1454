"""The text of tensors: compared with PyTorch's, and properties that hold for any values."""

import ast
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import flambeau_tensor as ft
from flambeau_tensor.printing import (
    format_array,
    get_printoptions,
    printoptions,
    set_printoptions,
    tensor_format,
    tensor_repr,
)

DTYPES = {
    "half": (np.float16, "torch.float16"),
    "bfloat16": (np.float32, "torch.bfloat16"),
    "float": (np.float32, "torch.float32"),
    "double": (np.float64, "torch.float64"),
    "cfloat": (np.complex64, "torch.complex64"),
    "cdouble": (np.complex128, "torch.complex128"),
    "bool": (np.bool_, "torch.bool"),
    "uint8": (np.uint8, "torch.uint8"),
    "uint16": (np.uint16, "torch.uint16"),
    "uint64": (np.uint64, "torch.uint64"),
    "int8": (np.int8, "torch.int8"),
    "short": (np.int16, "torch.int16"),
    "int": (np.int32, "torch.int32"),
    "long": (np.int64, "torch.int64"),
}

# (dtype, values, print options, text). The texts, and those of all other tables here, were printed by PyTorch 2.13
# for torch.from_numpy(np.array(values, dtype)) under torch._tensor_str.printoptions(**options).
TABLE = [
    ("long", "7", {}, "tensor(7)"),
    ("long", "-(2**63)", {}, "tensor(-9223372036854775808)"),
    ("bool", "True", {}, "tensor(True)"),
    ("float", "2.0", {}, "tensor(2.)"),
    ("float", "-0.0", {}, "tensor(-0.)"),
    ("float", "3.14159", {}, "tensor(3.1416)"),
    ("float", "nan", {}, "tensor(nan)"),
    ("float", "-inf", {}, "tensor(-inf)"),
    ("float", "3.4028235e38", {}, "tensor(3.4028e+38)"),
    ("float", "1e-45", {}, "tensor(1.4013e-45)"),
    ("double", "0.1", {}, "tensor(0.1000, dtype=torch.float64)"),
    ("half", "0.1", {}, "tensor(0.1000, dtype=torch.float16)"),
    ("bfloat16", "3.140625", {}, "tensor(3.1406, dtype=torch.bfloat16)"),
    ("cfloat", "1.5 - 2j", {}, "tensor(1.5000-2.j)"),
    ("cdouble", "complex(nan, -inf)", {}, "tensor(nan-infj, dtype=torch.complex128)"),
    ("uint64", "2**64 - 1", {}, "tensor(18446744073709551615, dtype=torch.uint64)"),
    ("float", "[]", {}, "tensor([])"),
    ("double", "[]", {}, "tensor([], dtype=torch.float64)"),
    ("long", "[]", {}, "tensor([], dtype=torch.int64)"),
    ("bool", "[]", {}, "tensor([], dtype=torch.bool)"),
    ("cfloat", "[]", {}, "tensor([], dtype=torch.complex64)"),
    ("float", "np.empty((0, 3))", {}, "tensor([], size=(0, 3))"),
    ("int", "np.empty((2, 0, 4))", {}, "tensor([], size=(2, 0, 4), dtype=torch.int32)"),
    ("float", "np.empty((1, 0))", {}, "tensor([], size=(1, 0))"),
    ("long", "[1, -20, 300]", {}, "tensor([  1, -20, 300])"),
    ("int", "[[1], [-1]]", {}, "tensor([[ 1],\n        [-1]], dtype=torch.int32)"),
    ("short", "[0]", {}, "tensor([0], dtype=torch.int16)"),
    ("int8", "[-128, 127]", {}, "tensor([-128,  127], dtype=torch.int8)"),
    ("uint8", "[255, 0]", {}, "tensor([255,   0], dtype=torch.uint8)"),
    ("uint16", "[65535]", {}, "tensor([65535], dtype=torch.uint16)"),
    ("uint64", "[2**63]", {}, "tensor([9223372036854775808], dtype=torch.uint64)"),
    ("bool", "[True, True]", {}, "tensor([True, True])"),
    ("bool", "[[True], [False]]", {}, "tensor([[ True],\n        [False]])"),
    (
        "long",
        "np.arange(24).reshape(2, 3, 4)",
        {},
        "tensor([[[ 0,  1,  2,  3],\n         [ 4,  5,  6,  7],\n         [ 8,  9, 10, 11]],\n\n"
        "        [[12, 13, 14, 15],\n         [16, 17, 18, 19],\n         [20, 21, 22, 23]]])",
    ),
    (
        "long",
        "np.arange(16).reshape(2, 2, 2, 2)",
        {},
        "tensor([[[[ 0,  1],\n          [ 2,  3]],\n\n         [[ 4,  5],\n          [ 6,  7]]],\n\n\n"
        "        [[[ 8,  9],\n          [10, 11]],\n\n         [[12, 13],\n          [14, 15]]]])",
    ),
    (
        "long",
        "np.arange(30)",
        {},
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
        "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])",
    ),
    ("float", "[1.0, 2.0, -3.0]", {}, "tensor([ 1.,  2., -3.])"),
    ("float", "[1.5, 2.0, 100.0]", {}, "tensor([  1.5000,   2.0000, 100.0000])"),
    ("float", "[[-1.5, 100.0], [3.0, 4.0]]", {}, "tensor([[ -1.5000, 100.0000],\n        [  3.0000,   4.0000]])"),
    ("float", "[0.0, -0.0]", {}, "tensor([0., -0.])"),
    ("float", "[0.0, -inf, 1.0]", {}, "tensor([0., -inf, 1.])"),
    ("float", "[-inf, nan, inf]", {}, "tensor([-inf, nan, inf])"),
    ("float", "[nan, 1.5, -inf, 100.25]", {}, "tensor([     nan,   1.5000,     -inf, 100.2500])"),
    ("float", "[1.0, 1000.0]", {}, "tensor([   1., 1000.])"),
    ("float", "[1.0, 1001.0]", {}, "tensor([1.0000e+00, 1.0010e+03])"),
    ("float", "[0.5, 500.0]", {}, "tensor([  0.5000, 500.0000])"),
    ("float", "[0.5, 500.5]", {}, "tensor([5.0000e-01, 5.0050e+02])"),
    ("float", "[1e8]", {}, "tensor([100000000.])"),
    ("float", "[1e8 + 8]", {}, "tensor([1.0000e+08])"),
    ("float", "[1e8, nan, 0.0]", {}, "tensor([100000000.,        nan,         0.])"),
    ("float", "[1e-4]", {}, "tensor([1.0000e-04])"),
    ("double", "[1e-4]", {}, "tensor([0.0001], dtype=torch.float64)"),
    ("double", "[9.9999e-5, nan]", {}, "tensor([9.9999e-05,        nan], dtype=torch.float64)"),
    ("float", "[0.0, 1e-5]", {}, "tensor([0.0000e+00, 1.0000e-05])"),
    ("double", "[1e-300, 1e300]", {}, "tensor([1.0000e-300, 1.0000e+300], dtype=torch.float64)"),
    ("double", "[0.99999999, 0.5]", {}, "tensor([1.0000, 0.5000], dtype=torch.float64)"),
    ("float", "[99999.99, 9999.5]", {}, "tensor([99999.9922,  9999.5000])"),
    ("half", "[65504.0, 6e-8]", {}, "tensor([6.5504e+04, 5.9605e-08], dtype=torch.float16)"),
    ("half", "[1.0, -2.5]", {}, "tensor([ 1.0000, -2.5000], dtype=torch.float16)"),
    ("bfloat16", "[1.0, 0.33203125]", {}, "tensor([1.0000, 0.3320], dtype=torch.bfloat16)"),
    ("float", "[2.5, 3.5, nan]", {}, "tensor([2.5000, 3.5000,    nan])"),
    (
        "float",
        "np.arange(-20, 20) / 8",
        {},
        "tensor([-2.5000, -2.3750, -2.2500, -2.1250, -2.0000, -1.8750, -1.7500, -1.6250,\n"
        "        -1.5000, -1.3750, -1.2500, -1.1250, -1.0000, -0.8750, -0.7500, -0.6250,\n"
        "        -0.5000, -0.3750, -0.2500, -0.1250,  0.0000,  0.1250,  0.2500,  0.3750,\n"
        "         0.5000,  0.6250,  0.7500,  0.8750,  1.0000,  1.1250,  1.2500,  1.3750,\n"
        "         1.5000,  1.6250,  1.7500,  1.8750,  2.0000,  2.1250,  2.2500,  2.3750])",
    ),
    (
        "double",
        "np.arange(12).reshape(3, 4) * 1.1",
        {},
        "tensor([[ 0.0000,  1.1000,  2.2000,  3.3000],\n        [ 4.4000,  5.5000,  6.6000,  7.7000],\n"
        "        [ 8.8000,  9.9000, 11.0000, 12.1000]], dtype=torch.float64)",
    ),
    ("float", "[nan] * 9", {"linewidth": 30}, "tensor([nan, nan, nan, nan, nan, nan, nan,\n        nan, nan])"),
    ("float", "np.zeros(9)", {"linewidth": 30}, "tensor([0., 0., 0., 0., 0., 0., 0.,\n        0., 0.])"),
    ("cfloat", "[1 + 2j, 3 - 4j]", {}, "tensor([1.+2.j, 3.-4.j])"),
    ("cfloat", "[1.5 + 2j, 100 - 4.25j]", {}, "tensor([  1.5000+2.0000j, 100.0000-4.2500j])"),
    (
        "cfloat",
        "[[1e10 + 2j, 3], [100 - 5j, 1.5]]",
        {},
        "tensor([[1.0000e+10+2.j, 3.0000e+00+0.j],\n        [1.0000e+02-5.j, 1.5000e+00+0.j]])",
    ),
    ("cfloat", "[complex(inf, -inf), complex(nan, nan), 0]", {}, "tensor([inf-infj, nan+nanj, 0.+0.j])"),
    (
        "cdouble",
        "[complex(-0.0, -0.0), 1e-7j]",
        {},
        "tensor([-0.-0.0000e+00j, 0.+1.0000e-07j], dtype=torch.complex128)",
    ),
    (
        "cfloat",
        "np.arange(14) * (1 - 0.5j)",
        {},
        "tensor([ 0.+0.0000j,  1.-0.5000j,  2.-1.0000j,  3.-1.5000j,  4.-2.0000j,\n"
        "         5.-2.5000j,  6.-3.0000j,  7.-3.5000j,  8.-4.0000j,  9.-4.5000j,\n"
        "        10.-5.0000j, 11.-5.5000j, 12.-6.0000j, 13.-6.5000j])",
    ),
    ("long", "np.arange(1001)", {}, "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    ("float", "np.arange(1001) / 7", {}, "tensor([  0.0000,   0.1429,   0.2857,  ..., 142.5714, 142.7143, 142.8571])"),
    (
        "float",
        "np.ones((3, 400))",
        {},
        "tensor([[1., 1., 1.,  ..., 1., 1., 1.],\n        [1., 1., 1.,  ..., 1., 1., 1.],\n"
        "        [1., 1., 1.,  ..., 1., 1., 1.]])",
    ),
    (
        "bool",
        "np.ones((7, 200))",
        {},
        "tensor([[True, True, True,  ..., True, True, True],\n"
        "        [True, True, True,  ..., True, True, True],\n"
        "        [True, True, True,  ..., True, True, True],\n        ...,\n"
        "        [True, True, True,  ..., True, True, True],\n"
        "        [True, True, True,  ..., True, True, True],\n"
        "        [True, True, True,  ..., True, True, True]])",
    ),
    (
        "long",
        "np.arange(1026).reshape(2, 513)",
        {},
        "tensor([[   0,    1,    2,  ...,  510,  511,  512],\n        [ 513,  514,  515,  ..., 1023, 1024, 1025]])",
    ),
    (
        "int",
        "np.arange(1152).reshape(2, 8, 72)",
        {},
        "tensor([[[   0,    1,    2,  ...,   69,   70,   71],\n"
        "         [  72,   73,   74,  ...,  141,  142,  143],\n"
        "         [ 144,  145,  146,  ...,  213,  214,  215],\n         ...,\n"
        "         [ 360,  361,  362,  ...,  429,  430,  431],\n"
        "         [ 432,  433,  434,  ...,  501,  502,  503],\n"
        "         [ 504,  505,  506,  ...,  573,  574,  575]],\n\n"
        "        [[ 576,  577,  578,  ...,  645,  646,  647],\n"
        "         [ 648,  649,  650,  ...,  717,  718,  719],\n"
        "         [ 720,  721,  722,  ...,  789,  790,  791],\n         ...,\n"
        "         [ 936,  937,  938,  ..., 1005, 1006, 1007],\n"
        "         [1008, 1009, 1010,  ..., 1077, 1078, 1079],\n"
        "         [1080, 1081, 1082,  ..., 1149, 1150, 1151]]], dtype=torch.int32)",
    ),
    (
        "cfloat",
        "np.arange(1002).reshape(2, 501) * 1j",
        {},
        "tensor([[0.+0.0000e+00j, 0.+1.0000e+00j, 0.+2.0000e+00j,  ..., 0.+4.9800e+02j,\n"
        "         0.+4.9900e+02j, 0.+5.0000e+02j],\n"
        "        [0.+5.0100e+02j, 0.+5.0200e+02j, 0.+5.0300e+02j,  ..., 0.+9.9900e+02j,\n"
        "         0.+1.0000e+03j, 0.+1.0010e+03j]])",
    ),
    ("float", "np.where(np.arange(2000) == 1000, nan, 1)", {}, "tensor([1., 1., 1.,  ..., 1., 1., 1.])"),
    ("float", "[1.23456, 20.0]", {"precision": 2}, "tensor([ 1.23, 20.00])"),
    ("float", "[1.5, 2.5, nan]", {"precision": 0}, "tensor([2, 2, nan])"),
    ("float", "[1.0, 2.0]", {"precision": 0}, "tensor([1., 2.])"),
    ("double", "[1 / 3, 2 / 3]", {"precision": 12}, "tensor([0.333333333333, 0.666666666667], dtype=torch.float64)"),
    ("cfloat", "[1.25 + 3j]", {"precision": 1}, "tensor([1.2+3.j])"),
    ("float", "[1.5, 1e9]", {"precision": 0}, "tensor([2e+00, 1e+09])"),
    ("float", "[0.0, 1.0]", {"sci_mode": True}, "tensor([0.0000e+00, 1.0000e+00])"),
    ("float", "[0.0, nan]", {"sci_mode": True}, "tensor([0., nan])"),
    ("float", "[1e10, 1.5]", {"sci_mode": False}, "tensor([10000000000.0000,           1.5000])"),
    ("float", "[1e-10, 1.0]", {"sci_mode": False}, "tensor([0.0000, 1.0000])"),
    ("long", "[1]", {"sci_mode": True}, "tensor([1])"),
    ("cfloat", "[1 + 2j]", {"sci_mode": True}, "tensor([1.0000e+00+2.0000e+00j])"),
    ("long", "[1, 2, 3, 4]", {"threshold": 3, "edgeitems": 1}, "tensor([1,  ..., 4])"),
    (
        "long",
        "np.arange(27).reshape(3, 3, 3)",
        {"threshold": 0, "edgeitems": 1},
        "tensor([[[ 0,  ...,  2],\n         ...,\n         [ 6,  ...,  8]],\n\n        ...,\n\n"
        "        [[18,  ..., 20],\n         ...,\n         [24,  ..., 26]]])",
    ),
    ("long", "[1, 2, 3]", {"threshold": 3, "edgeitems": 1}, "tensor([1, 2, 3])"),
    ("float", "5.0", {"threshold": 0}, "tensor(5.)"),
    ("long", "[1, 2]", {"threshold": 0, "edgeitems": 1}, "tensor([1, 2])"),
    ("long", "np.arange(2000)", {"edgeitems": 0}, "tensor([...], size=(2000,))"),
    ("double", "[1.0]", {"edgeitems": 0}, "tensor([1.], size=(1,), dtype=torch.float64)"),
    ("float", "1.0", {"edgeitems": 0}, "tensor(1., size=())"),
    ("float", "[]", {"edgeitems": 0}, "tensor([])"),
    ("long", "np.arange(10)", {"linewidth": 20}, "tensor([0, 1, 2, 3,\n        4, 5, 6, 7,\n        8, 9])"),
    ("long", "[[1, 2]]", {"linewidth": 1}, "tensor([[1,\n         2]])"),
    ("double", "np.zeros(4)", {"linewidth": 30}, "tensor([0., 0., 0., 0.],\n       dtype=torch.float64)"),
    (
        "cfloat",
        "[100 - 2.5j, 1, 1, 1]",
        {"linewidth": 40},
        "tensor([100.-2.5000j,   1.+0.0000j,\n          1.+0.0000j,   1.+0.0000j])",
    ),
    (
        "long",
        "np.arange(40)",
        {"linewidth": 90},
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,\n"
        "        20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39])",
    ),
    (
        "float",
        "np.arange(1200).reshape(6, 200) / 3",
        {"profile": "short"},
        "tensor([[0.00e+00, 3.33e-01,  ..., 6.60e+01, 6.63e+01],\n"
        "        [6.67e+01, 6.70e+01,  ..., 1.33e+02, 1.33e+02],\n        ...,\n"
        "        [2.67e+02, 2.67e+02,  ..., 3.33e+02, 3.33e+02],\n"
        "        [3.33e+02, 3.34e+02,  ..., 3.99e+02, 4.00e+02]])",
    ),
    (
        "float",
        "np.arange(8) / 3",
        {"profile": "short", "precision": 3, "linewidth": 40},
        "tensor([0.000, 0.333, 0.667, 1.000,\n        1.333, 1.667, 2.000, 2.333])",
    ),
]


@pytest.mark.parametrize(("kind", "values", "options", "text"), TABLE)
def test_text_is_pytorchs(kind, values, options, text):
    numpy_dtype, dtype_name = DTYPES[kind]
    array = np.array(eval(values, {"np": np, "nan": np.nan, "inf": np.inf}), numpy_dtype)
    with printoptions(**options):
        assert format_array(array, dtype_name=dtype_name) == text


# (default dtype, dtype, text of one element, text without elements)
DEFAULTS = [
    ("torch.float32", "torch.float32", "tensor([1.])", "tensor([])"),
    ("torch.float32", "torch.float64", "tensor([1.], dtype=torch.float64)", "tensor([], dtype=torch.float64)"),
    ("torch.float32", "torch.bfloat16", "tensor([1.], dtype=torch.bfloat16)", "tensor([], dtype=torch.bfloat16)"),
    ("torch.float32", "torch.complex64", "tensor([1.+0.j])", "tensor([], dtype=torch.complex64)"),
    (
        "torch.float32",
        "torch.complex128",
        "tensor([1.+0.j], dtype=torch.complex128)",
        "tensor([], dtype=torch.complex128)",
    ),
    ("torch.float32", "torch.int64", "tensor([1])", "tensor([], dtype=torch.int64)"),
    ("torch.float32", "torch.bool", "tensor([True])", "tensor([], dtype=torch.bool)"),
    ("torch.float64", "torch.float32", "tensor([1.], dtype=torch.float32)", "tensor([], dtype=torch.float32)"),
    ("torch.float64", "torch.float64", "tensor([1.])", "tensor([])"),
    ("torch.float64", "torch.bfloat16", "tensor([1.], dtype=torch.bfloat16)", "tensor([], dtype=torch.bfloat16)"),
    (
        "torch.float64",
        "torch.complex64",
        "tensor([1.+0.j], dtype=torch.complex64)",
        "tensor([], dtype=torch.complex64)",
    ),
    ("torch.float64", "torch.complex128", "tensor([1.+0.j])", "tensor([], dtype=torch.complex128)"),
    ("torch.float64", "torch.int64", "tensor([1])", "tensor([], dtype=torch.int64)"),
    ("torch.float64", "torch.bool", "tensor([True])", "tensor([], dtype=torch.bool)"),
    ("torch.bfloat16", "torch.float32", "tensor([1.], dtype=torch.float32)", "tensor([], dtype=torch.float32)"),
    ("torch.bfloat16", "torch.float64", "tensor([1.], dtype=torch.float64)", "tensor([], dtype=torch.float64)"),
    ("torch.bfloat16", "torch.bfloat16", "tensor([1.])", "tensor([])"),
    ("torch.bfloat16", "torch.complex64", "tensor([1.+0.j])", "tensor([], dtype=torch.complex64)"),
    (
        "torch.bfloat16",
        "torch.complex128",
        "tensor([1.+0.j], dtype=torch.complex128)",
        "tensor([], dtype=torch.complex128)",
    ),
    ("torch.bfloat16", "torch.int64", "tensor([1])", "tensor([], dtype=torch.int64)"),
    ("torch.bfloat16", "torch.bool", "tensor([True])", "tensor([], dtype=torch.bool)"),
]


@pytest.mark.parametrize(("default", "dtype", "one", "none"), DEFAULTS)
def test_dtype_is_told_unless_evident(default, dtype, one, none):
    kind = np.float32 if dtype == "torch.bfloat16" else dtype.removeprefix("torch.")
    names = {"dtype_name": dtype, "default_dtype_name": default}
    assert format_array(np.ones(1, kind), **names) == one
    assert format_array(np.ones(0, kind), **names) == none


PROPERTIES = [
    ((2,), "torch.float32", {"requires_grad": True}, "tensor([0., 0.], requires_grad=True)"),
    (
        (2,),
        "torch.float32",
        {"requires_grad": True, "grad_fn_name": "AddBackward0"},
        "tensor([0., 0.], grad_fn=<AddBackward0>)",
    ),
    (
        (2, 4),
        "torch.float64",
        {"name": "SubTensor", "requires_grad": True},
        "SubTensor([[0., 0., 0., 0.],\n           [0., 0., 0., 0.]], dtype=torch.float64, requires_grad=True)",
    ),
    ((0, 2), "torch.float32", {"name": "SubTensor"}, "SubTensor([], size=(0, 2))"),
    (
        (12,),
        "torch.float64",
        {"grad_fn_name": "MulBackward0"},
        "tensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.], dtype=torch.float64,\n       grad_fn=<MulBackward0>)",
    ),
    ((2, 3), "torch.int32", {"device": "meta"}, "tensor(..., device='meta', size=(2, 3), dtype=torch.int32)"),
    ((2,), "torch.int64", {"device": "meta"}, "tensor(..., device='meta', size=(2,), dtype=torch.int64)"),
    ((0,), "torch.float32", {"device": "meta"}, "tensor(..., device='meta', size=(0,))"),
    ((2, 3), "torch.float64", {"contents": "hello"}, "tensor(hello, dtype=torch.float64)"),
    ((0, 3), "torch.float32", {"contents": ""}, "tensor(, size=(0, 3))"),
    ((2, 3), "torch.float64", {"contents": "x" * 70}, f"tensor({'x' * 70},\n       dtype=torch.float64)"),
    ((1,), "torch.float32", {"suffixes": ["tangent=tensor([2.])"]}, "tensor([0.], tangent=tensor([2.]))"),
]


@pytest.mark.parametrize(("shape", "dtype", "properties", "text"), PROPERTIES)
def test_properties_follow_the_values(shape, dtype, properties, text):
    assert format_array(np.zeros(shape, np.float32), dtype_name=dtype, **properties) == text


@pytest.mark.parametrize(
    ("contents", "linewidth", "breaks"),
    [
        (None, 33, (True, True)),
        (None, 34, (False, True)),
        (None, 57, (False, True)),
        (None, 58, (False, False)),
        ("x" * 40, 49, (True, True)),
        ("x" * 40, 50, (True, False)),
    ],
)
def test_properties_wrap_where_pytorch_wraps(contents, linewidth, breaks):
    before = [",\n       " if new_line else ", " for new_line in breaks]
    with printoptions(linewidth=linewidth):
        text = format_array(np.zeros(1), dtype_name="torch.float64", grad_fn_name="MulBackward0", contents=contents)
    assert text == f"tensor({contents or '[0.]'}{before[0]}dtype=torch.float64{before[1]}grad_fn=<MulBackward0>)"


class Shown:
    """The attributes of a tensor that printing uses."""

    def __init__(self, array, dtype="torch.float32", grad_fn=None, requires_grad=False):
        self.array, self.shape, self.dtype = array, array.shape, dtype
        self.grad_fn, self.requires_grad = grad_fn, requires_grad

    def text(self, **more):
        return tensor_repr(self, as_array=lambda shown: shown.array, default_dtype=lambda: "torch.float32", **more)


class Stale(Shown):
    grad_fn = property(lambda self: self.fail(), lambda self, value: None)

    def fail(self):
        raise RuntimeError("an in-place operation changed the base of this view")


def test_tensor_repr_reads_the_tensor():
    ones = np.ones(2, np.float32)
    node = type("MulBackward0", (), {})()
    assert Shown(ones).text() == "tensor([1., 1.])"
    assert Shown(ones, "torch.bfloat16").text(name="Sub") == "Sub([1., 1.], dtype=torch.bfloat16)"
    assert Shown(ones, requires_grad=True).text() == "tensor([1., 1.], requires_grad=True)"
    assert Shown(ones, grad_fn=node, requires_grad=True).text() == "tensor([1., 1.], grad_fn=<MulBackward0>)"
    assert Stale(ones, requires_grad=True).text() == "tensor([1., 1.], grad_fn=<Invalid>)"


def test_tensor_repr_needs_no_values_when_it_shows_none():
    class Valueless(Shown):
        array = property(lambda self: pytest.fail("asked for the values"), lambda self, value: None)

    shown = Valueless(np.empty((2, 3)))
    assert shown.text(tensor_contents="hidden") == "tensor(hidden)"
    assert shown.text(device="meta") == "tensor(..., device='meta', size=(2, 3))"


def test_format():
    def formatted(value, spec, dtype=np.float32):
        return tensor_format(Shown(np.array(value, dtype)), spec, as_array=lambda shown: shown.array)

    assert formatted(1.5, ".3f") == "1.500"
    assert formatted(1.1, "") == "1.100000023841858"
    assert formatted(3, ">5d", np.int64) == "    3"
    assert formatted(True, "", np.bool_) == "True"
    assert formatted(1 + 2j, ".2f", np.complex64) == "1.00+2.00j"
    with pytest.raises(ValueError, match="Unknown format code 'd' for object of type 'float'"):
        formatted(1.5, "d")
    with pytest.raises(TypeError, match="unsupported format string passed to Shown.__format__"):
        formatted([1.0], ".3f")
    # For subclasses, PyTorch formats even a single number as a tensor.
    single = Shown(np.array(1.5))
    assert tensor_format(single, "", as_array=lambda shown: shown.array, text_alone=True) == str(single)
    with pytest.raises(TypeError, match="unsupported format string passed to Shown.__format__"):
        tensor_format(single, ".3f", as_array=lambda shown: shown.array, text_alone=True)


# --- options --------------------------------------------------------------------------------------------------------

DEFAULT = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def test_options_are_set_and_put_back():
    assert get_printoptions() == DEFAULT
    with printoptions(precision=2, sci_mode=True):
        assert get_printoptions() == DEFAULT | {"precision": 2, "sci_mode": True}
        with pytest.raises(KeyError), printoptions(profile="full", linewidth=40):
            assert get_printoptions() == DEFAULT | {"threshold": math.inf, "linewidth": 40}
            raise KeyError
        assert get_printoptions() == DEFAULT | {"precision": 2, "sci_mode": True}
        set_printoptions(edgeitems=1)  # resets sci_mode to None, as in PyTorch
        assert get_printoptions() == DEFAULT | {"precision": 2, "edgeitems": 1}
        set_printoptions(profile="short")
        assert get_printoptions() == DEFAULT | {"precision": 2, "edgeitems": 2}
    assert get_printoptions() == DEFAULT


def test_options_around_a_function_and_as_a_copy():
    @printoptions(precision=1)
    def text():
        return format_array(np.array([1.23], np.float32), dtype_name="torch.float32")

    assert text() == text() == "tensor([1.2])"
    get_printoptions()["precision"] = 9
    assert get_printoptions() == DEFAULT


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"precision": "a"}, TypeError, "'precision' must be int, not str"),
        ({"precision": 2.0}, TypeError, "'precision' must be int, not float"),
        ({"precision": -1}, ValueError, "'precision' must not be negative"),
        ({"edgeitems": 1.5}, TypeError, "'edgeitems' must be int, not float"),
        ({"threshold": "many"}, TypeError, "'threshold' must be a real number, not str"),
        ({"threshold": math.nan}, ValueError, "'threshold' must not be negative or nan"),
        ({"linewidth": -5}, ValueError, "'linewidth' must not be negative"),
        ({"profile": "long"}, ValueError, "'profile' must be one of 'default', 'short', 'full', not 'long'"),
    ],
)
def test_bad_options_are_refused_and_change_nothing(options, error, message):
    with pytest.raises(error, match=re.escape(message)):
        set_printoptions(**{"linewidth": 50, "precision": 7} | options)
    assert get_printoptions() == DEFAULT


def test_any_line_width():
    for width, lines in [(0, 4), (1, 4), (10**9, 1), (math.inf, 1)]:
        with printoptions(linewidth=width):
            assert format_array(np.arange(4), dtype_name="torch.int64").count("\n") + 1 == lines


# --- properties -----------------------------------------------------------------------------------------------------

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=8)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 12),
        "threshold": st.integers(0, 100),
        "edgeitems": st.integers(0, 4),
        "linewidth": st.integers(0, 120),
        "sci_mode": st.sampled_from([None, True, False]),
    },
)


def bits(kind, unsigned):
    """Arrays of any bit pattern: subnormals, infinities, quiet and signaling nans."""
    return hnp.arrays(unsigned, SHAPES).map(lambda array: array.view(kind))


@given(bits(np.float32, np.uint32) | bits(np.float64, np.uint64) | bits(np.float16, np.uint16), OPTIONS)
def test_every_float_array_prints(array, options):
    with printoptions(**options), np.errstate(all="raise"):
        text = format_array(array, dtype_name="torch.float32")
    assert text.startswith("tensor(") and text.endswith(")")
    assert text.count("[") == text.count("]")
    depth = len(re.match(r"tensor\((\[*)", text)[1])
    if array.size == 0 or (options.get("edgeitems") == 0 and array.size > options.get("threshold", 1000)):
        assert depth == (array.ndim > 0)
    else:
        assert depth == array.ndim


def test_a_signaling_nan_prints_without_a_warning():
    for kind, pattern in [(np.float16, 0x7C01), (np.float32, 0x7F800001), (np.float64, 0x7FF0000000000001)]:
        array = np.array([pattern, 0], f"u{np.dtype(kind).itemsize}").view(kind)
        assert format_array(array, dtype_name="torch.float32") == "tensor([nan, 0.])"


@given(
    hnp.arrays(np.float32, st.integers(1, 40), elements=st.floats(width=32)),
    st.integers(0, 10),
    st.sampled_from([None, True, False]),
)
def test_printed_floats_parse_back(array, precision, sci_mode):
    with printoptions(precision=precision, sci_mode=sci_mode, profile="full"):
        text = format_array(array, dtype_name="torch.float32")
    parts = text.removeprefix("tensor([").removesuffix("])").split(",")
    assert len(parts) == array.size
    for part, value in zip(parts, array.tolist(), strict=True):
        shown = float(part)
        if not math.isfinite(value):
            assert str(shown) == str(value)
            continue
        assert math.copysign(1, shown) == math.copysign(1, value)
        exponent = int(part.partition("e")[2] or 0)
        half_a_digit = 0.5 * 10.0 ** (exponent - precision)
        assert abs(shown - value) <= half_a_digit + 1e-15 * abs(value)


@given(
    hnp.arrays(np.int64, hnp.array_shapes(max_dims=4, max_side=6))
    | hnp.arrays(np.bool_, hnp.array_shapes(max_dims=4, max_side=6)),
    st.integers(0, 120),
)
def test_printed_integers_are_their_nested_list(array, linewidth):
    with printoptions(profile="full", linewidth=linewidth):
        text = format_array(array, dtype_name="torch.int64")
    assert ast.literal_eval(text.removeprefix("tensor(").removesuffix(")")) == array.tolist()


@given(hnp.arrays(np.complex64, st.integers(1, 20)))
def test_printed_complex_numbers_parse_back(array):
    with printoptions(precision=9, sci_mode=True):
        text = format_array(array, dtype_name="torch.complex64")
    parts = text.removeprefix("tensor([").removesuffix("])").split(",")
    shown = np.array([complex(part.strip()) for part in parts])
    np.testing.assert_allclose(shown.real, array.real.astype(np.float64), rtol=1e-9, atol=0)
    np.testing.assert_allclose(shown.imag, array.imag.astype(np.float64), rtol=1e-9, atol=0)


@given(
    hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.floats(0.125, 4, width=32))
)
def test_columns_line_up(array):
    text = format_array(array, dtype_name="torch.float32")
    columns = {tuple(match.start() for match in re.finditer(r"\.", line)) for line in text.split("\n")}
    assert len(columns) == 1


@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 5))
def test_a_summary_shows_the_edges(rows, columns, edge):
    array = np.arange(rows * columns).reshape(rows, columns)
    with printoptions(threshold=0, edgeitems=edge, linewidth=10**6):
        text = format_array(array, dtype_name="torch.int64")
    kept = [np.r_[:edge, n - edge : n] if n > 2 * edge else np.arange(n) for n in array.shape]
    assert [int(number) for number in re.findall(r"\d+", text)] == array[np.ix_(*kept)].ravel().tolist()
    shown_rows = len(kept[0])
    assert text.count("...") == (rows > 2 * edge) + shown_rows * (columns > 2 * edge)


def test_contents_of_classes_that_show_their_own():
    class Named(ft.Tensor):
        def __repr__(self):
            return super().__repr__(tensor_contents="abc")

    x = ft.ones(2, dtype=ft.float64)
    assert repr(x.as_subclass(Named)) == "Named(abc, dtype=torch.float64)"
    assert ft.ones(0, 3).__repr__(tensor_contents="abc") == "tensor(abc, size=(0, 3))"
