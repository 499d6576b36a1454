"""Losses of classes by margins, and of a linear layer's classes."""

import flambeau_tensor as ft
from flambeau_nn.ops.declaring import composite
from flambeau_nn.ops.loss import REDUCTIONS, checked_reduction, reduced, scalar_type
from flambeau_tensor.extend import hides_values
from flambeau_tensor.packing import apply

_LAST = "bool? size_average=None, bool? reduce=None, str reduction='mean'"


def _rows(input):
    """(N, C) of (N, C), (C) or a number."""
    if input.ndim > 2 or 0 in input.shape[1:] or (input.ndim == 1 and input.numel() == 0):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}"
        )
    return input if input.ndim == 2 else input.reshape((1, -1))


def _check_long(target):
    if target.dtype is not ft.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_type(target.dtype)}")


@composite(
    f"multi_margin_loss(Tensor self, Tensor target, int p=1, float margin=1.0, Tensor? weight=None, {_LAST})",
    "Σ max(0, margin - input[target] + input[j])^p / C over the classes j other than the target: `input` is "
    "(N, C) or (C), `target` (N) or ().",
    aten="multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, "
    "str reduction='mean')",
)
def multi_margin_loss(input, target, p, margin, weight, size_average, reduce, reduction):
    reduction = checked_reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    x = _rows(input)
    n, classes = x.shape
    if target.ndim > 1 or target.numel() != n:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{n}], but got {list(target.shape)}. Input has "
            f"shape {list(input.shape)}."
        )
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    _check_long(target)
    if not x.is_floating_point():
        raise NotImplementedError(f"\"multi_margin_loss_cpu_kernel\" not implemented for '{scalar_type(x.dtype)}'")
    y = target.reshape((n, 1))
    if not hides_values(target) and ((y < 0) | (y >= classes)).any():
        raise RuntimeError("target out of range")
    z = (margin - x.gather(1, y) + x).relu()  # no gradient where the margin is just kept
    z = z if p == 1 else z * z
    if weight is not None:
        z = z * weight[y]
    loss = z.scatter(1, y, 0.0).sum(1) / classes
    return reduced(loss.reshape(target.shape) if reduction == "none" else loss, reduction)


@composite(
    f"multilabel_margin_loss(Tensor self, Tensor target, {_LAST})",
    "Σ max(0, 1 - input[target[k]] + input[j]) / C over the targets k and the classes j that are none: `target` "
    "is sized as `input`, (N, C) or (C), and ends at the first -1.",
    aten="multilabel_margin_loss(Tensor self, Tensor target, str reduction='mean')",
)
def multilabel_margin_loss(input, target, size_average, reduce, reduction):
    reduction = checked_reduction(size_average, reduce, reduction)
    x = _rows(input)
    if input.shape != target.shape and (input.ndim == 2 or target.numel() != input.numel()):
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    _check_long(target)
    y = target.reshape(x.shape)
    classes = x.shape[1]
    if not hides_values(target) and ((y < -1) | (y >= classes)).any():
        raise RuntimeError("argument #2 'target' is out of range")
    kept = (y >= 0).long().cumprod(1) > 0
    index = ft.where(kept, y, 0)
    is_target = y.new_zeros(x.shape).scatter_add(1, index, kept.long()) > 0
    each = (1 - x.gather(1, index).unsqueeze(2) + x.unsqueeze(1)).relu()
    counts = kept.unsqueeze(2) & is_target.logical_not().unsqueeze(1)
    loss = ft.where(counts, each, 0.0).sum((1, 2)) / classes
    return reduced(loss if input.ndim == 2 or reduction != "none" else loss.reshape(()), reduction)


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
    "triplet_margin_loss with a distance of one's own; `pairwise_distance` unless given.",
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
    "`options` are about memory, and change nothing here.",
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
