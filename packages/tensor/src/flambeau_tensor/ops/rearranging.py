"""Rearranging elements: repeat, roll, flip, rotate, and triangles of matrices."""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name, type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import FUNCTION, INPLACE, METHOD
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import ranges
from flambeau_tensor._kernels import rearranging as kernels
from flambeau_tensor._kernels.factories import check_size
from flambeau_tensor.ops import views
from flambeau_tensor.options import contiguous_format

_INT64 = _dtype_by_name("int64")

flip = Operator(
    "flip(Tensor self, int[] dims) -> Tensor",
    kernels.flip,
    doc="A copy with the order of elements along the given dimensions reversed.",
)
tril = Operator(
    "tril(Tensor self, int diagonal=0, *, Tensor(a!)? out=None) -> Tensor",
    kernels.tril,
    variants=FUNCTION | METHOD | INPLACE,
    doc="The lower triangle of a matrix or a batch of matrices, with zeros above a diagonal.",
)
triu = Operator(
    "triu(Tensor self, int diagonal=0, *, Tensor(a!)? out=None) -> Tensor",
    kernels.triu,
    variants=FUNCTION | METHOD | INPLACE,
    doc="The upper triangle of a matrix or a batch of matrices, with zeros below a diagonal.",
)


def _composite(schema, function, doc, variants=FUNCTION | METHOD):
    return Operator(schema, function, composite=True, variants=variants, doc=doc)


def _fliplr(input):
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


def _flipud(input):
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


fliplr = _composite("fliplr(Tensor self) -> Tensor", _fliplr, "A copy with the columns in reverse order.")
flipud = _composite("flipud(Tensor self) -> Tensor", _flipud, "A copy with the rows in reverse order.")


def _rot90(input, k, dims):
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    first, second = (wrapped_dim(d, input.ndim) for d in dims)
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    k %= 4
    if k == 0:
        return input.clone()
    if k == 2:
        return flip(input, (first, second))
    turned = flip(input, (second if k == 1 else first,))
    return turned.transpose(first, second)


rot90 = _composite(
    "rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor",
    _rot90,
    "A copy rotated `k` times by 90 degrees, from the first towards the second of two dimensions.",
)


roll = _composite(
    "roll(Tensor self, int[1] shifts, int[1]? dims=None) -> Tensor",
    kernels.roll,
    "The elements shifted cyclically along dimensions; without `dims`, along the flattened tensor.",
)


def _repeat(input, repeats):
    repeats = (repeats,) if isinstance(repeats, int) else repeats
    new = len(repeats) - input.ndim
    if new < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    narrow, wide, result = [], [], []
    for n, s in zip(repeats, (*(1,) * new, *input.shape), strict=True):
        narrow += 1, s
        wide += n, s
        result.append(n * s)
    if not result:
        return input.clone()
    if min(repeats) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(result)}: {result}")
    return _spread(input, narrow, wide, result, range(0, len(wide), 2))


def _spread(input, narrow, wide, result, merged):
    """Return copies of `input`: reshaped to `narrow`, expanded to `wide`, reshaped to `result`.

    The dimensions that start at those of `merged` are merged with the next. The result is no view.
    """
    spread = views.expand(views.reshape(input, tuple(narrow)), tuple(wide))
    reshaped, strides = views.reshape(spread, tuple(result)), spread.stride()
    copied = 0 not in result and any(
        wide[d] > 1 and wide[d + 1] > 1 and strides[d] != strides[d + 1] * wide[d + 1] for d in merged
    )
    return reshaped if copied else reshaped.clone(memory_format=contiguous_format)


repeat = _composite(
    "repeat(Tensor self, int[] repeats) -> Tensor",
    _repeat,
    "The tensor repeated the given number of times along each dimension.",
    METHOD,
)


def _tile(input, dims):
    dims = (dims,) if isinstance(dims, int) else dims
    return _repeat(input, (1,) * (input.ndim - len(dims)) + tuple(dims))


tile = _composite(
    "tile(Tensor self, int[] dims) -> Tensor",
    _tile,
    "Like `repeat`; missing counts are 1 and belong to the first dimensions.",
)


repeated = Operator(
    "repeated(Tensor repeats) -> Tensor",
    kernels.repeated,
    namespace="torch._ops",
    variants=FUNCTION,
    differentiable=False,
    meta=RuntimeError("cannot repeat_interleave a meta tensor without output_size"),
    doc="The indices of a vector's elements, each repeated as often as the element says.",
)


def _repeat_interleave(input, repeats, dim, output_size):
    if isinstance(repeats, Tensor):
        if repeats.dtype.name not in ("int64", "int32"):
            raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{type_name(repeats.dtype)}'")
        if repeats.ndim > 1:
            raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    elif repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    if input is not None:
        if dim is None:
            input, dim = input.reshape((input.numel(),)), 0
        elif input.ndim:
            dim = wrapped_dim(dim, input.ndim)
        if input.ndim == 0:
            input, dim = input.reshape((1,)), 0
        n = input.shape[dim]
        if isinstance(repeats, Tensor) and repeats.numel() != 1 and repeats.numel() != n:
            raise RuntimeError(
                "repeats must have the same size as input along dim, but got repeats.size(0) = "
                f"{repeats.numel()} and input.size({dim}) = {n}"
            )
        if not isinstance(repeats, Tensor):
            check_size((n, repeats), input.dtype)
            if output_size is not None and output_size != n * repeats:
                raise RuntimeError("allocated size does not match required size")
            before, after = input.shape[:dim], input.shape[dim + 1 :]
            narrow, wide = (*before, n, 1, *after), (*before, n, repeats, *after)
            return _spread(input, narrow, wide, (*before, n * repeats, *after), (len(before),))
        repeats = repeats.reshape((-1,)).expand((n,))
    if output_size is not None and repeats.is_meta:
        index = repeats.new_empty((output_size,), dtype=_INT64)
    else:
        index = repeated(repeats.reshape((-1,)))
    if output_size is not None and output_size != index.numel():
        raise RuntimeError("allocated size does not match required size")
    return index if input is None else find_operator("torch.index_select")(input, dim, index)


_REPEATED = "int? dim=None, *, int? output_size=None) -> Tensor"
for _overload, _type in ("self_int", "int"), ("self_Tensor", "Tensor"):
    _composite(
        f"repeat_interleave.{_overload}(Tensor self, {_type} repeats, " + _REPEATED,
        _repeat_interleave,
        "Each element (or slice of `dim`) repeated, with one count for all or one for each.",
    )
_composite(
    "repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor",
    lambda repeats, output_size: _repeat_interleave(None, repeats, 0, output_size).to(repeats.dtype),
    "The indices 0, 1, …, each repeated as often as `repeats` says.",
    variants=FUNCTION,
)


_OPTIONS = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False"
for _name, _side, _where in ("tril_indices", "lower", "below"), ("triu_indices", "upper", "above"):
    Operator(
        f"{_name}(int row, int col, int offset=0, *, {_OPTIONS}, bool requires_grad=False) -> Tensor",
        ranges.triangle_indices,
        variants=FUNCTION,
        differentiable=False,
        doc=f"The coordinates of the {_side} triangle of a matrix, on a diagonal and {_where}; row numbers first, then "
        "column numbers.",
    )


# --- diagonals ------------------------------------------------------------------------------------------------------


def _diag_embed(input, offset, dim1, dim2):
    ndim = input.ndim + 1
    first, second = wrapped_dim(dim1, ndim), wrapped_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    *sizes, length = input.shape
    for dim in sorted((first, second)):
        sizes.insert(dim, length + abs(offset))
    return views.diagonal_backward(input, tuple(sizes), offset, first, second)


diag_embed = _composite(
    "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
    _diag_embed,
    "Matrices with the last dimension of `input` on a diagonal and zeros elsewhere, their rows "
    "along `dim1` and their columns along `dim2` of the result.",
)


def _diag(input, diagonal, out):
    if input.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    return diag_embed(input, diagonal) if input.ndim == 1 else views.diagonal(input, diagonal).clone()


diag = _composite(
    "diag(Tensor self, int diagonal=0, *, Tensor(a!)? out=None) -> Tensor",
    _diag,
    "The matrix with a vector on its diagonal; of a matrix, a copy of its diagonal. `diagonal` counts "
    "from the main one upwards.",
)

diagflat = _composite(
    "diagflat(Tensor self, int offset=0) -> Tensor",
    lambda input, offset: diag_embed(input.reshape((-1,)), offset),
    "The matrix with the elements of `input`, flattened, on a diagonal and zeros elsewhere.",
)


def _trace(input):
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    if input.dtype.name == "bool":
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    return views.diagonal(input).sum()


trace = _composite("trace(Tensor self) -> Tensor", _trace, "The sum of a matrix's diagonal.")
