"""Losses.

Cross entropy and the usual losses of pairs are one fused operator each, with one for the gradient (``NAME_backward``);
the functions of ``torch.nn.functional`` choose it unless weights, broadcasting or the old arguments `size_average` and
`reduce` are used. All other losses are compositions.
"""

import functools
import math
import warnings

import flambeau_tensor as ft
from flambeau_nn._kernels import loss as kernels
from flambeau_nn._kernels import margins
from flambeau_nn.ops import INTERNAL
from flambeau_nn.ops.declaring import composite, with_fast_path
from flambeau_tensor import Operator, Tensor
from flambeau_tensor.extend import FUNCTION, hides_values
from flambeau_tensor.ops.joining import broadcast_tensors

_LEGACY = "bool? size_average=None, bool? reduce=None"
_LAST = f"{_LEGACY}, str reduction='mean'"
REDUCTIONS = ("none", "mean", "sum")  # in the order of their numbers in C++
_REDUCES = "`reduction` is 'mean', 'sum' or 'none'."


def legacy_reduction(size_average: bool | None, reduce: bool | None, reduction: str, stacklevel: int = 3) -> str:
    """Return the reduction for the deprecated `size_average` and `reduce`, with PyTorch's warning."""
    if size_average is None and reduce is None:
        return reduction
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    new = ("mean" if size_average else "sum") if reduce else "none"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{new}' instead.", stacklevel=stacklevel
    )
    return new


def checked_reduction(size_average, reduce, reduction, stacklevel=4):
    """The same, checked."""
    reduction = legacy_reduction(size_average, reduce, reduction, stacklevel)
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def reduced(loss, reduction):
    if reduction == "mean":
        return loss.mean()
    return loss.sum() if reduction == "sum" else loss


def scalar_type(dtype):
    """Return the name of a dtype in PyTorch's errors: Float, Long, ComplexFloat."""
    return ft.empty((), dtype=dtype).type().split(".")[-1].removesuffix("Tensor")


def _as_written_to(value, like):
    """Return `value` with the dtype that an in-place operation on `like` gives it, or raise the operation's error."""
    if value.shape != like.shape:
        raise RuntimeError(
            f"output with shape {list(like.shape)} doesn't match the broadcast shape {list(value.shape)}"
        )
    if value.dtype is like.dtype:
        return value
    if not ft.can_cast(value.dtype, like.dtype):
        raise RuntimeError(
            f"result type {scalar_type(value.dtype)} can't be cast to the desired output type {scalar_type(like.dtype)}"
        )
    return value.to(like.dtype)


# --- the fused operators --------------------------------------------------------------------------------------------

_CLASSES = "Tensor? weight=None, int ignore_index=-100, str reduction='mean', float label_smoothing=0.0"
cross_entropy_ = Operator(
    f"cross_entropy(Tensor self, Tensor target, {_CLASSES}) -> Tensor",
    kernels.cross_entropy,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="log_softmax and the loss of its result, at once.",
)
cross_entropy_backward = Operator(
    f"cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, {_CLASSES}) -> Tensor",
    kernels.cross_entropy_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradient of cross_entropy with respect to the scores.",
)


def labelled(name, forward, backward, options):
    """The operator of a loss of scores by their labels, and that of its gradient."""
    return (
        Operator(
            f"{name}(Tensor self, Tensor target, {options}) -> Tensor",
            forward,
            namespace=INTERNAL,
            variants=FUNCTION,
            doc=f"What `{name}_loss` computes.",
        ),
        Operator(
            f"{name}_backward(Tensor grad_output, Tensor self, Tensor target, {options}) -> Tensor",
            backward,
            namespace=INTERNAL,
            variants=FUNCTION,
            doc=f"The gradient of {name} with respect to the scores.",
        ),
    )


def _pairs(name, argument="", doc=""):
    forward, backward = kernels.KERNELS[name]
    rest = f"str reduction='mean'{argument}"
    return (
        Operator(
            f"{name}(Tensor self, Tensor target, {rest}) -> Tensor",
            forward,
            namespace=INTERNAL,
            variants=FUNCTION,
            doc=doc,
        ),
        Operator(
            f"{name}_backward(Tensor grad_output, Tensor self, Tensor target, {rest}) -> Tensor",
            backward,
            namespace=INTERNAL,
            variants=FUNCTION,
            doc=f"The gradient of {name} with respect to `self`.",
        ),
    )


mse_loss_, mse_loss_backward = _pairs("mse_loss", doc="(self - target)², reduced.")
l1_loss_, l1_loss_backward = _pairs("l1_loss", doc="|self - target|, reduced.")
smooth_l1_loss_, smooth_l1_loss_backward = _pairs(
    "smooth_l1_loss",
    ", float beta=1.0",
    "d²/(2 beta) for |d| < beta, where d = self - target, else |d| - beta/2; reduced.",
)
huber_loss_, huber_loss_backward = _pairs(
    "huber_loss",
    ", float delta=1.0",
    "d²/2 for |d| <= delta, where d = self - target, else delta (|d| - delta/2); reduced.",
)
binary_cross_entropy_, binary_cross_entropy_backward = _pairs(
    "binary_cross_entropy", doc="-(y log x + (1 - y) log(1 - x)), reduced; logarithms are at least -100."
)
binary_cross_entropy_with_logits_, binary_cross_entropy_with_logits_backward = _pairs(
    "binary_cross_entropy_with_logits", doc="binary_cross_entropy of sigmoid(self), reduced."
)


# --- the functions --------------------------------------------------------------------------------------------------


def _cross_entropy_of_old(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing):
    reduction = checked_reduction(size_average, reduce, reduction)
    if target.is_floating_point() and input.is_floating_point():  # probabilities: dtypes promote
        dtypes = [t.dtype for t in (input, target, weight) if t is not None]
        input = input.to(functools.reduce(ft.promote_types, dtypes))
    return cross_entropy_(input, target, weight, ignore_index, reduction, label_smoothing)


cross_entropy = with_fast_path(
    "cross_entropy(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, int ignore_index=-100, "
    "bool? reduce=None, str reduction='mean', float label_smoothing=0.0)",
    cross_entropy_,
    _cross_entropy_of_old,
    arguments=(0, 1, 2, 4, 6, 7),
    defaulted=(3, 5),
    aten="cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, str reduction='mean', "
    "int ignore_index=-100, float label_smoothing=0.0)",
    doc="-log softmax(input)[target]: `input` holds scores (N, C), (C) or (N, C, d1, …), `target` class indices "
    f"(int64) or probabilities of the same size as `input`. `weight` has one element per class; targets equal to "
    f"`ignore_index` do not count. {_REDUCES}",
)


def _broadcast(input, target):
    """Broadcast both to one size, with PyTorch's warning if their sizes differ."""
    if input.shape == target.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This "
        "will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        stacklevel=4,
    )
    return broadcast_tensors(input, target)


def _promoted(input, target):
    dtype = ft.promote_types(input.dtype, target.dtype)
    return input.to(dtype), target.to(dtype)


def _check_weight(input, weight):
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")


def _general_pair(whole, each):
    """Return a loss of two tensors for arguments that the fused operator does not support.

    It calls `whole(input, target, reduction)` without weights, or `each(input, target)`, elementwise, with weights.
    """

    def general(input, target, size_average, reduce, reduction, weight=None):
        reduction = checked_reduction(size_average, reduce, reduction, 5)
        x, y = _broadcast(input, target)
        if weight is None:
            return whole(x, y, reduction)
        _check_weight(input, weight)
        loss = each(x, y) * weight
        return loss.sum() / weight.sum() if reduction == "mean" else reduced(loss, reduction)

    return general


def _mse_general(input, target, reduction):
    return mse_loss_(*_promoted(input, target), reduction)


def _l1_general(input, target, reduction):
    if input.is_floating_point() and target.is_floating_point():
        return l1_loss_(*_promoted(input, target), reduction)
    return reduced(ft.abs(input - target), reduction)


_PAIR = f"(Tensor self, Tensor target, {_LAST}, Tensor? weight=None)"
mse_loss = with_fast_path(
    f"mse_loss{_PAIR}",
    mse_loss_,
    _general_pair(_mse_general, lambda x, y: (x - y) ** 2),
    arguments=(0, 1, 4),
    defaulted=(2, 3, 5),
    matching=True,
    aten="mse_loss(Tensor self, Tensor target, str reduction='mean')",
    doc=f"(input - target)². {_REDUCES}",
)
l1_loss = with_fast_path(
    f"l1_loss{_PAIR}",
    l1_loss_,
    _general_pair(_l1_general, lambda x, y: ft.abs(x - y)),
    arguments=(0, 1, 4),
    defaulted=(2, 3, 5),
    matching=True,
    aten="l1_loss(Tensor self, Tensor target, str reduction='mean')",
    doc=f"|input - target|. {_REDUCES}",
)


def _smooth_l1_general(input, target, size_average, reduce, reduction, beta):
    reduction = checked_reduction(size_average, reduce, reduction)
    input, target = _broadcast(input, target)
    if beta == 0:
        return _l1_general(input, target, reduction)
    if not beta > 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return smooth_l1_loss_(*_promoted(input, target), reduction, beta)


def _smooth_l1_usual(input, target, reduction, beta):
    if beta > 0:
        return smooth_l1_loss_(input, target, reduction, beta)
    return _smooth_l1_general(input, target, None, None, reduction, beta)


smooth_l1_loss = with_fast_path(
    f"smooth_l1_loss(Tensor self, Tensor target, {_LAST}, float beta=1.0)",
    _smooth_l1_usual,
    _smooth_l1_general,
    arguments=(0, 1, 4, 5),
    defaulted=(2, 3),
    matching=True,
    aten=True,
    doc=f"d²/(2 beta) for |d| < beta, where d = input - target, else |d| - beta/2. {_REDUCES}",
)


def _huber_general(input, target, reduction, delta, weight):
    checked_reduction(None, None, reduction)
    x, y = _broadcast(input, target)
    if weight is None:
        return reduced(_huber_each(x, y, delta), reduction)
    _check_weight(input, weight)
    return reduced(_huber_each(x, y, delta) * weight, reduction)


def _huber_each(input, target, delta):
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    x, y = _promoted(input, target)
    _as_written_to(x, input)  # its error precedes those of the operator
    return _as_written_to(huber_loss_(x, y, "none", delta), input)


def _huber_usual(input, target, reduction, delta):
    if delta > 0:
        return huber_loss_(input, target, reduction, delta)
    return _huber_general(input, target, reduction, delta, None)


huber_loss = with_fast_path(
    "huber_loss(Tensor self, Tensor target, str reduction='mean', float delta=1.0, Tensor? weight=None)",
    _huber_usual,
    _huber_general,
    arguments=(0, 1, 2, 3),
    defaulted=(4,),
    matching=True,
    aten="huber_loss(Tensor self, Tensor target, str reduction='mean', float delta=1.0)",
    doc=f"d²/2 for |d| <= delta, where d = input - target, else delta (|d| - delta/2) (Huber, 1964). {_REDUCES}",
)


def _bce_general(input, target, weight, size_average, reduce, reduction):
    reduction = checked_reduction(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is "
            "deprecated. Please ensure they have the same size."
        )
    loss = binary_cross_entropy_(input, target, "none" if weight is not None else reduction)
    return loss if weight is None else reduced(_as_written_to(loss * weight, loss), reduction)


binary_cross_entropy = with_fast_path(
    "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, bool? reduce=None, "
    "str reduction='mean')",
    binary_cross_entropy_,
    _bce_general,
    arguments=(0, 1, 5),
    defaulted=(2, 3, 4),
    matching=True,
    aten=True,
    doc=f"-(y log x + (1 - y) log(1 - x)) for probabilities x and targets y between 0 and 1. {_REDUCES}",
)


def _bce_logits_general(input, target, weight, size_average, reduce, reduction, pos_weight):
    from flambeau_nn.ops.activation import logsigmoid

    reduction = checked_reduction(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    log = logsigmoid(input)
    if pos_weight is not None:
        log = _as_written_to(log * ((pos_weight - 1) * target + 1), log)
    rest = 1 - target
    loss = _as_written_to(_as_written_to(rest * input, rest) - log, rest)
    if weight is not None:
        loss = _as_written_to(loss * weight, loss)
    return reduced(loss, reduction)


binary_cross_entropy_with_logits = with_fast_path(
    "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, "
    "bool? reduce=None, str reduction='mean', Tensor? pos_weight=None)",
    binary_cross_entropy_with_logits_,
    _bce_logits_general,
    arguments=(0, 1, 5),
    defaulted=(2, 3, 4, 6),
    matching=True,
    aten="binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, "
    "str reduction='mean')",
    doc=f"binary_cross_entropy of sigmoid(input), without overflow; `pos_weight` scales the term of positive targets. "
    f"{_REDUCES}",
)


# --- compositions ---------------------------------------------------------------------------------------------------


def composed_nll(input, target, weight, ignore_index, reduction):
    """`nll_` by other operations."""
    dim = 0 if input.ndim == 1 else 1
    ignored = target == ignore_index
    index = ft.where(ignored, 0, target).long()
    loss = -input.gather(dim, index.unsqueeze(dim)).squeeze(dim)
    factor = ft.ones_like(loss, requires_grad=False) if weight is None else weight[index]
    factor = ft.where(ignored, 0.0, factor)
    # Ignored entries count as 0 even if they are infinite.
    loss = ft.where(ignored, 0.0, loss * factor)
    return loss.sum() / factor.sum() if reduction == "mean" else reduced(loss, reduction)


_LABELLED = "Tensor? weight=None, int ignore_index=-100, str reduction='mean'"
nll_, nll_backward = labelled("nll", margins.nll, margins.nll_backward, _LABELLED)


def _nll_general(input, target, weight, size_average, ignore_index, reduce, reduction):
    return nll_(input, target, weight, ignore_index, checked_reduction(size_average, reduce, reduction))


nll_loss = with_fast_path(
    "nll_loss(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, int ignore_index=-100, "
    "bool? reduce=None, str reduction='mean')",
    nll_,
    _nll_general,
    arguments=(0, 1, 2, 4, 6),
    defaulted=(3, 5),
    aten="nll_loss(Tensor self, Tensor target, Tensor? weight=None, str reduction='mean', int ignore_index=-100)",
    doc=f"-input[target]: `input` holds log-probabilities, with the same sizes as for cross_entropy. {_REDUCES}",
)


@composite(
    f"kl_div(Tensor self, Tensor target, {_LAST}, bool log_target=False)",
    "target · (log target - input), for log-probabilities `input`; 'batchmean' divides the sum by the first size.",
    aten="kl_div(Tensor self, Tensor target, str reduction='mean', *, bool log_target=False)",
)
def kl_div(input, target, size_average, reduce, reduction, log_target):
    divides = reduction == "batchmean" and size_average is None and reduce is None
    reduction = "sum" if divides else checked_reduction(size_average, reduce, reduction)
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    if input.is_complex() or target.is_complex():
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    loss = target.exp() * (target - input) if log_target else ft.xlogy(target, target) - target * input
    loss = reduced(loss, reduction)
    return loss / input.shape[0] if divides and input.ndim else loss


@composite(
    "poisson_nll_loss(Tensor self, Tensor target, bool log_input=True, bool full=False, "
    "bool? size_average=None, float eps=1e-08, bool? reduce=None, str reduction='mean')",
    "The negative log-likelihood of counts: exp(input) - target · input; `full` adds Stirling's approximation "
    "of log(target!).",
)
def poisson_nll_loss(input, target, log_input, full, size_average, eps, reduce, reduction):
    reduction = checked_reduction(size_average, reduce, reduction)
    if log_input:
        loss = input.exp() - target * input
    else:
        loss = input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = _as_written_to(loss + ft.where(target <= 1, 0.0, stirling), loss)
    return reduced(loss, reduction)


@composite(
    "gaussian_nll_loss(Tensor self, Tensor target, Tensor var, bool full=False, float eps=1e-06, str reduction='mean')",
    "The negative log-likelihood of a normal distribution: (log var + (input - target)² / var) / 2.",
    numbers={"var"},
)
def gaussian_nll_loss(input, target, var, full, eps, reduction):
    from flambeau_autograd import no_grad

    if not isinstance(var, Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * ft.ones_like(input)
    elif not hides_values(var) and (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or sum(v for i, v in zip(input.shape, var.shape, strict=True) if i != v) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


@composite(
    f"soft_margin_loss(Tensor self, Tensor target, {_LAST})", "log(1 + exp(-target · input)), for targets of ±1."
)
def soft_margin_loss(input, target, size_average, reduce, reduction):
    from flambeau_nn.ops.activation import logsigmoid

    reduction = checked_reduction(size_average, reduce, reduction)
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {scalar_type(input.dtype)}")
    x = _as_written_to(-input * target, input)
    if input.is_complex():
        return reduced((x.exp() + 1).log(), reduction)
    return reduced(-logsigmoid(-x), reduction)


@composite(
    f"hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, {_LAST})",
    "input if target is 1, max(0, margin - input) if target is -1.",
    aten=True,
)
def hinge_embedding_loss(input, target, margin, size_average, reduce, reduction):
    reduction = checked_reduction(size_average, reduce, reduction)
    zero = input.new_zeros(())
    loss = ft.where(target != 1, (ft.full_like(input, margin) - input).clamp_min(0), zero) + ft.where(
        target != -1, input, zero
    )
    return reduced(loss, reduction)


@composite(
    f"margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, {_LAST})",
    "max(0, margin - target · (input1 - input2)).",
    aten=True,
)
def margin_ranking_loss(input1, input2, target, margin, size_average, reduce, reduction):
    reduction = checked_reduction(size_average, reduce, reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    return reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


@composite(
    f"cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, {_LAST})",
    "1 - cos if target is 1, max(0, cos - margin) if target is -1.",
    aten=True,
)
def cosine_embedding_loss(input1, input2, target, margin, size_average, reduce, reduction):
    reduction = checked_reduction(size_average, reduce, reduction)
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1.ndim == input2.ndim == target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs "
            f"with sizes {list(input1.shape)} and {list(input2.shape)}."
        )
    tiny = 1e-12
    square1, square2 = (input1 * input1).sum(-1) + tiny, (input2 * input2).sum(-1) + tiny
    cos = (input1 * input2).sum(-1) / (square1 * square2).sqrt()
    loss = ft.where(target == 1, 1 - cos, 0.0) + ft.where(target == -1, (cos - margin).clamp_min(0), 0.0)
    return reduced(loss, reduction)


@composite(
    "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, "
    f"float eps=1e-06, bool swap=False, {_LAST})",
    "max(0, d(anchor, positive) - d(anchor, negative) + margin) (Balntas et al., 2016).",
    aten=True,
)
def triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, size_average, reduce, reduction):
    from flambeau_nn.ops.distance import pairwise_distance

    reduction = checked_reduction(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ft.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced((margin + near - far).clamp_min(0), reduction)
