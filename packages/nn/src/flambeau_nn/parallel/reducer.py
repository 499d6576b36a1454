"""Averages gradients over processes at the end of backward, for `DistributedDataParallel`.

All gradients of one dtype are exchanged together and in place: a group treats a list of tensors as one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flambeau_autograd import no_grad
from flambeau_autograd.extend import queue_callback
from flambeau_tensor import Tensor, cat, tensor, zeros_like
from flambeau_tensor.not_built import NotBuiltError

__all__ = ["GradBucket", "Reducer", "by_dtype"]

_NOT_FINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that "
    "your {}"
)
_UNUSED = (
    "module has parameters that were not used in producing loss. You can enable unused parameter detection by "
    "passing the keyword argument `find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by "
    "making sure all `forward` function outputs participate in calculating loss."
)
_CHANGED = (
    "training graph has changed in this iteration, e.g., one parameter is used in first iteration, but then got unused "
    "in the second iteration. this is not compatible with static_graph set to True."
)


class GradBucket:
    """The gradients of one dtype, concatenated, as passed to a hook of `DistributedDataParallel`.

    Args:
        buffer: the gradients.
        parameters: their parameters.
        index: which of the buckets this is.
        last: whether it is the last one.
    """

    def __init__(self, buffer: Tensor, parameters: list[Tensor], index: int, last: bool) -> None:
        self._buffer, self._parameters, self._index, self._last = buffer, parameters, index, last

    def buffer(self) -> Tensor:
        """The gradients in one tensor."""
        return self._buffer

    def set_buffer(self, buffer: Tensor) -> None:
        """Take another tensor for the gradients."""
        self._buffer = buffer

    def gradients(self) -> list[Tensor]:
        """The gradients, views of the buffer."""
        parts = self._buffer.split([p.numel() for p in self._parameters])
        return [part.view(p.shape) for part, p in zip(parts, self._parameters, strict=True)]

    def parameters(self) -> list[Tensor]:
        """Whose gradients they are."""
        return self._parameters

    def index(self) -> int:
        """Which of the buckets this is."""
        return self._index

    def is_last(self) -> bool:
        """Return True if it is the last one."""
        return self._last


class Reducer:
    """Averages the gradients of parameters at the end of each backward that synchronizes.

    Args:
        parameters: the parameters.
        group: the process group.
        finds_unused: whether parameters may have no gradient in some steps on some ranks.
        is_static: the same parameters have a gradient in every step.
        synchronizes: returns whether the running backward ends with an exchange.
    """

    def __init__(
        self,
        parameters: list[Tensor],
        group: Any,
        finds_unused: bool,
        is_static: bool,
        synchronizes: Callable[[], bool],
    ) -> None:
        self.parameters, self.group, self.synchronizes = parameters, group, synchronizes
        self.finds_unused, self.is_static = finds_unused, is_static
        self.divisor: float = group.size()
        self.hook: tuple[Any, Callable[..., Any]] | None = None
        self._kinds = [[parameters[i] for i in indices] for indices in by_dtype(parameters)]
        self._ready: set[Tensor] = set()  # those that have a gradient of this step
        self._expected: frozenset[Tensor] | None = None  # with a static graph, those of the first step
        self._waits = False
        self._unfinished = ""
        for parameter in parameters:
            parameter.register_post_accumulate_grad_hook(self._note)

    def begin(self) -> None:
        """Begin a step, in its forward.

        Raises:
            RuntimeError: parameters had no gradient in the step before.
        """
        if self._unfinished:
            raise RuntimeError(_NOT_FINISHED.format(self._unfinished))
        self._waits = False
        if not self.finds_unused:
            self._ready.clear()

    def _note(self, parameter: Tensor) -> None:
        self._ready.add(parameter)
        if not self._waits and self.synchronizes():
            self._waits = True
            queue_callback(self._finish)

    def _finish(self) -> None:
        """At the end of backward: average the gradients."""
        self._waits = False
        ready = self._ready
        if self.is_static:
            self._expected = self._expected or frozenset(ready)
            self._unfinished = _CHANGED if ready != self._expected else ""
        elif not self.finds_unused:
            self._unfinished = _UNUSED if len(ready) < len(self.parameters) else ""
        if self.hook is None and len(ready) == len(self.parameters) and not (self.finds_unused or self.is_static):
            for parameters in self._kinds:
                if not self.group.sum_now([p.grad for p in parameters], self.divisor):
                    self.group.sum([_gradient(p) for p in parameters], self.divisor)
        else:
            self._average(True)
        ready.clear()

    def shadow(self) -> None:
        """Take part in an exchange of the others, with gradients of zero."""
        self._average(False)

    def _average(self, gives: bool) -> None:
        asks, count = self.finds_unused or self.is_static, len(self._kinds)
        with no_grad():
            for number, parameters in enumerate(self._kinds):
                ready = [gives and p in self._ready for p in parameters]
                found = [_gradient(p) if here else zeros_like(p) for p, here in zip(parameters, ready, strict=True)]
                flags = [tensor(ready).to(found[0].dtype)] if asks else []
                if self.hook is None:
                    self.group.sum([*found, *flags], self.divisor)
                else:
                    flat = cat([gradient.detach().reshape(-1) for gradient in found])
                    self._exchange_by_hook(GradBucket(flat, parameters, number, number == count - 1), found, flags)
                used = flags[0].tolist() if flags else [not self._unfinished] * len(ready)
                for p, here, gradient, matters in zip(parameters, ready, found, used, strict=True):
                    if gives and matters and not here:
                        p.grad = gradient

    def _exchange_by_hook(self, bucket: GradBucket, found: list[Tensor], flags: list[Tensor]) -> None:
        assert self.hook is not None
        state, hook = self.hook
        future = hook(state, bucket)
        if not hasattr(future, "wait"):
            raise RuntimeError(f"callback must return a torch.futures.Future object, but got {type(future).__name__}")
        result = future.wait()
        bucket.set_buffer(result[0] if isinstance(result, list | tuple) else result)
        for gradient, averaged in zip(found, bucket.gradients(), strict=True):
            gradient.copy_(averaged.detach())
        if flags:
            self.group.sum(flags)


def _gradient(parameter: Tensor) -> Tensor:
    gradient = parameter.grad
    if gradient is None:
        gradient = parameter.grad = zeros_like(parameter)
    elif gradient.layout is not parameter.layout:
        raise NotBuiltError("sparse gradients of DistributedDataParallel are not built: use Embedding(sparse=False)")
    return gradient


def by_dtype(tensors: list[Tensor]) -> list[list[int]]:
    """The indices of tensors of each dtype."""
    kinds: dict[Any, list[int]] = {}
    for i, one in enumerate(tensors):
        kinds.setdefault(one.dtype, []).append(i)
    return list(kinds.values())
