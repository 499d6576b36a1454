"""Every elementwise operator against NumPy (or `math`) for dtypes and layouts, and differences between PyTorch and
NumPy.

Literal values in the second half were printed by PyTorch 2.13.
"""

import math

import numpy as np
import pytest
from flambeau_tensor._core.elementwise.engine import Elementwise
from flambeau_tensor._core.schema.registry import find_operator, operators

import flambeau_tensor as ft
from samples.values import check_values

FLOATS = ("float64", "float32", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
COMPLEX = ("complex128", "complex64")
ALL = (*FLOATS, *INTEGERS, "bool", *COMPLEX)
TOLERANCE = {
    "float64": 1e-12,
    "float32": 1e-5,
    "float16": 4e-3,
    "bfloat16": 2e-2,
    "complex128": 1e-11,
    "complex64": 2e-5,
}
DIGAMMA_SHIFT = 2000


def elementwise(function):
    """Return a scalar function of `math` as a function of arrays."""
    return np.vectorize(function, otypes=[np.float64])


def digamma(x):
    """Compute by recurrence up to the range where the first terms of the asymptotic series suffice."""
    y = x + DIGAMMA_SHIFT
    total = np.log(y) - 1 / (2 * y) - 1 / (12 * y**2)
    for k in range(DIGAMMA_SHIFT):
        total = total - 1 / (x + k)
    return total


def erfinv(x):
    """Compute by bisection."""
    low, high = np.full_like(x, -6.0), np.full_like(x, 6.0)
    for _ in range(80):
        middle = (low + high) / 2
        below = elementwise(math.erf)(middle) < x
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low


def sgn(x):
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(x == 0, 0, x / np.abs(x)) if x.dtype.kind == "c" else np.sign(x)


def sinc(x):
    y = np.pi * x
    return np.where(y == 0, 1, np.sin(y) / np.where(y == 0, 1, y))


# name: (reference, lowest and highest input, accepted dtypes)
REAL = (*FLOATS, *INTEGERS, "bool")
NOT_BOOL = (*FLOATS, *INTEGERS, *COMPLEX)
TRUNCATED = (*FLOATS, *INTEGERS)
UNARY = {
    "exp": (np.exp, -3, 3, ALL),
    "exp2": (np.exp2, -3, 3, REAL),
    "expm1": (np.expm1, -3, 3, ALL),
    "log": (np.log, 1, 9, ALL),
    "log2": (np.log2, 1, 9, ALL),
    "log10": (np.log10, 1, 9, ALL),
    "log1p": (np.log1p, 0, 9, ALL),
    "sin": (np.sin, -4, 4, ALL),
    "cos": (np.cos, -4, 4, ALL),
    "tan": (np.tan, -1, 1, ALL),
    "asin": (np.arcsin, -1, 1, ALL),
    "acos": (np.arccos, -1, 1, ALL),
    "atan": (np.arctan, -3, 3, ALL),
    "sinh": (np.sinh, -3, 3, ALL),
    "cosh": (np.cosh, -3, 3, ALL),
    "tanh": (np.tanh, -3, 3, ALL),
    "asinh": (np.arcsinh, -3, 3, ALL),
    "acosh": (np.arccosh, 1, 9, ALL),
    "atanh": (np.arctanh, 0, 0.9, ALL),
    "sqrt": (np.sqrt, 0, 9, ALL),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1, 9, ALL),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -4, 4, ALL),
    "sinc": (sinc, -3, 3, ALL),
    "reciprocal": (lambda x: 1 / x, 1, 9, ALL),
    "erf": (elementwise(math.erf), -3, 3, REAL),
    "erfc": (elementwise(math.erfc), -3, 3, REAL),
    "erfinv": (erfinv, -0.9, 0.9, FLOATS),
    "lgamma": (elementwise(math.lgamma), 1, 9, TRUNCATED),
    "digamma": (digamma, 1, 9, REAL),
    "deg2rad": (np.deg2rad, -9, 9, REAL),
    "rad2deg": (np.rad2deg, -9, 9, REAL),
    "neg": (np.negative, -9, 9, NOT_BOOL),
    "abs": (np.abs, -9, 9, NOT_BOOL),
    "square": (np.square, -9, 9, NOT_BOOL),
    "sign": (np.sign, -9, 9, TRUNCATED),
    "sgn": (sgn, -9, 9, NOT_BOOL),
    "floor": (np.floor, -9, 9, TRUNCATED),
    "ceil": (np.ceil, -9, 9, TRUNCATED),
    "trunc": (np.trunc, -9, 9, TRUNCATED),
    "frac": (lambda x: x - np.trunc(x), -9, 9, FLOATS),
    "round": (np.round, -9, 9, TRUNCATED),
    "relu": (lambda x: np.maximum(x, 0), -9, 9, TRUNCATED),
    "angle": (np.angle, -9, 9, ALL),
    "conj_physical": (np.conj, -9, 9, ALL),
    "logical_not": (np.logical_not, -1, 1, ALL),
    "bitwise_not": (np.invert, -9, 9, (*INTEGERS, "bool")),
    "isnan": (np.isnan, -9, 9, ALL),
    "isinf": (np.isinf, -9, 9, ALL),
    "isfinite": (np.isfinite, -9, 9, ALL),
    "signbit": (np.signbit, -9, 9, FLOATS),
}
BINARY = {
    "add": (np.add, ALL),
    "sub": (np.subtract, NOT_BOOL),
    "mul": (np.multiply, ALL),
    "floor_divide": (np.floor_divide, TRUNCATED),
    "remainder": (np.remainder, TRUNCATED),
    "fmod": (np.fmod, TRUNCATED),
    "maximum": (np.maximum, REAL),
    "minimum": (np.minimum, REAL),
    "fmax": (np.fmax, REAL),
    "fmin": (np.fmin, REAL),
    "atan2": (np.arctan2, FLOATS),
    "hypot": (np.hypot, FLOATS),
    "copysign": (np.copysign, FLOATS),
    "logaddexp": (np.logaddexp, FLOATS),
    "logaddexp2": (np.logaddexp2, FLOATS),
    "nextafter": (np.nextafter, ("float64", "float32")),
    "heaviside": (lambda x, y: np.heaviside(x, y).astype(x.dtype), TRUNCATED),
    "gcd": (np.gcd, INTEGERS),
    "lcm": (np.lcm, INTEGERS),
    "eq": (np.equal, ALL),
    "ne": (np.not_equal, ALL),
    "lt": (np.less, REAL),
    "le": (np.less_equal, REAL),
    "gt": (np.greater, REAL),
    "ge": (np.greater_equal, REAL),
    "logical_and": (np.logical_and, ALL),
    "logical_or": (np.logical_or, ALL),
    "logical_xor": (np.logical_xor, ALL),
    "bitwise_and": (np.bitwise_and, (*INTEGERS, "bool")),
    "bitwise_or": (np.bitwise_or, (*INTEGERS, "bool")),
    "bitwise_xor": (np.bitwise_xor, (*INTEGERS, "bool")),
    "bitwise_left_shift": (np.left_shift, INTEGERS),
    "bitwise_right_shift": (np.right_shift, INTEGERS),
    "clamp_min": (np.maximum, TRUNCATED),
    "clamp_max": (np.minimum, TRUNCATED),
    "div": (np.true_divide, (*FLOATS, *COMPLEX)),
    "pow": (np.power, TRUNCATED),
    "xlogy": (lambda x, y: np.where(x == 0, 0, x * np.log(y)), FLOATS),
}
# Tested separately below: they have more than two tensors, or numbers, as arguments.
OTHERS = set("where lerp addcmul addcdiv clamp_both logit nan_to_num polygamma ldexp __invert__".split())


def elementwise_operators():
    return {
        op.name: op
        for op in operators().values()
        if isinstance(op.implementation, Elementwise)
        and op.functional is None
        and op.namespace in ("torch", "torch._ops")
        and not op.name.endswith("_backward")  # see test_activation_backward.py
        and op.name not in ("i0", "igamma", "igammac")
    }  # see test_special.py


def numbers(dtype, low, high, seed=0, shape=(4, 6)):
    """Return numbers between two bounds that are exact in a dtype, as an array in double precision (or of integers)."""
    rng = np.random.default_rng(seed)
    if dtype in COMPLEX:
        values = rng.uniform(low, high, shape) + 1j * rng.uniform(0.1, 1, shape)
        return values.astype(dtype)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        return rng.integers(max(math.ceil(low), 0 if dtype == "uint8" else low), high + 1, shape).astype(dtype)
    values = rng.uniform(low, high, shape)
    return ft.tensor(values).to(getattr(ft, dtype)).to(ft.float64).numpy()


def tensor(values, dtype):
    return ft.from_numpy(np.ascontiguousarray(values)).to(getattr(ft, dtype))


def array(t):
    return (t.to(ft.float64) if t.dtype in (ft.float16, ft.bfloat16, ft.float32) else t).numpy()


def layouts(values, dtype):
    """Yield tensors with the same values in different layouts."""
    yield "contiguous", tensor(values, dtype)
    yield "transposed", tensor(values.T.copy(), dtype).transpose(0, 1)
    wide = ft.zeros(2 * values.shape[0], 2 * values.shape[1], dtype=getattr(ft, dtype))
    strided = wide.as_strided(values.shape, (2 * wide.stride(0), 2), 0)
    strided.copy_(tensor(values, dtype))
    yield "strided", strided


def check(result, expected, dtype):
    expected = np.asarray(expected)
    got = array(result)
    assert got.shape == expected.shape
    if expected.dtype.kind in "fc":
        scale = TOLERANCE[dtype if dtype in TOLERANCE else "float32"]
        np.testing.assert_allclose(got, expected, rtol=scale, atol=scale)
    else:
        np.testing.assert_array_equal(got, expected)


def test_every_elementwise_operator_has_a_reference_here():
    assert set(elementwise_operators()) == {*UNARY, *BINARY, *OTHERS}


@pytest.mark.parametrize(("name", "dtype"), [(n, d) for n, row in UNARY.items() for d in row[3]])
def test_unary(name, dtype):
    reference, low, high, _ = UNARY[name]
    op = find_operator(f"torch.{name}")
    values = numbers(dtype, low, high)
    # The reference is computed in double precision if the result's category differs from the input's.
    integral = dtype in (*INTEGERS, "bool") and not op(tensor(values, dtype)).is_floating_point()
    with np.errstate(all="ignore"):
        expected = reference(values if dtype in COMPLEX or integral else values.astype(np.float64))
    for layout, x in layouts(values, dtype):
        before = x.clone()
        result = op(x)
        check(result, expected, dtype)
        assert (x == before).all(), f"{name} changed its {layout} input"
        out = ft.empty(0, dtype=result.dtype)
        assert op(x, out=out) is out
        check(out, expected, dtype)
        if op.is_method:
            check(getattr(x, name)(), expected, dtype)
        if op.inplace is not None and result.dtype is x.dtype:
            changed = x.clone()
            version = changed._version
            assert op.inplace(changed) is changed
            assert changed._version > version
            check(changed, expected, dtype)
    check(op(tensor(values[:0], dtype)), expected[:0], dtype)
    check(op(tensor(values, dtype).as_strided((), ())), expected[0, 0], dtype)
    check(op(tensor(values[:1], dtype).expand(3, values.shape[1])), np.repeat(expected[:1], 3, 0), dtype)


@pytest.mark.parametrize(("name", "dtype"), [(n, d) for n, row in BINARY.items() for d in row[1]])
def test_binary(name, dtype):
    reference = BINARY[name][0]
    op = find_operator(f"torch.{name}")
    low, high = (0, 4) if "shift" in name or name == "pow" else (1, 9) if name in ("lcm", "gcd", "xlogy") else (-9, 9)
    a = numbers(dtype, low, high, 1)
    b = numbers(dtype, 1 if name in ("floor_divide", "remainder", "fmod", "div", "pow") else low, high, 2)
    wide = [v.astype(np.float64) if dtype in FLOATS and name != "nextafter" else v for v in (a, b)]
    if name == "nextafter":
        wide = [v.astype(dtype) for v in wide]
    with np.errstate(all="ignore"):
        expected = reference(*wide)
    for (layout, x), (_, y) in zip(layouts(a, dtype), reversed([*layouts(b, dtype)]), strict=True):
        before = x.clone(), y.clone()
        result = op(x, y)
        assert op(x, y).dtype is result.dtype
        check(result, expected, dtype)
        assert (x == before[0]).all() and (y == before[1]).all(), f"{name} changed its {layout} input"
        out = ft.empty(result.shape, dtype=result.dtype)
        assert op(x, y, out=out) is out
        check(out, expected, dtype)
        check(getattr(x, name)(y), expected, dtype)
        if op.inplace is not None and result.dtype is x.dtype:
            changed = x.clone()
            assert op.inplace(changed, y) is changed
            check(changed, expected, dtype)
    row = op(tensor(a, dtype), tensor(b[:1], dtype))
    check(row, reference(wide[0], wide[1][:1]), dtype)
    column = op(tensor(a[:, :1], dtype), tensor(b, dtype))
    check(column, reference(wide[0][:, :1], wide[1]), dtype)
    check(op(tensor(a[:0], dtype), tensor(b[:1], dtype)), expected[:0], dtype)
    assert op(tensor(a, dtype).as_strided((), ()), tensor(b, dtype).as_strided((), ())).shape == ()
    if op.numbers and dtype not in ("float16", "bfloat16"):
        number = b[0, 0].item()
        check(op(tensor(a, dtype), number), reference(wide[0], wide[1][0, 0]), dtype)


@pytest.mark.parametrize("name", sorted({*UNARY, *BINARY}))
def test_bad_input_is_refused_and_leaves_operands_alone(name):
    op = find_operator(f"torch.{name}")
    dtype = ft.float64 if name in BINARY and "int64" not in BINARY[name][1] and name not in UNARY else ft.int64
    x = ft.tensor([1, 2], dtype=dtype)
    wrong = (x, "text") if name in BINARY else ("text",)
    place = rf"\(position {len(wrong)}\)"
    with pytest.raises(TypeError, match=rf"{name}\(\): argument '\w+' {place} must be Tensor, not str"):
        op(*wrong)
    with pytest.raises(TypeError, match=f"{name}.. missing .* required positional argument"):
        op()
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        op(*([x] * len(wrong)), nonsense=1)
    if name in BINARY:
        with pytest.raises(RuntimeError, match="size of tensor a .2. must match the size of tensor b .3."):
            op(x, ft.tensor([1, 2, 3], dtype=dtype))
    assert x.tolist() == [1, 2] and x._version == 0


@pytest.mark.parametrize("dtype", [d for d in FLOATS])
def test_where_lerp_addcmul_addcdiv_clamp(dtype):
    a, b, c = (numbers(dtype, 1, 4, seed) for seed in (1, 2, 3))
    x, y, z = (tensor(v, dtype) for v in (a, b, c))
    check(ft.where(x < y, x, y), np.minimum(a, b), dtype)
    check(ft.where(x < y, x, 0.0), np.where(a < b, a, 0), dtype)
    check(ft.where(x < y, 1.0, y), np.where(a < b, 1, b), dtype)
    check(ft.lerp(x, y, 0.25), a + 0.25 * (b - a), dtype)
    check(ft.lerp(x, y, z), a + c * (b - a), dtype)
    check(ft.addcmul(x, y, z, value=0.5), a + 0.5 * b * c, dtype)
    check(ft.addcdiv(x, y, z, value=-2), a - 2 * b / c, dtype)
    check(ft.clamp(x, 2, 3), np.clip(a, 2, 3), dtype)
    check(ft.clamp(x, max=3), np.minimum(a, 3), dtype)
    check(ft.clamp(x, y, z), np.minimum(np.maximum(a, b), c), dtype)
    check(ft.clamp(x, min=y), np.maximum(a, b), dtype)
    check(x.clone().clamp_(2, 3), np.clip(a, 2, 3), dtype)
    check(x.clone().lerp_(y, 0.25), a + 0.25 * (b - a), dtype)
    check(x.clone().addcmul_(y, z), a + b * c, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_logit_and_nan_to_num(dtype):
    values = numbers(dtype, 0.1, 0.9)
    for _, x in layouts(values, dtype):
        check(ft.logit(x), np.log(values / (1 - values)), dtype)
        near = np.clip(values, 0.25, 0.75)
        check(ft.logit(x, eps=0.25), np.log(near / (1 - near)), dtype)
        x = x.clone()
        x[0, 0], x[1, 1], x[2, 2] = NAN, INF, -INF
        expected = values.copy()
        expected[0, 0], expected[1, 1], expected[2, 2] = 0, ft.finfo(x.dtype).max, -3
        check(ft.nan_to_num(x, neginf=-3), expected, dtype)
        x.nan_to_num_(neginf=-3)
        check(x, expected, dtype)


def test_polygamma():
    # Sums of the defining series, with the remainder to first order.
    x = np.array([0.3, 1.0, 2.5, 11.7, -0.5, -2.25])
    for n in (1, 2, 3, 6):
        k = np.arange(200000.0)[:, None]
        tail = (x + len(k)) ** -n / n + 0.5 * (x + len(k)) ** -(n + 1)
        expected = (-1) ** (n + 1) * math.factorial(n) * (((x + k) ** -(n + 1.0)).sum(0) + tail)
        result = ft.polygamma(n, ft.tensor(x))
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-10)
        assert ft.tensor(x).polygamma(n).tolist() == result.tolist()
        np.testing.assert_allclose(ft.polygamma(n, ft.tensor(x).float()).numpy(), expected, rtol=1e-5)
    assert str(ft.polygamma(1, ft.tensor([0.0, -1.0, INF, NAN])).tolist()) == "[inf, inf, 0.0, nan]"
    assert ft.polygamma(2, ft.tensor([0, -3])).tolist() == [-INF, -INF]
    assert ft.equal(ft.polygamma(0, ft.tensor([0.5])), ft.digamma(ft.tensor([0.5])))
    with pytest.raises(RuntimeError, match="does not support negative n"):
        ft.polygamma(-1, ft.tensor([1.0]))


def test_where_with_a_condition_alone_gives_indices():
    rows, columns = ft.where(ft.tensor([[0, 1], [2, 0]]))
    assert rows.tolist() == [0, 1] and columns.tolist() == [1, 0]
    with pytest.raises(TypeError, match=r"where\(\) received an invalid .* got \(Tensor, Tensor\)"):
        ft.where(ft.tensor([True]), ft.tensor([1]))


def test_lerp_meets_both_ends_exactly():
    a, b = ft.tensor([0.1, 1e8]), ft.tensor([0.7, 3.0])
    assert ft.lerp(a, b, 0.0).tolist() == a.tolist()
    assert ft.lerp(a, b, 1.0).tolist() == b.tolist()


def test_complex_factors():
    one = ft.tensor([1j])
    assert ft.addcmul(one, one, ft.tensor([1.0]), value=2j).tolist() == [-2 + 1j]
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
        ft.addcmul(ft.ones(1), ft.ones(1), ft.ones(1), value=2j)


def test_logaddexp_of_complex_numbers_and_of_large_ones():
    a, b = np.array([1 + 2j, 700 - 1j]), np.array([-0.5j, 699 + 1j])
    with np.errstate(over="ignore"):
        expected = np.array([np.log(np.exp(a[0]) + np.exp(b[0])), a[1] + np.log(1 + np.exp(b[1] - a[1]))])
    np.testing.assert_allclose(ft.logaddexp(ft.tensor(a), ft.tensor(b)).numpy(), expected, rtol=1e-12)


# --- differences between PyTorch's rules and NumPy's ----------------------------------------------------------------

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "divide",
    [
        lambda a, b: a // b,
        lambda a, b: a % b,
        ft.fmod,
        lambda a, b: ft.div(a, b, rounding_mode="trunc"),
        lambda a, b: ft.div(a, b, rounding_mode="floor"),
    ],
)
@pytest.mark.parametrize("zero", [0, ft.tensor(0), ft.tensor([3, 0, 1, 2])[1::2] * 0])
def test_integer_division_by_zero_raises(divide, zero):
    with pytest.raises(RuntimeError, match="^ZeroDivisionError$"):
        divide(ft.tensor([1, 2]), zero)
    assert divide(ft.empty(0, dtype=ft.int64), 0).shape == (0,)


@pytest.mark.parametrize("dtype", ("uint8", "int8", "int16", "int32"))
@pytest.mark.parametrize("name", ("floor_divide", "remainder", "fmod"))
def test_division_of_small_integers(name, dtype):
    rng, info = np.random.default_rng(0), np.iinfo(dtype)
    x = np.concatenate([rng.integers(info.min, info.max, 1000, dtype, endpoint=True), [info.min, info.max, info.min]])
    y = np.concatenate([rng.integers(info.min, info.max, 600, dtype), rng.integers(1, 4, 400), [1, info.max, -1 % 256]])
    x, y = x.astype(dtype), np.where(y == 0, 7, y).astype(dtype)  # -1 % 256 is -1 in int8, where the quotient wraps
    for a, b in ((x, y), (x[::2], y[::2]), (x, y[:1]), (x[:1], y), (x, y[-1:])):
        with np.errstate(over="ignore"):
            expected = getattr(np, name)(a, b)
        found = getattr(ft, name)(ft.from_numpy(a.copy()), ft.from_numpy(b.copy())).numpy()
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("dtype", (ft.float16, ft.bfloat16))
def test_signs_of_half_types(dtype):
    x = ft.tensor([1.5, -2.0, float("nan"), float("-inf"), 0.0, -0.0]).to(dtype)
    for part in (x, x[::2], x.flip(0)):
        assert ft.equal(part.abs()[part == part], part.float().abs().to(dtype)[part == part])
        assert ft.equal((-part).signbit(), ~part.signbit()) and not part.abs().signbit().any()


@pytest.mark.parametrize("dtype", ("complex64", "complex128"))
def test_angles(dtype):
    parts = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
    rng = np.random.default_rng(0)
    x = np.concatenate(
        [rng.standard_normal(1000) + 1j * rng.standard_normal(1000), [complex(a, b) for a in parts for b in parts]]
    )
    x = x.astype(dtype)
    for part in (x, x[::3]):
        found, expected = ft.from_numpy(part).angle().numpy(), np.angle(part)
        np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == "complex64" else 1e-15)
        assert (np.signbit(found) == np.signbit(expected))[expected == expected].all()


def test_float_division_by_zero_does_not():
    zero = ft.zeros(3)
    assert str((ft.tensor([1.0, -1.0, 0.0]) // zero).tolist()) == "[inf, -inf, nan]"
    assert str((ft.tensor([1.0]) % 0.0).tolist()) == "[nan]"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (lambda: ft.tensor([3.5]) // ft.tensor([-1.2]), "[-3.0]"),
        (lambda: ft.tensor([INF, -1.0]) // ft.tensor([2.0, INF]), "[nan, -1.0]"),
        (lambda: ft.tensor([INF, -1.0, 5.0]) % ft.tensor([2.0, INF, -INF]), "[nan, inf, -inf]"),
        (lambda: ft.fmod(ft.tensor([-5.0, 5.0]), ft.tensor([3.0, INF])), "[-2.0, 5.0]"),
        (lambda: ft.tensor([1e30]) % 7.0, f"[{math.fmod(float(np.float32(1e30)), 7.0)}]"),
        (lambda: ft.div(ft.tensor([-7.0, 7.0]), 2, rounding_mode="trunc"), "[-3.0, 3.0]"),
        (lambda: ft.div(ft.tensor([-7, 7]), 2, rounding_mode="floor"), "[-4, 3]"),
        (lambda: ft.div(ft.tensor([-7, 7]), 2, rounding_mode="trunc"), "[-3, 3]"),
        (lambda: ft.tensor([-128], dtype=ft.int8) // -1, "[-128]"),
        (lambda: ft.tensor([-128], dtype=ft.int8) % -1, "[0]"),
        (lambda: ft.div(ft.tensor([True]), ft.tensor([True])), "[1.0]"),
        (lambda: ft.tensor([-1, 1, 2]) ** ft.tensor([-3, -3, -3]), "[-1, 1, 0]"),
        (lambda: ft.tensor([2], dtype=ft.uint8) ** 8, "[0]"),
        (lambda: ft.tensor([-INF]) ** 0.5, "[nan]"),
        (lambda: ft.tensor([0.0]) ** 0, "[1.0]"),
        (lambda: 2 ** ft.tensor([-1]), "[0]"),
        (lambda: ft.round(ft.tensor([0.5, 1.5, 2.5, -0.5])), "[0.0, 2.0, 2.0, -0.0]"),
        (lambda: ft.round(ft.tensor([2.0, 15.0]), decimals=-1), "[0.0, 20.0]"),
        (lambda: ft.sign(ft.tensor([NAN, -0.0, 2.0])), "[0.0, 0.0, 1.0]"),
        (lambda: ft.sgn(ft.tensor([NAN])), "[0.0]"),
        (lambda: ft.maximum(ft.tensor([NAN, 1.0]), ft.tensor([1.0, NAN])), "[nan, nan]"),
        (lambda: ft.fmax(ft.tensor([NAN, 1.0]), ft.tensor([1.0, NAN])), "[1.0, 1.0]"),
        (lambda: ft.clamp(ft.tensor([1.0, NAN, 3.0]), min=NAN), "[nan, nan, nan]"),
        (lambda: ft.clamp(ft.tensor([1.0, NAN]), 2, 1), "[1.0, nan]"),
        (lambda: ft.clamp(ft.tensor([1, 2, 3]), min=1.5), "[1.5, 2.0, 3.0]"),
        (lambda: ft.clamp(ft.tensor([True]), 0, 1), "[1]"),
        (lambda: ft.square(ft.tensor([True, False])), "[1, 0]"),
        (lambda: -ft.tensor([1, 2], dtype=ft.uint8), "[255, 254]"),
        (lambda: ft.tensor([1], dtype=ft.uint8) + 300, "[45]"),
        (lambda: ft.tensor([1], dtype=ft.int8) + 200, "[-55]"),
        (lambda: ft.tensor([1, 200], dtype=ft.uint8) > -1, "[False, False]"),
        (lambda: ft.tensor([8, -8], dtype=ft.int8) >> 9, "[0, -1]"),
        (lambda: ft.tensor([1]) << 70, "[0]"),
        (lambda: ft.add(ft.tensor([True]), ft.tensor([True]), alpha=2), "[True]"),
        (lambda: ft.sub(ft.tensor([1.0]), ft.tensor([2]), alpha=2.5), "[-4.0]"),
        (lambda: ft.heaviside(ft.tensor([-1, 0, 1]), ft.tensor([5])), "[0, 5, 1]"),
        (lambda: ft.angle(ft.tensor([-1.0, -0.0])), f"[{float(np.float32(np.pi))}, 0.0]"),
        (lambda: ft.nan_to_num(ft.tensor([NAN, INF, -1.0]), posinf=5.0), "[0.0, 5.0, -1.0]"),
        (lambda: ft.angle(ft.tensor([NAN, -INF, 3])), f"[nan, {float(np.float32(np.pi))}, 0.0]"),
        (lambda: ft.angle(ft.tensor([-1, 2])), f"[{float(np.float32(np.pi))}, 0.0]"),
        (lambda: ft.angle(ft.tensor([0j, 2j, complex(-1, 0)], dtype=ft.complex128)), f"[0.0, {np.pi / 2}, {np.pi}]"),
        (lambda: ft.nan_to_num(ft.tensor([complex(NAN, 1), complex(1, INF)]), nan=2, posinf=3), "[(2+1j), (1+3j)]"),
        (lambda: ft.nan_to_num(ft.tensor([1, 2])), "[1, 2]"),
        (lambda: ft.logit(ft.tensor([0.0, 1.0, -1.0, 2.0])), "[-inf, inf, nan, nan]"),
        (lambda: ft.logit(ft.tensor([0, 1])), "[-inf, inf]"),
        (lambda: ft.logical_not(ft.tensor([1j, 0])), "[False, True]"),
        (lambda: ft.tensor([1 + 2j]) == 1, "[False]"),
        (lambda: ft.reciprocal(ft.tensor([0])), "[inf]"),
        (lambda: ft.copysign(ft.tensor([1]), -1), "[-1.0]"),
        (lambda: ft.xlogy(ft.tensor([0.0, 0.0]), ft.tensor([0.0, NAN])), "[0.0, nan]"),
        (lambda: ft.xlogy(ft.tensor([0, 2]), 1), "[0.0, 0.0]"),
        (lambda: ft.xlogy(0, ft.tensor([0.0, -1.0])), "[0.0, 0.0]"),
        (lambda: ft.gcd(ft.tensor([0, -4, 6]), ft.tensor([0, 6, 4])), "[0, 2, 2]"),
    ],
)
def test_values_as_pytorch_has_them(expression, expected):
    assert str(expression().tolist()) == expected


@pytest.mark.parametrize(
    ("expression", "error", "text"),
    [
        (lambda: ft.tensor([2]) ** -1, RuntimeError, "Integers to negative integer powers are not allowed."),
        (lambda: ft.tensor([True]) ** ft.tensor([True]), NotImplementedError, "\"pow\" not implemented for 'Bool'"),
        (lambda: ft.tensor([True]) - ft.tensor([True]), RuntimeError, "the `-` operator, with two bool tensors"),
        (lambda: True - ft.tensor([True]), RuntimeError, "Subtraction, the `-` operator, with two bool tensors"),
        (
            lambda: ft.tensor([1]) - True,
            RuntimeError,
            "Subtraction, the `-` operator, with a bool tensor is not supported. "
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        ),
        (lambda: -ft.tensor([True]), RuntimeError, "Negation, the `-` operator, on a bool tensor is not supported."),
        (lambda: +ft.tensor([True]), RuntimeError, "The `+` operator, on a bool tensor is not supported."),
        (lambda: abs(ft.tensor([True])), NotImplementedError, "\"abs\" not implemented for 'Bool'"),
        (lambda: ft.tensor([1j]) < 1j, NotImplementedError, "\"lt\" not implemented for 'ComplexFloat'"),
        (lambda: ft.maximum(ft.tensor([1j]), ft.tensor([1j])), RuntimeError, "maximum not implemented for complex"),
        (lambda: ft.maximum(ft.tensor([1]), 2.0), TypeError, "argument 'other' (position 2) must be Tensor, not float"),
        (
            lambda: ft.add(ft.tensor([1]), ft.tensor([2]), alpha=1.5),
            RuntimeError,
            "For integral input tensors, argument alpha must not be a floating point number.",
        ),
        (lambda: ft.add(ft.ones(1), ft.ones(1), alpha=True), RuntimeError, "Boolean alpha only supported for Boolean"),
        (
            lambda: ft.add(ft.ones(1), ft.ones(1), alpha=2j),
            RuntimeError,
            "For non-complex input tensors, argument alpha must not be a complex number.",
        ),
        (
            lambda: ft.where(ft.tensor([1]), 1, 2),
            RuntimeError,
            "where expected condition to be a boolean tensor, but got a tensor with dtype Long",
        ),
        (lambda: ft.clamp(ft.tensor([1])), RuntimeError, "At least one of 'min' or 'max' must not be None"),
        (
            lambda: ft.clamp(ft.tensor([1], dtype=ft.uint8), -1, 300),
            RuntimeError,
            "value cannot be converted to type uint8_t without overflow",
        ),
        (
            lambda: ft.lerp(ft.ones(1), ft.ones(1, dtype=ft.float64), 0.5),
            RuntimeError,
            "expected dtype float for `end` but got dtype double",
        ),
        (
            lambda: ft.addcdiv(ft.tensor([1]), ft.tensor([1]), ft.tensor([1])),
            RuntimeError,
            "Integer division with addcdiv is no longer supported",
        ),
        (
            lambda: ft.heaviside(ft.tensor([1]), ft.tensor([1.0])),
            RuntimeError,
            "heaviside is not yet implemented for tensors with different dtypes.",
        ),
        (
            lambda: ft.div(ft.tensor([3]), 2, rounding_mode="up"),
            RuntimeError,
            "div expected rounding_mode to be one of",
        ),
        (lambda: ft.sign(ft.tensor([1j])), NotImplementedError, "Please use torch.sgn"),
        (
            lambda: ft.bitwise_and(ft.tensor([1.0]), 1),
            NotImplementedError,
            "\"bitwise_and\" not implemented for 'Float'",
        ),
        (
            lambda: ft.tensor([1.0]).add_(ft.tensor([1j])),
            RuntimeError,
            "result type ComplexFloat can't be cast to the desired output type Float",
        ),
        (
            lambda: ft.tensor([1]).div_(2),
            RuntimeError,
            "result type Float can't be cast to the desired output type Long",
        ),
        (lambda: ft.isclose(ft.tensor([1]), ft.tensor([1.0])), RuntimeError, "Long did not match Float"),
        (
            lambda: ft.isclose(ft.ones(1), ft.ones(1), rtol=-0.4),
            RuntimeError,
            "rtol must be greater than or equal to zero, but got -0.4",
        ),
    ],
)
def test_errors_as_pytorch_has_them(expression, error, text):
    with pytest.raises(error) as caught:
        expression()
    assert text in str(caught.value)


def test_closeness():
    a, b = ft.tensor([1.0, NAN, INF, 2.0]), ft.tensor([1.0 + 1e-7, NAN, INF, 2.1])
    assert ft.isclose(a, b).tolist() == [True, False, True, False]
    assert ft.isclose(a, b, equal_nan=True).tolist() == [True, True, True, False]
    assert not ft.allclose(a, b) and ft.allclose(a[:1], b[:1])
    assert ft.equal(ft.tensor([1, 2]), ft.tensor([1, 2])) and not ft.equal(ft.tensor([1]), ft.tensor([1, 1]))


@pytest.mark.parametrize("exponent", [2, 3, 0.5, -1, -0.5, -2, 1.7, 0])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_constant_exponents(exponent, dtype):
    values = numbers(dtype, 0.5, 3)
    check(tensor(values, dtype) ** exponent, values**exponent, dtype)


def test_aliases_are_the_same_operators():
    for name, other in (
        ("multiply", "mul"),
        ("subtract", "sub"),
        ("divide", "div"),
        ("true_divide", "div"),
        ("arccos", "acos"),
        ("absolute", "abs"),
        ("negative", "neg"),
        ("clip", "clamp"),
        ("fix", "trunc"),
        ("greater", "gt"),
    ):
        for where, suffix in ((ft, ""), (ft.Tensor, ""), (ft.Tensor, "_")):  # separate objects, for handlers
            one, two = getattr(where, name + suffix), getattr(where, other + suffix)
            assert one is not two and one.overloads == two.overloads and one.__name__ == name + suffix


def test_reflected_division_of_tensors_has_the_dtype_of_two_steps():
    got = ft.tensor([1, 2, 4]).__rdiv__(ft.tensor([2.0, 3.0, 6.0], dtype=ft.bfloat16))
    assert got.dtype == ft.float32 and got.tolist() == [2.0, 1.5, 1.5]
    assert ft.tensor([1, 2]).__rdiv__(3).tolist() == [3.0, 1.5]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_frexp(dtype):
    a = np.array([3.0, -8.0, 0.1, 0.0, -0.0, float("inf"), float("nan"), 1e-7], dtype)
    found, expected = ft.frexp(ft.tensor(a)), np.frexp(a)
    np.testing.assert_array_equal(found.mantissa, expected[0])
    assert found.mantissa.dtype is getattr(ft, dtype) and found.exponent.dtype is ft.int32
    assert found.exponent.tolist() == expected[1].tolist()
    assert ft.frexp(ft.tensor([3.0]).bfloat16()).mantissa.tolist() == [0.75]
    with pytest.raises(RuntimeError, match="only supports floating-point dtypes"):
        ft.frexp(ft.tensor([1]))


def test_what_depends_on_the_numbers_of_a_half_type():
    """PyTorch's results: the divisor is rounded first, and the next number is the dtype's."""
    half, brain = ft.tensor([5.5, -5.5, 1e4], dtype=ft.float16), ft.tensor([5.5, -5.5, 1e4], dtype=ft.bfloat16)
    for divisor in (0.1, ft.tensor(0.1)):
        assert half.fmod(divisor).tolist() == [0.0013427734375, -0.0013427734375, 0.0419921875]
        assert half.clone().remainder_(divisor).tolist() == [0.0013427734375, 0.0986328125, 0.0419921875]
        assert brain.clone().fmod_(divisor).tolist() == [0.0947265625, -0.0947265625, 0.0595703125]
        assert (brain % divisor).tolist() == [0.0947265625, 0.00537109375, 0.0595703125]
    assert half.fmod(1e-8).isnan().all() and (half % 1e-8).isnan().all()
    x, y = [0.0, 1.0, -1.0, 65504.0, math.inf, 6e-8, -0.0, 0.0], [1.0, 0.0, 0.0, math.inf, 0.0, 0.0, -1.0, -0.0]
    found = ft.nextafter(ft.tensor(x, dtype=ft.float16), ft.tensor(y, dtype=ft.float16))
    with np.errstate(over="ignore"):
        assert found.tolist() == np.nextafter(np.float16(x), np.float16(y)).tolist()
    found = ft.nextafter(ft.tensor(x, dtype=ft.bfloat16), ft.tensor(y, dtype=ft.bfloat16))
    assert found.tolist() == [
        9.183549615799121e-41,
        0.99609375,
        -0.99609375,
        66048.0,
        3.3895313892515355e38,
        5.960464477539063e-08,
        -9.183549615799121e-41,
        -0.0,
    ]
    for dtype in (ft.float16, ft.bfloat16):
        nan = ft.tensor(math.nan, dtype=dtype)
        assert ft.nextafter(nan, nan + 1).isnan() and ft.nextafter(ft.ones((), dtype=dtype), nan).isnan()


def test_half_types_are_compared_with_what_they_can_hold():
    """PyTorch's results: operands that are not tensors with dimensions are converted to the dtype first."""
    x = ft.tensor([0.1, 2048.0, math.inf], dtype=ft.float16)
    wide = ft.tensor(0.1, dtype=ft.float64)
    for found in (x == 0.1, 0.1 == x, x == ft.tensor(0.1), wide == x, x.clone().eq_(0.1) > 0):
        assert found.tolist() == [True, False, False]
    assert (x >= 2049).tolist() == [False, True, True] and (x < 0.1).tolist() == [False] * 3
    assert (x == 70000).tolist() == [False, False, True] and (x != 70000).tolist() == [True, True, False]
    assert (x.to(ft.bfloat16) == 0.1).tolist() == [True, False, False]
    assert (x == ft.tensor([0.1, 2048.0, 1.0])).tolist() == [False, True, False]  # float32 tensors
    assert (x.to(ft.complex32) == 0.1).tolist() == [True, False, False]
    assert ft.bucketize(0.1, x).item() == ft.searchsorted(x, 0.1).item() == 0


@pytest.mark.parametrize("dtype", COMPLEX)
def test_infinite_imaginary_parts_leave_real_ones_alone(dtype):
    x = ft.tensor([complex(1, INF), complex(2, NAN), complex(-INF, NAN)], dtype=getattr(ft, dtype))
    assert x[:2].sum().real == 3 and x[:2].cumsum(0).real.tolist() == [1, 3]
    assert ft.trace(ft.diag(x[:2])).real == 3 and x.exp()[2].item() == 0 and (2**x)[2].item() == 0
    assert (1 + x[2:].exp()).reciprocal().item() == x[2:].neg().sigmoid().item() == 1
    assert ft.addcmul(x[:1], ft.ones(1), ft.zeros(1), value=0).real.item() == 1
    assert (x**1).real.tolist() == [1, 2, -INF] and (x**0).tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", COMPLEX)
def test_powers_of_complex_infinities(dtype):
    """As in PyTorch, a number as exponent is arithmetic, and a tensor means exp(y * log(x))."""
    dtype = getattr(ft, dtype)
    x = ft.tensor([complex(NAN, 0), complex(INF, 0), complex(0, INF), complex(-INF, NAN), 0j, 3 + 4j], dtype=dtype)
    finite = {
        0: [0, 0, 0, 0, 0, 1],
        1: [0, 0, 0, 0, 1, 1],
        -1: [0, 1, 1, 1, 0, 1],
        2: [0, 0, 0, 0, 1, 1],
        0.5: [0, 0, 0, 0, 1, 1],
        -2: [0, 1, 1, 1, 0, 1],
    }
    for exponent, expected in finite.items():
        power = x ** ft.full_like(x, exponent)
        assert power.isfinite().tolist() == [bool(each) for each in expected], exponent
    assert (x**0).tolist() == [1] * 6 and (1**x).tolist() == [1] * 6
    assert [(x[4:] ** n).tolist() for n in (1, 2, 3)] == [[0, 3 + 4j], [0, -7 + 24j], [0, -117 + 44j]]
    for exponent in (-1, -2, 0.5, -0.5, 1.5, 1j):
        for power in (x[5:] ** exponent, x[5:] ** ft.full_like(x[5:], exponent)):
            assert abs(power.item() - (3 + 4j) ** exponent) < 1e-6
    assert (0 ** x[:5]).isfinite().tolist() == [False, True, False, False, False]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64"])
def test_addcmul_of_a_scale_and_a_shift_for_each_channel(dtype):
    """A special loop: along a row, one number is added and one is a factor."""
    dtype = getattr(ft, dtype)
    x = ft.arange(2 * 3 * 37).to(dtype).reshape(2, 3, 37)
    scale, shift = (ft.tensor(numbers).to(dtype).reshape(1, 3, 1) for numbers in ([1, -2, 3], [4, 5, 6]))
    assert ft.addcmul(shift, x, scale, value=2).equal(shift + 2 * x * scale)


def test_in_place_abs_refuses_complex_numbers():
    z = ft.tensor([3 + 4j])
    with pytest.raises(RuntimeError, match="In-place abs is not supported for complex tensors."):
        z.abs_()
    assert z.tolist() == [3 + 4j] and z.abs().tolist() == [5.0]


TestSamples = check_values("tensor.pointwise")


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64, ft.int64])
def test_exponents_beyond_int32(dtype):
    x = ft.tensor([3], dtype=dtype)
    for exponent, result in ((2**63 - 1, math.inf), (2**32 + 1, math.inf), (-(2**32), 0.0), (-(2**63), 0.0)):
        assert ft.ldexp(x, ft.tensor([exponent])).item() == result
        assert ft.ldexp(-x, ft.tensor([exponent])).item() == -result
    assert ft.ldexp(x, ft.tensor([3])).item() == 24


@pytest.mark.parametrize(
    "name", "neg abs sign sgn floor ceil trunc round frac bitwise_not conj_physical".split(), ids=lambda name: name
)
def test_functions_that_keep_the_dtype_write_to_no_other(name):
    kind, other = (ft.int32, ft.int64) if name == "bitwise_not" else (ft.float32, ft.float64)
    x = ft.ones(2, dtype=kind)
    with pytest.raises(RuntimeError, match="Found dtype (Long|Double) but expected (Int|Float)"):
        getattr(ft, name)(x, out=ft.empty(2, dtype=other))
    out = ft.empty(2, dtype=kind)
    assert getattr(ft, name)(x, out=out) is out and out.tolist() == getattr(ft, name)(x).tolist()


def test_compositions_that_need_the_dtype_of_their_result_in_out():
    x = ft.tensor([1.0, float("inf")])
    for function, args in ((ft.isposinf, ()), (ft.isneginf, ()), (ft.float_power, (2,)), (ft.float_power, (x,))):
        with pytest.raises(RuntimeError, match=r"Expected out tensor to have dtype \w+, but got float32 instead"):
            function(x, *args, out=ft.empty(2))
    assert ft.isposinf(x, out=ft.empty(2, dtype=ft.bool)).tolist() == [False, True]
    assert ft.float_power(x, 2, out=ft.empty(2, dtype=ft.float64)).tolist() == [1.0, float("inf")]


def test_products_of_numbers_beyond_64_bits():
    assert ft.add(ft.ones(2), 1000, alpha=10**17).tolist() == ft.tensor([1e20, 1e20]).tolist()
    assert ft.sub(ft.ones(1, dtype=ft.complex128), 10**10, alpha=10**17).tolist() == [-1e27]


def test_syntax_called_directly_leaves_other_operands_to_python():
    x = ft.ones(2)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "and", "lt", "eq", "matmul"):
        for method in (f"__{name}__", f"__r{name}__", f"__i{name}__"):
            if hasattr(x, method):
                assert getattr(x, method)(object()) is NotImplemented, method
    for number in (3, 2.5, True, np.float32(1)):
        assert x.__matmul__(number) is NotImplemented
        with pytest.raises(TypeError, match="unsupported operand"):
            x @ number
