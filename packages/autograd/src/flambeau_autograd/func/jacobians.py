"""``jacrev``, ``jacfwd`` and ``hessian``: whole Jacobians; all rows or columns are computed by one batched product."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import flambeau_tensor as torch
from flambeau_autograd.fresh import where
from flambeau_autograd.func.transforms import _argnums, jvp, vjp
from flambeau_autograd.func.vectorize import vmap
from flambeau_autograd.pytree import filled, leaves, tree_map
from flambeau_tensor import Tensor


def _basis(tensors: Sequence[Tensor]) -> list[Tensor]:
    """For each tensor the unit vectors of all of them, as one tensor with the vectors in dimension 0."""
    total = sum(t.numel() for t in tensors)
    out, at = [], 0
    for t in tensors:
        rows = torch.zeros(total, t.numel(), dtype=t.dtype, device=where(t))
        if t.numel():
            rows.narrow(0, at, t.numel()).fill_diagonal_(1) if hasattr(rows, "fill_diagonal_") else rows.narrow(
                0, at, t.numel()
            ).diagonal().fill_(1)
        at += t.numel()
        out.append(rows.reshape((total, *t.shape)))
    return out


def _chosen(
    func: Callable[..., Any], argnums: int | tuple[int, ...], args: tuple[Any, ...]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    wanted = _argnums(argnums, args)

    def of_chosen(*given: Any) -> Any:
        full = list(args)
        for n, a in zip(wanted, given, strict=True):
            full[n] = a
        return func(*full)

    return of_chosen, tuple(args[n] for n in wanted)


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that computes the Jacobian of ``func`` by reverse mode, which is best for few results.

    Args:
        func: a function of tensors or containers of tensors that returns the same.
        argnums: the positional arguments to differentiate with respect to; a tuple gives a tuple of Jacobians.
        has_aux: whether ``func`` returns ``(value, aux)``; ``aux`` is returned unchanged.
        chunk_size: how many rows to compute at once; all by default.

    Returns:
        A Jacobian of shape ``(*value.shape, *argument.shape)``; nested, results first, if there are several.

    Raises:
        RuntimeError: ``argnums`` is out of range, or an argument to differentiate has an integer dtype; the function's
            result is not a tensor.

    >>> torch.func.jacrev(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        chosen, primals = _chosen(functools.partial(func, **kwargs), argnums, args)
        _refuse_complex("jacrev", "inputs", leaves(primals))
        out = vjp(chosen, *primals, has_aux=has_aux)
        value, back = out[:2]
        outputs = leaves(value)
        _refuse_complex("jacrev", "outputs", outputs)
        for o in outputs:
            if not o.is_floating_point():
                raise RuntimeError(
                    "jacrev: all outputs of the function must be floating-point or complex Tensors, got "
                    f"Tensor with dtype {o.dtype}"
                )
        rows = _basis(outputs)

        def product(*seeds: Any) -> tuple[Any, ...]:
            return tuple(leaves(back(filled(value, seeds))))

        columns = vmap(product, chunk_size=chunk_size)(*rows)
        result = _split_rows(columns, outputs, leaves(primals))
        tree = tree_map(lambda row: _unpacked(filled(primals, row), argnums), _by_output(value, result))
        return (tree, out[2]) if has_aux else tree

    return wrapped


def _refuse_complex(name: str, role: str, tensors: Any) -> None:
    """Raise an error for complex tensors: complex functions have no Jacobian of the shape that is returned here."""
    for i, t in enumerate(tensors):
        if isinstance(t, Tensor) and t.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {role} to be real but received complex tensor at flattened input idx: {i}"
            )


def _split_rows(columns: Any, outputs: Any, inputs: Any) -> list[list[Tensor]]:
    """For each output, for each input, the block of the Jacobian."""
    blocks, at = [], 0
    for o in outputs:
        n = o.numel()
        blocks.append([c.narrow(0, at, n).reshape((*o.shape, *i.shape)) for c, i in zip(columns, inputs, strict=True)])
        at += n
    return blocks


class _Row(list[Any]):
    """A leaf, not a branch, to the functions on trees."""


def _by_output(value: Any, blocks: Any) -> Any:
    return filled(value, [_Row(b) for b in blocks])


def _unpacked(tree: Any, argnums: int | tuple[int, ...]) -> Any:
    return tree[0] if isinstance(argnums, int) else tree


def jacfwd(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that computes the Jacobian of ``func`` by forward mode, which is best for few arguments.

    Arguments and result are those of ``jacrev``.

    Raises:
        RuntimeError: ``argnums`` is out of range, or an argument to differentiate has an integer dtype; the function's
            result is not a tensor.

    >>> torch.func.jacfwd(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        chosen, primals = _chosen(functools.partial(func, **kwargs), argnums, args)
        inputs = leaves(primals)
        _refuse_complex("jacfwd", "inputs", inputs)
        directions = _basis(inputs)
        kept = {}

        def product(*tangents: Any) -> tuple[Any, ...]:
            out = jvp(chosen, primals, filled(primals, tangents), has_aux=has_aux)
            kept["form"] = tree_map(lambda _: None, out[1])
            kept["aux"] = out[2] if has_aux else None
            parts = leaves(out[1])
            _refuse_complex("jacfwd", "outputs", parts)
            return (*parts, *leaves(out[2])) if has_aux else tuple(parts)

        columns = vmap(product, out_dims=-1, randomness=randomness, chunk_size=chunk_size)(*directions)
        parts = columns[: len(leaves(kept["form"]))]
        blocks = []
        for c in parts:
            row, at = _Row(), 0
            for i in inputs:
                row.append(c.narrow(-1, at, i.numel()).reshape((*c.shape[:-1], *i.shape)))
                at += i.numel()
            blocks.append(row)
        tree = tree_map(lambda row: _unpacked(filled(primals, row), argnums), filled(kept["form"], blocks))
        if not has_aux:
            return tree
        return tree, filled(kept["aux"], [a.select(-1, 0) for a in columns[len(parts) :]])

    return wrapped


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """A function that computes the second derivatives of ``func``: forward mode over reverse mode.

    Raises:
        RuntimeError: ``argnums`` is out of range, or an argument to differentiate has an integer dtype.

    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
