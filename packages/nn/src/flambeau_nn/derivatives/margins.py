"""Derivatives of losses with margins."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.derivatives.loss import by_composition, by_weight
from flambeau_nn.ops import margins as ops

derivative(ops.multi_margin_backward, composition=by_composition(ops.composed_margin))
derivative(
    ops.multi_margin,
    self=lambda grad, self, target, weight, p, reduction, margin: ops.multi_margin_backward(
        grad, self, target, weight, p, reduction, margin
    ),
    weight=lambda grad, self, target, weight, p, reduction, margin: by_weight(
        ops.composed_margin, grad, self, target, weight, p, reduction, margin
    ),
)
derivative(ops.multilabel_margin_backward, composition=by_composition(ops.composed_margins))
derivative(
    ops.multilabel_margin,
    self=lambda grad, self, target, reduction: ops.multilabel_margin_backward(grad, self, target, reduction),
)
