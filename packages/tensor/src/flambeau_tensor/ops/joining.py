"""Joining tensors, and splitting a tensor into views."""

from functools import reduce
from itertools import chain
from itertools import combinations as _choose
from itertools import combinations_with_replacement as _choose_again
from math import comb

import numpy as np

from flambeau_overrides import overridable
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name, promote_types
from flambeau_tensor._core.memory.tensor import Size, Tensor
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import alias, find_operator
from flambeau_tensor._kernels import joining as kernels
from flambeau_tensor._kernels.factories import check_size
from flambeau_tensor._kernels.interop import from_numpy
from flambeau_tensor.switches import warn_once

_INT64, _BYTE = _dtype_by_name("int64"), _dtype_by_name("uint8")

cat = Operator(
    "cat(Tensor[] tensors, int dim=0, *, Tensor(a!)? out=None) -> Tensor",
    kernels.cat,
    variants=FUNCTION,
    doc="The tensors concatenated along a dimension; their other sizes must be equal.",
)
for _name in ("concat", "concatenate"):
    alias(_name, cat)
stack = Operator(
    "stack(Tensor[] tensors, int dim=0, *, Tensor(a!)? out=None) -> Tensor",
    kernels.stack,
    variants=FUNCTION,
    doc="Tensors of equal shape stacked along a new dimension.",
)


def _views(schema, kernel, doc, **options):
    return Operator(f"{schema} -> Tensor(a)[]", kernel, composite=True, doc=doc, **options)


split = _views(
    "split.Tensor(Tensor(a) self, int split_size, int dim=0)",
    kernels.split,
    "Views of pieces of equal size along a dimension; the last may be smaller.",
)
_views(
    "split.sizes(Tensor(a) self, int[] split_size, int dim=0)",
    kernels.split,
    "Views of pieces of a dimension, of the sizes given.",
)
split_with_sizes = _views(
    "split_with_sizes(Tensor(a) self, int[] split_sizes, int dim=0)",
    kernels.split_with_sizes,
    "Views of pieces of a dimension, of the sizes given.",
)
chunk = _views(
    "chunk(Tensor(a) self, int chunks, int dim=0)",
    kernels.chunk,
    "Views of at most `chunks` pieces of a dimension, of equal size except the last.",
)
unbind = _views(
    "unbind.int(Tensor(a) self, int dim=0)",
    kernels.unbind,
    "Views of the slices along a dimension, without it.",
    syntax={"iter"},
)


# A shared kernel for variants that differ in the type and name of the argument in PyTorch.
_SECTIONS = {
    "sections": "int sections",
    "indices": "int[] indices",
    "tensor_indices_or_sections": "Tensor tensor_indices_or_sections",
}
for _overload, _argument in _SECTIONS.items():
    _views(
        f"tensor_split.{_overload}(Tensor(a) self, {_argument}, int dim=0)",
        kernels.tensor_split,
        "Views of pieces of a dimension, cut at indices, or a number of pieces as equal as can be.",
    )


def _declare_unsafe(schema, split):
    """Declare a variant whose pieces may be written to, because they are not marked as several views."""

    def pieces(input, how, dim):
        out, start, narrow = [], 0, find_operator("torch._ops.unsafe_narrow")
        for piece in split(input, how, dim):
            length = piece.size(dim)
            out.append(narrow(input, dim, start, length))
            start += length
        return tuple(out)

    Operator(
        f"unsafe_{schema} -> Tensor[]", pieces, composite=True, doc=f"`{split.name}`, whose results may be written to."
    )


_declare_unsafe("split(Tensor self, int split_size, int dim=0)", split)
_declare_unsafe("split_with_sizes(Tensor self, int[] split_sizes, int dim=0)", split_with_sizes)
_declare_unsafe("chunk(Tensor self, int chunks, int dim=0)", chunk)


def _split_along(name, least, dim_of):
    def cut(input, indices_or_sections):
        if input.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                f"{input.ndim} dimensions!"
            )
        dim = dim_of(input.ndim)
        if isinstance(indices_or_sections, int) and (
            indices_or_sections <= 0 or input.shape[dim] % indices_or_sections
        ):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                f"{input.shape[dim]} is not divisible by the split_size {indices_or_sections}!"
            )
        return kernels.cut(name, input, indices_or_sections, dim)

    for overload, argument in ("int", "int sections"), ("array", "int[] indices"):
        _views(
            f"{name}.{overload}(Tensor(a) self, {argument})",
            cut,
            f"As `tensor_split` along dimension {dim_of(least)}" + (" (0 of a vector)." if least == 1 else "."),
        )


_split_along("hsplit", 1, lambda ndim: 0 if ndim == 1 else 1)
_split_along("vsplit", 2, lambda ndim: 0)
_split_along("dsplit", 3, lambda ndim: 2)


# --- joining in a given direction -----------------------------------------------------------------------------------


def _with_dims(ndim):
    def at_least(tensor):
        if ndim == 3 and tensor.ndim == 2:
            return tensor.unsqueeze(-1)
        if ndim == 3 and tensor.ndim == 1:
            return tensor.unsqueeze(0).unsqueeze(-1)
        while tensor.ndim < ndim:
            tensor = tensor.unsqueeze(0)
        return tensor

    return at_least


def _joined(name, prepare, dim_of, doc):
    def join(tensors, out):
        if not tensors:
            raise RuntimeError(f"{name} expects a non-empty TensorList")
        tensors = tuple(prepare(t) for t in tensors)
        return cat(tensors, dim_of(tensors[0]))

    return Operator(
        f"{name}(Tensor[] tensors, *, Tensor(a!)? out=None) -> Tensor", join, composite=True, variants=FUNCTION, doc=doc
    )


hstack = _joined(
    "hstack",
    _with_dims(1),
    lambda t: 0 if t.ndim == 1 else 1,
    "The tensors concatenated horizontally: vectors along dimension 0, others along dimension 1.",
)
vstack = _joined("vstack", _with_dims(2), lambda t: 0, "The tensors concatenated vertically; vectors count as rows.")
alias("row_stack", vstack)
dstack = _joined(
    "dstack",
    _with_dims(3),
    lambda t: 2,
    "The tensors concatenated along dimension 2, which is added to smaller tensors.",
)
column_stack = _joined(
    "column_stack",
    lambda t: t.reshape((-1, 1)) if t.ndim < 2 else t,
    lambda t: 1,
    "The tensors concatenated horizontally; vectors count as columns.",
)


# --- functions of any number of tensors -----------------------------------------------------------------------------


def _given(tensors):
    """Return the tensors of `f(a, b)` or `f([a, b])`."""
    return tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors


def check_tensors(tensors, position=0):
    """Raise for arguments that are not tensors, as operators do; `position` is that of the list."""
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument {position}, but got {type(t).__name__}")


def _at_least(ndim):
    prepare = _with_dims(ndim)

    def at_least(*tensors: Tensor):
        given = _given(tensors)
        check_tensors(given)
        parts = tuple(prepare(t) for t in given)
        return parts[0] if len(tensors) == 1 and given is tensors else parts

    at_least.__name__ = at_least.__qualname__ = f"atleast_{ndim}d"
    at_least.__doc__ = f"""Views with {ndim} dimension{"s" if ndim > 1 else ""} at least; a tuple of them for several.

    Raises:
        TypeError: an argument is no tensor.

    >>> atleast_{ndim}d(torch.tensor(3.0)).shape
    torch.Size({[1] * ndim})
    """
    return overridable(at_least, namespace="torch.functional", packing="*tensors!")


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)


def broadcast_shapes(*shapes: tuple | int) -> Size:
    """Return the shape to which tensors of these shapes broadcast.

    Raises:
        RuntimeError: the shapes cannot be broadcast, or a size is negative.

    >>> import flambeau_tensor as ft
    >>> ft.broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    result = [1] * max(map(len, shapes), default=0)
    for position, shape in enumerate(shapes):
        for d in range(1, len(shape) + 1):
            size = shape[-d]
            if size < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if size != 1 and size != result[-d]:
                if result[-d] != 1:
                    raise RuntimeError(
                        f"Attempting to broadcast a dimension of length {size} at {-d}! Mismatching "
                        f"argument at index {position} had {shape}; but expected shape should be "
                        f"broadcastable to {result}"
                    )
                result[-d] = size
    return Size(result)


@overridable(namespace="torch.functional", packing="*tensors!")
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return views of the tensors, expanded to their broadcast shape.

    Raises:
        RuntimeError: the shapes cannot be broadcast.

    >>> a, b = broadcast_tensors(torch.ones(3, 1), torch.ones(2))
    >>> a.shape, b.shape
    (torch.Size([3, 2]), torch.Size([3, 2]))
    """
    tensors = _given(tensors)
    check_tensors(tensors)
    shape = []
    for t in tensors:
        for d in range(1, t.ndim + 1):
            size = t.shape[-d]
            if d > len(shape):
                shape.insert(0, size)
            elif size != 1 and size != shape[-d]:
                if shape[-d] != 1:
                    at = max(len(shape), t.ndim) - d
                    raise RuntimeError(
                        f"The size of tensor a ({shape[-d]}) must match the size of tensor b ({size}) "
                        f"at non-singleton dimension {at}"
                    )
                shape[-d] = size
    return tuple(t.expand(tuple(shape)) for t in tensors)


broadcast_to = Operator(
    "broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)",
    lambda input, size: input.expand(size),
    composite=True,
    doc="A view with the given sizes: dimensions of size 1 are repeated, new ones come first.",
)


_NO_INDEXING = (
    "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument: "
    "indexing='ij' is what is done without it."
)


@overridable(namespace="torch.functional", packing="*tensors! * indexing=None")
def meshgrid(*tensors: Tensor, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return the coordinates of a grid: for n vectors, n views with n dimensions; the i-th varies along dimension i.

    With ``indexing="xy"``, the first two vectors are columns and rows: their dimensions are swapped.

    Raises:
        RuntimeError: a tensor has more than one dimension, dtypes differ, or ``indexing`` is neither "ij" nor "xy".

    >>> rows, columns = meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
    >>> rows
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> columns
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    tensors = _given(tensors)
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    check_tensors(tensors)
    if indexing is None:
        warn_once(_NO_INDEXING, 2)
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for t in tensors:
        if t.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got a tensor of shape {list(t.shape)}"
            )
        if t.dtype != tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
        if t.device != tensors[0].device:
            raise RuntimeError("meshgrid expects all tensors to have the same device")
    swap = indexing == "xy" and len(tensors) > 1
    if swap:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = tuple(t.numel() for t in tensors)
    grids = [
        t.reshape(tuple(t.numel() if i == d else 1 for i in range(len(tensors)))).expand(shape)
        for d, t in enumerate(tensors)
    ]
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def _promoted(tensors):
    """Return the dtype to which tensors promote; 0-dimensional tensors count less."""
    empty = find_operator("torch.empty")
    kinds = [[t.dtype for t in tensors if bool(t.ndim) is sized] for sized in (True, False)]
    both = [
        empty(shape, dtype=reduce(promote_types, found))
        for shape, found in zip(((1,), ()), kinds, strict=True)
        if found
    ]
    return find_operator("torch.result_type")(both[0], both[-1])


@overridable(namespace="torch.functional", packing="*tensors!")
def block_diag(*tensors: Tensor) -> Tensor:
    """Return a block-diagonal matrix of the given matrices (vectors are rows), with zeros elsewhere.

    Raises:
        RuntimeError: a tensor has more than two dimensions.

    >>> block_diag(torch.tensor([[1, 2]]), torch.tensor([[3], [4]]))
    tensor([[1, 2, 0],
            [0, 0, 3],
            [0, 0, 4]])
    """
    if not tensors:
        return find_operator("torch.zeros")((1, 0))
    check_tensors(tensors)
    rows = []
    dtype = _promoted(tensors)
    for i, t in enumerate(tensors):
        if t.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t.ndim} dimensions"
            )
        rows.append(_with_dims(2)(t).to(dtype))
    width, at = sum(r.shape[1] for r in rows), 0
    bands = []
    for r in rows:
        n, m = r.shape
        bands.append(cat((r.new_zeros((n, at)), r, r.new_zeros((n, width - at - m))), 1))
        at += m
    return cat(tuple(bands), 0)


@overridable(namespace="torch.functional", packing="*tensors!")
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return the Cartesian product of vectors, one combination per row.

    Raises:
        RuntimeError: a tensor does not have one dimension, or dtypes differ.

    >>> cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    check_tensors(tensors)
    for t in tensors:
        if t.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack(tuple(g.reshape((g.numel(),)) for g in meshgrid(*tensors, indexing="ij")), 1)


def _combinations(input, r, with_replacement):
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty((0,))
    n = input.shape[0]
    check_size((n,) * min(r, 64), _BYTE)  # PyTorch has a mask of all combinations
    count = (comb(n + r - 1, r) if n else 0) if with_replacement else comb(n, r)
    check_size((count, r), _INT64)
    if r == 2:
        pairs = np.stack(np.triu_indices(n, 0 if with_replacement else 1), 1)
        return input[from_numpy(pairs)]
    rows = chain.from_iterable((_choose_again if with_replacement else _choose)(range(n), r)) if count else ()
    return input[from_numpy(np.fromiter(rows, "int64", count * r).reshape(count, r))]


combinations = Operator(
    "combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor",
    _combinations,
    composite=True,
    variants=FUNCTION,
    doc="All combinations of `r` elements of a vector, one per row.",
)

# The functions of any number of tensors, as functions of a list for callers in C and C++.
for _function, _returns in ((block_diag, "Tensor"), (broadcast_tensors, "Tensor[]"), (cartesian_prod, "Tensor")):
    Operator(
        f"{_function.__name__}(Tensor[] tensors) -> {_returns}",
        lambda tensors, f=_function: f(*tensors),
        namespace="torch._ops",
        variants=FUNCTION,
        composite=True,
        doc=f"`{_function.__name__}` of a list of tensors.",
        aten=f"{_function.__name__}(Tensor[] tensors) -> {_returns}",
    )
Operator(
    "meshgrid(Tensor[] tensors, *, str indexing='ij') -> Tensor[]",
    lambda tensors, indexing: meshgrid(*tensors, indexing=indexing),
    namespace="torch._ops",
    variants=FUNCTION,
    composite=True,
    doc="Coordinates of a grid.",
    aten=("meshgrid(Tensor[] tensors) -> Tensor[]", "meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]"),
)

# Plain functions of the torch namespace besides the operators.
TORCH_FUNCTIONS = (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    meshgrid,
)
