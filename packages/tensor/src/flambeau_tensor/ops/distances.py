"""Distances between the rows of matrices."""

import math

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._kernels import distances as kernels
from flambeau_tensor.ops import factories
from flambeau_tensor.ops.joining import cat
from flambeau_tensor.ops.matmul import matmul
from flambeau_tensor.packing import apply_functional

_AT_ONCE = 1 << 17  # the number of differences that are computed together, so that they stay in the cache


def blocks(x1, x2):
    """Split `x1` into blocks (first row, number of rows), so that there are few differences with `x2` per block."""
    row = max(math.prod(x1.shape[:-2]) * math.prod(x2.shape[-2:]), 1)
    step = max(_AT_ONCE // row, 1)
    return [(i, min(step, x1.shape[-2] - i)) for i in range(0, x1.shape[-2], step)]


def differences(x1, x2, start, rows):
    """Subtract each row of `x2` from each row of a block of `x1`."""
    return x1.narrow(-2, start, rows).unsqueeze(-2) - x2.unsqueeze(-3)


distances = Operator(
    "cdist(Tensor x1, Tensor x2, float p) -> Tensor",
    kernels.distances,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="p-norms of the differences of rows, of two batches of the same sizes.",
)


def _euclidean(x1, x2):
    squares1, squares2 = (x.square().sum(-1, True) for x in (x1, x2))
    left = cat((x1 * -2, squares1, factories.ones_like(squares1)), -1)
    right = cat((x2, factories.ones_like(squares2), squares2), -1)
    return matmul(left, right.mT).clamp_min(0).sqrt()


euclidean = Operator(
    "euclidean_dist(Tensor x1, Tensor x2) -> Tensor",
    _euclidean,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="Euclidean distances of rows by one product of matrices: |x|² - 2xy + |y|².",
)

cdist = Operator(
    "cdist(Tensor x1, Tensor x2, float p=2.0, str? compute_mode='use_mm_for_euclid_dist_if_necessary') -> Tensor",
    kernels.cdist,
    composite=True,
    variants=FUNCTION,
    doc="""
The distances between the rows of `x1` and those of `x2`: the p-norms of their differences.

Args:
    x1: float32 or float64, of shape (..., P, M).
    x2: of the same dtype and of shape (..., R, M); the dimensions in front broadcast.
    p: the order of the norm, from 0 to infinity.
    compute_mode: by default, Euclidean distances are computed by a matrix product if one side has more than 25 rows.
    This is fast, but inaccurate if the distances are small compared with the rows. 'use_mm_for_euclid_dist' always uses
    a product, 'donot_use_mm_for_euclid_dist' never does.

Returns:
    The distances, of shape (..., P, R). The derivative of a zero distance is 0.

Raises:
    RuntimeError: other dtypes, fewer dimensions than two, rows of two lengths, or a negative `p`.

>>> import flambeau_tensor as ft
>>> ft.cdist(ft.tensor([[0.0, 0.0], [3.0, 4.0]]), ft.tensor([[0.0, 0.0]]))
tensor([[0.],
        [5.]])
""",
)


pdist = Operator(
    "pdist(Tensor self, float p=2) -> Tensor",
    kernels.pdist,
    composite=True,
    variants=FUNCTION,
    doc="""
The distances between all pairs of rows of a matrix: the part of `cdist` of the matrix with itself above the diagonal,
row by row.

Args:
    input: float32 or float64, of shape (N, M).
    p: the order of the norm, from 0 to infinity.

Returns:
    A vector of N(N - 1)/2 distances.

Raises:
    RuntimeError: the tensor is no matrix, has another dtype, or `p` is negative.

>>> import flambeau_tensor as ft
>>> ft.pdist(ft.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
tensor([5.0000, 1.0000, 4.2426])
""",
)
apply_functional({"cdist": "x1! x2! * p=2.0 compute_mode='use_mm_for_euclid_dist_if_necessary'"})
