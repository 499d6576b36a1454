"""``vmap``: applies a function of one example to a batch."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import flambeau_tensor as torch
from flambeau_autograd._engine.levels.batch_level import BatchLevel
from flambeau_autograd._engine.levels.dispatch import VmapUnsupportedError
from flambeau_autograd.pytree import broadcast, filled, form, is_leaf, leaves, tree_map
from flambeau_tensor.extend import wrapped_dim

Tensor = torch.Tensor
# The module whose functions split arguments and combine results. A library whose containers `vmap` should treat as
# tensors replaces them in the module `torch._functorch.vmap`, which is stored here.
steps: Any = sys.modules[__name__]


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
    fallback: str | None = None,
) -> Callable[..., Any]:
    """A function that applies ``func`` along a dimension of its arguments.

    Inside ``func`` a tensor looks like one example; operations run on the whole batch.

    Args:
        func: takes tensors, or tuples, lists and dicts of them, and returns such values.
        in_dims: the batch dimension of each argument; None for arguments without one. An int for all arguments, or a
            tuple in the structure of the arguments. Keyword arguments are not batched.
        out_dims: the batch dimension of the results.
        randomness: ``"error"`` refuses random numbers, ``"different"`` draws for each example, ``"same"`` once for all.
        chunk_size: how many examples to run at once; all by default.
        fallback: ``"loop"`` runs ``func`` once for each example if it does something that cannot be batched: reads a
            number with ``.item()``, branches on data, calls NumPy, uses a Function without a rule. It warns once.

    Raises:
        ValueError: ``in_dims`` or ``out_dims`` do not fit the arguments or results, or sizes differ.
        RuntimeError: no rule covers an operation of ``func``.

    >>> torch.func.vmap(torch.dot)(torch.ones(3, 2), torch.arange(6.0).view(3, 2))
    tensor([1., 5., 9.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    if fallback not in (None, "loop"):
        raise ValueError(f"vmap: fallback should be None or 'loop', got {fallback!r}")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        size, dims, flat, spec = steps._process_batched_inputs(in_dims, args, func)
        _check_out_dims(func, out_dims)
        run = functools.partial(
            _run, functools.partial(func, **kwargs) if kwargs else func, spec, out_dims=out_dims, randomness=randomness
        )
        if chunk_size is None or size <= chunk_size:
            return _guarded(func, fallback, run, flat, dims, size)
        pieces, state = [], torch.get_rng_state() if randomness == "same" else None
        for start in range(0, size, chunk_size):
            n = min(chunk_size, size - start)
            if state is not None:
                torch.set_rng_state(state)
            part = [a if d is None else a.narrow(d, start, n) for a, d in zip(flat, dims, strict=True)]
            pieces.append(_guarded(func, fallback, run, part, dims, n))
        return _joined(pieces, out_dims, func)

    return wrapped


def _name(func: Callable[..., Any] | str) -> str:
    """Return the name of a function for errors; it is slow for objects without a name, so only errors call it."""
    if isinstance(func, str):
        return func
    return getattr(getattr(func, "func", func), "__name__", None) or repr(func)


def _check_out_dims(func: Callable[..., Any], out_dims: Any) -> None:
    if not all(d is None or isinstance(d, int) for d in leaves(out_dims)):
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
            "collection of ints representing where in the outputs the vmapped dimension should appear."
        )


def _process_batched_inputs(
    in_dims: Any, args: tuple[Any, ...], func: Callable[..., Any]
) -> tuple[int, list[Any], list[Any], Any]:
    """Return (batch size, batch dimension of each leaf, leaves, structure of the arguments)."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a "
            f"(potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
            "trying to vmap over a function with no inputs. The latter is unsupported."
        )
    dims = broadcast(in_dims, args)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the "
            f"structure of `inputs`. in_dims has structure {form(in_dims)} but inputs has structure "
            f"{form(args)}."
        )
    flat = leaves(args)
    sizes = []
    for i, (leaf, dim) in enumerate(zip(flat, dims, strict=True)):
        if dim is None:
            continue
        problem = None
        if not isinstance(dim, int):
            problem = "an input but in_dim must be either an integer dimension or None."
        elif not isinstance(leaf, Tensor):
            problem = (
                f"an input but the input is of type {type(leaf)}. We cannot "
                "vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        elif not -leaf.ndim <= dim < leaf.ndim:
            problem = (
                f"some input, but that input is a Tensor of dimensionality "
                f"{leaf.ndim} so expected in_dim to satisfy -{leaf.ndim} <= in_dim < {leaf.ndim}."
            )
        if problem is not None:
            raise ValueError(f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for {problem}")
        dims[i] = dim % leaf.ndim
        sizes.append(leaf.size(dim))
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} "
            "for the mapped dimension"
        )
    return sizes[0], dims, flat, args


def _create_batched_inputs(dims: list[Any], flat: list[Any], level: BatchLevel, spec: Any) -> Any:
    return filled(spec, [a if d is None else level.wrap(a, d) for a, d in zip(flat, dims, strict=True)])


def _run(
    func: Callable[..., Any],
    spec: Any,
    flat: list[Any],
    dims: Any,
    size: int,
    *,
    out_dims: Any,
    randomness: str,
) -> Any:
    with BatchLevel(size, randomness) as level:
        result = func(*steps._create_batched_inputs(dims, flat, level, spec))
        return steps._unwrap_batched(result, out_dims, level, size, func)


def _unwrap_batched(result: Any, out_dims: Any, level: BatchLevel, size: int, func: Callable[..., Any]) -> Any:
    places = _result_dims(func, result, out_dims)
    return tree_map(lambda out: _maybe_remove_batch_dim(func, out, level, size, next(places)), result)


def _maybe_remove_batch_dim(
    func: Callable[..., Any] | str, out: Any, level: BatchLevel, size: int, dim: int | None
) -> Any:
    """Move the batch dimension of a result to ``dim``; expand a result that is not batched."""
    if not isinstance(out, Tensor):
        if dim is None:
            return out
        name = _name(func)
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type "
            f"{type(out)}. Did you mean to set out_dims= to None for output?"
        )
    value, at = level.unwrap(out)
    if dim is None:
        if at is not None:
            name = _name(func)
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return value
    if at is None:
        value, at = value.expand(size, *value.shape), 0
    return value if at == wrapped_dim(dim, value.ndim) else value.movedim(at, dim)


def _result_dims(func: Callable[..., Any], result: Any, out_dims: Any) -> Iterator[Any]:
    if is_leaf(result) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        out_dims = out_dims[0]
    flat = broadcast(out_dims, result)
    if flat is None or not all(d is None or isinstance(d, int) for d in flat):
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with "
            f"the structure of `outputs`. out_dims has structure {form(out_dims)} but outputs has "
            f"structure {form(result)}."
        )
    return iter(flat)


def _joined(pieces: list[Any], out_dims: Any, func: Callable[..., Any]) -> Any:
    places = broadcast(out_dims, pieces[0])
    columns = zip(*map(leaves, pieces), strict=True)
    return filled(
        pieces[0], [column[0] if d is None else torch.cat(column, d) for column, d in zip(columns, places, strict=True)]
    )


# --- one example at a time ------------------------------------------------------------------------------------------

_warned: set[Any] = set()


def _guarded(
    func: Callable[..., Any], fallback: str | None, run: functools.partial[Any], flat: list[Any], dims: Any, size: int
) -> Any:
    if fallback is None:
        return run(flat, dims, size)
    try:
        return run(flat, dims, size)
    except VmapUnsupportedError as error:
        if size == 0:
            raise
        if func not in _warned:
            _warned.add(func)
            warnings.warn(f"vmap runs {_name(func)} once for each example: {error}", stacklevel=3)
    (run_one, of), out_dims = run.args, run.keywords["out_dims"]
    rows = []
    for i in range(size):
        args = filled(of, [a if d is None else a.select(d, i) for a, d in zip(flat, dims, strict=True)])
        rows.append(tree_map(lambda out: out if isinstance(out, Tensor) else torch.tensor(out), run_one(*args)))
    places = list(_result_dims(func, rows[0], out_dims))
    columns = zip(*map(leaves, rows), strict=True)
    return filled(
        rows[0],
        [
            column[0] if d is None else torch.stack(column, d if d >= 0 else d)
            for column, d in zip(columns, places, strict=True)
        ],
    )
