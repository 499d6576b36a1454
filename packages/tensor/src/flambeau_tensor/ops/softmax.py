"""Normalized exponentials along a dimension."""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._kernels.softmax import Softmax

_ARGUMENTS = "(Tensor self, int dim, ScalarType? dtype=None, *, Tensor(a!)? out=None) -> Tensor"

softmax = Operator(
    "softmax.int" + _ARGUMENTS,
    Softmax("softmax"),
    doc="""
exp(input) over its sum along `dim`, without overflow; with `dtype` the elements are converted first.
""",
)
log_softmax = Operator(
    "log_softmax.int" + _ARGUMENTS,
    Softmax("log_softmax"),
    doc="""
The logarithm of `softmax`, computed without it: input - log(Σ exp(input)) along `dim`.
""",
)
