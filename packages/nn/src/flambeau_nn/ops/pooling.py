"""Pooling over windows of one, two or three dimensions.

There is an operator for each number of dimensions, all based on one kernel for averages and one for maxima; gradients
have one operator for any number. The functions with `return_indices` select the results.
"""

from math import inf

import flambeau_tensor as ft
from flambeau_nn._kernels import pooling as kernels
from flambeau_nn.ops import INTERNAL, NAMESPACE
from flambeau_nn.ops.declaring import composite
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION

DIMS = (1, 2, 3)
_SHAPES = {1: "(N, C, L) or (C, L)", 2: "(N, C, H, W) or (C, H, W)", 3: "(N, C, D, H, W) or (C, D, H, W)"}
_CEIL = "`ceil_mode` keeps a last window that is partly outside."


def _declare(schema, kernel, doc, namespace=NAMESPACE, aten=()):
    return Operator(schema, kernel, namespace=namespace, variants=FUNCTION, aten=aten, doc=doc)


# --- averages -------------------------------------------------------------------------------------------------------


def _avg_pool(n):
    divisor = "" if n == 1 else ", int? divisor_override=None"
    out = "" if n == 1 else ", *, Tensor(a!)? out=None"
    return _declare(
        f"avg_pool{n}d(Tensor self, int[{n}] kernel_size, int[{n}]? stride=None, int[{n}] padding=0, "
        f"bool ceil_mode=False, bool count_include_pad=True{divisor}{out}) -> Tensor",
        kernels.avg_pool,
        f"The average over each window of `kernel_size` elements, `stride` (by default `kernel_size`) apart; `input` "
        f"is {_SHAPES[n]}. Padding zeros count unless `count_include_pad` is False. {_CEIL}"
        + (" `divisor_override` replaces the divisor." if divisor else ""),
        aten=f"avg_pool{n}d(Tensor self, int[{n}] kernel_size, int[{n}] stride=[], int[{n}] padding=0, "
        f"bool ceil_mode=False, bool count_include_pad=True{divisor}) -> Tensor",
    )


def _adaptive_avg_pool(n):
    size = "int[1]" if n == 1 else "OutputSize?"
    return _declare(
        f"adaptive_avg_pool{n}d(Tensor self, {size} output_size) -> Tensor",
        kernels.adaptive_pool,
        f"The average over windows that cover `input`, {_SHAPES[n]}, evenly, so many that the result has `output_size`"
        + (", where None keeps the size of a dimension." if n > 1 else "."),
        aten=f"adaptive_avg_pool{n}d(Tensor self, int[{n}] output_size) -> Tensor",
    )


avg_pools = {n: _avg_pool(n) for n in DIMS}
adaptive_avg_pools = {n: _adaptive_avg_pool(n) for n in DIMS}
avg_pool_backward = _declare(
    "avg_pool_backward(Tensor grad_output, int[] input_size, int dims, int[3] kernel_size, int[3]? stride=None, "
    "int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    kernels.avg_pool_backward,
    "The gradient of average pooling over the last `dims` dimensions.",
    INTERNAL,
)
adaptive_avg_pool_backward = _declare(
    "adaptive_avg_pool_backward(Tensor grad_output, int[] input_size, int dims) -> Tensor",
    kernels.adaptive_avg_pool_backward,
    "The gradient of adaptive average pooling over the last `dims` dimensions.",
    INTERNAL,
)


# --- maxima ---------------------------------------------------------------------------------------------------------

_INDICES = "Indices number the elements of a plane of `input`, row by row."


def _max_pool(n):
    arguments = (
        f"(Tensor self, int[{n}] kernel_size, int[{n}]? stride=None, int[{n}] padding=0, int[{n}] dilation=1, "
        "bool ceil_mode=False, bool return_indices=False)"
    )
    with_indices = _declare(
        f"max_pool{n}d_with_indices{arguments} -> (Tensor, Tensor)",
        kernels.max_pool,
        f"`max_pool{n}d`, and the indices of the maxima. {_INDICES}",
    )

    @composite(
        f"max_pool{n}d{arguments} -> TensorOrPair",
        f"The maximum of each window of `kernel_size` elements, `dilation` from each other; windows are `stride` (by "
        f"default `kernel_size`) apart. `input` is {_SHAPES[n]}; padding is never a maximum. "
        f"{_CEIL} `return_indices` adds the indices of the maxima. {_INDICES}",
        aten=f"max_pool{n}d(Tensor self, int[{n}] kernel_size, int[{n}] stride=[], int[{n}] padding=0, "
        f"int[{n}] dilation=1, bool ceil_mode=False)",
    )
    def max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
        both = with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
        return both if return_indices else both[0]

    return with_indices


def _adaptive_max_pool(n):
    size = "int[1]" if n == 1 else "OutputSize?"
    arguments = f"(Tensor self, {size} output_size, bool return_indices=False)"
    with_indices = _declare(
        f"adaptive_max_pool{n}d_with_indices{arguments} -> (Tensor, Tensor)",
        kernels.adaptive_pool,
        f"`adaptive_max_pool{n}d`, and the indices of the maxima. {_INDICES}",
    )

    @composite(
        f"adaptive_max_pool{n}d{arguments} -> TensorOrPair",
        f"The maximum of windows that cover `input`, {_SHAPES[n]}, evenly, so many that the result has "
        "`output_size`"
        + (", where None keeps the size of a dimension. " if n > 1 else ". ")
        + f"`return_indices` adds the indices of the maxima. {_INDICES}",
    )
    def adaptive_max_pool(input, output_size, return_indices):
        both = with_indices(input, output_size)
        return both if return_indices else both[0]

    return with_indices


max_pools = {n: _max_pool(n) for n in DIMS}
adaptive_max_pools = {n: _adaptive_max_pool(n) for n in DIMS}
max_pool_backward = _declare(
    "max_pool_backward(Tensor grad_output, Tensor indices, int[] input_size, int dims) -> Tensor",
    kernels.max_pool_backward,
    "Each gradient at the index of its maximum in a plane of the last `dims` dimensions.",
    INTERNAL,
)


# --- power averages -------------------------------------------------------------------------------------------------


def _lp_pool(n):
    @composite(
        f"lp_pool{n}d(Tensor self, Scalar norm_type, int[{n}] kernel_size, int[{n}]? stride=None, "
        "bool ceil_mode=False)",
        f"The sum of the powers `norm_type` of each window's elements, to the power 1 / `norm_type`; `input` is "
        f"{_SHAPES[n]}. An infinite `norm_type` gives the largest absolute value, a negative one the smallest. "
        f"{_CEIL}",
    )
    def lp_pool(input, norm_type, kernel_size, stride, ceil_mode):
        if norm_type in (inf, -inf):
            sign = 1 if norm_type == inf else -1
            return sign * max_pools[n](sign * ft.abs(input), kernel_size, stride, 0, 1, ceil_mode)[0]
        sizes = kernel_size if isinstance(kernel_size, tuple) else (kernel_size,)
        elements = 1
        for size in sizes * n if len(sizes) == 1 else sizes:
            elements *= size
        mean = avg_pools[n](input**norm_type, kernel_size, stride, 0, ceil_mode)
        return (ft.sign(mean) * ft.relu(ft.abs(mean)) * elements) ** (1.0 / norm_type)

    return lp_pool


for _n in DIMS:
    _lp_pool(_n)
