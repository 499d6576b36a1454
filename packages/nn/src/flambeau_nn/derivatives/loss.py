"""Derivatives of losses; gradients that are differentiated again are compositions."""

import flambeau_tensor as ft
from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import loss as ops

# --- cross entropy --------------------------------------------------------------------------------------------------


def _spread(grad, x, total, reduction):
    """Return the gradient of each row's loss, along the class dimension of `x`; `total` is the divisor of the mean."""
    if reduction == "none":
        return grad.unsqueeze(0 if x.ndim == 1 else 1)
    return grad / total if reduction == "mean" else grad


def _along_classes(x, weight):
    """The weights of classes, in a shape that broadcasts against `x`."""
    shape = [1] * x.ndim
    shape[0 if x.ndim == 1 else 1] = weight.numel()
    return weight.reshape(tuple(shape))


def _target_weights(x, target, weight, ignore_index, smoothing):
    """Return the factor of -log softmax(x) in the loss, elementwise, and the divisor of the mean."""
    dim = 0 if x.ndim == 1 else 1
    classes = max(x.shape[dim], 1)  # without classes, there are no elements to divide by their number
    w = None if weight is None else _along_classes(x, weight)
    if target.is_floating_point():
        q = target * (1 - smoothing) + smoothing / classes
        return (q if w is None else q * w), x.numel() // classes
    target = target.reshape(()) if x.ndim == 1 else target
    kept = (target != ignore_index).unsqueeze(dim)
    index = ft.where(kept, target.long().unsqueeze(dim), 0)
    of_label = kept.to(x.dtype) if w is None else ft.where(kept, w.expand(x.shape).gather(dim, index), 0.0)
    q = x.new_zeros(x.shape).scatter(dim, index, of_label * (1 - smoothing))
    if smoothing:
        q = q + kept.to(x.dtype) * (smoothing / classes) * (1 if w is None else w)
    return q, of_label.sum()


def _cross_entropy_backward(grad, self, target, weight, ignore_index, reduction, label_smoothing):
    dim = 0 if self.ndim == 1 else 1
    q, total = _target_weights(self, target, weight, ignore_index, label_smoothing)
    factor = ft.softmax(self, dim) * q.sum(dim, True) - q
    return _spread(grad, self, total, reduction) * factor


def _cross_entropy_target(grad, self, weight, reduction, label_smoothing):
    dim = 0 if self.ndim == 1 else 1
    factor = -ft.log_softmax(self, dim) * (1 - label_smoothing)
    if weight is not None:
        factor = factor * _along_classes(self, weight)
    return _spread(grad, self, self.numel() // max(self.shape[dim], 1), reduction) * factor


def _cross_entropy_weight(grad, self, target, weight, ignore_index, reduction, label_smoothing):
    dim = 0 if self.ndim == 1 else 1
    q, total = _target_weights(self, target, None, ignore_index, label_smoothing)
    each = ft.where(q == 0, 0.0, -ft.log_softmax(self, dim) * q)  # the factor of its class's weight
    if reduction == "mean" and not target.is_floating_point():  # it divides by the weights of the labels
        labels = _target_weights(self, target, None, ignore_index, 0.0)[0]
        weights = _along_classes(self, weight)
        total = (labels * weights).sum()
        each = each - (each * weights).sum() / total * labels
    each = _spread(grad, self, total, reduction) * each
    return each.transpose(0, dim).flatten(1).sum(1) if self.ndim > 1 else each


derivative(ops.cross_entropy_backward, composition=_cross_entropy_backward)
derivative(
    ops.cross_entropy_,
    target=_cross_entropy_target,
    weight=_cross_entropy_weight,
    self=lambda grad, self, target, weight, ignore_index, reduction, label_smoothing: ops.cross_entropy_backward(
        grad, self, target, weight, ignore_index, reduction, label_smoothing
    ),
)


# --- labels ---------------------------------------------------------------------------------------------------------


def by_composition(composed):
    """Return the composition for a loss's gradient with respect to the scores, given the loss's own composition."""

    def backward(grad, self, target, *options):
        from flambeau_autograd.func import vjp

        return vjp(lambda x: composed(x, target, *options), self)[1](grad)[0]

    return backward


def by_weight(composed, grad, self, target, weight, *options):
    """The gradient of a loss by the weights of classes."""
    from flambeau_autograd.func import vjp

    return vjp(lambda w: composed(self, target, w, *options), weight)[1](grad)[0]


derivative(ops.nll_backward, composition=by_composition(ops.composed_nll))
derivative(
    ops.nll_,
    self=lambda grad, self, target, weight, ignore_index, reduction: ops.nll_backward(
        grad, self, target, weight, ignore_index, reduction
    ),
    weight=lambda grad, self, target, weight, ignore_index, reduction: by_weight(
        ops.composed_nll, grad, self, target, weight, ignore_index, reduction
    ),
)


# --- pairs ----------------------------------------------------------------------------------------------------------


def _reduced(grad, x, reduction):
    return grad / x.numel() if reduction == "mean" else grad


def _mse(d):
    return 2 * d


def _l1(d):
    return d.sign()


def _smooth_l1(d, beta):
    return ft.where(d.abs() < beta, d / beta, d.sign())


def _huber(d, delta):
    return d.clamp(-delta, delta)


def _of_difference(factor):
    """The gradient by self of a loss of self - target."""
    return lambda grad, self, target, reduction, *params: (
        _reduced(grad, self, reduction) * factor(self - target, *params)
    )


def _bce_backward(grad, self, target, reduction):
    return _reduced(grad, self, reduction) * (self - target) / (self * (1 - self)).clamp_min(1e-12)


def _bce_with_logits_backward(grad, self, target, reduction):
    return _reduced(grad, self, reduction) * (ft.sigmoid(self) - target)


for _backward, _composition in (
    (ops.mse_loss_backward, _of_difference(_mse)),
    (ops.l1_loss_backward, _of_difference(_l1)),
    (ops.smooth_l1_loss_backward, _of_difference(_smooth_l1)),
    (ops.huber_loss_backward, _of_difference(_huber)),
    (ops.binary_cross_entropy_backward, _bce_backward),
    (ops.binary_cross_entropy_with_logits_backward, _bce_with_logits_backward),
):
    derivative(_backward, composition=_composition)
derivative(
    ops.mse_loss_,
    self=lambda grad, self, target, reduction: ops.mse_loss_backward(grad, self, target, reduction),
    target=lambda grad, self, target, reduction: -ops.mse_loss_backward(grad, self, target, reduction),
)
derivative(
    ops.l1_loss_,
    self=lambda grad, self, target, reduction: ops.l1_loss_backward(grad, self, target, reduction),
    target=lambda grad, self, target, reduction: -ops.l1_loss_backward(grad, self, target, reduction),
)
derivative(
    ops.smooth_l1_loss_,
    self=lambda grad, self, target, reduction, beta: ops.smooth_l1_loss_backward(grad, self, target, reduction, beta),
    target=lambda grad, self, target, reduction, beta: (
        -ops.smooth_l1_loss_backward(grad, self, target, reduction, beta)
    ),
)
derivative(
    ops.huber_loss_,
    self=lambda grad, self, target, reduction, delta: ops.huber_loss_backward(grad, self, target, reduction, delta),
    target=lambda grad, self, target, reduction, delta: -ops.huber_loss_backward(grad, self, target, reduction, delta),
)
derivative(
    ops.binary_cross_entropy_,
    self=lambda grad, self, target, reduction: ops.binary_cross_entropy_backward(grad, self, target, reduction),
    target=lambda grad, self, reduction: (
        _reduced(grad, self, reduction) * ((1 - self).log().clamp_min(-100) - self.log().clamp_min(-100))
    ),
)
derivative(
    ops.binary_cross_entropy_with_logits_,
    self=lambda grad, self, target, reduction: ops.binary_cross_entropy_with_logits_backward(
        grad, self, target, reduction
    ),
    target=lambda grad, self, reduction: _reduced(grad, self, reduction) * -self,
)
