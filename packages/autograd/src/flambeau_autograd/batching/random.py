"""Batching of random numbers: an error, different for each element of the batch, or the same for all, as requested."""

import flambeau_tensor as torch
from flambeau_autograd._engine.levels.batch_level import BatchLevel
from flambeau_autograd._engine.levels.dispatch import VmapUnsupportedError, call, kernel
from flambeau_autograd._engine.levels.level import levels
from flambeau_autograd.batching.batched_views import batch_first


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
    """Draw random numbers if no argument is batched: one set for each example of every batch with different randomness.

    Return NotImplemented if all examples share them.
    """
    level = _level()
    if level is None:
        return NotImplemented
    if op.writes:
        raise VmapUnsupportedError(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This "
            f"will appear like same randomness: {op.name}() would write into one tensor for all "
            "examples. Make it with one for each, or use randomness='same'."
        )
    return level.wrap(torch.stack([kernel(op, *args) for _ in range(level.size)]), 0)


def drawn(level, op, args, dims):
    """Numbers drawn with tensors as parameters."""
    if _allowed(level):
        return torch.stack([call(op, *_one(args, dims, i)) for i in range(level.size)]), 0
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


def drawn_in_place(level, op, args, dims):
    t = batch_first(args[0], dims[0])
    if _allowed(level):
        for i in range(level.size):
            call(op, t[i], *_one(args[1:], dims[1:], i))
    elif any(d is not None for d in dims[1:]):
        _refuse_same(op)
    else:
        t.copy_(call(op, t[0].clone(), *_one(args[1:], dims[1:], 0)))
    return t, 0
