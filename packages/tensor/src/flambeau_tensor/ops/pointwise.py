"""Elementwise operators: arithmetic, comparison, logic, bits, powers, exponentials, rounding, trigonometry.

Most consist of one declaration with a loop of NumPy's; ``hot("pointwise")`` and related modules contain other loops.
"""

from functools import cache

import numpy as np

from flambeau_tensor._core.call.binding import accept_deprecated
from flambeau_tensor._core.call.forwarding import ByGiven, Forward, overloads
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.cpu_levels import LEVEL, hot
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name, get_default_dtype, type_name
from flambeau_tensor._core.elementwise.engine import Elementwise
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import (
    BOOLS,
    COMPLEX,
    EVERY,
    FLOATS,
    FUNCTION,
    HALF_COMPLEX,
    INPLACE,
    INPLACE_FUNCTION,
    INTS,
    METHOD,
    REAL_PART,
    REALS,
    UNSIGNED,
    USUAL,
)
from flambeau_tensor._core.schema.registry import alias, find_operator
from flambeau_tensor._kernels import pointwise as kernels
from flambeau_tensor.ops.factories import complex_
from flambeau_tensor.ops.views import imag, view_as_complex, view_as_real

_hot = hot("pointwise")
LOOPS = _hot.LOOPS | hot("ternary").LOOPS | hot("division").LOOPS | hot("special").LOOPS | hot("normal").LOOPS
_ELEMENTARY = hot("elementary").LOOPS
LOOPS |= {name: loops | LOOPS.get(name, {}) for name, loops in _ELEMENTARY.items()}
HALVES = hot("halves").LOOPS

_BOOL, _INT64, _FLOAT64 = _dtype_by_name("bool"), _dtype_by_name("int64"), _dtype_by_name("float64")
BOTH = FUNCTION | METHOD | INPLACE
UNARY = FUNCTION | METHOD | INPLACE_FUNCTION
_NUMBERS = INTS | FLOATS | COMPLEX | HALF_COMPLEX


def _unary(name, loops, doc, *, default_float=False, variants=UNARY, syntax=(), differentiable=True, **how):
    return Operator(
        f"{name}(Tensor self, *, Tensor(a!)? out=None) -> Tensor",
        Elementwise(name, 1, loops, default_float=default_float, **how),
        variants=variants,
        syntax=syntax,
        differentiable=differentiable,
        doc=doc,
    )


def _binary(name, loops, doc, *, syntax=(), variants=BOTH, numbers=(), differentiable=True, **how):
    return Operator(
        f"{name}(Tensor self, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
        Elementwise(name, 2, loops, **how),
        variants=variants,
        numbers=numbers,
        syntax=syntax,
        differentiable=differentiable,
        doc=doc,
    )


def _elementary(ufunc):
    """Return our loops for a ufunc, or NumPy's if those are better with AVX-512."""
    loops = _ELEMENTARY[ufunc.__name__]
    if LEVEL == "v4":
        loops = {dtype: loops[dtype] for dtype in loops if (ufunc, dtype) in _BETTER}
    return loops, ufunc


_BETTER = {(np.exp, "float32"), (np.tanh, "float32"), (np.sin, "float64"), (np.cos, "float64")}


# --- arithmetic -----------------------------------------------------------------------------------------------------

_SUM = "(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!)? out=None) -> Tensor"
add = Operator(
    "add" + _SUM,
    Elementwise("add", 2, (LOOPS["add"], np.add), alpha=("alpha", LOOPS["add_scaled"]), dtypes=USUAL | HALF_COMPLEX),
    variants=BOTH,
    numbers={"self", "other"},
    syntax={"add", "iadd"},
    doc="Adds `other`, multiplied by `alpha`, to `input`.",
)
sub = Operator(
    "sub" + _SUM,
    Elementwise(
        "sub",
        2,
        (LOOPS["sub"], np.subtract),
        alpha=("alpha", LOOPS["sub_scaled"]),
        dtypes=_NUMBERS,
        check=kernels.no_bool,
    ),
    variants=BOTH,
    numbers={"self", "other"},
    syntax={"sub", "isub"},
    doc="Subtracts `other`, multiplied by `alpha`, from `input`.",
)
for _op in add, sub:
    accept_deprecated(_op, "self alpha other")
mul = _binary(
    "mul", (LOOPS["mul"], np.multiply), "The product.", syntax={"mul", "imul"}, numbers={"self", "other"}, dtypes=EVERY
)
_INTEGER_DIVISION = {"dtypes": INTS | FLOATS, "check": kernels.nonzero_divisor}
floor_divide = _binary(
    "floor_divide",
    (LOOPS["floor_divide"], np.floor_divide),
    "The quotient rounded down.",
    syntax={"floordiv", "ifloordiv"},
    numbers={"self", "other"},
    differentiable=False,
    **_INTEGER_DIVISION,
)
remainder = _binary(
    "remainder",
    (LOOPS["remainder"], np.remainder),
    "The remainder of Python's division, with the sign of `other`.",
    syntax={"mod", "imod"},
    numbers={"self", "other"},
    **_INTEGER_DIVISION,
)
fmod = _binary(
    "fmod",
    (LOOPS["fmod"], np.fmod),
    "The remainder of C's division, with the sign of `input`.",
    numbers={"other"},
    **_INTEGER_DIVISION,
)
pow = Operator(
    "pow(Tensor self, Tensor exponent, *, Tensor(a!)? out=None) -> Tensor",
    Elementwise("pow", 2, LOOPS["power"], dtypes=INTS | FLOATS | COMPLEX, check=kernels.exponent),
    variants=BOTH,
    numbers={"self", "exponent"},
    syntax={"pow", "ipow"},
    doc="`input` to the power of `exponent`.",
)
_ORDERED = {"variants": FUNCTION | METHOD, "dtypes": REALS}
maximum = _binary(
    "maximum",
    (LOOPS["maximum"], np.maximum),
    "The elementwise maximum; NaN propagates.",
    **_ORDERED,
    refuse={COMPLEX: "maximum not implemented for complex tensors."},
)
minimum = _binary(
    "minimum",
    (LOOPS["minimum"], np.minimum),
    "The elementwise minimum; NaN propagates.",
    **_ORDERED,
    refuse={COMPLEX: "minimum not implemented for complex tensors."},
)
fmax = _binary("fmax", np.fmax, "The elementwise maximum; NaN is ignored.", **_ORDERED)
fmin = _binary("fmin", np.fmin, "The elementwise minimum; NaN is ignored.", **_ORDERED)
atan2 = _binary(
    "atan2",
    _elementary(np.arctan2),
    "The angle of the point (other, input), in radians.",
    default_float=True,
    dtypes=REALS,
)
hypot = _binary("hypot", LOOPS["hypot"], "sqrt(input² + other²) without overflow.", dtypes=FLOATS)
copysign = _binary(
    "copysign",
    LOOPS["copysign"],
    "The magnitude of `input` with the sign of `other`.",
    numbers={"other"},
    default_float=True,
    dtypes=REALS,
)
nextafter = _binary(
    "nextafter",
    LOOPS["nextafter"] | HALVES["nextafter"],
    "The next representable number after `input` towards `other`.",
    dtypes=FLOATS,
)
logaddexp = _binary(
    "logaddexp",
    LOOPS["logaddexp"],
    "log(exp(input) + exp(other)), without overflow.",
    dtypes=FLOATS | COMPLEX,
    variants=FUNCTION | METHOD,
)
logaddexp2 = _binary(
    "logaddexp2",
    LOOPS["logaddexp2"],
    "log2(2**input + 2**other), without overflow.",
    dtypes=FLOATS,
    variants=FUNCTION | METHOD,
)
xlogy = _binary(
    "xlogy",
    LOOPS["xlogy"],
    "input · log(other), 0 where `input` is 0.",
    default_float=True,
    dtypes=REALS,
    numbers={"self", "other"},
    variants=UNARY,
)
heaviside = Operator(
    "heaviside(Tensor self, Tensor values, *, Tensor(a!)? out=None) -> Tensor",
    Elementwise("heaviside", 2, LOOPS["heaviside"], dtypes=REALS, check=kernels.one_dtype),
    variants=BOTH,
    differentiable=False,
    doc="0 below zero, 1 above it, `values` at it.",
)
gcd = _binary("gcd", np.gcd, "The greatest common divisor.", dtypes=INTS, differentiable=False, variants=UNARY)
lcm = _binary("lcm", np.lcm, "The least common multiple.", dtypes=INTS, differentiable=False, variants=UNARY)


def _ldexp(input, other, out):
    whole = (
        not isinstance(other, float)
        if not isinstance(other, Tensor)
        else not (other.is_floating_point() or other.is_complex())
    )
    if whole and input.is_complex() and isinstance(other, Tensor):
        other = other.to(input.dtype.to_real())  # an exponent of the same precision, regardless of dimensions
    if not whole or input.is_complex():
        return mul(input, pow(2.0, other), out=out)
    if not isinstance(other, Tensor):
        other = find_operator("torch.tensor")(other)
    if other.dtype.name in ("int64", "uint32", "uint64"):  # the loop takes int32, which is enough for any float
        other = find_operator("torch.clamp")(other.long(), -5000, 5000)
    return _ldexp_whole(input, other, out=out)


frexp = Operator(
    "frexp(Tensor self, *, Tensor(a!)[]? out=None) -> (Tensor mantissa, Tensor exponent)",
    kernels.frexp,
    doc="""
Each element as mantissa · 2**exponent, with a mantissa of at least 0.5 and less than 1 (0, infinities and NaN are their
own, with exponent 0).

Args:
    input: of a floating point dtype.

Returns:
    The mantissas, of the dtype of `input`, and the exponents, int32.

Raises:
    RuntimeError: other dtypes.

>>> import flambeau_tensor as ft
>>> ft.frexp(ft.tensor([3.0, -8.0]))
torch.return_types.frexp(
mantissa=tensor([ 0.7500, -0.5000]),
exponent=tensor([2, 4], dtype=torch.int32))
""",
)
_ldexp_whole = Operator(
    "ldexp(Tensor self, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
    Elementwise("ldexp", 2, np.ldexp, fixed={1: _INT64}, default_float=True, dtypes=REALS),
    namespace="torch._ops",
    variants=FUNCTION,
    doc="input · 2**other, of integers `other`.",
)
ldexp = Operator(
    "ldexp(Tensor self, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
    _ldexp,
    composite=True,
    variants=UNARY,
    numbers={"other"},
    doc="input · 2**other.",
)

div = Operator(
    "div(Tensor self, Tensor other, *, str? rounding_mode=None, Tensor(a!)? out=None) -> Tensor",
    Elementwise(
        "div",
        2,
        (LOOPS["div"], np.true_divide),
        default_float=True,
        modes=(
            "rounding_mode",
            {
                None: None,
                "trunc": Elementwise("div_trunc", 2, LOOPS["trunc_divide"], **_INTEGER_DIVISION),
                "floor": Elementwise("div_floor", 2, (LOOPS["floor_divide"], np.floor_divide), **_INTEGER_DIVISION),
            },
        ),
    ),
    variants=BOTH,
    numbers={"self", "other"},
    syntax={"truediv", "itruediv"},
    doc="The quotient. Integers divide into the default floating dtype, unless `rounding_mode` is 'floor' or 'trunc'.",
)
alias("subtract", sub)
alias("multiply", mul)
for _name in ("divide", "true_divide"):
    alias(_name, div)


result_type = Operator(
    "result_type(Tensor tensor1, Tensor tensor2) -> ScalarType",
    kernels.result_type,
    variants=FUNCTION,
    numbers={"tensor1", "tensor2"},
    differentiable=False,
    plain_result=True,
    meta=True,
    doc="The dtype of arithmetic between the two, tensors or Python numbers.",
)


# --- comparison and logic -------------------------------------------------------------------------------------------


def _compare(name, loops, doc, syntax=(), numbers=("other",), variants=BOTH, **how):
    return _binary(
        name, loops, doc, syntax=syntax, numbers=numbers, variants=variants, differentiable=False, result=_BOOL, **how
    )


eq = _compare("eq", np.equal, "Whether the elements are equal.", {"eq"}, dtypes=EVERY)
ne = _compare("ne", np.not_equal, "Whether the elements differ.", {"ne"}, dtypes=EVERY)
lt = _compare("lt", np.less, "Whether `input` is less than `other`.", {"lt"}, dtypes=REALS)
le = _compare("le", np.less_equal, "Whether `input` is at most `other`.", {"le"}, dtypes=REALS)
gt = _compare("gt", np.greater, "Whether `input` is greater than `other`.", {"gt"}, dtypes=REALS)
ge = _compare("ge", np.greater_equal, "Whether `input` is at least `other`.", {"ge"}, dtypes=REALS)
for _name, _op in (("not_equal", ne), ("less", lt), ("less_equal", le), ("greater", gt), ("greater_equal", ge)):
    alias(_name, _op)
logical_and = _compare(
    "logical_and", LOOPS["logical_and"], "Logical AND: whether both elements are nonzero.", numbers=()
)
logical_or = _compare(
    "logical_or", LOOPS["logical_or"], "Logical OR: whether at least one element is nonzero.", numbers=()
)
logical_xor = _compare(
    "logical_xor", LOOPS["logical_xor"], "Logical XOR: whether exactly one element is nonzero.", numbers=()
)
logical_not = _unary(
    "logical_not",
    LOOPS["logical_not"],
    "Logical NOT: whether the element is zero.",
    variants=BOTH,
    result=_BOOL,
    differentiable=False,
)
isnan = _unary(
    "isnan",
    (LOOPS["isnan"], np.isnan),
    "Whether the element is NaN.",
    variants=FUNCTION | METHOD,
    result=_BOOL,
    differentiable=False,
    dtypes=EVERY,
)
isinf = _unary(
    "isinf",
    (LOOPS["isinf"], np.isinf),
    "Whether the element is infinite.",
    variants=FUNCTION | METHOD,
    result=_BOOL,
    differentiable=False,
    dtypes=EVERY,
)
isfinite = _unary(
    "isfinite",
    (LOOPS["isfinite"], np.isfinite),
    "Whether the element is neither infinite nor NaN.",
    variants=FUNCTION | METHOD,
    result=_BOOL,
    differentiable=False,
    dtypes=EVERY,
)
signbit = _unary(
    "signbit",
    (LOOPS["signbit"], np.signbit),
    "Whether the sign bit is set.",
    dtypes=REALS | UNSIGNED,
    variants=FUNCTION | METHOD,
    result=_BOOL,
    differentiable=False,
    refuse={COMPLEX: "signbit is not implemented for complex tensors."},
)


_BITS = BOOLS | INTS | UNSIGNED


def _bitwise(name, loops, doc, syntax, dtypes=BOOLS | INTS):
    return _binary(name, loops, doc, syntax=syntax, dtypes=dtypes, numbers={"self", "other"}, differentiable=False)


bitwise_and = _bitwise("bitwise_and", np.bitwise_and, "Bitwise AND; logical AND for bool.", {"and", "iand"}, _BITS)
bitwise_or = _bitwise("bitwise_or", np.bitwise_or, "Bitwise OR; logical OR for bool.", {"or", "ior"}, _BITS)
bitwise_xor = _bitwise("bitwise_xor", np.bitwise_xor, "Bitwise XOR; logical XOR for bool.", {"xor", "ixor"}, _BITS)
bitwise_left_shift = _bitwise(
    "bitwise_left_shift", np.left_shift, "The bits shifted to the left.", {"lshift", "ilshift"}, INTS
)
bitwise_right_shift = _bitwise(
    "bitwise_right_shift",
    np.right_shift,
    "The bits shifted to the right, with sign extension.",
    {"rshift", "irshift"},
    INTS,
)
bitwise_not = _unary(
    "bitwise_not",
    np.invert,
    "Bitwise NOT; logical NOT for bool.",
    variants=BOTH,
    dtypes=BOOLS | INTS,
    differentiable=False,
    exact_out=True,
)
_NO_INVERSE = TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
Operator(
    "__invert__(Tensor self) -> Tensor",
    Elementwise("bitwise_not", 1, np.invert, dtypes=BOOLS | INTS, refuse={FLOATS: _NO_INVERSE, COMPLEX: _NO_INVERSE}),
    variants=METHOD,
    syntax={"invert"},
    differentiable=False,
    doc="`~input`, which is :func:`torch.bitwise_not`.",
)


# --- signs and rounding ---------------------------------------------------------------------------------------------

neg = _unary(
    "neg",
    (HALVES["neg"], np.negative),
    "The negative.",
    syntax={"neg"},
    dtypes=_NUMBERS,
    exact_out=True,
    refuse={
        BOOLS: "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
        "a mask, use the `~` or `logical_not()` operator instead."
    },
)


def _positive(input):
    if input.dtype is _BOOL:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


positive = Operator(
    "positive(Tensor(a) self) -> Tensor(a)", _positive, composite=True, syntax={"pos"}, doc="The tensor itself."
)
abs = _unary(
    "abs",
    (HALVES["abs"], np.absolute),
    "The absolute value; the modulus of complex numbers.",
    syntax={"abs"},
    result=REAL_PART,
    dtypes=_NUMBERS,
    exact_out=True,
)
sign = _unary(
    "sign",
    LOOPS["sign"],
    "-1, 0 or 1; 0 for NaN.",
    dtypes=REALS,
    exact_out=True,
    refuse={
        COMPLEX: "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
    },
)
sgn = _unary(
    "sgn",
    LOOPS["sgn"],
    "The sign; of complex numbers the direction, z / |z|.",
    variants=BOTH,
    dtypes=USUAL | HALF_COMPLEX,
    exact_out=True,
)
_ROUNDING = {"dtypes": INTS | UNSIGNED | FLOATS, "exact_out": True}
floor = _unary("floor", np.floor, "The largest integer not greater than the element.", **_ROUNDING)
ceil = _unary("ceil", np.ceil, "The smallest integer not less than the element.", **_ROUNDING)
trunc = _unary("trunc", np.trunc, "The integer part.", **_ROUNDING)
frac = _unary(
    "frac", LOOPS["frac"], "The fractional part, with the sign of the element.", dtypes=FLOATS, exact_out=True
)
angle = _unary(
    "angle",
    LOOPS["angle"],
    "The angle of complex numbers, in radians; 0 or pi of real ones.",
    default_float=True,
    result=REAL_PART,
    variants=FUNCTION | METHOD,
)
square = _unary("square", np.square, "The square.", bool_as=_INT64)
reciprocal = _unary("reciprocal", (LOOPS["reciprocal"], np.reciprocal), "The reciprocal, 1 / x.", default_float=True)
sqrt = _unary("sqrt", (LOOPS["sqrt"], np.sqrt), "The square root.", default_float=True)
rsqrt = _unary("rsqrt", LOOPS["rsqrt"], "The reciprocal of the square root.", default_float=True)
conj = Operator(
    "conj(Tensor(a) self) -> Tensor(a)",
    kernels.conj,
    doc="The complex conjugate as a lazy view; a real tensor is returned unchanged.",
)
neg_view = Operator(
    "_neg_view(Tensor(a) self) -> Tensor(a)",
    kernels.neg_view,
    doc="The negated elements as a lazy view.",
)
conj_physical = _unary(
    "conj_physical",
    (LOOPS["same"], np.conjugate),
    "The complex conjugate as a new tensor.",
    dtypes=EVERY,
    exact_out=True,
)
round = Operator(
    "round(Tensor self, *, int decimals=0, Tensor(a!)? out=None) -> Tensor",
    Elementwise("round", 1, LOOPS["round"], params=("decimals",), **_ROUNDING),
    variants=UNARY,
    doc="The elements rounded to `decimals` places, with halves to even.",
)
for _name, _op in (
    ("negative", neg),
    ("absolute", abs),
    ("fix", trunc),
    ("arctan2", atan2),
):
    alias(_name, _op)


# --- exponentials, trigonometry, special functions ------------------------------------------------------------------


def _float(name, loops, doc):
    return _unary(name, loops, doc, default_float=True)


exp = _float("exp", _elementary(np.exp), "e to the power of the element.")
exp2 = _float("exp2", _elementary(np.exp2), "2 to the power of the element.")
expm1 = _float("expm1", _elementary(np.expm1), "exp(x) - 1, precise near zero.")
log = _float("log", _elementary(np.log), "The natural logarithm.")
log2 = _float("log2", _elementary(np.log2), "The logarithm to base 2.")
log10 = _float("log10", _elementary(np.log10), "The logarithm to base 10.")
log1p = _float("log1p", _elementary(np.log1p), "log(1 + x), precise near zero.")
sin = _float("sin", _elementary(np.sin), "The sine, of radians.")
cos = _float("cos", _elementary(np.cos), "The cosine, of radians.")
tan = _float("tan", _elementary(np.tan), "The tangent, of radians.")
asin = _float("asin", _elementary(np.arcsin), "The arc sine, in radians.")
acos = _float("acos", _elementary(np.arccos), "The arc cosine, in radians.")
atan = _float("atan", _elementary(np.arctan), "The arc tangent, in radians.")
sinh = _float("sinh", _elementary(np.sinh), "The hyperbolic sine.")
cosh = _float("cosh", _elementary(np.cosh), "The hyperbolic cosine.")
tanh = _float("tanh", _elementary(np.tanh), "The hyperbolic tangent.")
asinh = _float("asinh", _elementary(np.arcsinh), "The inverse hyperbolic sine.")
acosh = _float("acosh", _elementary(np.arccosh), "The inverse hyperbolic cosine.")
atanh = _float("atanh", _elementary(np.arctanh), "The inverse hyperbolic tangent.")
sigmoid = _float("sigmoid", LOOPS["sigmoid"], "1 / (1 + exp(-x)).")
erf = _float("erf", LOOPS["erf"], "The error function.")
erfc = _float("erfc", LOOPS["erfc"], "1 - erf(x), precise for large x.")
erfinv = _float("erfinv", LOOPS["erfinv"], "The inverse of the error function.")
lgamma = _float("lgamma", LOOPS["lgamma"], "The logarithm of the absolute gamma function.")
digamma = _float("digamma", LOOPS["digamma"], "The derivative of lgamma.")
_polygamma = Operator(
    "polygamma(Tensor self, int n, *, Tensor(a!)? out=None) -> Tensor",
    Elementwise("polygamma", 1, LOOPS["polygamma"], default_float=True, dtypes=REALS, params=("n",)),
    namespace="torch._ops",
    variants=FUNCTION,
    doc="The `n`-th derivative of digamma, n > 0.",
)
sinc = _float("sinc", LOOPS["sinc"], "sin(pi x) / (pi x).")
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
    alias(f"arc{_name}", globals()[f"a{_name}"])
for _name, _doc in (("deg2rad", "Degrees converted to radians."), ("rad2deg", "Radians converted to degrees.")):
    globals()[_name] = _unary(
        _name,
        LOOPS[_name],
        _doc,
        default_float=True,
        dtypes=REALS,
        refuse={COMPLEX: f"{_name} is not supported for complex tensors."},
    )
relu = _unary(
    "relu",
    LOOPS["relu"],
    "The element, or 0 if it is negative.",
    dtypes=INTS | FLOATS,
    refuse={
        BOOLS: RuntimeError("Boolean inputs not supported for relu"),
        COMPLEX: "clamp is not supported for complex types",
    },
)


# --- several operands -----------------------------------------------------------------------------------------------

Operator(
    "where(Tensor condition) -> Tensor[]",
    lambda condition: find_operator("torch.nonzero")(condition, as_tuple=True),
    composite=True,
    variants=FUNCTION,
    doc="The indices of nonzero elements, one tensor per dimension.",
)
where = Operator(
    "where.self(Tensor condition, Tensor self, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
    kernels.Where(
        "where", 3, LOOPS["where"], fixed={0: _BOOL}, check=kernels.condition, exact_numbers=True, dtypes=EVERY
    ),
    variants=FUNCTION,
    numbers={"self", "other"},
    doc="`input` where `condition` is True, `other` elsewhere.",
)
Operator(
    "where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
    Forward(where),
    composite=True,
    variants=FUNCTION,
    doc="One number where `condition` is True, another elsewhere.",
)
Operator(
    "where(Tensor self, Tensor condition, Tensor other) -> Tensor",
    lambda input, condition, other: where(condition, input, other),
    composite=True,
    variants=METHOD,
    numbers={"other"},
    doc="The tensor where `condition` is True, `other` elsewhere.",
)
lerp = Operator(
    "lerp(Tensor self, Tensor end, Tensor weight, *, Tensor(a!)? out=None) -> Tensor",
    Elementwise("lerp", 3, LOOPS["lerp"], dtypes=FLOATS | COMPLEX, check=kernels.same_dtypes),
    variants=BOTH,
    numbers={"weight"},
    doc="input + weight · (end - input).",
)
_ADDC = "(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor(a!)? out=None) -> Tensor"
addcmul = Operator(
    "addcmul" + _ADDC,
    Elementwise("addcmul", 3, LOOPS["addcmul"], dtypes=_NUMBERS, params=("value",)),
    variants=BOTH,
    doc="input + value · tensor1 · tensor2.",
)
addcdiv = Operator(
    "addcdiv" + _ADDC,
    Elementwise(
        "addcdiv", 3, LOOPS["addcdiv"], dtypes=FLOATS | COMPLEX, params=("value",), check=kernels.float_divisor
    ),
    variants=BOTH,
    doc="input + value · tensor1 / tensor2.",
)
for _op in addcmul, addcdiv:
    accept_deprecated(_op, "self value tensor1 tensor2")


_BOUND = {"dtypes": REALS, "exact_numbers": True, "refuse": {COMPLEX: "clamp is not supported for complex types"}}


def _bound(name, argument, loops, doc):
    return Operator(
        f"{name}(Tensor self, Tensor {argument}, *, Tensor(a!)? out=None) -> Tensor",
        Elementwise(name, 2, loops, **_BOUND),
        variants=UNARY,
        numbers={argument},
        doc=doc,
    )


clamp_min = _bound("clamp_min", "min", (LOOPS["maximum"], np.maximum), "At least `min`.")
clamp_max = _bound("clamp_max", "max", (LOOPS["minimum"], np.minimum), "At most `max`.")
_clamp_both = Operator(
    "clamp_both(Tensor self, Tensor min, Tensor max, *, Tensor(a!)? out=None) -> Tensor",
    Elementwise("clamp", 3, LOOPS["clamp"], **_BOUND),
    namespace="torch._ops",
    variants=FUNCTION | INPLACE_FUNCTION,
    numbers={"min", "max"},
    doc="Between `min` and `max`.",
)
_CLAMP = "(Tensor self, {0}? min=None, {0}? max=None, *, Tensor(a!)? out=None) -> Tensor"
clamp = Operator(
    "clamp" + _CLAMP.format("Tensor"),
    ByGiven(
        {"min max": _clamp_both, "min": clamp_min, "max": clamp_max},
        RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None"),
    ),
    composite=True,
    namespace="torch._ops",
    variants=FUNCTION | INPLACE_FUNCTION,
    numbers={"min", "max"},
    doc="The elements limited to the range from `min` to `max`; one bound may be omitted.",
)
alias(
    "clip",
    overloads(clamp, "clamp.Tensor" + _CLAMP.format("Tensor"), "clamp" + _CLAMP.format("Scalar"), variants=UNARY)[0],
)


def _composite(schema, doc, variants=FUNCTION | METHOD, **how):
    def declare(function):
        return Operator(schema, function, composite=True, variants=variants, doc=doc, **how)

    return declare


@_composite(
    "rsub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "other - alpha · input.",
    FUNCTION,
    numbers={"other"},
)
def rsub(input, other, alpha):
    return sub(other, input, alpha=alpha)


@_composite(
    "float_power(Tensor self, Tensor exponent, *, Tensor(a!)? out=None) -> Tensor",
    "The power, in double precision.",
    numbers={"self", "exponent"},
    exact_out=True,
)
def float_power(input, exponent, out):
    to = [
        x.to(_dtype_by_name("complex128" if x.is_complex() else "float64")) if hasattr(x, "dtype") else x
        for x in (input, exponent)
    ]
    return pow(*to)


@_composite(
    "float_power_(Tensor(a!) self, Tensor exponent) -> Tensor(a!)",
    "In-place version of :func:`torch.float_power`, of tensors in double precision.",
    METHOD,
    numbers={"exponent"},
)
def float_power_(input, exponent):
    is_complex = exponent.is_complex() if hasattr(exponent, "dtype") else isinstance(exponent, complex)
    needed = _dtype_by_name("complex128" if is_complex or input.is_complex() else "float64")
    if input.dtype is not needed:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {input.dtype} but the operation's result requires dtype {needed}"
        )
    return input.pow_(exponent)


def _of_order(n, input, out=None):
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return _polygamma(input, n, out=out) if n else digamma(input, out=out)


polygamma = Operator(
    "polygamma(int n, Tensor self, *, Tensor(a!)? out=None) -> Tensor",
    _of_order,
    composite=True,
    variants=FUNCTION,
    doc="The `n`-th derivative of digamma.",
)
Operator(
    "polygamma(Tensor self, int n) -> Tensor",
    lambda input, n: _of_order(n, input),
    composite=True,
    variants=METHOD | INPLACE,
    doc="The `n`-th derivative of digamma.",
)


_logit = Operator(
    "logit(Tensor self, Scalar eps, *, Tensor(a!)? out=None) -> Tensor",
    Elementwise("logit", 1, LOOPS["logit"], default_float=True, dtypes=REALS, params=("eps",)),
    namespace="torch._ops",
    variants=FUNCTION,
    doc="log(x / (1 - x)) of x between eps and 1 - eps, unless eps is negative.",
)


@_composite(
    "logit(Tensor self, float? eps=None, *, Tensor(a!)? out=None) -> Tensor",
    "log(x / (1 - x)); with `eps`, of x no less than `eps` and no more than 1 - `eps`.",
    UNARY,
)
def logit(input, eps, out):
    return _logit(input, -1.0 if eps is None else eps, out=out)


@cache
def _largest(dtype):
    from flambeau_tensor.numeric_limits import finfo

    return finfo(dtype).max


@_composite(
    "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None, *, "
    "Tensor(a!)? out=None) -> Tensor",
    "The elements with NaN and infinities replaced by numbers.",
    UNARY,
)
def nan_to_num(input, nan, posinf, neginf, out):
    if input.is_complex():  # real and imaginary parts separately
        result = view_as_complex(nan_to_num(view_as_real(input.resolve_conj()), nan, posinf, neginf))
        return result if out is None else out.copy_(result)
    if not input.is_floating_point():
        return input.clone()
    largest = _largest(input.dtype)
    return _nan_to_num(
        input,
        0.0 if nan is None else nan,
        largest if posinf is None else posinf,
        -largest if neginf is None else neginf,
        out=out,
    )


_nan_to_num = Operator(
    "nan_to_num(Tensor self, Scalar nan, Scalar posinf, Scalar neginf, *, Tensor(a!)? out=None) -> Tensor",
    Elementwise("nan_to_num", 1, LOOPS["nan_to_num"], dtypes=FLOATS, params=("nan", "posinf", "neginf")),
    namespace="torch._ops",
    variants=FUNCTION,
    doc="Numbers for NaN and infinities.",
)


def _is(input, number):
    if input.is_complex():
        raise RuntimeError(f"{'isposinf' if number > 0 else 'isneginf'} does not support complex inputs.")
    return eq(input, number)


@_composite("isposinf(Tensor self, *, Tensor(a!)? out=None) -> Tensor", "Whether the element is +inf.", exact_out=True)
def isposinf(input, out):
    return _is(input, float("inf"))


@_composite("isneginf(Tensor self, *, Tensor(a!)? out=None) -> Tensor", "Whether the element is -inf.", exact_out=True)
def isneginf(input, out):
    return _is(input, float("-inf"))


@_composite("isreal(Tensor self) -> Tensor", "Whether the imaginary part is zero.")
def isreal(input):
    return eq(imag(input), 0) if input.is_complex() else find_operator("torch.ones_like")(input, dtype=_BOOL)


@_composite(
    "polar(Tensor abs, Tensor angle, *, Tensor(a!)? out=None) -> Tensor",
    "Complex numbers with the given modulus and angle.",
    FUNCTION,
)
def polar(abs, angle, out):
    if abs.dtype is not angle.dtype or not abs.is_floating_point():
        return complex_(abs, angle)  # raises
    return complex_(mul(abs, cos(angle)), mul(abs, sin(angle)), out=out)


@_composite(
    "isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
    "Whether |input - other| <= atol + rtol · |other|.",
)
def isclose(input, other, rtol, atol, equal_nan):
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{type_name(input.dtype)} did not match {type_name(other.dtype)}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")
    close = eq(input, other)
    if equal_nan and (input.is_floating_point() or input.is_complex()):
        close = logical_or(close, logical_and(ne(input, input), ne(other, other)))
    if rtol == 0 and atol == 0:
        return close
    if not (other.is_floating_point() or other.is_complex()):
        other = other.to(get_default_dtype())  # integers would wrap around, and booleans cannot be subtracted
        input = input.to(other.dtype) if input.dtype is _BOOL else input
    bound, distance = add(mul(abs(other), rtol), atol), abs(sub(input, other))
    return logical_or(close, logical_and(isfinite(distance), le(distance, bound)))


@_composite(
    "allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool",
    "Whether `isclose` holds everywhere.",
)
def allclose(input, other, rtol, atol, equal_nan):
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


equal = Operator(
    "equal(Tensor self, Tensor other) -> bool",
    kernels.equal,
    composite=True,
    doc="Whether sizes and elements are the same.",
)


# --- Python's operators with a number on the left -------------------------------------------------------------------


def _rdiv(input, other):
    """Divide; a tensor `other`, possible only by name, is divided in PyTorch's two steps, which determine dtypes."""
    return mul(reciprocal(input), other) if isinstance(other, Tensor) else div(other, input)


def _reflected(name, op, function=None):
    Operator(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        function or (lambda input, other: op(other, input)),
        composite=True,
        variants=METHOD,
        numbers={"other"},
        doc=f"`{op.name}` with the two turned round.",
    )


_reflected("__rtruediv__", div, _rdiv)
for _name, _op in (
    ("__rsub__", sub),
    ("__rfloordiv__", floor_divide),
    ("__rmod__", remainder),
    ("__rpow__", pow),
    ("__rlshift__", bitwise_left_shift),
    ("__rrshift__", bitwise_right_shift),
):
    _reflected(_name, _op)
alias("__rdiv__", find_operator("torch.Tensor.__rtruediv__"), same=True)
