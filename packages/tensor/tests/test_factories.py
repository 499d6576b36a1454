"""Factories: by size, like other tensors, by rule and from data. Expected values and errors are PyTorch 2.13's."""

import re

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor.extend import operators
from samples.values import check_values

DTYPES = [
    getattr(ft, name)
    for name in (
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    )
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_by_size_and_by_example(dtype):
    for make, value in ((ft.zeros, 0), (ft.ones, 1)):
        t = make(2, 3, dtype=dtype)
        assert t.dtype is dtype and t.tolist() == ft.full((2, 3), value, dtype=dtype).tolist() == [[value] * 3] * 2
    example = ft.empty(3, 2, dtype=dtype).t()
    assert ft.zeros_like(example).stride() == (1, 2) and ft.zeros_like(example).dtype is dtype
    assert ft.ones_like(example, dtype=ft.int16).tolist() == [[1] * 3] * 2
    assert ft.full_like(example, 1).tolist() == [[1] * 3] * 2 and ft.empty_like(example).shape == (2, 3)
    assert example.new_zeros(2).dtype is dtype and example.new_zeros((2,)).tolist() == [0, 0]
    assert example.new_ones(2, dtype=ft.float64).tolist() == [1, 1] and example.new_full((1,), 1).dtype is dtype
    assert example.new_empty(4, 1).shape == (4, 1) and example.new_tensor([1]).dtype is dtype
    assert example.new_empty_strided((2, 2), (1, 2)).stride() == (1, 2)
    assert ft.zeros(0, 2, dtype=dtype).shape == (0, 2) and ft.empty(3, dtype=dtype).nbytes == 3 * dtype.itemsize


def test_dtypes_by_default():
    assert ft.zeros(1).dtype is ft.empty(1).dtype is ft.linspace(0, 1, 2).dtype is ft.float32
    assert ft.full((1,), True).dtype is ft.bool and ft.full((1,), 2).dtype is ft.int64
    assert ft.full((1,), 1j).dtype is ft.complex64 and ft.full((1,), 1.0).dtype is ft.float32
    assert ft.arange(3).dtype is ft.int64 and ft.arange(3.0).dtype is ft.float32
    assert ft.zeros(1, dtype=int).dtype is ft.int64 and ft.zeros(1, dtype=float).dtype is ft.float64
    assert ft.get_default_dtype() is ft.float32
    ft.set_default_dtype(ft.float64)
    try:
        assert ft.zeros(1).dtype is ft.tensor(1.0).dtype is ft.float64 and ft.full((1,), 1j).dtype is ft.complex128
    finally:
        ft.set_default_dtype(ft.float32)
    with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
        ft.set_default_dtype(ft.int32)


@pytest.mark.parametrize(
    ("arguments", "options", "expected"),
    [
        ((3,), {}, [0, 1, 2]),
        ((1, 4), {}, [1, 2, 3]),
        ((5, 0, -2), {}, [5, 3, 1]),
        ((0,), {}, []),
        ((0, 1, 0.25), {}, [0, 0.25, 0.5, 0.75]),
        ((1, 2.5), {}, [1, 2]),
        ((0, 5, 2), {"dtype": ft.uint8}, [0, 2, 4]),
        ((0.5, 3), {"dtype": ft.int64}, [0, 1, 2]),
        ((3,), {"dtype": ft.bfloat16}, [0, 1, 2]),
        ((-1, 1), {"dtype": ft.int8}, [-1, 0]),
    ],
)
def test_arange(arguments, options, expected):
    t = ft.arange(*arguments, **options)
    assert t.tolist() == expected and t.dtype is options.get("dtype", t.dtype)


def test_long_ranges_are_exact():
    np.testing.assert_array_equal(ft.arange(100_000).numpy(), np.arange(100_000))
    np.testing.assert_array_equal(ft.arange(0, 1, 1e-5, dtype=ft.float64).numpy(), np.arange(100_000) * 1e-5)
    assert ft.arange(2**60, 2**60 + 3).tolist() == [2**60, 2**60 + 1, 2**60 + 2]


@pytest.mark.parametrize(
    ("arguments", "options", "expected"),
    [
        ((0, 1, 5), {}, [0, 0.25, 0.5, 0.75, 1]),
        ((0, 10, 4), {"dtype": ft.int64}, [0, 3, 6, 10]),
        ((3, 3, 1), {}, [3]),
        ((1, 2, 0), {}, []),
        ((1, -1, 3), {"dtype": ft.float16}, [1, 0, -1]),
        ((1 + 1j, 2, 3), {}, [1 + 1j, 1.5 + 0.5j, 2]),
        ((2.9, 5, 3), {"dtype": ft.int32}, [2, 3, 5]),
    ],
)
def test_linspace(arguments, options, expected):
    assert ft.linspace(*arguments, **options).tolist() == expected


def test_linspace_and_logspace_against_numpy():
    for steps in (2, 3, 50, 1001):
        np.testing.assert_allclose(
            ft.linspace(-3, 7, steps, dtype=ft.float64).numpy(), np.linspace(-3, 7, steps), rtol=1e-14, atol=1e-15
        )
        np.testing.assert_allclose(
            ft.logspace(-2, 3, steps, dtype=ft.float64).numpy(), np.logspace(-2, 3, steps), rtol=1e-12
        )
        powers = ft.logspace(0, 8, steps, base=2)
        np.testing.assert_allclose(powers.numpy(), np.logspace(0, 8, steps, base=2), rtol=1e-5)
    assert ft.logspace(0, 2, 3, dtype=ft.int32).tolist() == [1, 10, 100]
    assert ft.logspace(0.5, 2, 1, dtype=ft.int32).tolist() == [3]  # with one step, the exponent is the start
    assert ft.logspace(0.5, 2, 2, dtype=ft.int32).tolist() == [1, 100]
    line = ft.linspace(0.1, 0.7, 1000)
    assert line[0].item() == np.float32(0.1) and line[-1].item() == np.float32(0.7)


def test_range_and_eye():
    assert ft.range(1, 3).tolist() == [1, 2, 3] and ft.range(1, 2, 0.5).tolist() == [1, 1.5, 2]
    assert ft.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert ft.eye(2, dtype=ft.bool).tolist() == [[True, False], [False, True]]
    assert ft.eye(0).shape == (0, 0)
    assert ft.empty_strided((2, 3), (1, 2)).stride() == (1, 2)
    assert ft.scalar_tensor(2).dtype is ft.float32 and ft.scalar_tensor(2).shape == ()


def test_out():
    out = ft.empty(0)
    assert ft.zeros(2, out=out) is out and out.tolist() == [0, 0]
    out = ft.empty(3, dtype=ft.float64)
    assert ft.arange(3, out=out) is out and out.tolist() == [0, 1, 2]
    assert ft.linspace(0, 1, 3, out=out) is out and out.tolist() == [0, 0.5, 1]
    assert ft.full((3,), 2, out=out) is out and out.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: ft.zeros(-1), RuntimeError, "negative dimension -1"),
        (lambda: ft.zeros("a"), TypeError, "zeros(): argument 'size' (position 1) must be tuple of ints, not str"),
        (lambda: ft.zeros(2.5), TypeError, "zeros(): argument 'size' (position 1) must be tuple of ints, not float"),
        (lambda: ft.zeros(), TypeError, 'zeros() missing 1 required positional arguments: "size"'),
        (lambda: ft.zeros(2, dtype=3), TypeError, "zeros(): argument 'dtype' must be torch.dtype, not int"),
        (lambda: ft.zeros(2, device="cuda"), AssertionError, "tensors live on the CPU"),
        (lambda: ft.zeros(2, device="nowhere"), RuntimeError, "at start of device string: nowhere"),
        (
            lambda: ft.zeros(2, layout=ft.sparse_coo) if hasattr(ft, "sparse_coo") else ft.zeros(2, layout=1),
            NotImplementedError,
            "is not built",
        ),
        (
            lambda: ft.ones(2, requires_grad=True, dtype=ft.int64),
            RuntimeError,
            "Only Tensors of floating point and complex dtype can require gradients",
        ),
        (lambda: ft.arange(5, 1), RuntimeError, "upper bound and lower bound inconsistent with step sign"),
        (lambda: ft.arange(1, 5, 0), RuntimeError, "step must be nonzero"),
        (lambda: ft.arange(0, float("inf")), RuntimeError, "unsupported range"),
        (lambda: ft.arange(1e20, dtype=ft.int64), RuntimeError, "overflow"),
        (lambda: ft.arange(3, dtype=ft.bool), NotImplementedError, "not implemented for 'Bool'"),
        (lambda: ft.linspace(0, 1, -1), RuntimeError, "number of steps must be non-negative"),
        (lambda: ft.eye(-1), RuntimeError, "n must be greater or equal to 0, got -1"),
        (
            lambda: ft.full((1,), 300, dtype=ft.uint8),
            RuntimeError,
            "cannot be converted to type uint8_t without overflow",
        ),
        (lambda: ft.full((1,), 1e300), RuntimeError, "value cannot be converted to type float without overflow"),
        (lambda: ft.full((1,), float("nan"), dtype=ft.int64), RuntimeError, "cannot be converted to type int64_t"),
        (lambda: ft.empty_strided((2, 2), (1,)), RuntimeError, "must match dimensionality of strides (1)"),
        (lambda: ft.zeros(*[1] * 65), RuntimeError, "at most 64"),
        (lambda: ft.complex(ft.tensor([1]), ft.tensor([2])), RuntimeError, "inputs to be Half, Float or Double"),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error) as caught:
        make()
    assert text in str(caught.value)


# --- from data ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "dtype", "values"),
    [
        (3, "int64", 3),
        (3.5, "float32", 3.5),
        (True, "bool", True),
        (2j, "complex64", 2j),
        ([], "float32", []),
        ([[]], "float32", [[]]),
        ([1, 2.5, True], "float32", [1, 2.5, 1]),
        ([True, 2], "int64", [1, 2]),
        ([1j, 2], "complex64", [1j, 2]),
        (((1, 2), [3, 4]), "int64", [[1, 2], [3, 4]]),
        (range(3), "int64", [0, 1, 2]),
        (np.float32(3), "float32", 3),
        ([np.float64(3)], "float64", [3]),
        ([np.int32(3)], "int32", [3]),
        ([np.arange(2), np.arange(2)], "int64", [[0, 1], [0, 1]]),
        (np.arange(3, dtype=np.int16), "int16", [0, 1, 2]),
        ([ft.tensor(1), ft.tensor(2)], "int64", [1, 2]),
        (bytearray(b"\x01\x02"), "int64", [1, 2]),
        (memoryview(np.arange(2.0)), "float32", [0, 1]),
        (range(3), "int64", [0, 1, 2]),
        ([range(2), [2, 3]], "int64", [[0, 1], [2, 3]]),
        ([ft.tensor(1), 2.5], "float32", [1, 2.5]),
        ([ft.tensor([1.0]), ft.tensor([[2]])], "float32", [1, 2]),
        ([np.int32(1), 2], "int64", [1, 2]),
        ([np.int32(1), 2.5], "float32", [1, 2.5]),
        ([np.float64(1), 2.5], "float64", [1, 2.5]),
        ([ft.tensor(1, dtype=ft.int8), True], "int8", [1, 1]),
        ([ft.tensor(1, dtype=ft.float16), 3.0], "float32", [1, 3]),
        ([np.array([1, 2]), [2.5, 3]], "float32", [[1, 2], [2.5, 3]]),
    ],
)
def test_dtype_and_values_from_data(data, dtype, values):
    t = ft.tensor(data)
    assert t.dtype is getattr(ft, dtype) and t.tolist() == values


@pytest.mark.parametrize(
    ("data", "dtype", "values"),
    [
        ([1.9, -1.9], ft.int64, [1, -1]),
        ([0, 2, 0.5], ft.bool, [False, True, True]),
        ([-1], ft.uint8, [255]),
        ([1, 2], ft.float16, [1, 2]),
        ([1.00390625], ft.bfloat16, [1.0]),
        ([[1]], ft.complex128, [[1]]),
        (1 << 40, ft.float32, float(1 << 40)),
        (True, ft.float32, 1.0),
    ],
)
def test_data_in_a_given_dtype(data, dtype, values):
    t = ft.tensor(data, dtype=dtype)
    assert t.dtype is dtype and t.tolist() == values


@pytest.mark.parametrize(
    ("data", "options", "error", "text"),
    [
        ([[1, 2], [3]], {}, ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
        ([1, [2]], {}, TypeError, "expected a number at dim 1, got a list"),
        ([[1], 2], {}, TypeError, "expected a sequence at dim 1"),
        ([1, "a"], {}, TypeError, "new(): invalid data type 'str'"),
        ("a", {}, TypeError, "new(): invalid data type 'str'"),
        (b"a", {}, TypeError, "new(): invalid data type 'bytes'"),
        (None, {}, RuntimeError, "Could not infer dtype of NoneType"),
        ([None], {}, RuntimeError, "Could not infer dtype of NoneType"),
        ({1: 2}, {}, RuntimeError, "Could not infer dtype of dict"),
        ({1}, {}, RuntimeError, "Could not infer dtype of set"),
        (object(), {}, RuntimeError, "Could not infer dtype of object"),
        ([float("nan")], {"dtype": ft.int64}, RuntimeError, "cannot be converted to type int64"),
        ([2**40], {"dtype": ft.int32}, RuntimeError, "value cannot be converted to type int without overflow"),
        ([1j], {"dtype": ft.float32}, TypeError, "must be real number, not complex"),
        ([2**70], {}, ValueError, "Overflow when unpacking long long"),
        ([2**63], {"dtype": ft.uint8}, ValueError, "Overflow when unpacking long long"),
        (2**1100, {"dtype": ft.float64}, OverflowError, "int too large to convert to float"),
    ],
)
def test_data_that_makes_no_tensor(data, options, error, text):
    with pytest.raises(error) as caught:
        ft.tensor(data, **options)
    assert text in str(caught.value)


def test_large_ints_are_floats_where_the_dtype_is():
    assert (
        ft.tensor([2**70], dtype=ft.float32).item() == 2.0**70 == ft.tensor(-(2**70), dtype=ft.complex128).item() * -1
    )
    for call in (lambda: ft.ones(2) + 2**70, lambda: ft.full((2,), 2**70), lambda: ft.ones(2).fill_(2**70)):
        with pytest.raises(OverflowError, match="int too big to convert"):
            call()


def test_nesting_has_a_limit():
    data = 1
    for _ in range(70):
        data = [data]
    with pytest.raises(ValueError, match="too many dimensions"):
        ft.tensor(data)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128", "int16", "int64"])
def test_elements_at_odd_addresses(dtype):
    kind = np.dtype(dtype)
    buffer = bytearray(1 + 40 * kind.itemsize)
    values = np.arange(40).astype(kind)
    buffer[1:] = values.tobytes()
    x = ft.frombuffer(buffer, dtype=getattr(ft, dtype), offset=1)
    assert x.data_ptr() % 2 == 1
    aligned = ft.from_numpy(values)
    for function in (
        lambda t: t + t,
        lambda t: t.sum(),
        lambda t: t.flip(0),
        lambda t: t.reshape(5, 8).t().contiguous(),
    ):
        assert function(x).tolist() == function(aligned).tolist()
    x.mul_(2)
    assert np.frombuffer(bytes(buffer[1:]), kind).tolist() == (2 * values).tolist()


def test_tensor_copies_and_as_tensor_shares():
    a = np.zeros(2)
    copied, shared = ft.tensor(a), ft.as_tensor(a)
    a[0] = 1
    assert copied.tolist() == [0, 0] and shared.tolist() == [1, 0]
    assert ft.as_tensor(shared) is shared and ft.as_tensor(shared, dtype=ft.float32) is not shared
    assert ft.as_tensor([1, 2]).tolist() == [1, 2]
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        assert ft.tensor(shared).data_ptr() != shared.data_ptr()
    assert ft.asarray(a).data_ptr() == a.ctypes.data and ft.asarray(a, copy=True).data_ptr() != a.ctypes.data
    with pytest.raises(ValueError, match="can't alias"):
        ft.asarray(a, dtype=ft.float32, copy=False)
    buffer = bytearray(8)
    t = ft.frombuffer(buffer, dtype=ft.int32)
    t.fill_(1)
    assert buffer == np.ones(2, np.int32).tobytes()


def test_the_class_itself():
    assert ft.Tensor(2, 3).shape == ft.Tensor(ft.Size([2, 3])).shape == (2, 3) and ft.Tensor().shape == (0,)
    assert ft.Tensor([1, 2]).dtype is ft.float32 and ft.Tensor((2, 3)).tolist() == [2, 3]
    t = ft.tensor([1])
    assert ft.Tensor(t).data_ptr() == t.data_ptr()
    for arguments, text in ((("a",), "new(): invalid data type 'str'"), ((3.0,), "new()"), (([1], 2), "new() rec")):
        with pytest.raises(TypeError) as caught:
            ft.Tensor(*arguments)
        assert text in str(caught.value)
    with pytest.raises(TypeError, match="unexpected keyword argument 'dtype'"):
        ft.Tensor(dtype=3)


def test_complex_and_polar():
    assert ft.complex(ft.tensor([1.0]), ft.tensor([2.0])).tolist() == [1 + 2j]
    np.testing.assert_allclose(ft.polar(ft.tensor([2.0]), ft.tensor([0.5])).numpy(), 2 * np.exp(0.5j), rtol=1e-6)
    out = ft.empty(0, dtype=ft.complex64)
    assert ft.complex(ft.zeros(2, 1), ft.ones(2), out=out).shape == (2, 2) and out.imag.tolist() == [[1, 1]] * 2


# --- limits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [ft.finfo(ft.float16), ft.finfo(), ft.iinfo(ft.int8)])
def test_limits_cannot_be_written_to(limits):
    before = limits.max
    with pytest.raises(AttributeError, match="attribute 'max' of 'torch.[fi]info' objects is not writable"):
        limits.max = 3
    assert limits.max == before


@pytest.mark.parametrize("wrong", [3, [], None, ft.float32])
def test_limits_are_of_dtypes(wrong):
    with pytest.raises(TypeError):
        ft.iinfo(wrong)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_finfo_is_numpys(name):
    ours, theirs = ft.finfo(getattr(ft, name)), np.finfo(name)
    for attribute in ("bits", "eps", "max", "min", "tiny", "smallest_normal"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert ours.resolution == pytest.approx(float(theirs.resolution), rel=1e-3) and ours.dtype == name


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_iinfo_is_numpys(name):
    ours, theirs = ft.iinfo(getattr(ft, name)), np.iinfo(name)
    assert (ours.bits, ours.max, ours.min, ours.dtype) == (theirs.bits, theirs.max, theirs.min, name)


def test_limits_show_and_compare():
    assert repr(ft.finfo(ft.float32)) == (
        "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
        "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)"
    )
    assert ft.finfo(ft.bfloat16).eps == 0.0078125 and ft.finfo(ft.bfloat16).max == 3.3895313892515355e38
    assert repr(ft.iinfo(ft.int8)) == "iinfo(min=-128, max=127, dtype=int8)"
    assert ft.finfo() == ft.finfo(ft.float32) == ft.finfo(ft.complex64) != ft.finfo(ft.float64)
    for call, text in (
        (lambda: ft.finfo(ft.int32), "requires a floating point input type"),
        (lambda: ft.iinfo(ft.float32), "requires an integer input type"),
        (lambda: ft.iinfo(ft.bool), "torch.bool is not supported by torch.iinfo"),
        (lambda: ft.finfo(3), "argument 'type' (position 1) must be torch.dtype, not int"),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert text in str(caught.value)


@pytest.mark.parametrize("make", [ft.linspace, ft.range])
def test_no_line_of_bools(make):
    with pytest.raises(NotImplementedError, match="_cpu\" not implemented for 'Bool'"):
        make(0, 3, 50, dtype=ft.bool)


def test_empty_permuted():
    assert ft.empty_permuted((2, 3, 4), (2, 0, 1)).stride() == (3, 1, 6)
    assert ft.empty_permuted((2, 0, 4), (0, 2, 1), dtype=ft.int32).dtype is ft.int32
    for layout, text in (
        ((2, 0, 0), "Duplicate dim not allowed"),
        ((2, 0), "i.e. len(size) = 3 is not equal to"),
        ((-1, 0, 1), "expected to be between 0 and 2, but got -1 at index 0"),
    ):
        with pytest.raises(RuntimeError, match=re.escape(text)):
            ft.empty_permuted((2, 3, 4), layout)


def _sample(argument):
    """A value for an argument of a factory's schema."""
    if argument.is_list:
        return [0] if argument.name == "physical_layout" else [2]
    named = {"Tensor": ft.tensor(2.0), "str": __file__, "Data": [1.0], "bool": True}
    return named.get(argument.type.partition("(")[0], 2)


@pytest.mark.parametrize(
    "key", sorted(k for k, op in operators().items() if "layout" in [a.name for a in op.schema.arguments])
)
def test_every_factory_looks_at_the_layout(key):
    op = operators()[key]
    given = [_sample(a) for a in op.schema.arguments if not (a.kwarg_only or a.has_default)]
    with pytest.raises(TypeError, match="'layout' must be torch.layout, not int"):
        (op if op.is_function else getattr(ft.Tensor, op.name))(*given, layout=3)


TestSamples = check_values("tensor.factories")


def test_overloads_keep_the_device():
    """Operators that forward to others pass the device, by keyword and by position."""
    meta = ft.device("meta")
    made = [
        ft.linspace(0, 1, 4, device=meta),
        ft.logspace(0, 1, 4, device="meta"),
        ft.randint(3, (2,), device=meta),
        ft.randint(1, 3, (2,), device="meta"),
        ft.arange(4, device=meta),
        ft.normal(0.0, 1.0, (2,), device=meta),
        ft.range(0, 2, device=meta),
    ]
    assert [x.device.type for x in made] == ["meta"] * len(made)


# --- out= ------------------------------------------------------------------------------------------------------------

FILLING = {  # factories that fill `out` with as many numbers as it has elements
    "arange": lambda n, out: ft.arange(n, out=out),
    "linspace": lambda n, out: ft.linspace(0, n - 1, n, out=out),
    "logspace": lambda n, out: ft.logspace(0, n - 1, n, base=2.0, out=out),
    "range": lambda n, out: ft.range(0, n - 1, out=out),
    "zeros": lambda n, out: ft.zeros(out.shape, out=out),
    "ones": lambda n, out: ft.ones(out.shape, out=out),
    "full": lambda n, out: ft.full(out.shape, 7, out=out),
    "rand": lambda n, out: ft.rand(out.shape, out=out),
    "randn": lambda n, out: ft.randn(out.shape, out=out),
    "randint": lambda n, out: ft.randint(1, 9, out.shape, out=out),
    "eye": lambda n, out: ft.eye(*out.shape, out=out) if out.ndim == 2 else ft.ones(out.shape, out=out),
}


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("name", FILLING)
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64, ft.int64])
def test_out_that_is_a_window_keeps_its_geometry(name, dtype):
    if dtype is ft.int64 and name in ("rand", "randn"):
        return
    for window in (
        lambda x: x.narrow(1, 1, 2),
        lambda x: x.t(),
        lambda x: x[::2, ::3],
        lambda x: x[0],
        lambda x: x.unflatten(1, (2, 2))[:, :, 1],
    ):
        whole = ft.full((4, 4), -3, dtype=dtype)
        out = window(whole)
        before = out.shape, out.stride(), out.data_ptr()
        assert FILLING[name](out.numel(), out) is out
        assert (out.shape, out.stride(), out.data_ptr()) == before
        if "rand" not in name:
            plain = ft.empty(out.shape, dtype=dtype)
            assert out.tolist() == FILLING[name](out.numel(), plain).tolist()
        inside = ft.zeros((4, 4), dtype=ft.bool)
        window(inside).fill_(True)
        assert (whole[~inside] == -3).all()


def test_out_says_what_ranges_compute_in():
    assert ft.linspace(0, 5, 4, out=ft.empty(4, dtype=ft.int64)).tolist() == [0, 1, 3, 5]
    assert ft.logspace(0, 3, 4, out=ft.empty(4, dtype=ft.int32)).tolist() == [1, 10, 100, 1000]
    assert ft.arange(0, 2, 0.5, out=ft.empty(4, dtype=ft.int32)).tolist() == [0, 0, 0, 0]
    assert ft.eye(2, out=ft.empty(2, 2, dtype=ft.bool)).tolist() == [[True, False], [False, True]]
    assert ft.arange(8, out=ft.empty(2, 2, 2)).flatten().tolist() == list(range(8))
    for make in (lambda **o: ft.arange(4, **o), lambda **o: ft.linspace(0, 3, 4, **o), lambda **o: ft.eye(2, **o)):
        with pytest.raises(RuntimeError, match=r"dtype Float does not match dtype of out parameter \(Double\)"):
            make(out=ft.empty(4, dtype=ft.float64), dtype=ft.float32)
    with pytest.raises(NotImplementedError, match="\"logspace_cpu\" not implemented for 'Bool'"):
        ft.logspace(0, 3, 4, dtype=ft.bool)


def test_limits_of_pythons_types():
    assert ft.finfo(float) == ft.finfo(complex) == ft.finfo(ft.float64) and ft.iinfo(int) == ft.iinfo(ft.int64)
    for call in (lambda: ft.finfo(int), lambda: ft.finfo(bool), lambda: ft.iinfo(float), lambda: ft.iinfo(bool)):
        with pytest.raises(TypeError, match=r"torch.[fi]info\(\) requires|torch.bool is not supported"):
            call()


def test_empty_counts_a_write_to_out():
    x, y = ft.ones(3), ft.ones(0)
    assert ft.empty(3, out=x) is x and ft.empty(2, 2, out=y) is y
    assert x._version == y._version == 1 and y.shape == (2, 2)


def test_the_dtype_of_out_is_that_of_the_factory():
    for make in (ft.zeros, ft.ones, ft.empty, lambda *a, **k: ft.full(a, 2, **k), ft.eye, ft.arange, ft.rand):
        with pytest.raises(RuntimeError, match=r"dtype Double does not match dtype of out parameter \(Float\)"):
            make(3, out=ft.ones(3), dtype=ft.float64)


@pytest.mark.parametrize("value", [70000, 70000.0, -(2**63), 1e300, 2j])
def test_numbers_beyond_a_half_type(value):
    for fill in (
        lambda: ft.ones(2, dtype=ft.float16).fill_(value),
        lambda: ft.full((2,), value, dtype=ft.float16),
        lambda: ft.full_like(ft.ones(2, dtype=ft.float16), value),
        lambda: ft.ones(2, dtype=ft.float16).masked_fill(ft.ones(2, dtype=ft.bool), value),
    ):
        with pytest.raises(RuntimeError, match="value cannot be converted to type .* without overflow"):
            fill()
    assert ft.full((1,), float("inf"), dtype=ft.float16).isinf().all()
    assert ft.full((1,), 65504, dtype=ft.float16).item() == 65504
    x = ft.zeros(2, dtype=ft.float16)
    x[0] = 70000.0  # an assignment converts a tensor
    assert x.tolist() == [float("inf"), 0.0]
