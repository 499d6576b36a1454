"""Batching of losses: element by element (row by row for cross entropy), and reduced for each example."""

import flambeau_tensor as ft
from flambeau_autograd.batching.table import batch_first, batched, call, flat, looped
from flambeau_nn.ops import loss as ops


def _summed(t):
    return flat(t).sum(1)


def _shaped(t, ndim):
    """A number for each example so that it broadcasts with tensors of `ndim` dimensions that hold all of them."""
    return t.reshape((-1,) + (1,) * (ndim - 1))


def _fronts(level, args, dims, n):
    return [a if a is None else batch_first(a, d, level.size) for a, d in zip(args[:n], dims[:n], strict=True)]


# --- pairs ----------------------------------------------------------------------------------------------------------


def _pair(level, op, args, dims):
    x, y = _fronts(level, args, dims, 2)
    reduction = args[2]
    if x.shape != y.shape or reduction not in ops.REDUCTIONS:
        return looped(level, op, args, dims)
    losses = call(op, x, y, "none", *args[3:])
    if reduction == "none":
        return losses, 0
    return flat(losses).sum(1) if reduction == "sum" else flat(losses).mean(1), 0


def _pair_backward(level, op, args, dims):
    grad, x, y = _fronts(level, args, dims, 3)
    reduction = args[3]
    if x.shape != y.shape or reduction not in ops.REDUCTIONS:
        return looped(level, op, args, dims)
    if reduction != "none":
        grad = _shaped(grad / max(x[0].numel(), 1) if reduction == "mean" else grad, x.ndim).expand(x.shape)
    return call(op, grad, x, y, "none", *args[4:]), 0


for _name in (
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
):
    batched(_pair, getattr(ops, f"{_name}_"))
    batched(_pair_backward, getattr(ops, f"{_name}_backward"))


# --- labels ---------------------------------------------------------------------------------------------------------


def _rows(t, alone):
    """Examples and their samples as one dimension; `alone`: an example is one sample."""
    return t if alone else t.reshape((t.shape[0] * t.shape[1], *t.shape[2:]))


def _divisor(x, target, weight, ignore_index):
    """Return the divisor of each example's mean."""
    if target.is_floating_point():
        return x.new_full((x.shape[0],), x[0].numel() // x.shape[min(2, x.ndim - 1)])
    kept = target != ignore_index
    if weight is None:
        return _summed(kept.to(x.dtype))
    return _summed(ft.where(kept, weight[ft.where(kept, target, 0)], 0.0))


def _usable(x, target, weight_dim, reduction):
    """Whether the batch can run as one loss: the class weights are shared, and there are rows."""
    of_rows = target.ndim == x.ndim if target.is_floating_point() else target.ndim == x.ndim - 1
    return weight_dim is None and reduction in ops.REDUCTIONS and x.ndim > 1 and 0 not in x.shape and of_rows


def labelled(divisor):
    """The rules of a loss of (self, target, weight, …, reduction, …) and of its gradient; `divisor`: see _divisor."""

    def forward(level, op, args, dims):
        x, target = _fronts(level, args, dims, 2)
        weight, option, reduction, *more = args[2:]
        if not _usable(x, target, dims[2], reduction):
            return looped(level, op, args, dims)
        alone = x.ndim == 2
        losses = call(op, _rows(x, alone), _rows(target, alone), weight, option, "none", *more)
        if not alone:
            losses = losses.reshape((*x.shape[:2], *losses.shape[1:]))
        if reduction == "none":
            return losses, 0
        total = _summed(losses)
        return total / divisor(x, target, weight, option) if reduction == "mean" else total, 0

    def backward(level, op, args, dims):
        grad, x, target = _fronts(level, args, dims, 3)
        weight, option, reduction, *more = args[3:]
        if not _usable(x, target, dims[3], reduction):
            return looped(level, op, args, dims)
        alone = x.ndim == 2
        losses = x.shape[:1] if alone else (*x.shape[:2], *x.shape[3:])
        if reduction == "mean":
            grad = grad / divisor(x, target, weight, option)
        if reduction != "none":
            grad = _shaped(grad, len(losses)).expand(tuple(losses))
        out = call(op, _rows(grad, alone), _rows(x, alone), _rows(target, alone), weight, option, "none", *more)
        return out.reshape(tuple(x.shape)), 0

    return forward, backward


_forward, _backward = labelled(_divisor)
batched(_forward, ops.cross_entropy_, ops.nll_)
batched(_backward, ops.cross_entropy_backward, ops.nll_backward)
