# cython: language_level=3
"""Joining tensors, and splitting a tensor into views."""
from operator import index

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM
from libc.string cimport memcpy

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object, promoted
from flambeau_tensor._core.elementwise.copying cimport copy_elements
from flambeau_tensor._core.memory.layout cimport FORMAT_CONTIGUOUS, empty_format, format_strides, suggested_format
from flambeau_tensor._core.elementwise.operands cimport check_apart_wholly, out_tensor
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.overflow cimport sum_of_sizes
from flambeau_tensor._core.memory.tensor cimport Tensor, empty_strided, same_shape, shape_str, view_of, wrap_dim
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.indexing cimport selected, sliced

from flambeau_tensor._core.elementwise.dtype import _dtype_by_name, type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._kernels.factories import check_size

cdef object _BYTE = _dtype_by_name("uint8")

cdef enum:
    SMALL = 32768  # up to this number of bytes, copied at once with the GIL held


# --- joining --------------------------------------------------------------------------------------------------------

cdef inline bint _skipped(Tensor t) noexcept:
    # An empty vector joins with tensors of any shape, for the sake of old programs.
    return t.ndim == 1 and t.sizes[0] == 0


cdef inline Tensor _at(tuple tensors, Py_ssize_t i):
    return <Tensor>PyTuple_GET_ITEM(tensors, i)


cdef int _format(tuple tensors) noexcept:
    """Return the memory format that the strides of all tensors suggest, else contiguous."""
    cdef int format = FORMAT_CONTIGUOUS, other
    cdef Py_ssize_t i
    for i in range(PyTuple_GET_SIZE(tensors)):
        other = suggested_format(_at(tensors, i).ndim, _at(tensors, i).sizes, _at(tensors, i).strides)
        if other == FORMAT_CONTIGUOUS or (i and other != format):
            return FORMAT_CONTIGUOUS
        format = other
    return format


cdef Tensor _result(Operator op, PyObject* out, tuple tensors, int dtype, int ndim, const Py_ssize_t* sizes):
    cdef Py_ssize_t i
    if out == <PyObject*>None:
        return empty_format(dtype, ndim, sizes, FORMAT_CONTIGUOUS if ndim > _at(tensors, 0).ndim else _format(tensors))
    if CATEGORY[dtype] > CATEGORY[(<Tensor>out).dtype]:
        raise TypeError(f"torch.{op.name}(): input types can't be cast to the desired output type "
                        f"{type_name(dtype_object((<Tensor>out).dtype))}")
    cdef Tensor made = out_tensor(op.name, <object>out, dtype, ndim, sizes)
    for i in range(len(tensors)):
        check_apart_wholly(made, _at(tensors, i))
    return made


cdef int _put(Tensor out, int dim, Py_ssize_t at, Py_ssize_t length, Tensor t, bint stacked) except -1:
    """Copy `t` to [at, at + length) of a dimension of `out`; if `stacked`, that range is one element."""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Py_ssize_t outer = 1, inner = 1, block, step, i, item = ITEMSIZE[out.dtype]
    cdef char* to
    cdef int d, n = 0
    if t.numel == 0:
        return 0
    if t.dtype == out.dtype and t.flags & out.flags & CONTIGUOUS and t.numel * item <= SMALL:
        for d in range(dim):
            outer *= out.sizes[d]
        for d in range(dim + 1, out.ndim):
            inner *= out.sizes[d]
        block, step = length * inner * item, out.sizes[dim] * inner * item
        to = out.data + at * inner * item
        for i in range(outer):
            memcpy(to + i * step, t.data + i * block, block)
        return 0
    for d in range(out.ndim):
        if d == dim and stacked:
            continue
        sizes[n] = length if d == dim else out.sizes[d]
        strides[n] = out.strides[d]
        n += 1
    return copy_elements(view_of(out, n, sizes, strides, out.data + at * out.strides[dim] * item), t)


cdef object _cat(Operator op, PyObject** a):  # (tensors, dim, *, out)
    cdef tuple tensors = <tuple>a[0]
    cdef Py_ssize_t n = PyTuple_GET_SIZE(tensors), i, at = 0
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Tensor t, out, first = None
    cdef int dtype = -1, d, dim
    if n == 0:
        raise ValueError(f"torch.{op.name}(): expected a non-empty list of Tensors")
    for i in range(n):
        t = _at(tensors, i)
        dtype = t.dtype if dtype < 0 else promoted(dtype, t.dtype)
        if t.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if first is None and not _skipped(t):
            first = t
    if first is None:
        first = _at(tensors, 0)
    # If all tensors are empty vectors, any `dim` is accepted.
    dim = 0 if _skipped(first) else wrap_dim(<object>a[1], first.ndim)
    for d in range(first.ndim):
        sizes[d] = first.sizes[d]
    sizes[dim] = 0
    for i in range(n):
        t = _at(tensors, i)
        if _skipped(t):
            continue
        if t.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {t.ndim}")
        for d in range(t.ndim):
            if d != dim and t.sizes[d] != sizes[d]:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. Expected size {sizes[d]} "
                                   f"but got size {t.sizes[d]} for tensor number {i} in the list.")
        sizes[dim] = sum_of_sizes(sizes[dim], t.sizes[dim])
    out = _result(op, a[2], tensors, dtype, first.ndim, sizes)
    for i in range(n):
        t = _at(tensors, i)
        if not _skipped(t):
            _put(out, dim, at, t.sizes[dim], t, False)
            at += t.sizes[dim]
    if a[2] != <PyObject*>None:
        out.storage.version += 1
    return out


cdef Tensor _stacked_images(tuple tensors, int dtype, int dim, const Py_ssize_t* sizes):
    """Create a stack whose images have the layout of the joined images: channels last."""
    cdef Tensor first = _at(tensors, 0)
    cdef Py_ssize_t[MAX_NDIM] joined, strides, stacked
    cdef int d
    for d in range(first.ndim):
        joined[d] = first.sizes[d] * (PyTuple_GET_SIZE(tensors) if d == dim else 1)
    format_strides(_format(tensors), first.ndim, joined, strides)
    for d in range(first.ndim):
        stacked[d + (d >= dim)] = strides[d]
    stacked[dim] = strides[dim] * first.sizes[dim]
    return empty_strided(dtype, first.ndim + 1, sizes, stacked)


cdef object _stack(Operator op, PyObject** a):  # (tensors, dim, *, out)
    cdef tuple tensors = <tuple>a[0]
    cdef Py_ssize_t n = PyTuple_GET_SIZE(tensors), i
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Tensor t, out, first
    cdef int dtype, d, dim
    if n == 0:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = _at(tensors, 0)
    dtype = first.dtype
    dim = wrap_dim(<object>a[1], first.ndim + 1)
    for i in range(1, n):
        t = _at(tensors, i)
        dtype = promoted(dtype, t.dtype)
        if not same_shape(first, t):
            raise RuntimeError("stack expects each tensor to be equal size, but got "
                               f"{shape_str(first.ndim, first.sizes)} at entry 0 and {shape_str(t.ndim, t.sizes)} at "
                               f"entry {i}")
    if first.ndim + 1 > MAX_NDIM:
        raise RuntimeError(f"a tensor has at most {MAX_NDIM} dimensions, got {first.ndim + 1}")
    for d in range(first.ndim):
        sizes[d + (d >= dim)] = first.sizes[d]
    sizes[dim] = n
    if a[2] == <PyObject*>None and dim < first.ndim and _format(tensors) != FORMAT_CONTIGUOUS:
        out = _stacked_images(tensors, dtype, dim, sizes)
    else:
        out = _result(op, a[2], tensors, dtype, first.ndim + 1, sizes)
    for i in range(n):
        _put(out, dim, i, 1, _at(tensors, i), True)
    if a[2] != <PyObject*>None:
        out.storage.version += 1
    return out


# --- splitting ------------------------------------------------------------------------------------------------------

cdef object _one_of_several(object piece):
    """Mark a view that must not be written to while recording, since its gradient may be computed with others."""
    if isinstance(piece, Tensor):
        (<Tensor>piece).flags |= MULTI_VIEW
    return piece


cdef tuple _pieces(Tensor t, int dim, Py_ssize_t size, Py_ssize_t n):
    """Return `n` pieces of `size` elements; the last one may be shorter."""
    cdef tuple out = PyTuple_New(n)
    cdef Py_ssize_t i
    cdef object piece
    for i in range(n):
        piece = _one_of_several(sliced(t, dim, i * size, min((i + 1) * size, t.sizes[dim]), 1))
        Py_INCREF(piece)
        PyTuple_SET_ITEM(out, i, piece)
    return out


cdef tuple _split_sizes(Tensor t, object given, int dim):
    cdef list sizes = list(given)
    cdef Py_ssize_t total = 0, at = 0, size
    cdef list out = []
    for s in sizes:
        if s < 0:
            raise RuntimeError(f"split_with_sizes expects split_sizes have only non-negative entries, but got "
                               f"split_sizes={sizes}")
        total += s
    if total != t.sizes[dim]:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {t.sizes[dim]} (input tensor's "
                           f"size at dimension {dim}), but got split_sizes={sizes}")
    for s in sizes:
        size = s
        out.append(_one_of_several(sliced(t, dim, at, at + size, 1)))
        at += size
    return tuple(out)


cdef object _split_with_sizes(Operator op, PyObject** a):  # (self, split_sizes, dim)
    cdef Tensor t = <Tensor>a[0]
    if t.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    given = <object>a[1]
    return _split_sizes(t, (given,) if isinstance(given, int) else given, wrap_dim(<object>a[2], t.ndim))


cdef object _split(Operator op, PyObject** a):  # (self, split_size_or_sections, dim)
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t size, length
    cdef int dim
    if t.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap_dim(<object>a[2], t.ndim)
    given = <object>a[1]
    if isinstance(given, (tuple, list)):
        return _split_sizes(t, [index(s) for s in given], dim)
    if not hasattr(given, "__index__"):
        raise TypeError(f"split(): argument 'split_size_or_sections' must be int or tuple of ints, not "
                        f"{type(given).__name__}")
    size, length = index(given), t.sizes[dim]
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    if size == 0:
        if length:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}")
        return (_one_of_several(sliced(t, dim, 0, 0, 1)),)
    return _pieces(t, dim, size, max((length + size - 1) // size, 1))


cdef object _chunk(Operator op, PyObject** a):  # (self, chunks, dim)
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t n = <object>a[1], size
    cdef int dim
    if t.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if n <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {n}")
    dim = wrap_dim(<object>a[2], t.ndim)
    size = (t.sizes[dim] - 1) // n + 1 if t.sizes[dim] else 0
    if size == 0:
        return _pieces(t, dim, 0, n)
    return _pieces(t, dim, size, (t.sizes[dim] - 1) // size + 1)


cdef object _unbind(Operator op, PyObject** a):  # (self, dim)
    cdef Tensor t = <Tensor>a[0]
    cdef int dim
    cdef Py_ssize_t i
    cdef tuple out
    cdef object piece
    if t.ndim == 0:
        wrapped_dim(<object>a[1], 0, False)
    dim = wrap_dim(<object>a[1], t.ndim)
    out = PyTuple_New(t.sizes[dim])
    for i in range(t.sizes[dim]):
        piece = _one_of_several(selected(t, dim, i))
        Py_INCREF(piece)
        PyTuple_SET_ITEM(out, i, piece)
    return out


cdef tuple _at_bounds(Tensor t, int dim, list bounds):
    """Return the pieces between successive bounds, which need not increase."""
    cdef list out = []
    cdef Py_ssize_t i, start, stop
    for i in range(len(bounds) - 1):
        start, stop = bounds[i], bounds[i + 1]
        out.append(sliced(t, dim, start, max(start, stop), 1))
    return tuple(out)


def cut(str name, Tensor t not None, given, int dim):
    """Split a dimension at indices (negative ones count from the end), or into a number of pieces of nearly equal size.

    `given` may be a tensor in both cases. `name` is the function's name in errors."""
    cdef Py_ssize_t size = t.sizes[dim], n, small, larger, i
    if isinstance(given, Tensor):
        if (<Tensor>given).ndim > 1:
            raise RuntimeError(f"{name} expected tensor_indices_or_sections to be a zero-dimensional or "
                               f"one-dimensional tensor, but got a tensor with {(<Tensor>given).ndim} dims")
        if (<Tensor>given).dtype != INT64:
            raise RuntimeError(f"{name} expected tensor_indices_or_sections to have dtype of long, but got "
                               f"{type_name(dtype_object((<Tensor>given).dtype))}")
        given = given.tolist()
    if isinstance(given, (tuple, list)):
        return _at_bounds(t, dim, [0, *[max(i + size, 0) if i < 0 else min(i, size) for i in given], size])
    if not hasattr(given, "__index__"):
        raise TypeError(f"{name}(): argument 'indices_or_sections' must be int, tuple of ints or Tensor, not "
                        f"{type(given).__name__}")
    sections = index(given)
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    check_size((sections, 128), _BYTE)  # a view is no smaller than this
    n = sections
    small, larger = size // n, size % n
    return _at_bounds(t, dim, [i * small + min(i, larger) for i in range(n + 1)])


cdef object _tensor_split(Operator op, PyObject** a):  # (self, indices_or_sections, dim)
    cdef Tensor t = <Tensor>a[0]
    if t.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    return cut("tensor_split", t, <object>a[1], wrap_dim(<object>a[2], t.ndim))


cat = make_kernel(_cat, True)
stack = make_kernel(_stack, True)
split = make_kernel(_split)
split_with_sizes = make_kernel(_split_with_sizes)
chunk = make_kernel(_chunk)
tensor_split = make_kernel(_tensor_split)
unbind = make_kernel(_unbind)
