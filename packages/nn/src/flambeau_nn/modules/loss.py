"""Losses as modules; ``flambeau_nn.functional`` documents the formulas."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING

from flambeau_nn import functional as F
from flambeau_nn.modules.linear import Linear
from flambeau_nn.modules.module import Module
from flambeau_nn.ops.loss import legacy_reduction
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.options import Device

if TYPE_CHECKING:
    from flambeau_nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LinearCrossEntropyLoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class _Loss(Module):
    """A loss with `reduction` "mean", "sum" or "none" (`size_average` and `reduce` are its old form)."""

    reduction: str
    __constants__ = ["reduction"]

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = legacy_reduction(size_average, reduce, reduction, 4)


class _WeightedLoss(_Loss):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.weight: Tensor | None


class L1Loss(_Loss):
    """|input - target|.

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        RuntimeError: sizes cannot be broadcast.
        ValueError: ``reduction`` is invalid.

    >>> L1Loss()(torch.tensor([1.0, 5.0]), torch.tensor([2.0, 2.0]))
    tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """(input - target)².

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        RuntimeError: sizes cannot be broadcast.
        ValueError: ``reduction`` is invalid.

    >>> MSELoss()(torch.tensor([1.0, 5.0]), torch.tensor([2.0, 2.0]))
    tensor(5.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, None, None, self.reduction)


class SmoothL1Loss(_Loss):
    """d²/(2 beta) for |d| < beta, where d = input - target; else |d| - beta/2.

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        RuntimeError: sizes cannot be broadcast, or ``beta`` is negative.
        ValueError: ``reduction`` is invalid.

    >>> SmoothL1Loss(reduction="none")(torch.tensor([0.5, 3.0]), torch.zeros(2))
    tensor([0.1250, 2.5000])
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """d²/2 for |d| <= delta, where d = input - target; else delta (|d| - delta/2).

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        RuntimeError: sizes cannot be broadcast, or ``delta`` is not positive.
        ValueError: ``reduction`` is invalid.

    >>> HuberLoss(reduction="none")(torch.tensor([0.5, 3.0]), torch.zeros(2))
    tensor([0.1250, 2.5000])
    """

    __constants__ = ["delta", "reduction"]

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class NLLLoss(_WeightedLoss):
    """-input[target], where `input` holds log-probabilities (N, C), (C) or (N, C, d1, …).

    Shape:
        log-probabilities (N, C), (C) or (N, C, d1, …), class indices (N), () or (N, d1, …) → (), or like the
        class indices with ``reduction="none"``

    Raises:
        IndexError: a target is not a class index.
        ValueError: sizes of the input and the target do not fit, or ``reduction`` is invalid.

    >>> NLLLoss()(torch.tensor([[0.5, 0.25, 0.25]]).log(), torch.tensor([0]))
    tensor(0.6931)
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """-log softmax(input)[target] for scores (N, C), (C) or (N, C, d1, …) and class indices or probabilities.

    Args:
        weight: one weight per class.
        ignore_index: the class index of entries to ignore.
        reduction: "mean" (over the weights of the targets), "sum" or "none".
        label_smoothing: the part of each target that is spread evenly over all classes, between 0 and 1.

    Shape:
        scores (N, C), (C) or (N, C, d1, …); class indices (N), () or (N, d1, …), or probabilities like the
        scores → (), or like the class indices with ``reduction="none"``

    Raises:
        IndexError: a target is not a class index.
        ValueError: sizes of the input and the target do not fit, or ``reduction`` is invalid.
        RuntimeError: the target is neither of classes nor of probabilities, or ``label_smoothing`` is not between 0 and
            1.

    >>> import flambeau_tensor as ft
    >>> CrossEntropyLoss()(ft.zeros(2, 4), ft.tensor([0, 3]))
    tensor(1.3863)
    """

    __constants__ = ["ignore_index", "label_smoothing", "reduction"]
    ignore_index: int
    label_smoothing: float

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input, target, self.weight, None, self.ignore_index, None, self.reduction, self.label_smoothing
        )


class BCELoss(_WeightedLoss):
    """-(y log x + (1 - y) log(1 - x)) for probabilities x.

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        ValueError: sizes differ, or ``reduction`` is invalid.
        RuntimeError: an input is not between 0 and 1.

    >>> BCELoss()(torch.tensor([0.9, 0.2]), torch.tensor([1.0, 0.0]))
    tensor(0.1643)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """BCELoss of sigmoid(input), computed without overflow; `pos_weight` scales the term of positive targets.

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        ValueError: sizes differ, or ``reduction`` is invalid.

    >>> BCEWithLogitsLoss()(torch.tensor([2.0, -1.0]), torch.tensor([1.0, 0.0]))
    tensor(0.2201)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """target · (log target - input), where `input` holds log-probabilities; reduction may be "batchmean".

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        RuntimeError: sizes cannot be broadcast.
        ValueError: ``reduction`` is invalid.

    >>> KLDivLoss(reduction="batchmean")(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.9, 0.1]]))
    tensor(0.3681)
    """

    __constants__ = ["reduction"]

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """The negative log-likelihood of counts: exp(input) - target · input.

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        RuntimeError: sizes cannot be broadcast.
        ValueError: ``reduction`` is invalid.

    >>> PoissonNLLLoss()(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 3.0]))
    tensor(0.3591)
    """

    __constants__ = ["eps", "full", "log_input", "reduction"]

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """The negative log-likelihood of a normal distribution: (log var + (input - target)² / var) / 2.

    Shape:
        input and target (*), variance (*) or with a last size of 1, or one number → () or (*)

    Raises:
        ValueError: a variance is negative, its size does not fit, or ``reduction`` is invalid.

    >>> GaussianNLLLoss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0]))
    tensor(0.2500)
    """

    __constants__ = ["eps", "full", "reduction"]

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target · input)), for targets of ±1.

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        RuntimeError: sizes cannot be broadcast.
        ValueError: ``reduction`` is invalid.

    >>> SoftMarginLoss()(torch.tensor([2.0, -1.0]), torch.tensor([1.0, -1.0]))
    tensor(0.2201)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """input if target is 1, max(0, margin - input) if target is -1.

    Shape:
        (*) and target of the same shape → (), or (*) with ``reduction="none"``

    Raises:
        RuntimeError: sizes cannot be broadcast.
        ValueError: ``reduction`` is invalid.

    >>> HingeEmbeddingLoss(reduction="none")(torch.tensor([0.4, 0.4]), torch.tensor([1.0, -1.0]))
    tensor([0.4000, 0.6000])
    """

    __constants__ = ["margin", "reduction"]

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """max(0, margin - target · (input1 - input2)).

    Shape:
        three of (N) or () → (), or (N) with ``reduction="none"``

    Raises:
        RuntimeError: numbers of dimensions differ, or sizes cannot be broadcast.
        ValueError: ``reduction`` is invalid.

    >>> MarginRankingLoss(reduction="none")(torch.tensor([2.0, 1.0]), torch.tensor([1.0, 2.0]), torch.ones(2))
    tensor([0., 1.])
    """

    __constants__ = ["margin", "reduction"]

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """1 - cos if target is 1, max(0, cos - margin) if target is -1.

    Shape:
        inputs (N, D) or (D), target (N) or () → (), or (N) with ``reduction="none"``

    Raises:
        RuntimeError: sizes do not match.
        ValueError: ``reduction`` is invalid.

    >>> a, b = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    >>> CosineEmbeddingLoss(reduction="none")(a, b, torch.tensor([1, -1]))
    tensor([0.2929, 0.0000])
    """

    __constants__ = ["margin", "reduction"]

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin).

    Shape:
        three of (N, D) or (D) → (), or (N) with ``reduction="none"``

    Raises:
        ValueError: ``margin`` is not positive.
        RuntimeError: numbers of dimensions differ, or sizes cannot be broadcast.

    >>> TripletMarginLoss()(torch.zeros(1, 2), torch.tensor([[0.0, 1.0]]), torch.tensor([[0.0, 1.5]]))
    tensor(0.5000)
    """

    __constants__ = ["eps", "margin", "p", "reduction", "swap"]

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class MultiMarginLoss(_WeightedLoss):
    """Σ max(0, margin - input[target] + input[j])^p / C over the classes j other than the target.

    Shape:
        (N, C) or (C), class indices (N) or () → (), or like the class indices with ``reduction="none"``

    Raises:
        ValueError: ``p`` is neither 1 nor 2, or ``weight`` has several dimensions.
        RuntimeError: a target is not a class index, or sizes do not match.

    >>> MultiMarginLoss()(torch.tensor([[0.1, 0.2, 0.7]]), torch.tensor([2]))
    tensor(0.3000)
    """

    __constants__ = ["margin", "p", "reduction"]

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(_Loss):
    """Σ max(0, 1 - input[target[k]] + input[j]) / C over the targets k and all other classes j.

    Shape:
        (N, C) or (C), targets like it, filled up with -1 → (), or (N) with ``reduction="none"``

    Raises:
        RuntimeError: sizes differ, or a target is not a class index.

    >>> MultiLabelMarginLoss()(torch.tensor([0.1, 0.2, 0.4, 0.8]), torch.tensor([3, 0, -1, -1]))
    tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """BCEWithLogitsLoss, averaged over the classes.

    Shape:
        (N, C), targets like it → (), or (N) with ``reduction="none"``

    Raises:
        RuntimeError: sizes cannot be broadcast.
        ValueError: ``reduction`` is invalid.

    >>> MultiLabelSoftMarginLoss()(torch.tensor([[2.0, -1.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.2201)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with a custom distance.

    Shape:
        three of (N, *) → (), or (N) with ``reduction="none"``

    Raises:
        ValueError: ``margin`` is not positive.
        RuntimeError: numbers of dimensions differ, or sizes cannot be broadcast.

    >>> def taxi(a, b):
    ...     return (a - b).abs().sum(-1)
    >>> TripletMarginWithDistanceLoss(distance_function=taxi)(torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2))
    tensor(1.)
    """

    __constants__ = ["margin", "reduction", "swap"]

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        if distance_function is None:
            from flambeau_nn.modules.distance import PairwiseDistance

            distance_function = PairwiseDistance()
        self.distance_function = distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class CTCLoss(_Loss):
    """-log of the probability of a target, summed over all its alignments with a longer sequence of probabilities
    (Graves et al., 2006).

    Args:
        blank: the class of the blank between labels.
        reduction: "mean" (each loss is divided by its target's length), "sum" or "none".
        zero_infinity: whether the loss of targets that are too long is 0.

    Shape:
        log_probs (T, N, C), targets (N, S) or concatenated, lengths (N) and (N) → (), or (N) without reduction

    Raises:
        RuntimeError: a length exceeds the size, or ``blank`` is not a class index.

    >>> log_probs = torch.full((4, 1, 3), 1 / 3).log()
    >>> CTCLoss()(log_probs, torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2]))
    tensor(0.8432)
    """

    __constants__ = ["blank", "reduction"]

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


class NLLLoss2d(NLLLoss):
    """The old name of NLLLoss.

    Shape:
        those of :class:`NLLLoss`

    Raises:
        RuntimeError: sizes of the input and the target do not fit.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     loss = NLLLoss2d()
    >>> loss(torch.zeros(1, 2, 1, 1), torch.zeros(1, 1, 1, dtype=torch.int64))
    tensor(0.)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        warnings.warn(
            "NLLLoss2d has been deprecated. Please use NLLLoss instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class LinearCrossEntropyLoss(Module):
    """CrossEntropyLoss of a linear layer's output.

    Args:
        in_features: size of the input.
        num_classes: the number of classes C.
        out_features: further dimensions (d1, …) of the scores (N, C, d1, …).
        bias: whether the linear layer has one.
        reduction, weight, ignore_index, label_smoothing: see :class:`CrossEntropyLoss`.
        options: has no effect.

    Shape:
        input (N, in_features) or (in_features), class indices (N) or () → (), or like the class indices with
        ``reduction="none"``

    Raises:
        RuntimeError: sizes do not match.

    >>> loss = LinearCrossEntropyLoss(4, 3)
    >>> loss(torch.ones(2, 4), torch.tensor([0, 2])).shape
    torch.Size([])
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Device | None = None,
        dtype: dtype | None = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.num_classes = num_classes
        self.out_features = out_features
        self.linear = Linear(in_features, num_classes * prod(out_features), bias=bias, device=device, dtype=dtype)
        self.reduction = reduction
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        shape = self.num_classes, *self.out_features
        weight, bias = self.linear.weight.reshape((*shape, self.linear.in_features)), self.linear.bias
        return F.linear_cross_entropy(
            input,
            weight,
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
            f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )
