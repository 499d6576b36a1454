"""Derivatives of distances, 0 where a distance is 0."""

from flambeau_autograd.derivatives.table import derivative
from flambeau_tensor.ops import distances as ops
from flambeau_tensor.ops import joining, pointwise


def _norm_gradient(difference, grad, distance, p):
    """The gradient of the p-norms of differences along the last dimension."""
    grad, distance = grad.unsqueeze(-1), distance.unsqueeze(-1)
    if p == 0:
        return difference * 0 * grad
    direction = pointwise.sign(difference)
    if p == 1:
        return grad * direction
    if p == float("inf"):
        return grad * direction * (pointwise.abs(difference) == distance)
    if p == 2:
        return difference * pointwise.where(distance == 0, 0.0, grad / pointwise.where(distance == 0, 1.0, distance))
    size = pointwise.abs(difference)
    none = size == 0 if p < 1 else distance == 0
    part = pointwise.where(none, 0.0, pointwise.where(none, 1.0, size) ** (p - 1))
    return grad * direction * part / pointwise.where(distance == 0, 1.0, distance) ** (p - 1)


def _gradients(grad, x1, x2, p, result, needs):
    rows, total = [], 0
    for start, count in ops.blocks(x1, x2):
        piece = _norm_gradient(
            ops.differences(x1, x2, start, count), grad.narrow(-2, start, count), result.narrow(-2, start, count), p
        )
        if needs[0]:
            rows.append(piece.sum(-2))
        if needs[1]:
            total = total - piece.sum(-3)
    none = x1.shape[-2] == 0
    return (
        (joining.cat(rows, -2) if not none else x1 * 0) if needs[0] else None,
        (total if not none else x2 * 0) if needs[1] else None,
    )


derivative(ops.distances, **{"x1, x2": _gradients})


def _of_products(grad, x1, x2, result):
    ratio = pointwise.where(result == 0, 0.0, grad / pointwise.where(result == 0, 1.0, result))
    return (x1 * ratio.sum(-1, True) - ratio @ x2, x2 * ratio.sum(-2).unsqueeze(-1) - ratio.mT @ x1)


derivative(ops.euclidean, **{"x1, x2": _of_products})
