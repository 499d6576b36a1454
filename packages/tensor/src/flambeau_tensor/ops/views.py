"""Views and reshaping: other sizes and strides for the same elements."""

import numpy as np

from flambeau_tensor._core.call.forwarding import overloads
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name
from flambeau_tensor._core.schema.declaring import FUNCTION, INPLACE, INPLACE_FUNCTION, METHOD
from flambeau_tensor._core.schema.registry import alias, define_property
from flambeau_tensor._kernels import interop
from flambeau_tensor._kernels import view_compositions as compositions
from flambeau_tensor._kernels import views as kernels
from flambeau_tensor.ops import factories

_ALL_FORMS = FUNCTION | METHOD | INPLACE

view = Operator(
    "view(Tensor(a) self, int[] size) -> Tensor(a)",
    kernels.view,
    variants=METHOD,
    doc="A view with other sizes, of which one may be -1. Never copies.",
)
view_dtype = Operator(
    "view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)",
    kernels.view,
    variants=METHOD,
    doc="A view of the same bytes as another dtype. Never copies.",
)
reshape = Operator(
    "reshape(Tensor(a) self, int[] shape) -> Tensor(a)",
    kernels.reshape,
    doc="The same elements in the given shape: a view where possible, else a copy.",
)
transpose = Operator(
    "transpose(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
    kernels.transpose,
    variants=_ALL_FORMS,
    doc="A view with two dimensions swapped.",
)
t = Operator(
    "t(Tensor(a) self) -> Tensor(a)",
    kernels.t,
    variants=_ALL_FORMS,
    doc="The transpose of a matrix; vectors and scalars are returned unchanged.",
)
permute = Operator(
    "permute(Tensor(a) self, int[] dims) -> Tensor(a)",
    kernels.permute,
    doc="A view with the dimensions in the given order.",
)
unsqueeze = Operator(
    "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
    kernels.unsqueeze,
    variants=_ALL_FORMS,
    doc="A view with a new dimension of size 1 at `dim`.",
)
squeeze = Operator(
    "squeeze(Tensor(a) self, int[1]? dim=None) -> Tensor(a)",
    kernels.squeeze,
    namespace="torch._ops",
    variants=FUNCTION | INPLACE_FUNCTION,
    doc="A view without the dimensions of size 1, all of them or those in `dim`.",
)
overloads(
    squeeze,
    "squeeze(Tensor(a) self) -> Tensor(a)",
    "squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
    "squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
    variants=_ALL_FORMS,
)
expand = Operator(
    "expand(Tensor(a) self, int[] size, *, bool implicit=False) -> Tensor(a)",
    kernels.expand,
    variants=METHOD,
    doc="A view with dimensions of size 1 repeated to the given sizes, without copying.",
)
select = Operator(
    "select.int(Tensor(a) self, int dim, int index) -> Tensor(a)",
    kernels.select,
    doc="The slice at one index of a dimension, without that dimension.",
)
slice_ = Operator(
    "slice(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor(a)",
    kernels.slice,
    namespace="torch._ops",
    variants=FUNCTION,
    aten="slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor(a)",
    doc="Every `step`-th element of a dimension from `start` up to `end`.",
)
narrow = Operator(
    "narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)",
    kernels.narrow,
    doc="`length` elements of a dimension from `start`.",
)
as_strided = Operator(
    "as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> Tensor(a)",
    kernels.as_strided,
    variants=FUNCTION | METHOD | INPLACE_FUNCTION,
    doc="A view of the storage with any sizes, strides and offset.",
)
unsafe_narrow = Operator(
    "unsafe_narrow(Tensor self, int dim, int start, int length) -> Tensor",
    kernels.unsafe_narrow,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="`narrow`, whose result shares memory but has a history of its own: writes to one do not follow the other.",
)
diagonal = Operator(
    "diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
    kernels.diagonal,
    doc="The diagonal of two dimensions, as the last dimension.",
)
unfold = Operator(
    "unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
    kernels.unfold,
    variants=METHOD,
    doc="All windows of `size` elements along a dimension, `step` apart, in a new last dimension.",
)
flatten = Operator(
    "flatten(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
    kernels.flatten,
    doc="Dimensions `start_dim` to `end_dim` merged into one.",
)
alias_ = Operator(
    "alias(Tensor(a) self) -> Tensor(a)",
    kernels.alias,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="A view with the same geometry.",
)
view_as_real = Operator(
    "view_as_real(Tensor(a) self) -> Tensor(a)",
    kernels.view_as_real,
    variants=FUNCTION,
    doc="Complex numbers as pairs of real ones, in a last dimension of size 2.",
)
view_as_complex = Operator(
    "view_as_complex(Tensor(a) self) -> Tensor(a)",
    kernels.view_as_complex,
    variants=FUNCTION,
    doc="Pairs of real numbers in the last dimension as complex ones.",
)
real = Operator(
    "real(Tensor(a) self) -> Tensor(a)",
    kernels.real,
    variants=FUNCTION,
    doc="The real parts, a view; a real tensor is returned as it is.",
)
imag = Operator(
    "imag(Tensor(a) self) -> Tensor(a)",
    kernels.imag,
    variants=FUNCTION,
    doc="The imaginary parts of a complex tensor, a view.",
)
reversed_dims = Operator(
    "T(Tensor(a) self) -> Tensor(a)",
    kernels.reversed_dims,
    namespace="torch._get",
    variants=FUNCTION,
    doc="The dimensions in reverse order.",
)


# The adjoints of views: the gradient is written to zeros with the sizes of the viewed tensor.


def _adjoint_of(schema, view_of, doc):
    def kernel(grad, sizes, *where):
        out = factories.zeros(sizes, dtype=grad.dtype)
        view_of(out, *where).copy_(grad)
        return out

    return Operator(schema, kernel, namespace="torch._ops", variants=FUNCTION, doc=doc)


select_backward = _adjoint_of(
    "select_backward(Tensor self, int[] sizes, int dim, int index) -> Tensor",
    select,
    "Zeros of the given sizes with `self` at one index.",
)
slice_backward = _adjoint_of(
    "slice_backward(Tensor self, int[] sizes, int dim, int? start, int? end, int step) -> Tensor",
    slice_,
    "Zeros of the given sizes with `self` in a slice.",
)
diagonal_backward = _adjoint_of(
    "diagonal_backward(Tensor self, int[] sizes, int offset, int dim1, int dim2) -> Tensor",
    diagonal,
    "Zeros of the given sizes with `self` on a diagonal.",
)


def _written_through(view_of, name, where):
    """Return a copy of a tensor in which the elements of a view are replaced."""

    def kernel(input, src, *where):
        out = input.clone()
        piece = view_of(out, *where)
        if piece.shape != src.shape:
            raise RuntimeError(
                f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, "
                f"slice size = {list(piece.shape)}"
            )
        piece.copy_(src)
        return out

    return Operator(
        f"{name}(Tensor self, Tensor src, {where}) -> Tensor",
        kernel,
        doc=f"A copy of `input` in which `{name.removesuffix('_scatter')}` gives `src`.",
    )


diagonal_scatter = _written_through(diagonal, "diagonal_scatter", "int offset=0, int dim1=0, int dim2=1")
select_scatter = _written_through(select, "select_scatter", "int dim, int index")
slice_scatter = _written_through(slice_, "slice_scatter", "int dim=0, int? start=None, int? end=None, int step=1")


def _as_strided_scatter(input, src, size, stride, storage_offset):
    offset = 0 if storage_offset is None else storage_offset - input.storage_offset()
    if input.is_contiguous():
        out = input.clone()
    else:
        out = input.new_empty_strided(tuple(input.shape), input.stride()).copy_(input)
    piece = as_strided(out, size, stride, offset)
    if piece.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, "
            f"slice size = {list(piece.shape)}"
        )
    piece.copy_(src)
    return out


as_strided_scatter = Operator(
    "as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
    _as_strided_scatter,
    composite=True,
    doc="A copy of `input` in which `as_strided` gives `src`.",
)


def _overlapping_adjoint(grad, size, viewed):
    # Windows may share elements, so add by index. bincount adds in double precision.
    positions = viewed(np.arange(size, dtype=np.int64)).reshape(-1)
    values = interop.as_array(grad).reshape(-1)
    if np.iscomplexobj(values):
        total = np.bincount(positions, values.real, size) + 1j * np.bincount(positions, values.imag, size)
    else:
        total = np.bincount(positions, values, size)
    return total.astype(values.dtype)


def _unfold_backward(grad, sizes, dimension, size, step):
    """Loop over positions within windows: at one position, elements of different windows do not overlap."""
    half = grad.dtype.itemsize == 2
    total = factories.zeros(sizes, dtype=_dtype_by_name("float32") if half else grad.dtype)
    if total.ndim == 0:
        return total.to(grad.dtype).add_(grad[0]) if size else total.to(grad.dtype)
    dimension %= total.ndim  # `grad` has one more dimension
    count = grad.shape[dimension]
    for first in range(0, size if count else 0, step):
        n = min(step, size - first)
        piece = total.narrow(dimension, first, (count - 1) * step + n)
        unfold(piece, dimension, n, step).add_(grad.narrow(-1, first, n))
    return total.to(grad.dtype)


unfold_backward = Operator(
    "unfold_backward(Tensor self, int[] sizes, int dimension, int size, int step) -> Tensor",
    _unfold_backward,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="The sum of windows at the places they were taken from.",
)


def _as_strided_backward(grad, storage_size, size, stride, offset):
    def viewed(positions):
        return interop.as_array(as_strided(interop.from_numpy(positions), size, stride, offset))

    return interop.from_array(_overlapping_adjoint(grad, storage_size, viewed)).to(grad.dtype)


as_strided_backward = Operator(
    "as_strided_backward(Tensor self, int storage_size, int[] size, int[] stride, int offset) -> Tensor",
    _as_strided_backward,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="A flat storage with the elements of `self` added at the places that sizes, strides and offset name.",
)

alias("swapdims", transpose)


def _matrix_transpose(input):
    if input.ndim == 0:
        return input
    if input.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor."
        )
    return transpose(input, -2, -1)


def _adjoint(input):
    return _matrix_transpose(input).conj()


def _hermitian(input):
    if input.ndim not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {input.ndim}-D tensor.")
    return input.conj() if input.ndim == 0 else transpose(input, 0, 1).conj()


mT = Operator(
    "mT(Tensor(a) self) -> Tensor(a)",
    _matrix_transpose,
    composite=True,
    namespace="torch._get",
    variants=FUNCTION,
    doc="The last two dimensions swapped.",
)
mH = Operator(
    "mH(Tensor(a) self) -> Tensor(a)",
    _adjoint,
    composite=True,
    namespace="torch._get",
    variants=FUNCTION,
    doc="The last two dimensions swapped, conjugated.",
)
H = Operator(
    "H(Tensor(a) self) -> Tensor(a)",
    _hermitian,
    composite=True,
    namespace="torch._get",
    variants=FUNCTION,
    doc="A matrix transposed and conjugated.",
)
adjoint = Operator(
    "adjoint(Tensor(a) self) -> Tensor(a)", _adjoint, composite=True, doc="The last two dimensions swapped, conjugated."
)


def _set_part(get):
    def assign(input, value):
        get(input).copy_(value) if hasattr(value, "dtype") else get(input).fill_(value)

    return assign


define_property("T", reversed_dims)
define_property("mT", mT)
define_property("mH", mH)
define_property("H", H)
for _name, _get in ("real", real), ("imag", imag):
    _part = Operator(
        f"{_name}(Tensor(a) self) -> Tensor(a)",
        _get,
        namespace="torch._get",
        variants=FUNCTION,
        composite=True,
        doc=f"`torch.{_name}` of the tensor.",
    )
    define_property(
        _name,
        _part,
        Operator(
            f"{_name}.set(Tensor(a!) self, Tensor value) -> ()",
            _set_part(_get),
            numbers={"value"},
            composite=True,
            namespace="torch._set",
            variants=FUNCTION,
        ),
        asks=False,
    )


def _composite(schema, doc, variants=FUNCTION | METHOD, **how):
    def declare(function):
        return Operator(schema, function, composite=True, variants=variants, doc=doc, **how)

    return declare


@_composite("swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)", "As `transpose`.", _ALL_FORMS)
def swapaxes(input, axis0, axis1):
    return transpose(input, axis0, axis1)


@_composite(
    "expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", "The tensor expanded to the sizes of `other`.", METHOD
)
def expand_as(input, other):
    return expand(input, other.shape)


@_composite("view_as(Tensor(a) self, Tensor other) -> Tensor(a)", "A view with the sizes of `other`.", METHOD)
def view_as(input, other):
    return view(input, other.shape)


@_composite(
    "reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", "The tensor reshaped to the sizes of `other`.", METHOD
)
def reshape_as(input, other):
    return reshape(input, other.shape)


@_composite("ravel(Tensor(a) self) -> Tensor(a)", "The tensor flattened to one dimension, contiguous.")
def ravel(input):
    return reshape(input.contiguous(), (-1,))


Operator(
    "unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)",
    compositions.unflatten,
    composite=True,
    doc="One dimension split into several.",
)
movedim = Operator(
    "movedim(Tensor(a) self, int[1] source, int[1] destination) -> Tensor(a)",
    compositions.movedim,
    composite=True,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="The tensor with some dimensions moved; the others keep their order.",
)
alias(
    "moveaxis",
    overloads(
        movedim,
        *(
            f"movedim.{overload}(Tensor(a) self, {type} source, {type} destination) -> Tensor(a)"
            for overload, type in (("int", "int"), ("intlist", "int[]"))
        ),
    )[0],
)


@_composite(
    "fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)",
    "Write `fill_value` to the diagonal; with `wrap`, continue with further diagonals in a tall matrix.",
    METHOD,
)
def fill_diagonal_(input, fill_value, wrap):
    if input.ndim < 2:
        raise RuntimeError("fill_diagonal_(): dimensions must be larger than 1")
    height, *others = input.shape
    if input.ndim > 2 and any(n != height for n in others):
        raise RuntimeError(
            f"fill_diagonal_(): all dimensions of input must be of equal length, but got {list(input.shape)}"
        )
    if not input.numel():
        return input
    width = others[0]
    for first in range(0, height, width + 1) if wrap and input.ndim == 2 else (0,):
        line = diagonal(slice_(input, 0, first, first + width))
        while line.ndim > 1:
            line = diagonal(line, 0, 0, -1)
        line.fill_(fill_value)
    return input
