"""Tables of PyTorch's operators with other names, arguments or results than ours."""

from collections.abc import Callable
from typing import Any

from flambeau_tensor import device
from flambeau_tensor.extend import FUNCTION, Operator

_CPU = {"device": device("cpu"), "pin_memory": False}
_LIKE = {"pin_memory": False}
# Default arguments that PyTorch's functions pass.
FILLED: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        (
            "arange",
            "empty",
            "empty_strided",
            "eye",
            "full",
            "linspace",
            "logspace",
            "ones",
            "rand",
            "randint",
            "randn",
            "randperm",
            "range",
            "zeros",
            "scalar_tensor",
            "tril_indices",
            "triu_indices",
        ),
        _CPU,
    ),
    **dict.fromkeys(
        (
            "empty_like",
            "full_like",
            "new_empty",
            "new_empty_strided",
            "new_full",
            "new_ones",
            "new_zeros",
            "ones_like",
            "rand_like",
            "randint_like",
            "randn_like",
            "zeros_like",
        ),
        _LIKE,
    ),
}

# Our name -> the name in torch.ops.aten, for operators that differ in nothing else.
SAME_NAME = {
    "torch.linalg.vector_norm": "linalg_vector_norm",
    "torch.Tensor.__invert__": "bitwise_not",
    "torch._C._nn.logsigmoid": "log_sigmoid",
    **{
        f"torch.special.{name}": f"special_{name}"
        for name in (
            "i0e",
            "i1",
            "i1e",
            "bessel_j0",
            "bessel_j1",
            "bessel_y0",
            "bessel_y1",
            "zeta",
            "ndtri",
            "erfcx",
            "entr",
            "log_ndtr",
            "xlog1py",
        )
    },
    **{
        f"torch.linalg.{name}": f"linalg_{name}"
        for name in (
            "cholesky_ex",
            "lu_factor_ex",
            "householder_product",
            "ldl_factor_ex",
            "ldl_solve",
            "inv_ex",
            "solve_triangular",
            "lstsq",
            "eig",
            "eigvals",
            "qr",
            "lu_solve",
            "matrix_exp",
        )
    },
}

_COPY = (
    "_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor"
)
_LOCAL: tuple[str, dict[str, Any]] = ("_local_scalar_dense(Tensor self) -> Scalar", {})
_SWAPPED = {"self": "other", "other": "self"}

# Operators that handlers do not see, although they accept or return tensors.
NOT_DISPATCHED = {
    "torch.tensor",
    "torch.from_numpy",
    "torch.frombuffer",
    "torch.Tensor.new_tensor",
    "torch.Tensor.as_subclass",
    "torch.Tensor.__deepcopy__",
    "torch.Tensor.requires_grad_",
    "torch.Tensor.backward",
}

# Our operator -> forms that do not follow from the schemas, tried first: (schema, settings of Form).
NAMED: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "torch.detach": [("detach(Tensor(a) self) -> Tensor(a)", {})],
    "torch.detach_": [("detach_(Tensor(a!) self) -> Tensor(a!)", {})],
    "torch.softmax": [
        ("_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", {"fixed": {"half_to_float": False}})
    ],
    "torch.log_softmax": [
        ("_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", {"fixed": {"half_to_float": False}})
    ],
    "torch._ops.to_copy": [(_COPY, {})],
    "torch.Tensor.item": [_LOCAL],
    "torch.sub": [("rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", {"names": _SWAPPED})],
    "torch.pow": [("pow.Scalar(Scalar self, Tensor exponent) -> Tensor", {})],
    "torch._ops.relu_backward": [
        (
            "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
            {"names": {"self": "output"}, "fixed": {"threshold": 0, "value": 0}},
        )
    ],
    "torch._ops.select_backward": [
        (
            "select_backward(Tensor grad_output, int[] input_sizes, int dim, int index) -> Tensor",
            {"names": {"grad_output": "self", "input_sizes": "sizes"}},
        )
    ],
    "torch._ops.slice_backward": [
        (
            "slice_backward(Tensor grad_output, int[] input_sizes, int dim, int start, int end, int step) -> Tensor",
            {"names": {"grad_output": "self", "input_sizes": "sizes"}},
        )
    ],
    "torch._ops.diagonal_backward": [
        (
            "diagonal_backward(Tensor grad_output, int[] input_sizes, int offset, int dim1, int dim2) -> Tensor",
            {"names": {"grad_output": "self", "input_sizes": "sizes"}},
        )
    ],
    "torch._ops.unfold_backward": [
        (
            "unfold_backward(Tensor grad_in, int[] input_sizes, int dim, int size, int step) -> Tensor",
            {"names": {"grad_in": "self", "input_sizes": "sizes", "dim": "dimension"}},
        )
    ],
    "torch.nn.functional.layer_norm": [
        (
            "native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> "
            "(Tensor, Tensor, Tensor)",
            {"names": {"input": "self"}, "first": True},
        )
    ],
    "torch._ops.var": [
        ("var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", {})
    ],
    "torch._ops.std": [
        ("std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", {})
    ],
    "torch._ops.clamp_both": [
        ("clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", {}),
        ("clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", {}),
    ],
    "torch.conj": [("_conj(Tensor(a) self) -> Tensor(a)", {})],
    "torch._ops.scatter": [
        ("scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", {"names": {"value": "src"}})
    ],
    "torch._ops.scatter_": [
        (
            "scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)",
            {"names": {"value": "src"}},
        )
    ],
    "torch._ops.index": [("index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", {})],
    "torch._C._nn.ctc_loss": [
        (
            "_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, "
            "bool zero_infinity=False) -> (Tensor, Tensor)",
            {"first": True},
        )
    ],
    "torch.ops.flambeau.split": [("split.Tensor(Tensor(a) self, int split_size, int dim=0) -> Tensor(a)[]", {})],
    "torch.ops.flambeau.split_with_sizes": [
        ("split_with_sizes(Tensor(a) self, int[] split_sizes, int dim=0) -> Tensor(a)[]", {})
    ],
    "torch.ops.flambeau.unbind": [("unbind.int(Tensor(a) self, int dim=0) -> Tensor(a)[]", {})],
}


def _native_layer_norm(op: Operator, text: str) -> None:
    """Declare the layer norm that also returns the means and the reciprocals of the standard deviations."""

    def run(input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any]:
        dims = tuple(range(-len(normalized_shape), 0))
        mean = input.mean(dims, keepdim=True)
        scale = (input.var(dims, correction=0, keepdim=True) + eps).rsqrt()
        return op(input, normalized_shape, weight, bias, eps), mean, scale

    Operator(text, run, namespace="torch.ops.aten", variants=FUNCTION, composite=True, doc=run.__doc__)


def _ctc_loss(op: Operator, text: str) -> None:
    """The loss of each example, and nothing for the sums over alignments, which backward computes again."""

    def run(log_probs: Any, targets: Any, *rest: Any) -> tuple[Any, Any]:
        return op(log_probs, targets, *rest), log_probs.new_empty((0,))

    Operator(text, run, namespace="torch.ops.aten", variants=FUNCTION, composite=True, doc=_ctc_loss.__doc__)


# Operators of which ours returns only the first result -> the function that declares them.
FIRST: dict[str, Callable[[Operator, str], None]] = {
    "_ctc_loss": _ctc_loss,
    "native_layer_norm": _native_layer_norm,
}
