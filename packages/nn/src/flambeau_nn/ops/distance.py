"""Distances and similarities between vectors."""

import flambeau_tensor as ft
from flambeau_nn.ops.declaring import composite
from flambeau_tensor.ops.joining import broadcast_tensors


@composite(
    "cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08)",
    "x1 · x2 / (max(‖x1‖, eps) max(‖x2‖, eps)) along `dim`; the rest broadcasts.",
    aten=True,
)
def cosine_similarity(x1, x2, dim, eps):
    common = ft.promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {common}")
    x1, x2 = (x if x.is_floating_point() else x.to(common) for x in (x1, x2))
    if x1.shape != x2.shape:
        x1, x2 = broadcast_tensors(x1, x2)
    first = x1 / ft.norm(x1, 2, dim, keepdim=True).clamp_min(eps)
    second = x2 / ft.norm(x2, 2, dim, keepdim=True).clamp_min(eps)
    return (first * second).sum(dim)


@composite(
    "pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, bool keepdim=False)",
    "The p-norm of x1 - x2 + eps along the last dimension.",
    aten=True,
)
def pairwise_distance(x1, x2, p, eps, keepdim):
    return ft.norm(x1 - x2 + eps, p, -1, keepdim=keepdim)
