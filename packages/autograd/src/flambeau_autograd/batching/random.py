"""Batching of random numbers: refused, different for each example, or the same for all, as ``vmap`` was asked."""

import flambeau_tensor as torch
from flambeau_autograd._engine.batch_level import BatchLevel
from flambeau_autograd._engine.dispatch import kernel
from flambeau_autograd._engine.levels import levels
from flambeau_autograd.batching.table import (
    VmapUnsupportedError,
    batch_first,
    batched,
    call,
    in_dim_0,
    with_kernels,
)

_MADE = {op for name in ("rand", "randn", "randint", "randperm") for op in with_kernels(f"torch.{name}")}
_LIKE = (
    "torch.rand_like",
    "torch.randn_like",
    "torch.randint_like",
    "torch.bernoulli",
    "torch.multinomial",
    "torch.poisson",
    "torch.normal",
)
_FILLED = tuple(
    f"torch.Tensor.{name}"
    for name in ("uniform_", "normal_", "log_normal_", "cauchy_", "exponential_", "geometric_", "bernoulli_", "random_")
)


def _allowed(level):
    if level.randomness == "error":
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' "
            "or 'different' randomness flags on vmap or perform the randomness operation out of vmap"
        )
    return level.randomness == "different"


def _level():
    """The innermost batch that draws different numbers, or None; the innermost of all must allow drawing."""
    found = None
    for level in levels():
        if isinstance(level, BatchLevel) and not level.running and _allowed(level):
            found = level
    return found


def made(op, args):
    """Numbers drawn without a tensor: one set for each example of every batch that asks for different ones."""
    if op in _FILLED_OPS:
        level = _level()
        if level is None:
            return NotImplemented
        raise VmapUnsupportedError(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This "
            f"will appear like same randomness: {op.name}() would write into one tensor for all "
            "examples. Make it with one for each, or use randomness='same'."
        )
    if op not in _MADE and op not in _LIKE_OPS:
        return NotImplemented
    level = _level()
    if level is None:
        return NotImplemented
    drawn = torch.stack([kernel(op, *args) for _ in range(level.size)])
    return level.wrap(drawn, 0)


def _like(level, op, args, dims):
    if _allowed(level):
        return in_dim_0(torch.stack([call(op, *_one(args, dims, i)) for i in range(level.size)]))
    if not op.name.endswith("_like"):
        _refuse_same(op)
    return call(op, *_one(args, dims, 0)), None


def _refuse_same(op):
    raise RuntimeError(
        "Vmap does not currently support same randomness with a batched tensor input: "
        f"{op.name}() of examples that differ; use randomness='different'"
    )


def _one(args, dims, i):
    return [a if d is None else a.select(d, i) for a, d in zip(args, dims, strict=True)]


def _filled(level, op, args, dims):
    t = batch_first(args[0], dims[0])
    if _allowed(level):
        for i in range(level.size):
            call(op, t[i], *_one(args[1:], dims[1:], i))
    elif any(d is not None for d in dims[1:]):
        _refuse_same(op)
    else:
        t.copy_(call(op, t[0].clone(), *_one(args[1:], dims[1:], 0)))
    return t, 0


def draws_from(*ops):
    """Declare operators that draw numbers from their arguments."""
    _LIKE_OPS.update(ops)
    batched(_like, *ops)


_LIKE_OPS: set = set()
_FILLED_OPS = {op for name in _FILLED for op in with_kernels(name)}
draws_from(*(op for name in _LIKE for op in with_kernels(name)))
batched(_filled, *_FILLED)
