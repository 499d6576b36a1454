"""A softmax for many classes of which few are frequent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn.modules.container import ModuleList, Sequential
from flambeau_nn.modules.linear import Linear
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.options import Device

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """The result of the layer: the log-probability of each target, and the mean loss."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """log_softmax over classes that are sorted by falling frequency, with its loss (Grave et al., 2017).

    The most frequent classes have a linear layer, the head; the others are grouped into clusters, which the head
    selects. The layers of successive clusters become narrower.

    Args:
        in_features: size of the input.
        n_classes: the number of classes.
        cutoffs: the first class of each cluster, in increasing order.
        div_value: the factor by which the layer of each cluster is narrower than the previous one.
        head_bias: whether the head has a bias.

    Shape:
        (N, in_features) or (in_features), targets (N) or () → output like the targets, and the loss, ()

    Raises:
        ValueError: ``cutoffs`` are not increasing integers between 1 and ``n_classes - 1``.
        RuntimeError: sizes of the input and the target differ, or a target is not a class index.

    >>> layer = AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs=[4, 10])
    >>> output, loss = layer(torch.ones(5, 16), torch.tensor([0, 3, 5, 11, 19]))
    >>> output.shape, loss.shape
    (torch.Size([5]), torch.Size([]))
    >>> layer.log_prob(torch.ones(5, 16)).exp().sum(1)
    tensor([1., 1., 1., 1., 1.], grad_fn=<SumBackward0>)
    """

    in_features: int
    n_classes: int
    cutoffs: list[int]
    div_value: float
    head_bias: bool

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                "where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        options: dict[str, Any] = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **options)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            width = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, **options),
                    Linear(width, self.cutoffs[i + 1] - self.cutoffs[i], bias=False, **options),
                )
            )

    def reset_parameters(self) -> None:
        """Initialize all weights again."""
        self.head.reset_parameters()
        for first, second in cast(Iterable[Sequential], self.tail):
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """The log-probability of each target, and the mean loss: (N, in_features) or (in_features), and (N) or ()."""
        if target_.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if input_.ndim != target_.ndim + 1 or (target_.ndim and input_.shape[0] != target_.shape[0]):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        x, target = (input_, target_) if target_.ndim else (input_.unsqueeze(0), target_.unsqueeze(0))
        if target.numel() and not 0 <= target.min().item() <= target.max().item() < self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        output = x.new_zeros(target.shape)
        of_head = ft.where(target < self.shortlist_size, target, 0)
        for i, layers in enumerate(self.tail):
            low, high = self.cutoffs[i : i + 2]
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            of_cluster = F.log_softmax(layers(x.index_select(0, rows)), 1)
            found = of_cluster.gather(1, (target[rows] - low).unsqueeze(1)).squeeze(1)
            output = output.index_copy(0, rows, found)
            of_head = of_head.index_fill(0, rows, self.shortlist_size + i)
        log_head = F.log_softmax(self.head(x), 1)
        output = output + log_head.gather(1, of_head.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if target_.ndim else output.squeeze(0), loss)

    def _all(self, input: Tensor, head: Tensor) -> Tensor:
        """The log-probabilities of all classes, given those of the head."""
        out = [head[:, : self.shortlist_size]]
        for i, layers in enumerate(self.tail):
            out.append(F.log_softmax(layers(input), 1) + head[:, self.shortlist_size + i].unsqueeze(1))
        return ft.cat(out, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities (N, n_classes) of all classes for (N, in_features)."""
        return self._all(input, F.log_softmax(self.head(input), 1))

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each row; clusters run only for rows that the head assigns to them."""
        output = self.head(input).argmax(1)
        rows = (output >= self.shortlist_size).nonzero().squeeze(1)
        if rows.numel():
            output = output.index_copy(0, rows, self.log_prob(input.index_select(0, rows)).argmax(1))
        return output
