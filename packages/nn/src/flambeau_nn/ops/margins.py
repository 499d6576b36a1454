"""Losses of classes by margins, and of a linear layer's classes."""

import flambeau_tensor as ft
from flambeau_nn._kernels import margins
from flambeau_nn.ops.declaring import composite, with_fast_path
from flambeau_nn.ops.loss import REDUCTIONS, checked_reduction, labelled, reduced
from flambeau_tensor.packing import apply

_LAST = "bool? size_average=None, bool? reduce=None, str reduction='mean'"


def _rows(input):
    """(N, C) of (N, C), (C) or a number."""
    return input if input.ndim == 2 else input.reshape((1, -1))


def composed_margin(input, target, weight, p, reduction, margin):
    """`multi_margin` by other operations."""
    x = _rows(input)
    y = target.reshape((x.shape[0], 1))
    z = margin - x.gather(1, y) + x
    z = ft.where(z > 0, z, 0.0)  # no gradient exactly at the margin, and NaN counts nothing
    z = z if p == 1 else z * z
    if weight is not None:
        z = z * weight[y]
    loss = z.scatter(1, y, 0.0).sum(1) / x.shape[1]
    return reduced(loss.reshape(target.shape) if reduction == "none" else loss, reduction)


_MARGIN = "Tensor? weight=None, int p=1, str reduction='mean', float margin=1.0"
multi_margin, multi_margin_backward = labelled(
    "multi_margin", margins.multi_margin, margins.multi_margin_backward, _MARGIN
)


def _multi_margin_general(input, target, p, margin, weight, size_average, reduce, reduction):
    return multi_margin(input, target, weight, p, checked_reduction(size_average, reduce, reduction), margin)


with_fast_path(
    f"multi_margin_loss(Tensor self, Tensor target, int p=1, float margin=1.0, Tensor? weight=None, {_LAST})",
    multi_margin,
    _multi_margin_general,
    arguments=(0, 1, 4, 2, 7, 3),
    defaulted=(5, 6),
    aten="multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, "
    "str reduction='mean')",
    doc="Σ max(0, margin - input[target] + input[j])^p / C over the classes j other than the target: `input` is "
    "(N, C) or (C), `target` (N) or ().",
)


def composed_margins(input, target, reduction):
    """`multilabel_margin` by other operations."""
    x = _rows(input)
    y = target.reshape(x.shape)
    kept = (y >= 0).long().cumprod(1) > 0
    index = ft.where(kept, y, 0)
    is_target = y.new_zeros(x.shape).scatter_add(1, index, kept.long()) > 0
    each = 1 - x.gather(1, index).unsqueeze(2) + x.unsqueeze(1)
    counts = (each > 0) & kept.unsqueeze(2) & is_target.logical_not().unsqueeze(1)
    loss = ft.where(counts, each, 0.0).sum((1, 2)) / x.shape[1]
    return reduced(loss if input.ndim == 2 or reduction != "none" else loss.reshape(()), reduction)


multilabel_margin, multilabel_margin_backward = labelled(
    "multilabel_margin", margins.multilabel_margin, margins.multilabel_margin_backward, "str reduction='mean'"
)


def _multilabel_margin_general(input, target, size_average, reduce, reduction):
    reduction = checked_reduction(size_average, reduce, reduction)
    if input.is_floating_point():
        return multilabel_margin(input, target, reduction)
    multilabel_margin(input.float(), target, reduction)  # raises the error for invalid arguments
    return composed_margins(input, target, reduction)


with_fast_path(
    f"multilabel_margin_loss(Tensor self, Tensor target, {_LAST})",
    multilabel_margin,
    _multilabel_margin_general,
    arguments=(0, 1, 4),
    defaulted=(2, 3),
    aten="multilabel_margin_loss(Tensor self, Tensor target, str reduction='mean')",
    doc="Σ max(0, 1 - input[target[k]] + input[j]) / C over the targets k and all other classes j: `target` has the "
    "size of `input`, (N, C) or (C), and ends at the first -1.",
)


@composite(
    f"multilabel_soft_margin_loss(Tensor self, Tensor target, Tensor? weight=None, {_LAST})",
    "binary_cross_entropy_with_logits, averaged over the classes (the last dimension).",
)
def multilabel_soft_margin_loss(input, target, weight, size_average, reduce, reduction):
    from flambeau_nn.ops.activation import logsigmoid

    if size_average is not None or reduce is not None:
        reduction = checked_reduction(size_average, reduce, reduction)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = loss.sum(input.ndim - 1) / input.shape[-1]
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    return reduced(loss, reduction)


@composite(
    "triplet_margin_with_distance_loss(Tensor anchor, Tensor positive, Tensor negative, *, "
    "Callable? distance_function=None, float margin=1.0, bool swap=False, str reduction='mean')",
    "triplet_margin_loss with a custom distance; by default `pairwise_distance`.",
)
def triplet_margin_with_distance_loss(anchor, positive, negative, distance_function, margin, swap, reduction):
    reduction = checked_reduction(None, None, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
            f"{negative.ndim}D inputs"
        )
    if distance_function is None:
        from flambeau_nn.functional import pairwise_distance as distance_function
    near, far = distance_function(anchor, positive), distance_function(anchor, negative)
    if swap:
        far = ft.minimum(far, distance_function(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


@composite(
    "linear_cross_entropy(Tensor input, Tensor linear_weight, Tensor target, *, Tensor? linear_bias=None, "
    "Tensor? weight=None, str reduction='mean', int? ignore_index=None, float label_smoothing=0.0, "
    "Object? options=None)",
    "cross_entropy(linear(input, linear_weight, linear_bias), target): the weight is (C, in) or (C, d1, …, in). "
    "`options` concern memory and have no effect.",
)
def linear_cross_entropy(
    input, linear_weight, target, linear_bias, weight, reduction, ignore_index, label_smoothing, options
):
    from flambeau_nn.functional import cross_entropy
    from flambeau_tensor.ops.matmul import linear

    outer = tuple(linear_weight.shape[:-1])
    if len(outer) > 1:
        linear_weight = linear_weight.reshape((-1, linear_weight.shape[-1]))
        linear_bias = None if linear_bias is None else linear_bias.reshape((-1,))
    logits = linear(input, linear_weight, linear_bias)
    if len(outer) > 1:
        logits = logits.reshape((*logits.shape[:-1], *outer))
    return cross_entropy(
        logits, target, weight, None, -100 if ignore_index is None else ignore_index, None, reduction, label_smoothing
    )


_REDUCED = "size_average=None reduce=None reduction='mean'"
_LINEAR = "linear_bias!=None weight!=None reduction='mean' ignore_index=None label_smoothing=0.0 options=None"
apply(
    "torch.nn.functional",
    {
        "multi_margin_loss": f"input! target! * p=1 margin=1.0 weight!=None {_REDUCED}",
        "multilabel_margin_loss": f"input! target! * {_REDUCED}",
        "multilabel_soft_margin_loss": f"input! target! * weight!=None {_REDUCED}",
        "triplet_margin_with_distance_loss": "anchor! positive! negative! * distance_function=None margin=1.0 "
        "swap=False reduction='mean'",
        "linear_cross_entropy": f"input! linear_weight! target! * {_LINEAR}",
    },
)
