"""Selective checkpoints: a policy decides per operator which results are saved.

Saved results are matched by the order of calls: the n-th call of an operator in the second run uses the n-th saved
result.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

import flambeau_tensor as torch
from flambeau_autograd.pytree import tree_map
from flambeau_tensor.extend import dispatching


class CheckpointPolicy(enum.Enum):
    """The policy for an operator's results: save them for backward, or recompute them.

    Raises:
        ValueError: the value does not exist.

    >>> CheckpointPolicy.MUST_SAVE
    <CheckpointPolicy.MUST_SAVE: 0>
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_KEPT = {
    CheckpointPolicy.MUST_SAVE,
    CheckpointPolicy.PREFER_SAVE,
    CheckpointPolicy.MUST_CPU_OFFLOAD,
    CheckpointPolicy.PREFER_CPU_OFFLOAD,
}


class SelectiveCheckpointContext:
    """The context that is passed to a policy for each call.

    Args:
        is_recompute: whether this is the second run.
        op_output: the operator's results, in the first run.

    >>> SelectiveCheckpointContext(is_recompute=False).is_recompute
    False
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


class _Kept:
    """A tensor and its version when it was stored."""

    def __init__(self, tensor: torch.Tensor, watch: bool) -> None:
        self.tensor, self.version = tensor.detach(), tensor._version if watch else None

    def take(self) -> torch.Tensor:
        if self.version is not None and self.tensor._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.tensor.detach()


def _map(function: Callable[[Any], Any], kind: type, value: Any) -> Any:
    return tree_map(lambda leaf: function(leaf) if isinstance(leaf, kind) else leaf, value)


class _Run:
    """A mode below autograd, on the stack inside the ``with`` block."""

    is_recompute = False

    def __init__(self, policy: Callable[..., Any], results: dict[Any, list[Any]], watch: bool) -> None:
        self.policy, self.results, self.watch = policy, results, watch

    def __enter__(self) -> _Run:
        dispatching.push_mode(self)
        return self

    def __exit__(self, *error: object) -> None:
        dispatching.pop_mode()

    def decide(self, output: Any, func: Any, args: Any, kwargs: Any) -> bool:
        context = SelectiveCheckpointContext(is_recompute=self.is_recompute, op_output=output)
        policy = self.policy(context, func, *args, **kwargs)
        return policy if isinstance(policy, bool) else policy in _KEPT


class _First(_Run):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        output = func(*args, **kwargs)
        if str(func) not in _IGNORED and self.decide(output, func, args, kwargs):
            kept = _map(lambda tensor: _Kept(tensor, self.watch), torch.Tensor, output)
            self.results.setdefault(func, []).append(kept)
        return output


class _Again(_Run):
    is_recompute = True
    taken = False

    def __enter__(self) -> _Run:
        if self.taken:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed "
                "under selective activation checkpoint."
            )
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if str(func) in _IGNORED or not self.decide(None, func, args, kwargs):
            return func(*args, **kwargs)
        kept = self.results.get(func)
        if not kept:
            raise RuntimeError(f"{func} encountered during backward, but not found in storage")
        self.taken = True
        return _map(_Kept.take, _Kept, kept.pop(0))


_IGNORED = frozenset({"aten.detach.default"})


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., Any] | Sequence[Any], allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """Return the two contexts with which `checkpoint` saves some results; pass a ``functools.partial`` as `context_fn`.

    Args:
        policy_fn_or_list: called with a `SelectiveCheckpointContext`, the operator (of ``torch.ops.aten``) and its
            arguments, and returns a `CheckpointPolicy` or whether to keep the results; or a list of the operators whose
            results are kept.
        allow_cache_entry_mutation: whether kept results may be changed in place before backward.

    Raises:
        TypeError: the first argument is neither, or the list contains anything but operators.

    >>> import flambeau, functools
    >>> from flambeau.utils.checkpoint import checkpoint
    >>> x = flambeau.ones(2, 2, requires_grad=True)
    >>> context_fn = functools.partial(create_selective_checkpoint_contexts, [flambeau.ops.aten.mm.default])
    >>> checkpoint(lambda x: (x @ x).sin(), x, use_reentrant=False, context_fn=context_fn).sum().backward()
    >>> x.grad
    tensor([[-1.6646, -1.6646],
            [-1.6646, -1.6646]])
    """
    if isinstance(policy_fn_or_list, (list, tuple)):
        for op in policy_fn_or_list:
            if not hasattr(op, "_overloadname"):
                raise TypeError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. Pass one that is, "
                    "such as torch.ops.aten.mm.default"
                )
        chosen = frozenset(policy_fn_or_list)

        def policy(context: SelectiveCheckpointContext, func: Any, *args: Any, **kwargs: Any) -> bool:
            return func in chosen

    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    results: dict[Any, list[Any]] = {}
    watch = not allow_cache_entry_mutation
    return _First(policy, results, watch), _Again(policy, results, watch)
