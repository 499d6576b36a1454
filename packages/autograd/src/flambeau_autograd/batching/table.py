"""The table of batching rules, and the rules that serve many operations.

A rule is a function ``(level, op, args, dims) -> (result, dim)``: ``args`` are all arguments of the operator's schema,
tensors with all examples; ``dims`` says for each which dimension runs over them, None for what all examples share (a
tuple for a list of tensors). It returns the same of its results, in tuples where there are several.
"""

import functools
from typing import NamedTuple

import flambeau_tensor as torch
from flambeau_autograd._engine.dispatch import VmapUnsupportedError as VmapUnsupportedError
from flambeau_autograd._engine.dispatch import call as call
from flambeau_tensor.extend import Elementwise, Forward, find_operator, wrapped_dim

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
    return elementwise if isinstance(op.implementation, Elementwise) else looped


def apply(level, op, args, dims):
    """One call at a batch's level."""
    first = dims[0]
    if first is None and op.schema.returns[0].write and any(_is_batched(d) for d in dims):
        raise VmapUnsupportedError(
            f"vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in "
            f"extra_args that has more elements than `self`: {op.name}() would write many examples into one tensor. "
            f"Use the form that is not in place, or make `self` with one example each, such as other.new_zeros(...)."
        )
    # x.view(6): a list of one number may come as the number.
    args = [
        (a,) if isinstance(a, int) and each.type in ("int[]", "Any[]") else a
        for a, each in zip(args, op.schema.arguments, strict=True)
    ]
    return rule_of(op)(level, op, args, dims)


def _is_batched(dim):
    return any(map(_is_batched, dim)) if isinstance(dim, tuple) else dim is not None


# --- moving the examples --------------------------------------------------------------------------------------------


def batch_first(t, dim, size=None):
    """``t`` with its examples in dimension 0; a shared one repeated ``size`` times, or as it is without ``size``."""
    if dim is None:
        return t if size is None else t.expand(size, *t.shape)
    return t if dim == 0 else t.movedim(dim, 0)


def flat(t):
    """Each example as a vector."""
    return t.unsqueeze(1) if t.ndim == 1 else t.flatten(1)


def all_batch_first(level, args, dims):
    """Every tensor among the arguments with its examples in front, shared ones repeated."""
    out = []
    for a, d in zip(args, dims, strict=True):
        if isinstance(a, Tensor):
            a = batch_first(a, d, level.size)
        elif isinstance(a, tuple) and any(isinstance(item, Tensor) for item in a):
            a = tuple(all_batch_first(level, a, d if isinstance(d, tuple) else (None,) * len(a)))
        out.append(a)
    return out


def in_dim_0(result):
    """Results with their examples in dimension 0."""
    if isinstance(result, (tuple, list)):
        return result, tuple(0 if isinstance(r, Tensor) else None for r in result)
    return result, 0


class Info(NamedTuple):
    """What a rule that a user wrote is told of the vmap: how many examples there are, and about random numbers."""

    batch_size: int
    randomness: str


def registered(level, op, args, dims):
    """A rule in PyTorch's form: ``rule(info, in_dims, *args) -> (result, out_dims)``."""
    return op.vmap(Info(level.size, level.randomness), tuple(dims), *args)


# --- rules ----------------------------------------------------------------------------------------------------------


def out_of_place(rule):
    """A rule that knows nothing of writing: what works in place gets what the operator it is made from computes."""

    @functools.wraps(rule)
    def either(level, op, args, dims):
        if op.functional is None:
            return rule(level, op, args, dims)
        # What is saved for backward must not be what is written to.
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
    """An example of zeros, where there is none, for the form of the results."""
    return [
        a
        if d is None
        else tuple(_stand_in(a, d))
        if isinstance(a, tuple)
        else a.new_zeros(a.shape[:d] + a.shape[d + 1 :])
        for a, d in zip(args, dims, strict=True)
    ]


def _none(result):
    """No example of what ``result`` is one of."""
    if isinstance(result, (tuple, list)):
        columns = [_none(r)[0] if isinstance(r, Tensor) else r for r in result]
        kind = type(result)
        return in_dim_0(kind(columns) if kind in (tuple, list) else kind(tuple(columns)))
    return in_dim_0(result.new_zeros((0, *result.shape)) if isinstance(result, Tensor) else result)


def elementwise(level, op, args, dims):
    """Examples in front, then as many dimensions of size 1 as broadcasting needs."""
    tensors = [(a, a.ndim - (d is not None)) for a, d in zip(args, dims, strict=True) if isinstance(a, Tensor)]
    rank = max(own for _, own in tensors)
    promoted = _promoted(tensors) if len({a.dtype for a, _ in tensors}) > 1 else None
    out = []
    for i, (a, d) in enumerate(zip(args, dims, strict=True)):
        if isinstance(a, Tensor) and d is not None:
            a = batch_first(a, d)
            own = a.ndim - 1
            # With the dimension of the examples it would count more in promotion than without any.
            if own == 0 and promoted is not None and a.dtype is not torch.bool and not (i == 0 and op.writes):
                a = a.to(promoted)
            if own < rank:
                a = a.reshape((a.shape[0],) + (1,) * (rank - own) + tuple(a.shape[1:]))
        out.append(a)
    return call(op, *out), 0


def _promoted(tensors):
    """The dtype that tensors of given ranks promote to, as examples: those without dimensions count less."""
    ranked = [a.dtype for a, own in tensors if own]
    out = functools.reduce(torch.promote_types, ranked or [a.dtype for a, _ in tensors])
    for a, own in tensors:
        if ranked and not own:
            out = torch.result_type(torch.empty((1,), dtype=out), torch.empty((), dtype=a.dtype))
    return out


def plain(level, op, args, dims):
    """Operators to which another dimension in front is nothing special."""
    return in_dim_0(call(op, *all_batch_first(level, args, dims)))


_DIMS = ("dim", "dims", "dim0", "dim1", "dim2", "dimension", "start_dim", "end_dim")
_SIZES = ("size", "sizes", "shape", "input_size")


def shifted(level, op, args, dims, *, more=0):
    """Operators over dimensions: numbers of dimensions move on by one, sizes get the batch's in front.

    more: how many dimensions the result has that the first tensor has not.
    """
    args = list(args)
    first = next(i for i, a in enumerate(args) if isinstance(a, (Tensor, tuple)) and _holds_tensor(a))
    rank = _rank(args[first], dims[first]) + more
    if rank == 0:
        return looped(level, op, args, dims)
    for i, a in enumerate(op.schema.arguments):
        if a.name in _DIMS and args[i] is not None:
            args[i] = tuple(_shift(d, rank) for d in args[i]) if isinstance(args[i], tuple) else _shift(args[i], rank)
        elif a.name in _SIZES and a.is_list:
            args[i] = (level.size, *(args[i] if isinstance(args[i], (tuple, list)) else (args[i],)))
    return in_dim_0(call(op, *all_batch_first(level, args, dims)))


def along(level, op, args, dims):
    """``shifted`` for operators whose result has no dimension where their tensors have none."""
    ranks = [_rank(a, d) for a, d in zip(args, dims, strict=True) if isinstance(a, Tensor)]
    if any(ranks):
        return shifted(level, op, args, dims)
    pairs = [
        (batch_first(a, d).unsqueeze(-1), d if d is None else 0) if isinstance(a, Tensor) else (a, d)
        for a, d in zip(args, dims, strict=True)
    ]
    result, _ = shifted(level, op, [p[0] for p in pairs], [p[1] for p in pairs])
    if isinstance(result, tuple):
        parts = tuple(r.reshape((level.size,)) for r in result)
        return in_dim_0(parts if type(result) is tuple else type(result)(parts))
    return result.reshape((level.size,)), 0


def one_more(level, op, args, dims):
    """``shifted`` for operators whose result has one dimension more."""
    return shifted(level, op, args, dims, more=1)


def _holds_tensor(a):
    return isinstance(a, Tensor) or any(isinstance(item, Tensor) for item in a)


def _rank(a, dim):
    if isinstance(a, tuple):
        return _rank(a[0], dim[0] if isinstance(dim, tuple) else None)
    return a.ndim - (dim is not None)


def _shift(dim, rank):
    return wrapped_dim(dim, rank) + 1


def reduced(level, op, args, dims):
    """Reductions: over all dimensions but the examples' where none is named."""
    args = list(args)
    where = next(i for i, a in enumerate(op.schema.arguments) if a.name == "dim")
    if args[where] is not None and args[where] != ():
        return shifted(level, op, args, dims)
    t = batch_first(args[0], dims[0])
    if op.schema.arguments[where].is_list:
        if t.ndim == 1:
            t = t.unsqueeze(1)
            args[where] = (1,)
            return in_dim_0(_without(call(op, t, *args[1:]), 1))
        args[where] = tuple(range(1, t.ndim))
        return in_dim_0(call(op, t, *args[1:]))
    rank = t.ndim - 1
    args[where] = 1
    result = call(op, t.reshape((t.shape[0], -1)), *args[1:])
    keeps = next((i for i, a in enumerate(op.schema.arguments) if a.name == "keepdim"), None)
    if keeps is not None and args[keeps]:
        result = result.reshape((t.shape[0],) + (1,) * rank)
    return in_dim_0(result)


def _without(result, dim):
    return result.squeeze(dim) if isinstance(result, Tensor) and result.ndim > dim else result
