"""Operators of elements as nodes of ONNX."""

from typing import Any

from flambeau.onnx.graph import Graph, dtype_of, operator, static

_UNARY = {
    "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh",
    "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh", "exp": "Exp", "log": "Log",
    "sqrt": "Sqrt", "abs": "Abs", "neg": "Neg", "floor": "Floor", "ceil": "Ceil", "round": "Round", "sign": "Sign",
    "erf": "Erf", "sigmoid": "Sigmoid", "relu": "Relu", "reciprocal": "Reciprocal", "isnan": "IsNaN", "isinf": "IsInf",
    "logical_not": "Not",
}  # fmt: skip
_BINARY = {
    "mul": "Mul", "pow": "Pow", "maximum": "Max", "minimum": "Min", "eq": "Equal", "lt": "Less", "le": "LessOrEqual",
    "gt": "Greater", "ge": "GreaterOrEqual", "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor",
    "clamp_min": "Max", "clamp_max": "Min",
}  # fmt: skip


def _declare_unary(name: str, kind: str) -> None:
    @operator(f"torch.{name}")
    def write(g: Graph, x: Any, *rest: Any) -> str:
        return g.add(kind, g.value(x, g.reads((x, *rest), 1)[0]))


def _declare_binary(name: str, kind: str) -> None:
    @operator(f"torch.{name}")
    def write(g: Graph, x: Any, y: Any, *rest: Any) -> str:
        a, b = g.reads((x, y, *rest), 2)
        return g.add(kind, g.value(x, a), g.value(y, b))


for _name, _kind in _UNARY.items():
    _declare_unary(_name, _kind)
for _name, _kind in _BINARY.items():
    _declare_binary(_name, _kind)


def _operands(g: Graph, args: tuple[Any, ...], count: int) -> list[str]:
    return [g.value(a, dtype) for a, dtype in zip(args, g.reads(args, count), strict=False)]


@operator("torch.add", "torch.sub")
def add(g: Graph, x: Any, y: Any, alpha: Any = 1, *rest: Any) -> str:
    dtype = g.reads((x, y, alpha, *rest), 2)[0]
    a, b = g.value(x, dtype), g.value(y, dtype)
    if alpha != 1:
        b = g.add("Mul", b, g.constant(alpha, dtype))
    return g.add("Add" if (g.op.functional or g.op).name == "add" else "Sub", a, b)


@operator("torch.div")
def div(g: Graph, x: Any, y: Any, mode: Any = None, *rest: Any) -> str:
    dtype = g.reads((x, y, mode, *rest), 2)[0]
    a, b = g.value(x, dtype), g.value(y, dtype)
    if mode == "floor":
        return _floored(g, a, b, dtype)
    quotient = g.add("Div", a, b)
    if mode is None or not dtype.startswith("float"):
        return quotient
    return g.add("Mul", g.add("Sign", quotient), g.add("Floor", g.add("Abs", quotient)))


def _floored(g: Graph, a: str, b: str, dtype: str) -> str:
    """Return a quotient rounded down; for integers, subtract the remainder first, since ONNX rounds toward zero."""
    if dtype.startswith("float"):
        return g.add("Floor", g.add("Div", a, b))
    return g.add("Div", g.add("Sub", a, g.add("Mod", a, b)), b)


@operator("torch.floor_divide")
def floor_divide(g: Graph, x: Any, y: Any, *rest: Any) -> str:
    dtype = g.reads((x, y, *rest), 2)[0]
    return _floored(g, g.value(x, dtype), g.value(y, dtype), dtype)


@operator("torch.ne")
def ne(g: Graph, x: Any, y: Any, *rest: Any) -> str:
    return g.add("Not", g.add("Equal", *_operands(g, (x, y, *rest), 2)))


@operator("torch.remainder")
def remainder(g: Graph, x: Any, y: Any, *rest: Any) -> str:
    dtype = g.reads((x, y, *rest), 2)[0]
    a, b = g.value(x, dtype), g.value(y, dtype)
    if not dtype.startswith("float"):
        return g.add("Mod", a, b)
    return g.add("Sub", a, g.add("Mul", g.add("Floor", g.add("Div", a, b)), b))


@operator("torch.fmod")
def fmod(g: Graph, x: Any, y: Any, *rest: Any) -> str:
    return g.add("Mod", *_operands(g, (x, y, *rest), 2), fmod=1)


@operator("torch.__invert__", "torch.bitwise_not", "torch.Tensor.__invert__")
def invert(g: Graph, x: Any, *rest: Any) -> str:
    return g.add("Not" if dtype_of(x.tensor) == "bool" else "BitwiseNot", g.value(x))


def _declare_bitwise(name: str, boolean: str, integer: str) -> None:
    @operator(f"torch.{name}")
    def write(g: Graph, x: Any, y: Any, *rest: Any) -> str:
        a, b = g.reads((x, y, *rest), 2)
        return g.add(boolean if a == "bool" else integer, g.value(x, a), g.value(y, b))


for _name, _kind in (("and", "And"), ("or", "Or"), ("xor", "Xor")):
    _declare_bitwise(f"bitwise_{_name}", _kind, f"Bitwise{_kind}")


@operator("torch._ops.clamp_both", "torch.clamp_both")
def clamp(g: Graph, x: Any, low: Any, high: Any, *rest: Any) -> str:
    a, b, c = _operands(g, (x, low, high, *rest), 3)
    return g.add("Min", g.add("Max", a, b), c)


@operator("torch.where.self", "torch.where")
def where(g: Graph, condition: Any, x: Any, y: Any, *rest: Any) -> str:
    _, a, b = g.reads((condition, x, y, *rest), 3)
    return g.add("Where", g.value(condition, "bool"), g.value(x, a), g.value(y, b))


@operator("torch.masked_fill")
def masked_fill(g: Graph, x: Any, mask: Any, value: Any) -> str:
    dtype = dtype_of(x.tensor)
    return g.add("Where", g.value(mask, "bool"), g.value(value, dtype), g.value(x))


@operator("torch.lerp")
def lerp(g: Graph, x: Any, y: Any, weight: Any, *rest: Any) -> str:
    dtype = dtype_of(x.tensor)
    a = g.value(x)
    return g.add("Add", a, g.add("Mul", g.value(weight, dtype), g.add("Sub", g.value(y, dtype), a)))


@operator("torch.addcmul", "torch.addcdiv")
def addcmul(g: Graph, x: Any, y: Any, z: Any, value: Any = 1, *rest: Any) -> str:
    dtype = g.reads((x, y, z, value, *rest), 3)[0]
    kind = "Mul" if (g.op.functional or g.op).name == "addcmul" else "Div"
    part = g.add(kind, g.value(y, dtype), g.value(z, dtype))
    if value != 1:
        part = g.add("Mul", part, g.constant(value, dtype))
    return g.add("Add", g.value(x, dtype), part)


def _formula(*names: str) -> Any:
    """Declare a function of (graph, x, a number as a value) for floating point elements."""

    def declare(function: Any) -> Any:
        @operator(*names)
        def write(g: Graph, x: Any, *rest: Any) -> str:
            dtype = g.reads((x, *rest), 1)[0]
            return function(g, g.value(x, dtype), lambda n: g.constant(n, dtype), *rest)

        return write

    return declare


@_formula("torch.square")
def square(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Mul", x, x)


@_formula("torch.rsqrt")
def rsqrt(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Reciprocal", g.add("Sqrt", x))


@_formula("torch.log1p")
def log1p(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Log", g.add("Add", x, n(1)))


@_formula("torch.expm1")
def expm1(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Sub", g.add("Exp", x), n(1))


@_formula("torch.exp2")
def exp2(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Pow", n(2), x)


@_formula("torch.log2")
def log2(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Div", g.add("Log", x), n(0.6931471805599453))


@_formula("torch.log10")
def log10(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Div", g.add("Log", x), n(2.302585092994046))


@_formula("torch.trunc")
def trunc(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Mul", g.add("Sign", x), g.add("Floor", g.add("Abs", x)))


@_formula("torch._C._nn.gelu", "torch.nn.functional.gelu")
def gelu(g: Graph, x: str, n: Any, approximate: str = "none", *rest: Any) -> str:
    if approximate == "none":
        inner = g.add("Erf", g.add("Mul", x, n(0.7071067811865476)))
    else:
        cube = g.add("Mul", g.add("Mul", x, x), x)
        inner = g.add("Tanh", g.add("Mul", g.add("Add", x, g.add("Mul", cube, n(0.044715))), n(0.7978845608028654)))
    return g.add("Mul", g.add("Mul", x, n(0.5)), g.add("Add", inner, n(1)))


@_formula("torch._C._nn.silu", "torch.nn.functional.silu")
def silu(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Mul", x, g.add("Sigmoid", x))


@_formula("torch.nn.functional.mish", "torch._C._nn.mish")
def mish(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Mul", x, g.add("Tanh", g.add("Softplus", x)))


@_formula("torch.nn.functional.softplus", "torch._C._nn.softplus")
def softplus(g: Graph, x: str, n: Any, beta: Any = 1, *rest: Any) -> str:
    if beta == 1:
        return g.add("Softplus", x)
    return g.add("Div", g.add("Softplus", g.add("Mul", x, n(beta))), n(beta))


@_formula("torch.nn.functional.logsigmoid", "torch._C._nn.logsigmoid", "torch._C._nn.log_sigmoid")
def logsigmoid(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("Neg", g.add("Softplus", g.add("Neg", x)))


@_formula("torch._C._nn.elu")
def elu(g: Graph, x: str, n: Any, alpha: Any = 1.0, scale: Any = 1, input_scale: Any = 1) -> str:
    if input_scale != 1:
        low = g.add("Mul", n(alpha), g.add("Sub", g.add("Exp", g.add("Mul", x, n(input_scale))), n(1)))
        result = g.add("Where", g.add("Less", x, n(0)), low, x)
    else:
        result = g.add("Elu", x, alpha=float(alpha))
    return result if scale == 1 else g.add("Mul", result, n(scale))


@_formula("torch._C._nn.leaky_relu", "torch.nn.functional.leaky_relu")
def leaky_relu(g: Graph, x: str, n: Any, slope: Any = 0.01, *rest: Any) -> str:
    return g.add("LeakyRelu", x, alpha=float(slope))


@operator("torch._C._nn.prelu")
def prelu(g: Graph, x: Any, slope: Any, *rest: Any) -> str:
    return g.add("PRelu", *_operands(g, (x, slope, *rest), 2))


@_formula("torch._C._nn.hardtanh", "torch.nn.functional.hardtanh")
def hardtanh(g: Graph, x: str, n: Any, low: Any = -1, high: Any = 1, *rest: Any) -> str:
    return g.add("Clip", x, n(static(low, "a bound")), n(high))


@_formula("torch._C._nn.hardsigmoid", "torch.nn.functional.hardsigmoid")
def hardsigmoid(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("HardSigmoid", x, alpha=1 / 6, beta=0.5)


@_formula("torch._C._nn.hardswish", "torch.nn.functional.hardswish")
def hardswish(g: Graph, x: str, n: Any, *rest: Any) -> str:
    return g.add("HardSwish", x)
