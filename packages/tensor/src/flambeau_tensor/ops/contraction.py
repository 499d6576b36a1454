"""Sums of products over chosen dimensions, by matrix products: einsum, tensordot, inner, kron, chains."""

import collections
import itertools
from operator import index as as_index

from flambeau_overrides import handle_torch_function, has_torch_function, register
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import contraction as kernels
from flambeau_tensor.ops.joining import check_tensors
from flambeau_tensor.ops.matmul import bmm, mm

LINALG = "torch.linalg"


def _composite(schema, function, doc, **where):
    return Operator(schema, function, composite=True, doc=doc, **where)


def _count(sizes):
    n = 1
    for s in sizes:
        n *= s
    return n


def _check_dtypes(a, b):
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")


# --- tensordot, inner, kron -----------------------------------------------------------------------------------------


def _contract(a, b, dims_a, dims_b):
    """Sum over pairs of dimensions of equal size; the other dimensions of `a` come first, then those of `b`."""
    sizes_a, sizes_b = tuple(a.shape), tuple(b.shape)
    free_a = [d for d in range(len(sizes_a)) if d not in dims_a]
    free_b = [d for d in range(len(sizes_b)) if d not in dims_b]
    shape_a, shape_b = tuple([sizes_a[d] for d in free_a]), tuple([sizes_b[d] for d in free_b])
    k = _count([sizes_a[d] for d in dims_a])
    left = a.permute((*free_a, *dims_a)).reshape((_count(shape_a), k))
    right = b.permute((*dims_b, *free_b)).reshape((k, _count(shape_b)))
    return mm(left, right).reshape(shape_a + shape_b)


def _tensordot(a, b, dims, out):
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (tuple, list)) and len(dims) == 2 and isinstance(dims[0], (tuple, list)):
        dims_a, dims_b = list(dims[0]), list(dims[1])
    elif isinstance(dims, (tuple, list)):
        first, second = dims
        dims_a, dims_b = [first], [second]
    elif hasattr(dims, "__index__"):
        n = as_index(dims)
        if n < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={n}")
        if n > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={n}")
        dims_a, dims_b = list(range(-n, 0)), list(range(n))
    else:
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
            f"containing two lists, but got dims={dims}"
        )
    if len(dims_a) != len(dims_b):
        raise RuntimeError("both dimension lists should have same length")
    _check_dtypes(a, b)
    for i, (da, db) in enumerate(zip(dims_a, dims_b, strict=True)):
        dims_a[i], dims_b[i] = wrapped_dim(da, a.ndim, False), wrapped_dim(db, b.ndim, False)
        if a.shape[da] == 1 != b.shape[db]:  # a size of 1 broadcasts: the other operand is summed first
            b = find_operator("torch.sum")(b, db, True, dtype=b.dtype)
        elif b.shape[db] == 1 != a.shape[da]:
            a = find_operator("torch.sum")(a, da, True, dtype=a.dtype)
        elif a.shape[da] != b.shape[db]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.shape[da]} in dim {da} and "
                f"second has size {b.shape[db]} in dim {db}"
            )
    if len(set(dims_a)) != len(dims_a) or len(set(dims_b)) != len(dims_b):
        raise RuntimeError("a dimension appears multiple times in the list of dims")
    return _contract(a, b, dims_a, dims_b)


tensordot = _composite(
    "tensordot(Tensor a, Tensor b, ContractedDims dims=2, Tensor(a!)? out=None) -> Tensor",
    _tensordot,
    "The sum of products over the last `dims` dimensions of `a` and the first of `b`, or over two lists of dimensions.",
    variants=FUNCTION,
)


def _inner(input, other, out):
    if input.ndim == 0 or other.ndim == 0:
        return find_operator("torch.mul")(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    _check_dtypes(input, other)
    return _contract(input, other, [input.ndim - 1], [other.ndim - 1])


inner = _composite(
    "inner(Tensor self, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
    _inner,
    "The sum of products over the last dimension of both.",
)


kron = _composite(
    "kron(Tensor self, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
    kernels.kron,
    "Kronecker product: every element of `input` times the whole of `other`.",
)


# --- chains of matrices ---------------------------------------------------------------------------------------------


multi_dot = _composite(
    "multi_dot(Tensor[] tensors, *, Tensor(a!)? out=None) -> Tensor",
    kernels.multi_dot,
    "The product of two or more matrices, in the order with the fewest multiplications; the first and last may be "
    "vectors.",
    namespace=LINALG,
    variants=FUNCTION,
)


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the product of matrices, in the order with the fewest multiplications.

    Raises:
        RuntimeError: inner sizes differ, or an operand is not a matrix.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     print(chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)))
    tensor([[12.],
            [12.]])
    """
    if has_torch_function(matrices):
        written = {} if out is None else {"out": out}
        return handle_torch_function(chain_matmul, matrices, *matrices, **written)
    check_tensors(matrices, 0)
    for t in matrices:
        if t.ndim != 2:
            raise RuntimeError(f"chain_matmul: Expected tensors to be 2-D, but got a {t.ndim}-D tensor")
    if len(matrices) == 1:
        return matrices[0] if out is None else out.copy_(matrices[0])
    return multi_dot(matrices, out=out)


register("torch.functional", "chain_matmul", chain_matmul, "(*matrices, out=None)")


# --- vectors of three, and along a dimension ------------------------------------------------------------------------


linalg_cross = _composite(
    "cross(Tensor self, Tensor other, *, int dim=-1, Tensor(a!)? out=None) -> Tensor",
    kernels.linalg_cross,
    "The cross product of vectors with three elements along a dimension.",
    namespace=LINALG,
    variants=FUNCTION,
)
cross = _composite(
    "cross(Tensor self, Tensor other, int? dim=None, *, Tensor(a!)? out=None) -> Tensor",
    kernels.cross,
    "The cross product of vectors with three elements along a dimension, by default the first of size 3.",
)


def _vecdot(x, y, dim, out):
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {type_name(x.dtype)}"
        )
    if y.dtype is not x.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {type_name(x.dtype)} and "
            f"y of type {type_name(y.dtype)} instead"
        )
    if x.dtype.is_complex:
        x = x.conj()
    return find_operator("torch.sum")(find_operator("torch.mul")(x, y), dim)


vecdot = _composite(
    "vecdot(Tensor x, Tensor y, *, int dim=-1, Tensor(a!)? out=None) -> Tensor",
    _vecdot,
    "The dot products of vectors along a dimension, the first conjugated.",
    namespace=LINALG,
    variants=FUNCTION,
)


# --- einsum ---------------------------------------------------------------------------------------------------------
CONSIDERED = 16  # operands among which the next two are chosen, since comparing all pairs of many takes too long
MOST = 1024  # subscripts of a list, which may be an iterator without end

# Subscripts become numbers: 0 to 51 for letters, negative numbers for the dimensions of an ellipsis (-1 is the last).


def _letters(text, what, start):
    """Return the subscripts of an operand or of the result; None stands for the ellipsis."""
    out, i = [], 0
    while i < len(text):
        c = text[i]
        if c == ".":
            if text[i : i + 3] != "..." or None in out:
                raise RuntimeError(
                    f"einsum(): found '.' for {what} that is not part of any ellipsis"
                    if None not in out
                    else f"einsum(): found '.' for {what} for which an ellipsis was already found"
                )
            out.append(None)
            i += 3
            continue
        if c != " ":
            if not (c.isascii() and c.isalpha()):
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {start + i} in the equation string, "
                    "subscripts must be in [a-zA-Z]"
                )
            out.append(ord(c) - 65 if c.isupper() else ord(c) - 71)
        i += 1
    return out


def _parse(equation, n):
    left, arrow, right = equation.partition("->")
    parts = left.split(",")
    if len(parts) > n:
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(parts) < n:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    inputs, at = [], 0
    for i, part in enumerate(parts):
        inputs.append(_letters(part, f"operand {i}", at))
        at += len(part) + 1
    return inputs, _letters(right, "the output", len(left) + 2) if arrow else None


def _name(subscript):
    return chr(subscript + (65 if subscript < 26 else 71)) if subscript >= 0 else "..."


def _with_diagonals(t, subscripts, operand):
    """Take the diagonal of repeated subscripts, so that each occurs once."""
    subscripts = list(subscripts)
    for s in sorted(set(subscripts), key=subscripts.index):
        while subscripts.count(s) > 1:
            i = subscripts.index(s)
            j = subscripts.index(s, i + 1)
            if t.shape[i] != t.shape[j]:
                raise RuntimeError(
                    f"einsum(): subscript {_name(s)} is repeated for operand {operand} but the sizes "
                    f"don't match, {t.shape[j]} != {t.shape[i]}"
                )
            t = t.diagonal(0, i, j)
            del subscripts[j], subscripts[i]
            subscripts.append(s)
    return t, subscripts


def _sum_out(t, subscripts, keep):
    """Sum over subscripts that do not occur elsewhere."""
    dims = tuple(d for d, s in enumerate(subscripts) if s not in keep)
    if not dims:
        return t, subscripts
    return find_operator("torch.sum")(t, dims), [s for s in subscripts if s in keep]


def _without_ones(t, subscripts, keep):
    """Remove dimensions of size 1 that would be summed, because a sum would change the dtype of integers."""
    dims = tuple(d for d, s in enumerate(subscripts) if s not in keep and t.shape[d] == 1)
    return (t.squeeze(dims), [s for d, s in enumerate(subscripts) if d not in dims]) if dims else (t, subscripts)


def _pair(a, sa, b, sb, keep):
    """Contract two operands by one bmm: subscripts in both are batch dimensions if kept, else they are summed over."""
    size_a, size_b = dict(zip(sa, a.shape, strict=True)), dict(zip(sb, b.shape, strict=True))
    for s in set(sa) & set(sb):  # broadcast dimensions do not count as common
        if size_a[s] != size_b[s]:
            if s not in keep:
                a, b = _expand_to(a, sa, s, size_b[s]), _expand_to(b, sb, s, size_a[s])
    size_a, size_b = dict(zip(sa, a.shape, strict=True)), dict(zip(sb, b.shape, strict=True))
    both = [s for s in sa if s in size_b]
    batch, summed = [s for s in both if s in keep], [s for s in both if s not in keep]
    only_a, only_b = [s for s in sa if s not in size_b], [s for s in sb if s not in size_a]
    if not summed:  # no sum: an elementwise product
        order = batch + only_a + only_b
        left = _arranged(a, sa, order)
        right = _arranged(b, sb, order)
        return find_operator("torch.mul")(left, right), order
    shape = tuple(max(size_a[s], size_b[s]) if 0 not in (size_a[s], size_b[s]) else 0 for s in batch)
    k = _count(size_a[s] for s in summed)
    shape_a, shape_b = tuple(size_a[s] for s in only_a), tuple(size_b[s] for s in only_b)
    left = (
        a.permute(tuple(sa.index(s) for s in batch + only_a + summed))
        .expand(shape + shape_a + tuple(size_a[s] for s in summed))
        .reshape((_count(shape), _count(shape_a), k))
    )
    right = (
        b.permute(tuple(sb.index(s) for s in batch + summed + only_b))
        .expand(shape + tuple(size_b[s] for s in summed) + shape_b)
        .reshape((_count(shape), k, _count(shape_b)))
    )
    return bmm(left, right).reshape(shape + shape_a + shape_b), batch + only_a + only_b


def _expand_to(t, subscripts, s, size):
    d = subscripts.index(s)
    if t.shape[d] != 1 or size == 1:
        return t
    return t.expand(tuple(size if i == d else n for i, n in enumerate(t.shape)))


def _arranged(t, subscripts, order):
    """Return the dimensions in the order of subscripts, with size 1 for missing ones."""
    present = [s for s in order if s in subscripts]
    t = t.permute(tuple(subscripts.index(s) for s in present))
    return t.reshape(tuple(t.shape[present.index(s)] if s in present else 1 for s in order))


def _einsum(inputs, output, operands):
    spread, ellipsis = _spelled_out(inputs, operands)
    output = _output_subscripts(output, spread, ellipsis)
    tensors, sizes = _operands_with_sizes(operands, spread)
    n = len(tensors)
    uses = collections.Counter()  # how many of the remaining operands, and the result, have a subscript
    if n > 2:
        for subscripts in (output, *(subscripts for _, subscripts in tensors)):
            uses.update(subscripts)

    def keeping(i, j):
        """Return the subscripts of two operands that the result or another operand has, too."""
        if n < 3:
            return set(output)
        here = collections.Counter(tensors[i][1] + tensors[j][1])
        return {s for s, count in here.items() if uses[s] > count}

    path = (n > 2 and _path([s for _, s in tensors], output, sizes)) or []
    path.reverse()
    while len(tensors) > 1:
        i, j = path.pop() if path else _next_pair(tensors, sizes, keeping) if n > 2 else (0, 1)
        keep = keeping(i, j)
        (b, sb), (a, sa) = tensors.pop(j), tensors.pop(i)
        uses.subtract(sa + sb if n > 2 else ())
        a, sa = _sum_out(*_without_ones(a, sa, keep | set(sb)), keep | set(sb))
        b, sb = _sum_out(*_without_ones(b, sb, keep | set(sa)), keep | set(sa))
        if a.dtype is not b.dtype:  # a sum of one operand has a wider dtype
            a, b = a.long(), b.long()
        tensors.append(_pair(a, sa, b, sb, keep))
        uses.update(tensors[-1][1] if n > 2 else ())
    t, subscripts = _sum_out(*tensors[0], set(output))
    return t.permute(tuple(subscripts.index(s) for s in output))


def _spelled_out(inputs, operands):
    """Replace an ellipsis with negative numbers; return the subscripts and the ellipsis's number of dimensions."""
    ellipsis, spread = 0, []
    for i, (t, subscripts) in enumerate(zip(operands, inputs, strict=True)):
        given = len(subscripts)
        if None in subscripts:
            if given - 1 > t.ndim:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({given - 1}) is more than the "
                    f"number of dimensions ({t.ndim}) for operand {i}"
                )
            at, covered = subscripts.index(None), t.ndim - given + 1
            ellipsis = max(ellipsis, covered)
            subscripts = subscripts[:at] + list(range(-covered, 0)) + subscripts[at + 1 :]
        elif given != t.ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({given}) does not match the "
                f"number of dimensions ({t.ndim}) for operand {i} and no ellipsis was given"
            )
        spread.append(subscripts)
    return spread, ellipsis


def _output_subscripts(output, spread, ellipsis):
    """Return the result's subscripts; by default the ellipsis and, sorted, those that occur once."""
    covered = list(range(-ellipsis, 0))
    every = [s for subscripts in spread for s in subscripts]
    if output is None:
        output = covered + sorted(s for s in set(every) if s >= 0 and every.count(s) == 1)
    else:
        output = [s for o in output for s in (covered if o is None else [o])]
    for s in output:
        if output.count(s) > 1:
            raise RuntimeError(f"einsum(): output subscript {_name(s)} appears more than once in the output")
        if s not in every:
            raise RuntimeError(
                f"einsum(): output subscript {_name(s)} does not appear in the equation for any input operand"
            )
    return output


def _operands_with_sizes(operands, spread):
    """Return each operand with its subscripts, without duplicates, and the size of each subscript."""
    tensors, sizes = [], {}
    for i, (t, subscripts) in enumerate(zip(operands, spread, strict=True)):
        t, subscripts = _with_diagonals(t, subscripts, i)
        for s, size in zip(subscripts, t.shape, strict=True):
            if sizes.setdefault(s, size) != size:
                if size != 1 and sizes[s] != 1:
                    raise RuntimeError(
                        f"einsum(): subscript {_name(s)} has size {size} for operand {i} which does not "
                        f"broadcast with previously seen size {sizes[s]}"
                    )
                sizes[s] = size if sizes[s] == 1 else sizes[s]
        tensors.append((t, subscripts))
    for t, _ in tensors:
        if t.dtype is not tensors[0][0].dtype:
            raise RuntimeError(
                "expected all operands of einsum() to have one dtype, but found "
                f"{tensors[0][0].dtype.name} and {t.dtype.name}"
            )
    return tensors, sizes


def _path(terms, output, sizes):
    from flambeau_tensor import contraction_order

    path = contraction_order.pairs(terms, output, sizes)
    return None if path is None else [tuple(sorted(step)) for step in path]


def _next_pair(tensors, sizes, keeping):
    """Return the two of the first operands whose product is smallest relative to them: the usual greedy rule."""

    def cost(pair):
        i, j = pair
        sa, sb = set(tensors[i][1]), set(tensors[j][1])
        keep = keeping(i, j)
        made, taken_a, taken_b = (_count(sizes[s] for s in x) for x in ((sa | sb) & keep, sa, sb))
        return made - taken_a - taken_b, _count(sizes[s] for s in sa | sb)

    return min(itertools.combinations(range(min(len(tensors), CONSIDERED)), 2), key=cost)


def einsum(equation: str, *operands) -> Tensor:
    """Compute sums of products in Einstein notation.

    Args:
        equation: the subscripts of the operands, one letter per dimension, and of the result: ``"ij,jk->ik"``.
            Subscripts that the result lacks are summed over; ``...`` covers any number of dimensions, which broadcast.
            Without ``->``, the result has the subscripts that occur once, in alphabetical order.
        operands: tensors, as arguments or in a list. Alternatively, without an equation: operand, list of numbers below
            52, operand, list, …, and the list for the result.

    Raises:
        RuntimeError: the equation does not fit the operands.

    >>> import flambeau_tensor as ft
    >>> ft.einsum("i,j->ij", ft.tensor([1.0, 2.0]), ft.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    if not operands:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand "
            "and its subscripts list"
        )
    if isinstance(equation, str):
        if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
            operands = tuple(operands[0])
    elif not isinstance(equation, Tensor) and not has_torch_function((equation,)):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    else:
        args = (equation, *operands)
        operands, lists = args[::2], args[1::2]
        output = None
        if len(operands) > len(lists):
            operands, output = operands[:-1], operands[-1]
        inputs = [_numbers(x) for x in lists]
        output = None if output is None else _numbers(output)
        equation = None
    if has_torch_function(operands):
        return handle_torch_function(
            einsum, operands, _equation(inputs, output) if equation is None else equation, *operands
        )
    check_tensors(operands, 1)
    if equation is not None:
        inputs, output = _parse(equation, len(operands))
    if not operands:
        raise ValueError("einsum(): must provide at least one operand")
    return _einsum(inputs, output, operands)


register("torch.functional", "einsum", einsum, "(equation, *operands)")


def _equation(inputs, output):
    """Convert lists of numbers to the equivalent equation."""
    *terms, last = (
        "".join("..." if s is None else chr(s + (65 if s < 26 else 71)) for s in x) for x in [*inputs, output or ()]
    )
    return ",".join(terms) + ("" if output is None else f"->{last}")


def _numbers(subscripts):
    out = []
    for s in subscripts:
        if s is not Ellipsis and not 0 <= s < 52:
            raise ValueError(f"einsum(): subscripts in subscript list should be within range [0, 52), but got {s}")
        out.append(None if s is Ellipsis else s)
        if len(out) > MOST:
            raise RuntimeError(
                f"einsum(): a subscript list has more than {MOST} subscripts, and a tensor at most 64 dimensions"
            )
    return out


# For callers in C and C++, which do not support lists of mixed types.
Operator(
    "einsum(str equation, Tensor[] tensors) -> Tensor",
    lambda equation, tensors: einsum(equation, *tensors),
    namespace="torch._ops",
    variants=FUNCTION,
    composite=True,
    doc="Sums of products in Einstein's notation.",
    aten="einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
)
Operator(
    "chain_matmul(Tensor[] matrices) -> Tensor",
    lambda matrices: chain_matmul(*matrices),
    namespace="torch._ops",
    variants=FUNCTION,
    composite=True,
    doc="The product of matrices.",
    aten="chain_matmul(Tensor[] matrices) -> Tensor",
)
Operator(
    "tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
    lambda self, other, dims_self, dims_other: tensordot(self, other, (dims_self, dims_other)),
    namespace="torch._ops",
    variants=FUNCTION,
    composite=True,
    aten="tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
    doc="The sum of products over two lists of dimensions.",
)

TORCH_FUNCTIONS = (chain_matmul, einsum)
