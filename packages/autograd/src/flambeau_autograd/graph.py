"""Access to the graph: hooks on saved tensors, edges, and hooks on several gradients."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from flambeau_autograd._engine.graph import saved as _saved
from flambeau_autograd._engine.graph.edges import edge_of
from flambeau_autograd._engine.graph.engine import current_run, queue_callback, will_run
from flambeau_autograd._engine.graph.node import Node
from flambeau_autograd.grad_mode import decorate
from flambeau_autograd.hooks import RemovableHandle
from flambeau_tensor import Tensor

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]

GradientEdge = namedtuple("GradientEdge", ("node", "output_nr", "ownership_token"), defaults=(None,))
GradientEdge.__doc__ = """Where a gradient flows: into which output of which node. Can stand for a tensor in ``grad``.

Raises:
    RuntimeError: ``node`` is no node; when gradients are asked for.

>>> x = torch.ones(2, requires_grad=True)
>>> y = x.exp()
>>> edge = torch.autograd.graph.get_gradient_edge(y)
>>> edge.node.name(), edge.output_nr
('ExpBackward0', 0)
>>> torch.autograd.grad(edge, x, torch.ones(2))
(tensor([2.7183, 2.7183]),)
"""

InputMetadata = namedtuple("InputMetadata", ("shape", "dtype"))
InputMetadata.__doc__ = "What the gradient of a node's output looks like."


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The graph edge that receives the gradient of ``tensor``; it remains valid after the tensor is freed.

    Raises:
        RuntimeError: the tensor does not require grad.

    >>> x = torch.ones(2, requires_grad=True)
    >>> edge = get_gradient_edge(x)
    >>> torch.autograd.grad((3 * x).sum(), edge)
    (tensor([3., 3.]),)
    """
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(*edge)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Declare that a tensor of any shape (or several) was written to in a way that autograd does not see.

    Raises:
        RuntimeError: the argument is neither a tensor nor an iterable of tensors.

    >>> x = torch.ones(2)
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    tensors: Any = (tensor,) if hasattr(tensor, "requires_grad") else tensor
    try:
        tensors = tuple(tensors)
    except TypeError:
        raise RuntimeError(
            f"increment_version expects a Tensor or an iterable of Tensors, but got {type(tensor).__name__}"
        ) from None
    for t in tensors:
        _saved.bump_version(t)


class saved_tensors_hooks(_saved.SavedHooks):
    """Inside the block, ``pack_hook`` is called on every tensor saved for backward, and ``unpack_hook`` on its result
    when backward reads it.

    Raises:
        TypeError: ``unpack_hook`` returns no tensor.
        RuntimeError: ``pack_hook`` changes the tensor in place.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy().copy(), torch.from_numpy):
    ...     y = x * x
    >>> y.sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """


class save_on_cpu(saved_tensors_hooks):
    """Copies saved tensors to CPU memory. All tensors are on the CPU, so this only copies.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with save_on_cpu():
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 2.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cpu") -> None:
        super().__init__(lambda tensor: tensor.clone(), lambda packed: packed)


class disable_saved_tensors_hooks(_saved.ForbiddenHooks):
    """A context manager or decorator in which setting hooks on saved tensors raises ``error_message``.

    Raises:
        RuntimeError: hooks are entered while it is active; with the given message.

    >>> with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    ...     with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
    ...         pass
    Traceback (most recent call last):
        ...
    RuntimeError: not here
    """

    def __call__(self, function: _F) -> Any:
        return decorate(self, function)

    def clone(self) -> Any:
        return disable_saved_tensors_hooks(self.error_message)


class _MultiHandle(RemovableHandle):
    """Removes several hooks at once."""

    def __init__(self, handles: list[RemovableHandle]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __getstate__(self) -> Any:
        return self.handles

    def __setstate__(self, state: Any) -> None:
        self.handles = state


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call ``fn`` in backward when the gradients of several tensors are known.

    Args:
        tensors: tensors that require grad.
        fn: with ``mode="all"`` it receives the list of gradients (None for tensors that this backward does not reach)
            when the last one is known; with ``mode="any"`` it receives the first known gradient.

    Returns:
        A handle whose ``remove()`` removes the hook.

    Raises:
        ValueError: ``mode`` is neither "all" nor "any".
        AssertionError: a tensor does not require grad.

    >>> a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> handle = register_multi_grad_hook([a, b], lambda grads: print("both are there:", grads))
    >>> (2 * a + 3 * b).backward()
    both are there: [tensor([2.]), tensor([3.])]
    >>> handle.remove()
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = tuple(tensors)
    if mode == "any":
        hook = _on_first(fn)
        return _MultiHandle([t.register_hook(hook) for t in tensors if t.requires_grad])
    if not all(t.requires_grad for t in tensors):
        raise AssertionError("Expected gradient function to be set")
    nodes = [get_gradient_edge(t).node for t in tensors]
    return _MultiHandle([t.register_hook(hook) for t, hook in zip(tensors, _on_last(nodes, fn), strict=True)])


class _Runs(dict[Any, list[Any]]):
    """Values that hooks store for each run of backward until it ends; runs may be nested."""

    def __missing__(self, run: Any) -> list[Any]:
        queue_callback(lambda: self.pop(run, None))
        state: list[Any] = []
        self[run] = state
        return state


def _on_first(fn: Callable[..., Any]) -> Callable[..., Any]:
    runs = _Runs()

    def hook(grad: Any) -> None:
        seen = runs[current_run()]
        seen.append(True)
        if len(seen) == 1:
            fn(grad)

    return hook


def _on_last(nodes: Sequence[Node], fn: Callable[..., Any]) -> list[Callable[..., Any]]:
    runs = _Runs()

    def make(i: int) -> Callable[..., Any]:
        def hook(grad: Any) -> None:
            state = runs[current_run()]
            if not state:
                state += [[None] * len(nodes), sum(will_run(nodes))]
            state[0][i] = grad
            state[1] -= 1
            if state[1] == 0:
                fn(state[0])

        return hook

    return [make(i) for i in range(len(nodes))]


class allow_mutation_on_saved_tensors(_saved.CopyingHooks):
    """A context in which tensors may be written to after they were saved: backward uses the saved values.

    Every saved tensor is copied immediately, which takes memory and time. The ``clear()`` method of the context drops
    the copies, and so does the end of the block: backward has to run inside it.

    Raises:
        RuntimeError: it is entered twice.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = (y * y).sum()
    ...     _ = y.mul_(100)
    ...     z.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self) -> None:
        super().__init__(self._pack, self._unpack)

    copies: WeakKeyDictionary[_Key, Tensor] | None

    def _pack(self, tensor: Tensor) -> Any:
        if self.copies is None:
            self.copies = WeakKeyDictionary()
        key = _Key()
        self.copies[key] = tensor.clone()
        return key

    def _unpack(self, key: Any) -> Any:
        if self.copies is None or key not in self.copies:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which "
                "the graph was originally recorded."
            )
        return self.copies[key]

    def clear(self) -> None:
        """Drop all copies; backward through operations recorded so far raises an error from now on."""
        self.copies = None


class _Key:
    """Stands for a copy in the node that saved it."""

    __slots__ = ("__weakref__",)
