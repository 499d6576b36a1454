"""Splitting a tensor into views, which ``__torch_dispatch__`` handlers see as one operator.

PyTorch has an operator for it; here it is composed of slices.
"""

from collections.abc import Callable, Sequence
from typing import Any

from flambeau_cext.dispatch.deriving import derivative
from flambeau_tensor import cat, split, split_with_sizes, stack, unbind, zeros
from flambeau_tensor.extend import FUNCTION, Operator


def _filled(grads: Sequence[Any], sizes: Sequence[tuple[int, ...]]) -> list[Any]:
    """Return the gradients of all pieces, zeros in place of None."""
    known = next(g for g in grads if g is not None)
    return [
        zeros(size, dtype=known.dtype, device=known.device) if g is None else g
        for g, size in zip(grads, sizes, strict=True)
    ]


def _joined(grads: Any, self_shape: tuple[int, ...], lengths: Sequence[int], dim: int) -> Any:
    before, after = self_shape[: dim % len(self_shape)], self_shape[dim % len(self_shape) + 1 :]
    return cat(_filled(grads, [(*before, n, *after) for n in lengths]), dim)


def _of_equal(grads: Any, self_shape: tuple[int, ...], split_size: int, dim: int) -> Any:
    whole = self_shape[dim]
    lengths = [min(split_size, whole - i * split_size) for i in range(len(grads))]
    return _joined(grads, self_shape, lengths, dim)


def _of_rows(grads: Any, self_shape: tuple[int, ...], dim: int) -> Any:
    at = dim % len(self_shape)
    return stack(_filled(grads, [(*self_shape[:at], *self_shape[at + 1 :])] * len(grads)), dim)


def _declare(schema: str, cut: Callable[..., Any], join: Callable[..., Any]) -> Operator:
    op = Operator(
        f"{schema} -> Tensor(a)[]", cut, namespace="torch.ops.flambeau", variants=FUNCTION, doc="Views of the pieces."
    )
    derivative(op, self=join, linear=True)
    return op


_split = _declare(
    "split(Tensor(a) self, int split_size, int dim)",
    lambda self, split_size, dim: split(self, split_size, dim),
    _of_equal,
)
_split_with_sizes = _declare(
    "split_with_sizes(Tensor(a) self, int[] split_sizes, int dim)",
    lambda self, split_sizes, dim: split_with_sizes(self, split_sizes, dim),
    lambda grads, self_shape, split_sizes, dim: _joined(grads, self_shape, split_sizes, dim),
)
_unbind = _declare("unbind(Tensor(a) self, int dim)", lambda self, dim: unbind(self, dim), _of_rows)


def chunk(self: Any, chunks: int, dim: int) -> Any:
    """Split into at most `chunks` pieces of the same size; the last one may be smaller."""
    if chunks < 1 or not self.ndim:
        return NotImplemented
    length = self.shape[dim]
    size = -(-length // chunks)
    return self.split(size, dim) if size else self.split_with_sizes([0] * chunks, dim)


STANDS_FOR = {
    "torch.split.Tensor": _split,
    "torch.split.sizes": _split_with_sizes,
    "torch.split_with_sizes": _split_with_sizes,
    "torch.unbind": _unbind,
    "torch.chunk": chunk,
}
