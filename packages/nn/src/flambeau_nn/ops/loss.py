"""Losses.

Cross entropy and the usual losses of pairs are one fused operator each, with one for the gradient (``NAME_backward``);
the functions of ``torch.nn.functional`` choose it unless weights, broadcasting or the old arguments `size_average` and
`reduce` are asked for. The rest are compositions.
"""
import math
import warnings

from flambeau_tensor._core.tensor import is_layered

import flambeau_tensor as ft
from flambeau_nn._kernels import loss as kernels
from flambeau_nn.ops import INTERNAL
from flambeau_nn.ops.front import composite, front
from flambeau_tensor import Operator, Tensor
from flambeau_tensor.ops.joining import broadcast_tensors

_LEGACY = "bool? size_average=None, bool? reduce=None"
_LAST = f"{_LEGACY}, str reduction='mean'"
_REDUCES = "`reduction` is 'mean', 'sum' or 'none'."


def legacy_reduction(size_average, reduce, reduction, stacklevel=3):
    """What `size_average` and `reduce` of old mean, with PyTorch's warning."""
    if size_average is None and reduce is None:
        return reduction
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    new = ("mean" if size_average else "sum") if reduce else "none"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{new}' instead.",
                  stacklevel=stacklevel)
    return new


def _reduced(loss, reduction):
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    if reduction != "none":
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss


# --- the fused operators --------------------------------------------------------------------------------------------

_CLASSES = "Tensor? weight=None, int ignore_index=-100, str reduction='mean', float label_smoothing=0.0"
cross_entropy_ = Operator(f"cross_entropy(Tensor self, Tensor target, {_CLASSES}) -> Tensor", kernels.cross_entropy,
                          namespace=INTERNAL, variants="function",
                          doc="log_softmax and the loss of its result, at once.")
cross_entropy_backward = Operator(
    f"cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, {_CLASSES}) -> Tensor",
    kernels.cross_entropy_backward, namespace=INTERNAL, variants="function",
    doc="The gradient of cross_entropy with respect to the scores.")


def _pairs(name, argument="", doc=""):
    forward, backward = kernels.KERNELS[name]
    rest = f"str reduction='mean'{argument}"
    return (Operator(f"{name}(Tensor self, Tensor target, {rest}) -> Tensor", forward, namespace=INTERNAL,
                     variants="function", doc=doc),
            Operator(f"{name}_backward(Tensor grad_output, Tensor self, Tensor target, {rest}) -> Tensor", backward,
                     namespace=INTERNAL, variants="function",
                     doc=f"The gradient of {name} with respect to `self`."))


mse_loss_, mse_loss_backward = _pairs("mse_loss", doc="(self - target)², reduced.")
l1_loss_, l1_loss_backward = _pairs("l1_loss", doc="|self - target|, reduced.")
smooth_l1_loss_, smooth_l1_loss_backward = _pairs("smooth_l1_loss", ", float beta=1.0",
                                                  "|d| - beta/2 for d = self - target, d²/(2 beta) below beta; "
                                                  "reduced.")
huber_loss_, huber_loss_backward = _pairs("huber_loss", ", float delta=1.0",
                                          "d²/2 for d = self - target, delta (|d| - delta/2) above delta; reduced.")
binary_cross_entropy_, binary_cross_entropy_backward = _pairs(
    "binary_cross_entropy", doc="-(y log x + (1 - y) log(1 - x)), reduced; logarithms are no less than -100.")
binary_cross_entropy_with_logits_, binary_cross_entropy_with_logits_backward = _pairs(
    "binary_cross_entropy_with_logits", doc="binary_cross_entropy of sigmoid(self), reduced.")


# --- the functions --------------------------------------------------------------------------------------------------

def _cross_entropy_of_old(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing):
    reduction = legacy_reduction(size_average, reduce, reduction)
    return cross_entropy_(input, target, weight, ignore_index, reduction, label_smoothing)


cross_entropy = front(
    "cross_entropy(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, int ignore_index=-100, "
    "bool? reduce=None, str reduction='mean', float label_smoothing=0.0)", cross_entropy_, _cross_entropy_of_old,
    take=(0, 1, 2, 4, 6, 7), absent=(3, 5),
    doc="-log softmax(input)[target]: `input` holds scores (N, C), (C) or (N, C, d1, …), `target` class numbers "
        "(int64) or probabilities of the same size as `input`. Classes may have a `weight`; `ignore_index` is left "
        f"out. {_REDUCES}")


def _alike(name, input, target):
    """Both broadcast and of one dtype, with PyTorch's warning where sizes differ."""
    if input.shape != target.shape:
        warnings.warn(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This "
                      "will likely lead to incorrect results due to broadcasting. Please ensure they have the same "
                      "size.",
                      stacklevel=4)
        input, target = broadcast_tensors(input, target)
    if input.dtype is not target.dtype:
        dtype = ft.promote_types(input.dtype, target.dtype)
        input, target = input.to(dtype), target.to(dtype)
    return input, target


def _weighted(loss, weight, reduction):
    if weight.shape != loss.shape:
        raise ValueError("Weights and input must have the same size.")
    weighted = loss * weight
    return weighted.sum() / weight.sum() if reduction == "mean" else _reduced(weighted, reduction)


def _general_pair(name, fused):
    def general(input, target, size_average, reduce, reduction, weight=None):
        reduction = legacy_reduction(size_average, reduce, reduction, 4)
        input, target = _alike(name, input, target)
        if weight is not None:
            return _weighted(fused(input, target, "none"), weight, reduction)
        return fused(input, target, reduction)
    return general


def _l1_general(input, target, reduction):
    if input.is_floating_point():
        return l1_loss_(input, target, reduction)
    return _reduced(ft.abs(input - target), reduction)


_PAIR = f"(Tensor self, Tensor target, {_LAST}, Tensor? weight=None)"
mse_loss = front(f"mse_loss{_PAIR}", mse_loss_, _general_pair("mse_loss", mse_loss_), take=(0, 1, 4), absent=(2, 3, 5),
                 alike=True, doc=f"(input - target)². {_REDUCES}")
l1_loss = front(f"l1_loss{_PAIR}", l1_loss_, _general_pair("l1_loss", _l1_general), take=(0, 1, 4), absent=(2, 3, 5),
                alike=True, doc=f"|input - target|. {_REDUCES}")


def _smooth_l1_general(input, target, size_average, reduce, reduction, beta):
    reduction = legacy_reduction(size_average, reduce, reduction)
    input, target = _alike("smooth_l1_loss", input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss_(input, target, reduction)
    return smooth_l1_loss_(input, target, reduction, beta)


def _smooth_l1_usual(input, target, reduction, beta):
    if beta > 0:
        return smooth_l1_loss_(input, target, reduction, beta)
    return _smooth_l1_general(input, target, None, None, reduction, beta)


smooth_l1_loss = front(f"smooth_l1_loss(Tensor self, Tensor target, {_LAST}, float beta=1.0)", _smooth_l1_usual,
                       _smooth_l1_general, take=(0, 1, 4, 5), absent=(2, 3), alike=True,
                       doc=f"d²/(2 beta) for |d| < beta, d = input - target, |d| - beta/2 above. {_REDUCES}")


def _huber_general(input, target, reduction, delta, weight):
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    input, target = _alike("huber_loss", input, target)
    if weight is not None:
        return _weighted(huber_loss_(input, target, "none", delta), weight, reduction)
    return huber_loss_(input, target, reduction, delta)


def _huber_usual(input, target, reduction, delta):
    if delta > 0:
        return huber_loss_(input, target, reduction, delta)
    return _huber_general(input, target, reduction, delta, None)


huber_loss = front("huber_loss(Tensor self, Tensor target, str reduction='mean', float delta=1.0, Tensor? weight=None)",
                   _huber_usual, _huber_general, take=(0, 1, 2, 3), absent=(4,), alike=True,
                   doc=f"d²/2 for |d| <= delta, d = input - target, delta (|d| - delta/2) above (Huber, 1964). "
                       f"{_REDUCES}")


def _bce_general(input, target, weight, size_average, reduce, reduction):
    reduction = legacy_reduction(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is "
                         "deprecated. Please ensure they have the same size.")
    loss = binary_cross_entropy_(input, target, "none" if weight is not None else reduction)
    return loss if weight is None else _reduced(loss * weight, reduction)


binary_cross_entropy = front(
    "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, bool? reduce=None, "
    "str reduction='mean')", binary_cross_entropy_, _bce_general, take=(0, 1, 5), absent=(2, 3, 4), alike=True,
    doc=f"-(y log x + (1 - y) log(1 - x)) for probabilities x and targets y between 0 and 1. {_REDUCES}")


def _bce_logits_general(input, target, weight, size_average, reduce, reduction, pos_weight):
    reduction = legacy_reduction(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if pos_weight is None:
        loss = binary_cross_entropy_with_logits_(input, target, "none")
    else:
        loss = (1 - target) * input + ((pos_weight - 1) * target + 1) * _softplus(-input)
    return _reduced(loss if weight is None else loss * weight, reduction)


def _softplus(x):
    from flambeau_nn.ops.activation import logsigmoid

    return -logsigmoid(-x)


binary_cross_entropy_with_logits = front(
    "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, "
    "bool? reduce=None, str reduction='mean', Tensor? pos_weight=None)", binary_cross_entropy_with_logits_,
    _bce_logits_general, take=(0, 1, 5), absent=(2, 3, 4, 6), alike=True,
    doc=f"binary_cross_entropy of sigmoid(input), without overflow; `pos_weight` scales the term of targets 1. "
        f"{_REDUCES}")


# --- compositions ---------------------------------------------------------------------------------------------------

@composite("nll_loss(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, int ignore_index=-100, "
           "bool? reduce=None, str reduction='mean')",
           f"-input[target]: `input` holds log-probabilities, sized as for cross_entropy. {_REDUCES}")
def nll_loss(input, target, weight, size_average, ignore_index, reduce, reduction):
    reduction = legacy_reduction(size_average, reduce, reduction)
    if input.ndim == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.ndim == target.ndim == 1 and target.shape[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}")
    dim = 0 if input.ndim == 1 else 1
    if target.ndim != max(input.ndim - 1, 0) or input.shape[:dim] != target.shape[:dim]:
        if input.ndim > 1 and target.ndim and input.shape[0] != target.shape[0]:
            raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
                             f"({target.shape[0]}).")
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.dtype not in (ft.int64, ft.uint8):
        raise RuntimeError(f"expected scalar type Long but found {target.type().split('.')[-1].removesuffix('Tensor')}")
    classes = input.shape[dim]
    ignored = target == ignore_index
    bad = ((target < 0) | (target >= classes)) & ~ignored
    if not is_layered(target) and bad.any():
        raise IndexError(f"Target {target[bad].reshape((-1,))[0].item()} is out of bounds.")
    index = ft.where(ignored, 0, target).long()
    loss = -input.gather(dim, index.unsqueeze(dim)).squeeze(dim)
    factor = ft.ones_like(loss, requires_grad=False) if weight is None else weight[index]
    factor = ft.where(ignored, 0.0, factor)
    # Ignored entries count as 0 even where they are infinite.
    loss = ft.where(ignored, 0.0, loss * factor)
    return loss.sum() / factor.sum() if reduction == "mean" else _reduced(loss, reduction)


@composite(f"kl_div(Tensor self, Tensor target, {_LAST}, bool log_target=False)",
           "target · (log target - input), `input` being log-probabilities; 'batchmean' divides the sum by the first "
           "size.")
def kl_div(input, target, size_average, reduce, reduction, log_target):
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support size."
                      "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                      "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                      stacklevel=2)
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = ft.where(target > 0, target * target.clamp_min(_tiny(target)).log(), target * 0) - target * input
    if reduction == "batchmean":
        return loss.sum() / input.shape[0] if input.ndim else loss.sum()
    return _reduced(loss, reduction)


def _tiny(x):
    return 1e-38 if x.dtype is ft.float32 else 1e-300 if x.dtype is ft.float64 else 6e-8


@composite("poisson_nll_loss(Tensor self, Tensor target, bool log_input=True, bool full=False, "
           "bool? size_average=None, float eps=1e-08, bool? reduce=None, str reduction='mean')",
           "The negative log-likelihood of counts: exp(input) - target · input; `full` adds Stirling's approximation "
           "of log(target!).")
def poisson_nll_loss(input, target, log_input, full, size_average, eps, reduce, reduction):
    reduction = legacy_reduction(size_average, reduce, reduction)
    if log_input:
        loss = input.exp() - target * input
    else:
        loss = input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + ft.where(target > 1, stirling, 0.0)
    return _reduced(loss, reduction)


@composite("gaussian_nll_loss(Tensor self, Tensor target, Any var, bool full=False, float eps=1e-06, "
           "str reduction='mean')",
           "The negative log-likelihood of a normal distribution: (log var + (input - target)² / var) / 2.")
def gaussian_nll_loss(input, target, var, full, eps, reduction):
    from flambeau_autograd import no_grad

    if not isinstance(var, Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * ft.ones_like(input)
    elif not is_layered(var) and (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or sum(v for i, v in zip(input.shape, var.shape, strict=True) if i != v) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


@composite(f"soft_margin_loss(Tensor self, Tensor target, {_LAST})", "log(1 + exp(-target · input)), targets being ±1.")
def soft_margin_loss(input, target, size_average, reduce, reduction):
    return _reduced(_softplus(-target * input), legacy_reduction(size_average, reduce, reduction))


@composite(f"hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, {_LAST})",
           "input where target is 1, max(0, margin - input) where it is -1.")
def hinge_embedding_loss(input, target, margin, size_average, reduce, reduction):
    loss = ft.where(target != 1, (margin - input).clamp_min(0), 0.0) + ft.where(target != -1, input, 0.0)
    return _reduced(loss, legacy_reduction(size_average, reduce, reduction))


@composite(f"margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, {_LAST})",
           "max(0, margin - target · (input1 - input2)).")
def margin_ranking_loss(input1, input2, target, margin, size_average, reduce, reduction):
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got sizes: "
                           f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} ")
    loss = (-target * (input1 - input2) + margin).clamp_min(0)
    return _reduced(loss, legacy_reduction(size_average, reduce, reduction))


@composite(f"cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, {_LAST})",
           "1 - cos where target is 1, max(0, cos - margin) where it is -1.")
def cosine_embedding_loss(input1, input2, target, margin, size_average, reduce, reduction):
    tiny = 1e-12
    square1, square2 = (input1 * input1).sum(-1) + tiny, (input2 * input2).sum(-1) + tiny
    cos = (input1 * input2).sum(-1) / (square1 * square2).sqrt()
    loss = ft.where(target == 1, 1 - cos, 0.0) + ft.where(target == -1, (cos - margin).clamp_min(0), 0.0)
    return _reduced(loss, legacy_reduction(size_average, reduce, reduction))


@composite("triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, "
           f"float eps=1e-06, bool swap=False, {_LAST})",
           "max(0, d(anchor, positive) - d(anchor, negative) + margin) (Balntas et al., 2016).")
def triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, size_average, reduce, reduction):
    from flambeau_nn.ops.distance import pairwise_distance

    reduction = legacy_reduction(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ft.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced((margin + near - far).clamp_min(0), reduction)
