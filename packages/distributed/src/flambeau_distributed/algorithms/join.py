"""Joining: ranks that run out of inputs take part in the collectives of those that still have some."""

import warnings
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from flambeau_distributed.collectives import all_reduce
from flambeau_distributed.reduce_op import ReduceOp
from flambeau_distributed.world import default_group
from flambeau_tensor import tensor

__all__ = ["Join", "JoinHook", "Joinable"]


class JoinHook:
    """The actions of a rank that has no more inputs."""

    def main_hook(self) -> None:
        """Shadow the collectives of one step of the others."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Run on all ranks when the last rank has no more inputs; ``is_last_joiner``: this rank is one of the last."""


class Joinable:
    """An object that `Join` can join: it has a `JoinHook` and calls `Join.notify_join_context` before each step."""

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The hook for this rank."""
        raise NotImplementedError(f"{type(self).__name__} gives no join_hook")

    @property
    def join_process_group(self) -> Any:
        """The group whose ranks join."""
        raise NotImplementedError(f"{type(self).__name__} gives no join_process_group")

    _join: "Join | None" = None


class Join:
    """A context in which ranks may have different numbers of inputs.

    Args:
        joinables: the objects that communicate in each step.
        enable: False disables the context.
        throw_on_early_termination: whether to raise an error on all ranks when one has no more inputs.
        kwargs: arguments of the hooks.

    Raises:
        ValueError: there are no joinables.
        RuntimeError: a rank has no more inputs, and ``throw_on_early_termination`` is set.
    """

    def __init__(
        self,
        joinables: Sequence[Any],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables, self._enabled, self._throws = list(joinables), enable, throw_on_early_termination
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._group = joinables[0].join_process_group or default_group()

    def __enter__(self) -> "Join":
        if self._enabled:
            self._joinables[0]._join = self
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        if not self._enabled:
            return
        try:
            if kind is None:
                self._shadow()
        finally:
            self._joinables[0]._join = None

    def _shadow(self) -> None:
        last, steps = True, 0
        while self._count(False):
            if steps == 1000:
                warnings.warn("Detected uneven input skew of more than 1000: a rank waits for others", stacklevel=3)
            for hook in self._hooks:
                hook.main_hook()
            last, steps = False, steps + 1
        for hook in self._hooks:
            hook.post_hook(last)

    def notify(self, joinable: Any) -> None:
        """Notify the ranks that have no more inputs that this rank has more."""
        if joinable is self._joinables[0]:
            self._count(True)

    def _count(self, active: bool) -> int:
        """Return how many ranks have inputs in this step."""
        total = tensor([float(active)])
        all_reduce(total, group=self._group)
        count = int(total.item())
        if self._throws and 0 < count < self._group.size():
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        for hook in self._hooks:
            if count and hasattr(hook, "active"):
                hook.active(count)
        return count

    def common_rank(self, candidate: bool) -> int:
        """The highest rank among the candidates, which all agree on."""
        found = tensor([self._group.rank() if candidate else -1])
        all_reduce(found, ReduceOp.MAX, self._group)
        return int(found.item())

    @staticmethod
    def notify_join_context(joinable: Any) -> None:
        """Notify the ranks that have no more inputs that this rank has more; called before each step.

        Raises:
            RuntimeError: a rank has no more inputs, and ``throw_on_early_termination`` is set.
        """
        join = getattr(joinable, "_join", None)
        if join is not None:
            join.notify(joinable)
