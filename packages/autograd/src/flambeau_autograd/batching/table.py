"""The table of batching rules, and the rules that serve many operations.

Most operators have a rule of one of the compiled kinds, see ``rule_kinds.pyx``. Any other rule is a function
``(level, op, args, dims) -> (result, dim)``: ``args`` are all arguments of the operator's schema, with batched tensors;
``dims`` contains the batch dimension of each, None for arguments that are not batched (a tuple for a list of tensors).
It returns the results and their batch dimensions, as tuples if there are several. Compiled rules have the same call.
"""

import functools
from typing import NamedTuple

import flambeau_autograd.batching.rule_kinds as kinds
import flambeau_tensor as torch
from flambeau_autograd._engine.levels.dispatch import VmapUnsupportedError as VmapUnsupportedError
from flambeau_autograd._engine.levels.dispatch import call as call
from flambeau_autograd.batching.batched_views import batch_first as batch_first
from flambeau_autograd.batching.random import drawn, drawn_in_place
from flambeau_tensor.extend import Elementwise, Forward, find_operator

Tensor = torch.Tensor


def with_kernels(name):
    """The operators of a qualified name; of several that share it those that the others are compositions of."""
    found = find_operator(name).overloads
    if len(found) == 1:
        return found
    behind = [op.implementation.target if isinstance(op.implementation, Forward) else op for op in found]
    return [op for op in dict.fromkeys(behind) if not op.is_composite]


def batched(rule, *ops):
    """Make ``rule`` that of operators, given as such or by qualified name, and of their in-place variants."""
    for each_name in ops:
        for op in with_kernels(each_name) if isinstance(each_name, str) else (each_name,):
            for each in (op, op.inplace):
                if each is not None:
                    each.batching = rule


def rule_of(op):
    """The rule that batches an operator."""
    if op.batching is not None:
        return op.batching
    if op.vmap is not None:
        return registered
    if op.random:
        return drawn_in_place if op.writes else drawn
    if not isinstance(op.implementation, Elementwise):
        return looped
    op.batching = elementwise
    return elementwise


# --- moving batch dimensions ----------------------------------------------------------------------------------------


def flat(t):
    """Each example as a vector."""
    return t.unsqueeze(1) if t.ndim == 1 else t.flatten(1)


def all_batch_first(level, args, dims):
    """Move the batch dimension of every tensor argument to the front; repeat tensors that are not batched."""
    out = []
    for a, d in zip(args, dims, strict=True):
        if isinstance(a, Tensor):
            a = batch_first(a, d, level.size)
        elif isinstance(a, tuple) and any(isinstance(item, Tensor) for item in a):
            a = tuple(all_batch_first(level, a, d if isinstance(d, tuple) else (None,) * len(a)))
        out.append(a)
    return out


def in_dim_0(result):
    """Return results with batch dimension 0."""
    if isinstance(result, (tuple, list)):
        return result, tuple(0 if isinstance(r, Tensor) else None for r in result)
    return result, 0


class Info(NamedTuple):
    """The `info` argument of a user's vmap rule: the batch size and the randomness mode."""

    batch_size: int
    randomness: str


def registered(level, op, args, dims):
    """A rule in PyTorch's form: ``rule(info, in_dims, *args) -> (result, out_dims)``."""
    return op.vmap(Info(level.size, level.randomness), tuple(dims), *args)


# --- rules ----------------------------------------------------------------------------------------------------------


def out_of_place(rule):
    """Wrap a rule that does not write in place: an in-place operator writes the result of its functional form."""

    @functools.wraps(rule)
    def either(level, op, args, dims):
        if op.functional is None:
            return rule(level, op, args, dims)
        # A tensor saved for backward must not be the one that is written to.
        before = args[0].clone() if args[0].requires_grad else args[0]
        new, at = rule(level, op.functional, [before, *args[1:]], dims)
        batch_first(args[0], dims[0]).copy_(batch_first(new, at))
        return args[0], dims[0]

    return either


def looped(level, op, args, dims):
    """Run the operator once for each example."""
    inplace = op.schema.returns[0].write
    if level.size == 0:
        return (args[0], dims[0]) if inplace else _none(call(op, *_stand_in(args, dims)))
    results = [call(op, *_example(args, dims, i)) for i in range(level.size)]
    if inplace:
        return args[0], dims[0]
    if isinstance(results[0], (tuple, list)):
        columns = [
            torch.stack(column) if isinstance(column[0], Tensor) else column[0] for column in zip(*results, strict=True)
        ]
        kind = type(results[0])
        return in_dim_0(kind(columns) if kind in (tuple, list) else kind(tuple(columns)))
    try:
        return in_dim_0(torch.stack(results))
    except RuntimeError as error:
        raise VmapUnsupportedError(
            f"vmap: {op.name}() gives results of different sizes for different examples, which "
            "one tensor cannot hold. Use torch.where or masks of fixed size."
        ) from error


def _example(args, dims, i):
    return [
        a if d is None else tuple(_example(a, d, i)) if isinstance(d, tuple) else a.select(d, i)
        for a, d in zip(args, dims, strict=True)
    ]


def _stand_in(args, dims):
    """Return unbatched zeros of the arguments' shapes, to find out the form of the results of an empty batch."""
    return [
        a
        if d is None
        else tuple(_stand_in(a, d))
        if isinstance(a, tuple)
        else a.new_zeros(a.shape[:d] + a.shape[d + 1 :])
        for a, d in zip(args, dims, strict=True)
    ]


def _none(result):
    """Return an empty batch of examples like ``result``."""
    if isinstance(result, (tuple, list)):
        columns = [_none(r)[0] if isinstance(r, Tensor) else r for r in result]
        kind = type(result)
        return in_dim_0(kind(columns) if kind in (tuple, list) else kind(tuple(columns)))
    return in_dim_0(result.new_zeros((0, *result.shape)) if isinstance(result, Tensor) else result)


def _promoted(tensors):
    """The dtype that tensors of given ranks promote to, as examples: those without dimensions count less."""
    ranked = [a.dtype for a, own in tensors if own]
    out = functools.reduce(torch.promote_types, ranked or [a.dtype for a, _ in tensors])
    for a, own in tensors:
        if ranked and not own:
            out = torch.result_type(torch.empty((1,), dtype=out), torch.empty((), dtype=a.dtype))
    return out


elementwise = kinds.Elementwise(_promoted)
plain = kinds.Plain()
matrices = kinds.Matrices(looped)
shifted = kinds.Shifted(looped)
one_more = kinds.Shifted(looped, 1)  # operators whose result has one dimension more
one_less = kinds.Shifted(looped, -1)
along = kinds.Shifted(looped, scalars=True)  # the result has no dimensions if the tensors have none
reordered = kinds.Shifted(looped, order=True)
reduced = kinds.Reduced(looped)
