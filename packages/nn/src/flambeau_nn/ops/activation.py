"""Activation functions.

Each function with its own loop has an operator for the values and one for the gradient (``NAME_backward``, used by the
derivative rules); a function with `inplace` calls the operator or its in-place variant.
"""

import math

import flambeau_tensor as ft
from flambeau_nn.ops import INTERNAL, NAMESPACE
from flambeau_nn.ops.declaring import composite, with_fast_path
from flambeau_tensor import Operator
from flambeau_tensor.extend import FLOATS, FUNCTION, INPLACE_FUNCTION, METHOD, Elementwise, hot

LOOPS = hot("activation", "flambeau_nn._kernels").LOOPS


# --- the loops ------------------------------------------------------------------------------------------------------


def _names(arguments):
    return tuple(argument.split()[1].partition("=")[0] for argument in arguments.split(",")[1:])


def _loop(name, arguments="", *, namespace=INTERNAL, variants=FUNCTION | INPLACE_FUNCTION, aten=None, doc=""):
    """Declare the operator `name` with float `arguments` (", Scalar alpha=1, …"); `aten` is its name in aten.

    Public ones have `out`.
    """
    kernel = Elementwise(name, 1, LOOPS[name], dtypes=FLOATS, params=_names(arguments))
    rest = f"(Tensor self{arguments}{', *, Tensor(a!)? out=None' if namespace == NAMESPACE else ''}) -> Tensor"
    return Operator(
        name + rest,
        kernel,
        namespace=namespace,
        variants=variants,
        aten=aten + rest if aten else (),
        doc=doc,
    )


def _gradient(name, arguments=""):
    """Its gradient."""
    kernel = Elementwise(f"{name}_backward", 2, LOOPS[f"{name}_backward"], dtypes=FLOATS, params=_names(arguments))
    return Operator(
        f"{name}_backward(Tensor grad_output, Tensor self{arguments}) -> Tensor",
        kernel,
        namespace=INTERNAL,
        variants=FUNCTION,
        doc=f"The gradient of {name}: `grad_output` times its derivative at `self`.",
    )


_ELU = ", Scalar alpha=1, Scalar scale=1, Scalar input_scale=1"
elu_ = _loop("elu", _ELU, doc="scale · x above 0, scale · alpha · (exp(input_scale · x) - 1) below.")
elu_backward = _gradient("elu", _ELU)
leaky_relu_ = _loop("leaky_relu", ", Scalar negative_slope=0.01", doc="x above 0, negative_slope · x below.")
leaky_relu_backward = _gradient("leaky_relu", ", Scalar negative_slope=0.01")
hardtanh_ = _loop(
    "hardtanh", ", Scalar min_val=-1, Scalar max_val=1", doc="x limited to the range from min_val to max_val."
)
hardtanh_backward = _gradient("hardtanh", ", Scalar min_val=-1, Scalar max_val=1")
hardsigmoid_ = _loop("hardsigmoid", doc="(x + 3) / 6 between -3 and 3; 0 below, 1 above.")
hardsigmoid_backward = _gradient("hardsigmoid")
hardswish_ = _loop("hardswish", doc="x · (x + 3) / 6 between -3 and 3; 0 below, x above.")
hardswish_backward = _gradient("hardswish")
silu_ = _loop("silu", doc="x · sigmoid(x).")
silu_backward = _gradient("silu")
mish_ = _loop("mish", doc="x · tanh(softplus(x)).")
mish_backward = _gradient("mish")
threshold_ = _loop("threshold", ", Scalar threshold, Scalar value", doc="x if it is above threshold, else value.")
threshold_backward = _gradient("threshold", ", Scalar threshold, Scalar value=0")

prelu_ = Operator(
    "prelu(Tensor self, Tensor weight) -> Tensor",
    Elementwise("prelu", 2, LOOPS["prelu"], dtypes=FLOATS),
    namespace=INTERNAL,
    variants=FUNCTION,
    aten="_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
    doc="x above 0, weight · x below; the operands broadcast.",
)

_TANH = Elementwise("gelu", 1, LOOPS["gelu_tanh"], dtypes=FLOATS)
_TANH_BACKWARD = Elementwise("gelu_backward", 2, LOOPS["gelu_tanh_backward"], dtypes=FLOATS)
gelu = Operator(
    "gelu(Tensor self, *, str approximate='none', Tensor(a!)? out=None) -> Tensor",
    Elementwise("gelu", 1, LOOPS["gelu"], dtypes=FLOATS, modes=("approximate", {"none": None, "tanh": _TANH})),
    namespace=NAMESPACE,
    variants=FUNCTION,
    aten="gelu(Tensor self, *, str approximate='none', Tensor(a!)? out=None) -> Tensor",
    doc="x · Φ(x), Φ the normal distribution function (Hendrycks and Gimpel, 2016); `approximate='tanh'` "
    "takes 0.5 · x · (1 + tanh(sqrt(2/π) · (x + 0.044715 · x³))) for it.",
)
gelu_backward = Operator(
    "gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor",
    Elementwise(
        "gelu_backward",
        2,
        LOOPS["gelu_backward"],
        dtypes=FLOATS,
        modes=("approximate", {"none": None, "tanh": _TANH_BACKWARD}),
    ),
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradient of gelu: `grad_output` times its derivative at `self`.",
)
_PUBLIC = {"namespace": NAMESPACE, "variants": FUNCTION}
logsigmoid = _loop("logsigmoid", **_PUBLIC, aten="log_sigmoid", doc="log(sigmoid(x)).")
logsigmoid_backward = _gradient("logsigmoid")
softplus = _loop(
    "softplus",
    ", Scalar beta=1, Scalar threshold=20",
    **_PUBLIC,
    aten="softplus",
    doc="log(1 + exp(beta · x)) / beta; x itself if beta · x is above `threshold`.",
)
softplus_backward = _gradient("softplus", ", Scalar beta=1, Scalar threshold=20")
softshrink_ = _loop("softshrink", ", Scalar lambd=0.5", doc="x moved towards 0 by `lambd`; 0 where it would go past.")
softshrink_backward = _gradient("softshrink", ", Scalar lambd=0.5")
hardshrink = _loop(
    "hardshrink",
    ", Scalar lambd=0.5",
    namespace=NAMESPACE,
    variants=FUNCTION | METHOD,
    aten="hardshrink",
    doc="x, or 0 between -lambd and lambd.",
)
hardshrink_backward = _gradient("hardshrink", ", Scalar lambd=0.5")


# --- functions with `inplace` ---------------------------------------------------------------------------------------


def _switch(schema, fresh, inplace, doc, of_complex=None):
    n = schema.count(",")  # the arguments before `inplace`

    def other(*args):
        if of_complex is not None and args[0].is_complex():
            return args[0].copy_(of_complex(*args[:n])) if args[n] else of_complex(*args[:n])
        return (inplace if args[n] else fresh)(*args[:n])

    return with_fast_path(schema, fresh, other, arguments=range(n), defaulted=(n,), doc=doc)


relu = _switch(
    "relu(Tensor self, bool inplace=False)",
    ft.relu,
    ft.relu.inplace,  # type: ignore[attr-defined]
    "x, or 0 if x is negative.",
)
elu = _switch(
    "elu(Tensor self, Scalar alpha=1.0, bool inplace=False)",
    elu_,
    elu_.inplace,
    "x above 0, alpha · (exp(x) - 1) below (Clevert et al., 2015).",
)
leaky_relu = _switch(
    "leaky_relu(Tensor self, Scalar negative_slope=0.01, bool inplace=False)",
    leaky_relu_,
    leaky_relu_.inplace,
    "x above 0, negative_slope · x below.",
)
hardsigmoid = _switch(
    "hardsigmoid(Tensor self, bool inplace=False)",
    hardsigmoid_,
    hardsigmoid_.inplace,
    "(x + 3) / 6 between -3 and 3; 0 below, 1 above.",
)
hardswish = _switch(
    "hardswish(Tensor self, bool inplace=False)",
    hardswish_,
    hardswish_.inplace,
    "x · (x + 3) / 6 between -3 and 3; 0 below, x above (Howard et al., 2019).",
)
silu = _switch(
    "silu(Tensor self, bool inplace=False)",
    silu_,
    silu_.inplace,
    "x · sigmoid(x).",
    of_complex=lambda x: x * ft.sigmoid(x),
)
mish = _switch("mish(Tensor self, bool inplace=False)", mish_, mish_.inplace, "x · tanh(softplus(x)) (Misra, 2019).")


@composite(
    "hardtanh(Tensor self, Scalar min_val=-1.0, Scalar max_val=1.0, bool inplace=False)",
    "x limited to the range from `min_val` to `max_val`, which are rounded towards 0 for integers.",
)
def hardtanh(input, min_val, max_val, inplace):
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return clamped(input, min_val, max_val, inplace)


def clamped(input, min_val, max_val, inplace):
    """Compute hardtanh for any limits: the upper one takes precedence, and a NaN limit gives NaN."""
    if input.is_floating_point() and min_val <= max_val:
        return (hardtanh_.inplace if inplace else hardtanh_)(input, min_val, max_val)
    if input.dtype is ft.bool:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.dtype is ft.uint8 and (int(min_val) < 0 or int(max_val) < 0):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    if not (input.is_floating_point() or input.is_complex()):
        min_val, max_val = _integer(min_val, "int64_t"), _integer(max_val, "int64_t")
    return (ft.clamp.inplace if inplace else ft.clamp)(input, min_val, max_val)


def _integer(value, kind):
    if not abs(value) < 2**63:  # NaN is not, either
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    return int(value)


@composite(
    "threshold(Tensor self, Scalar threshold, Scalar value, bool inplace=False)",
    "x if it is above `threshold`, else `value`; both are rounded towards 0 for integers.",
)
def threshold(input, threshold, value, inplace):
    if input.is_floating_point() or input.is_complex() or input.dtype is ft.bool:
        return (threshold_.inplace if inplace else threshold_)(input, threshold, value)
    kind = f"{input.dtype.name}_t"
    out = ft.where(input > _integer(threshold, kind), input, input.new_full((), _integer(value, kind)))
    return input.copy_(out) if inplace else out


def _scalar_type(t):
    return t.type().split(".")[-1].removesuffix("Tensor")


def _only_floats(t, kernel):
    if not t.is_floating_point():
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{_scalar_type(t)}'")


# The constants for which the outputs of selu keep mean 0 and variance 1.
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@composite(
    "softshrink(Tensor self, Scalar lambd=0.5, *, Tensor(a!)? out=None)",
    "x moved towards 0 by `lambd`; 0 if |x| is at most `lambd`.",
    aten=True,
)
def softshrink(input, lambd, out):
    if input.is_floating_point() and not 0 <= lambd <= ft.finfo(input.dtype).max:
        name = {ft.float16: "Half", ft.bfloat16: "BFloat16", ft.float32: "Float", ft.float64: "Double"}[input.dtype]
        raise RuntimeError(
            f"lambda must be in range [0, {ft.finfo(input.dtype).max:g}] for input dtype {name}, but found {lambd:g}"
        )
    return softshrink_(input, lambd)


@composite(
    "selu(Tensor self, bool inplace=False)",
    "scale · (x above 0, alpha · (exp(x) - 1) below), with the constants of Klambauer et al., 2017.",
    aten=True,
)
def selu(input, inplace):
    return (elu_.inplace if inplace else elu_)(input, _SELU_ALPHA, _SELU_SCALE)


@composite(
    "celu(Tensor self, Scalar alpha=1.0, bool inplace=False)",
    "x above 0, alpha · (exp(x / alpha) - 1) below (Barron, 2017).",
    aten=True,
)
def celu(input, alpha, inplace):
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return (elu_.inplace if inplace else elu_)(input, alpha, 1, 1 / alpha)


@composite("relu6(Tensor self, bool inplace=False)", "x limited to the range from 0 to 6.", aten=True)
def relu6(input, inplace):
    return hardtanh(input, 0, 6, inplace)


@composite(
    "prelu(Tensor self, Tensor weight)",
    "x above 0, weight · x below; `weight` has one element, or one for each channel (dimension 1).",
    variants=FUNCTION | METHOD,
    aten=True,
)
def prelu(input, weight):
    if input.dtype is not weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {_scalar_type(input)} and {_scalar_type(weight)}")
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if weight.numel() != 1:
        if input.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        if channels != weight.numel():
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
        weight = weight.reshape((channels,) + (1,) * (input.ndim - 2))
    elif weight.ndim:
        weight = weight.reshape(())
    _only_floats(input, "prelu_cpu")
    return prelu_(input, weight)


@composite(
    "rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, bool inplace=False)",
    "leaky_relu with random slopes from [lower, upper) in training, and their mean otherwise (Xu et al., 2015).",
)
def rrelu(input, lower, upper, training, inplace):
    return randomly_leaky(input, lower, upper, training, inplace)


def randomly_leaky(input, lower, upper, training, inplace, generator=None):
    """rrelu, with slopes drawn from a generator."""
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training:
        return (leaky_relu_.inplace if inplace else leaky_relu_)(input, (lower + upper) / 2)
    _only_floats(input, "rrelu_with_noise_out_cpu")
    if input.is_meta:  # the number of draws is unknown
        return (leaky_relu_.inplace if inplace else leaky_relu_)(input, upper)
    with _no_grad():
        below = input <= 0
        slopes = ft.ones_like(input)
        slopes[below] = (
            ft.empty(int(below.sum()), dtype=ft.float64).uniform_(lower, upper, generator=generator).to(input.dtype)
        )
    return input.mul_(slopes) if inplace else input * slopes


def _no_grad():
    from flambeau_autograd import no_grad

    return no_grad()


@composite(
    "glu(Tensor self, int dim=-1)",
    "a · sigmoid(b), where a and b are the two halves of a dimension (Dauphin et al., 2016).",
    aten=True,
)
def glu(input, dim):
    if input.ndim == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    size = input.shape[dim]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % input.ndim} is size {size}")
    _only_floats(input, "glu_cpu")
    return input.narrow(dim, 0, size // 2) * ft.sigmoid(input.narrow(dim, size // 2, size // 2))


@composite("softsign(Tensor self)", "x / (1 + |x|).")
def softsign(input):
    return input / (ft.abs(input) + 1)


@composite("tanhshrink(Tensor self)", "x - tanh(x).")
def tanhshrink(input):
    return input - ft.tanh(input)


@composite("tanh(Tensor self)", "The hyperbolic tangent.")
def tanh(input):
    return ft.tanh(input)


@composite("sigmoid(Tensor self)", "1 / (1 + exp(-x)).")
def sigmoid(input):
    return ft.sigmoid(input)
