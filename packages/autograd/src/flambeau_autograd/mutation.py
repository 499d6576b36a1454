"""Mutation detection: a mode that finds undeclared writes in custom Functions.

Two mistakes cause wrong gradients without any error: a ``forward`` that writes to an argument without calling
``ctx.mark_dirty``, so that operations that saved the argument before compute with other values; and a ``backward`` that
writes to the gradient it receives, which other paths of the graph may share. In this mode both raise an error. The mode
copies and compares every argument of a Function, so it is for debugging; when it is off it has no overhead.
"""

import flambeau_tensor as torch
from flambeau_autograd._engine.function import context as _context
from flambeau_autograd._engine.graph.settings import Setting, Since, Within

__all__ = ["detect_mutation", "is_mutation_detection_enabled", "set_detect_mutation"]


class _Snapshot:
    """The values of some tensors at one time."""

    def __init__(self, tensors):
        self.tensors = tensors
        self.copies = [t if t is None else t.detach().clone() for t in tensors]

    def changed(self):
        """The numbers and tensors that hold something else by now."""
        for i, (tensor, copy) in enumerate(zip(self.tensors, self.copies, strict=True)):
            if tensor is not None:
                now = tensor.detach()
                same = torch.logical_or(now == copy, torch.logical_and(now != now, copy != copy))
                if not bool(same.all()):
                    yield i, tensor

    def check_forward(self, ctx):
        """Raise if forward wrote to an argument that it did not mark."""
        for i, tensor in self.changed():
            if not any(tensor is t for t in ctx.dirty_tensors or ()):
                name = ctx._argument(i)
                raise RuntimeError(
                    f"{ctx._forward_cls.__name__}: forward wrote to its argument '{name}' without "
                    f"ctx.mark_dirty({name}), so gradients of what used it before may be wrong. Mark it "
                    "and return it, or write to a clone."
                )

    def check_backward(self, node):
        """Raise if backward wrote to a gradient."""
        for i, _ in self.changed():
            raise RuntimeError(
                f"{node.name()}: backward wrote to the gradient of output {i}, which other parts of the "
                "graph may share. Compute a new tensor, or write to a clone."
            )


class _Watcher:
    snapshot = _Snapshot


_watcher = Setting(None, _context.set_watch)


def is_mutation_detection_enabled() -> bool:
    """Return True if mutation detection is on.

    >>> torch.autograd.is_mutation_detection_enabled()
    False
    """
    return _watcher.value is not None


class set_detect_mutation(Since):
    """Turn mutation detection on or off, immediately or, as a context, until the end of the block.

    >>> with torch.autograd.set_detect_mutation(True):
    ...     print(torch.autograd.is_mutation_detection_enabled())
    True
    """

    def __init__(self, mode: bool):
        super().__init__(_watcher, _Watcher if mode else None)


class detect_mutation(Within):
    """Raise an error in the block if a custom Function writes to its arguments without declaring it.

    This applies to a forward that writes to an argument without ``ctx.mark_dirty``, and to a backward that writes to
    the gradient that it receives.

    Raises:
        RuntimeError: a Function does so.

    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x.mul_(2)
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * 2
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.detect_mutation():
    ...     Double.apply(x * 1)
    Traceback (most recent call last):
        ...
    RuntimeError: Double: forward wrote to its argument 'x' without ctx.mark_dirty(x), so gradients of what used it before may be wrong. Mark it and return it, or write to a clone.
    """  # noqa: E501

    def __init__(self):
        super().__init__(_watcher, _Watcher)
