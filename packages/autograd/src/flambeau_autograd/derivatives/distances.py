"""Derivatives of distances: 0 if a distance is 0, and NaN for second derivatives there.

At coincident points, the second derivative of a function of the distance depends on the function, not only on the value
of the gradient, so no formula of a distance can compute it.
"""

from flambeau_autograd.derivatives.table import derivative, elements_are_hidden
from flambeau_tensor.ops import distances as ops
from flambeau_tensor.ops import joining, pointwise


def _unknown(grad, x, there):
    """Return 0, linear in `grad`, whose derivative with respect to `x` is NaN where `there` is true."""
    if not elements_are_hidden(there) and not there.any():
        return 0
    return pointwise.where(there, grad, 0.0) * pointwise.sqrt(pointwise.where(there, x * 0, 1.0))


def _norm_gradient(difference, grad, distance, p):
    """The gradient of the p-norms of differences along the last dimension."""
    grad, distance = grad.unsqueeze(-1), distance.unsqueeze(-1)
    if p == 0:
        return difference * 0 * grad
    direction = pointwise.sign(difference)
    if p == 1:  # as of `abs`, whose second derivative is 0
        return grad * direction
    if p == float("inf"):
        return grad * direction * (pointwise.abs(difference) == distance)
    unknown = _unknown(grad, difference, distance == 0)
    if p == 2:
        ratio = pointwise.where(distance == 0, 0.0, grad / pointwise.where(distance == 0, 1.0, distance))
        return difference * ratio + unknown
    size = pointwise.abs(difference)
    none = size == 0 if p < 1 else distance == 0
    part = pointwise.where(none, 0.0, pointwise.where(none, 1.0, size) ** (p - 1))
    return grad * direction * part / pointwise.where(distance == 0, 1.0, distance) ** (p - 1) + unknown


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
    there = result == 0
    ratio = pointwise.where(there, 0.0, grad / pointwise.where(there, 1.0, result))
    rows, columns = there.any(-1, True), there.any(-2).unsqueeze(-1)
    return (
        x1 * ratio.sum(-1, True) - ratio @ x2 + _unknown(grad.sum(-1, True), x1, rows),
        x2 * ratio.sum(-2).unsqueeze(-1) - ratio.mT @ x1 + _unknown(grad.sum(-2).unsqueeze(-1), x2, columns),
    )


derivative(ops.euclidean, **{"x1, x2": _of_products})
