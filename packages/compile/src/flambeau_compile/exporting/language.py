"""Elementwise functions in C99, for programs without Python, equivalent to those of eager mode.

``T`` is a placeholder for the type (``float`` or ``double``), ``_`` after a function of the C library for its suffix
(``f`` or nothing), and ``K(…)`` for a constant of that type. Functions that eager computes by its own polynomials use
the C library here: results agree to a unit or two in the last place.
"""

import re
import struct
from typing import Any, NamedTuple

from flambeau_compile.functions import INTEGERS, expression
from flambeau_compile.graph import C_TYPES

# The same in every dtype that can compare; operands x, y, z.
_ANY = {
    "sign": "return (T)((x > 0) - (x < 0));",
    "sgn": "return (T)((x > 0) - (x < 0));",
    "clamp_min": "return x < y || y != y ? y : x;",
    "clamp_max": "return x > y || y != y ? y : x;",
    "clamp_both": "T low = x < y || y != y ? y : x; return low > z || z != z ? z : low;",
    "maximum": "return x > y || x != x ? x : y;",
    "minimum": "return x < y || x != x ? x : y;",
    "relu": "return x < 0 ? 0 : x;",
    "relu_backward": "return y <= 0 ? 0 : x;",
    "square": "return x * x;",
    "abs": "return x < 0 ? -x : x;",
}
# For floating point numbers. Operands are x, y, z, parameters a, b, c.
_REAL = {
    **{name: f"return {name}_(x);" for name in (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "sin", "sinh", "tan", "tanh", "exp", "exp2",
        "expm1", "log", "log10", "log1p", "log2", "erf", "erfc", "lgamma", "sqrt", "floor", "ceil", "trunc",
    )},
    **{name: f"return {name}_(x, y);" for name in ("atan2", "hypot", "fmod", "copysign", "fmax", "fmin")},
    "abs": "return fabs_(x);",
    "round": "return rint_(x);",
    "frac": "return x - trunc_(x);",
    "rsqrt": "return 1 / sqrt_(x);",
    "sinc": "T t = K(3.14159265358979323846) * x; return x == 0 ? 1 : sin_(t) / t;",
    "deg2rad": "return x * K(0.017453292519943295);",
    "rad2deg": "return x * K(57.29577951308232);",
    "logit": "return log_(x / (1 - x));",
    "pow": "return pow_(x, y);",
    "floor_divide": "return floor_(x / y);",
    "remainder": "T r = fmod_(x, y); return r != 0 && (r < 0) != (y < 0) ? r + y : r;",
    "div_floor": "return floor_(x / y);",
    "div_trunc": "return trunc_(x / y);",
    "logaddexp": "T m = x > y ? x : y, d = x > y ? y - x : x - y; return x == y ? x + K(0.6931471805599453) : "
                 "m + log1p_(exp_(d));",
    "xlogy": "return y != y ? y : x == 0 ? 0 : x * log_(y);",
    "xlog1py": "return y != y ? y : x == 0 ? 0 : x * log1p_(y);",
    "lerp": "return z < K(0.5) && z > K(-0.5) ? x + z * (y - x) : y - (y - x) * (1 - z);",
    "sigmoid": "return 1 / (1 + exp_(-x));",
    "sigmoid_backward": "return x * (y * (1 - y));",
    "tanh_backward": "return x * (1 - y * y);",
    "gelu_none": "return K(0.5) * x * (1 + erf_(x * K(0.70710678118654752440)));",
    "gelu_backward_none": "return x * (K(0.5) * (1 + erf_(y * K(0.70710678118654752440))) + "
                          "y * K(0.39894228040143267794) * exp_(K(-0.5) * y * y));",
    "gelu_tanh": "return x / (1 + exp_(-(K(1.5957691216057307118) * (x + K(0.044715) * x * x * x))));",
    "gelu_backward_tanh": "T s = 1 / (1 + exp_(-(K(1.5957691216057307118) * (y + K(0.044715) * y * y * y)))); "
                          "return x * s * (1 + y * K(1.5957691216057307118) * (1 + K(0.134145) * y * y) * (1 - s));",
    "silu": "return x / (1 + exp_(-x));",
    "silu_backward": "T s = 1 / (1 + exp_(-y)); return x * s * (1 + y * (1 - s));",
    "mish": "T e = exp_(x > 20 ? 20 : x), n = e * (e + 2); return x * (n / (n + 2));",
    "mish_backward": "T e = exp_(y > 20 ? 20 : y), n = e * (e + 2), s = n / (n + 2); "
                     "return x * (s + y * (1 - s * s) / (1 + exp_(-y)));",
    "logsigmoid": "return (x < 0 ? x : 0) - log1p_(exp_(x < 0 ? x : -x));",
    "logsigmoid_backward": "return x / (1 + exp_(y));",
    "softplus": "T t = x * a; return t > b ? x : ((t < 0 ? 0 : t) + log1p_(exp_(t < 0 ? t : -t))) / a;",
    "softplus_backward": "return y * a > b ? x : x / (1 + exp_(-(y * a)));",
    "elu": "return x < 0 ? expm1_(x * c) * a * b : x * b;",
    "elu_backward": "return y <= 0 ? x * c * a * exp_(y * c) * b : x * b;",
    "leaky_relu": "return x > 0 ? x : x * a;",
    "leaky_relu_backward": "return y > 0 ? x : x * a;",
    "prelu": "return x > 0 ? x : x * y;",
    "hardtanh": "return x < a ? a : x > b ? b : x;",
    "hardtanh_backward": "return y <= a || y >= b ? 0 : x;",
    "hardsigmoid": "return x < -3 ? 0 : x > 3 ? 1 : (x + 3) / 6;",
    "hardsigmoid_backward": "return y > -3 && y < 3 ? x / 6 : 0;",
    "hardswish": "T s = x + 3; s = s < 0 ? 0 : s > 6 ? 6 : s; return x * s / 6;",
    "hardswish_backward": "return y <= -3 ? 0 : y >= 3 ? x : x * (y / 3 + K(0.5));",
    "softshrink": "return x > a ? x - a : x < -a ? x + a : x - x;",
    "softshrink_backward": "return y >= -a && y <= a ? 0 : x;",
    "hardshrink": "return x >= -a && x <= a ? 0 : x;",
    "hardshrink_backward": "return y >= -a && y <= a ? 0 : x;",
    "threshold": "return x <= a ? b : x;",
    "threshold_backward": "return y <= a ? 0 : x;",
    "add_scaled": "return x + z * y;",
    "sub_scaled": "return x - z * y;",
    "addcmul": "return x + a * y * z;",
    "addcdiv": "return x + a * y / z;",
}  # fmt: skip
_INTEGER = {
    "bitwise_and": "return x & y;",
    "bitwise_or": "return x | y;",
    "bitwise_xor": "return x ^ y;",
    "bitwise_not": "return ~x;",
    "__invert__": "return ~x;",
    "floor_divide": "T q = x / y; return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;",
    "div_floor": "T q = x / y; return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;",
    "div_trunc": "return x / y;",
    "remainder": "T r = x % y; return r != 0 && (r < 0) != (y < 0) ? r + y : r;",
    "fmod": "return x % y;",
    "sign": "return (T)((x > 0) - (x < 0));",
}
_BOOL = {**_INTEGER, "bitwise_not": "return !x;", "__invert__": "return !x;"}
_TRUTH = {
    "isnan": "return x != x;",
    "isfinite": "return x - x == 0;",
    "isinf": "return x == x && x - x != 0;",
    "signbit": "return copysign_(1, x) < 0;",
}
TWO = frozenset(("atan2", "hypot", "fmod", "copysign", "fmax", "fmin", "pow"))  # they have two operands
_PARAMETERS = {name: 3 for name in ("elu",)} | {name: 2 for name in ("softplus", "hardtanh", "threshold")}
_PARAMETERS |= {name: 1 for name in ("leaky_relu", "softshrink", "hardshrink", "addcmul", "addcdiv")}
_LIBRARY = re.compile(r"\b([a-z][a-z0-9]*)_\(")


class Function(NamedTuple):
    """An elementwise C function.

    Args:
        name: its name in C, without the prefix of the file.
        text: its definition, with ``PREFIX`` before its name and before functions of the library.
        library: the functions of the C library that it calls, without suffix.
        arguments: C parameters after the operands.
    """

    name: str
    text: str
    library: frozenset[str]
    arguments: tuple[str, ...]


def number(kind: str, value: Any) -> str:
    """A number in C99, without anything from a header but NAN and INFINITY."""
    if kind in ("f32", "f64"):
        suffix = "f" if kind == "f32" else ""
        if value != value:
            return "NAN" if kind == "f32" else "(double)NAN"
        if value in (float("inf"), float("-inf")):
            return f"({'-' if value < 0 else ''}{'' if kind == 'f32' else '(double)'}INFINITY)"
        value = float(value)
        if kind == "f32":
            import numpy as np

            value = float(np.float32(value))
            text = str(np.float32(value))
        else:
            text = repr(value)
        text = text if any(c in text for c in ".e") else text + ".0"
        return f"({text}{suffix})" if text.startswith("-") else text + suffix
    if kind == "i64":
        return f"INT64_C({int(value)})" if value > -(2**63) else "INT64_MIN"
    return f"(({TYPES[kind]}){int(value)})"


TYPES = {"b8": "uint8_t", "u8": "uint8_t", "i8": "int8_t", "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t",
         "u32": "uint32_t", "i64": "int64_t", "u64": "uint64_t", "f32": "float", "f64": "double"}  # fmt: skip


def find(function: str, reads: tuple[str, ...], writes: str, data: Any = 0) -> Function | None:
    """Return the elementwise C function that an operator runs, or None.

    Args:
        function: the operator's name, with its mode.
        reads: C types of the operands, all the same.
        writes: the C type of its value.
        data: parameters: bytes of doubles.
    """
    kind = reads[0] if reads else "f32"
    if len(set(reads)) != 1:
        return None
    if kind in ("f32", "f64"):
        texts = {**_ANY, **_REAL, **_TRUTH}
    else:
        texts = _BOOL if kind == "b8" else {**_ANY, **_INTEGER} if kind in INTEGERS else {}
    body = texts.get(function)
    if body is None:
        return None
    suffix = "f" if kind == "f32" else ""
    library = frozenset(_LIBRARY.findall(body))
    body = _LIBRARY.sub(rf"\1{suffix}(", body)
    body = re.sub(r"K\(([^)]*)\)", lambda m: number(kind, float(m[1])), body)
    base = function.removesuffix("_backward")
    count = _PARAMETERS.get(base, 0)
    values: tuple[str, ...] = ()
    if count:
        if not isinstance(data, bytes):
            return None
        values = tuple(number(kind, v) for v in struct.unpack_from(f"{count}d", data))
    own, result = TYPES[kind], TYPES[writes]
    body = re.sub(r"\bT\b", own, body)
    used = [i for i, each in enumerate("abc"[:count]) if re.search(rf"\b{each}\b", body)]
    values = tuple(values[i] for i in used)
    names = [*"xyz"[: len(reads)], *("abc"[i] for i in used)]
    name = f"{function}_{kind}"
    head = f"static {result} {name}({', '.join(f'{own} {n}' for n in names)})"
    return Function(name, f"{head} {{ {body} }}", library, values)


def template(function: str, reads: tuple[str, ...], writes: str) -> str | None:
    """Return an expression with placeholders for operands, if the function is one."""
    if reads and reads[0] in ("f32", "f64") and (function in _REAL or function in _ANY):
        return None
    text = expression(function, reads)
    return None if text is None or "__builtin" in text or "FL_" in text else text


def c_type(dtype: str) -> str:
    """The C99 type of a dtype's elements."""
    return TYPES[C_TYPES[dtype]]
