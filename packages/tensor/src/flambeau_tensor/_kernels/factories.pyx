# cython: language_level=3
"""Creation of tensors, and basic properties."""
from cpython.object cimport PyObject
from libc.string cimport memset

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, DType, ITEMSIZE, default_dtype, dtype_object
from flambeau_tensor._core.elementwise.copying cimport copy_elements, fill_elements, to_dtype
from flambeau_tensor._core.memory.layout cimport (
    FORMAT_CHANNELS_LAST, FORMAT_CHANNELS_LAST_3D, FORMAT_CONTIGUOUS, FORMAT_PRESERVE, empty_as as make_as,
    empty_format as make_format, format_strides, is_channels_last, read_format, restride, suggested_format,
)
from flambeau_tensor._core.memory.meta_device cimport CLASS_OWNER, META, is_dry
from flambeau_tensor._core.elementwise.operands cimport check_not_readonly, check_overlap, check_writable, out_tensor
from flambeau_tensor._core.elementwise.operands cimport same_sizes
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.elementwise.scalar cimport Scalar, read_scalar, scalar_dtype
from flambeau_tensor._core.memory.storage cimport new_storage
from flambeau_tensor._core.memory.tensor cimport (
    Tensor, alias_of, count_bytes, count_elements, empty as make_empty, empty_strided as make_strided, offset_of,
    plain_tuple, read_ints, resize, size_tuple, wrap_dim,
)
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.recording cimport check_out_dtype, finished

from flambeau_tensor._core.memory.layout import FORMATS
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor.options import check_device, check_layout


cdef int options(PyObject** a, int at, int inferred) except -1:
    """Read dtype, layout and device from slots `at`…; return the dtype."""
    if a[at + 1] != <PyObject*>None:
        check_layout(<object>a[at + 1])
    if a[at + 2] != <PyObject*>None:
        check_device(<object>a[at + 2])
    return inferred if a[at] == <PyObject*>None else (<DType>a[at]).id


def check_size(tuple sizes not None, DType dtype not None):
    """Raise if a tensor with these sizes is impossible; for tensors that NumPy or a loop in Python creates."""
    cdef Py_ssize_t[MAX_NDIM] exact
    cdef Py_ssize_t nbytes
    cdef int i, n = len(sizes)
    for i in range(n):
        exact[i] = sizes[i] if sizes[i] <= PY_SSIZE_T_MAX else -1
    count_elements(n, exact)
    nbytes = count_bytes(n, exact, NULL, 0, dtype.id)
    if nbytes > 1 << 30:
        new_storage(nbytes)  # raises if there is not enough memory


# Factories by size: (size, [value], *, out, dtype, layout, device, pin_memory, requires_grad)

cdef Tensor _sized(Operator op, PyObject** a, int at, int inferred):
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef int n = read_ints(a[0], sizes, MAX_NDIM, b"size", b"size"), dtype
    dtype = options(a, at + 1, inferred)
    if a[at] != <PyObject*>None:
        if a[at + 1] != <PyObject*>None:
            check_out_dtype(<Tensor>a[at], dtype)
        return out_tensor(op.name, <object>a[at], (<Tensor>a[at]).dtype, n, sizes)
    return make_empty(dtype, n, sizes)


cdef object _empty(Operator op, PyObject** a):
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Tensor t
    cdef int format = read_format(op.name, a[7])
    if format < 0:
        t = _sized(op, a, 1, default_dtype())
        if a[1] != <PyObject*>None:  # its elements no longer count
            t.storage.version += 1
        return finished(t, a[6])
    if a[1] != <PyObject*>None:
        raise RuntimeError("'memory_format' argument is incompatible with 'out' tensor argument")
    n = read_ints(a[0], sizes, MAX_NDIM, b"empty", b"size")
    return finished(make_format(options(a, 2, default_dtype()), n, sizes, format), a[6])


cdef object _zeros(Operator op, PyObject** a):
    cdef Tensor t = _sized(op, a, 1, default_dtype())
    if a[1] == <PyObject*>None:
        _clear(t)
    else:
        _overwrite(t, 0)
    return finished(t, a[6])


cdef int _overwrite(Tensor t, object value) except -1:
    """Fill a tensor, which may be that of `out=`, and count the write."""
    fill_elements(t, value)
    t.storage.version += 1
    return 0


cdef void _clear(Tensor t) noexcept:
    cdef Py_ssize_t n = t.numel * ITEMSIZE[t.dtype]
    if n > 1 << 18:
        if is_dry():
            return
        with nogil:
            memset(t.data, 0, n)
    else:
        memset(t.data, 0, n)


cdef object _ones(Operator op, PyObject** a):
    cdef Tensor t = _sized(op, a, 1, default_dtype())
    if a[1] == <PyObject*>None:
        fill_elements(t, 1)
    else:
        _overwrite(t, 1)
    return finished(t, a[6])


cdef object _full(Operator op, PyObject** a):
    cdef Scalar s
    cdef Tensor t
    read_scalar(a[1], &s)
    t = _sized(op, a, 2, scalar_dtype(s.category))
    if a[2] == <PyObject*>None:
        fill_elements(t, <object>a[1])
    else:
        _overwrite(t, <object>a[1])
    return finished(t, a[7])


# The same with the sizes of a tensor: (self, [value], *, dtype, layout, device, pin_memory, requires_grad,
# memory_format)

cdef object _empty_like(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    return finished(make_as(t, options(a, 1, t.dtype), read_format(op.name, a[6])), a[5])


cdef object _zeros_like(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    t = make_as(t, options(a, 1, t.dtype), read_format(op.name, a[6]))
    _clear(t)
    return finished(t, a[5])


cdef object _ones_like(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    t = make_as(t, options(a, 1, t.dtype), read_format(op.name, a[6]))
    fill_elements(t, 1)
    return finished(t, a[5])


cdef object _full_like(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    t = make_as(t, options(a, 2, t.dtype), read_format(op.name, a[7]))
    fill_elements(t, <object>a[1])
    return finished(t, a[6])


cdef object _new_empty(Operator op, PyObject** a):  # (self, size, *, dtype, layout, device, pin_memory, requires_grad)
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef int n = read_ints(a[1], sizes, MAX_NDIM, b"new_empty", b"size")
    return finished(make_empty(options(a, 2, (<Tensor>a[0]).dtype), n, sizes), a[6])


cdef object _empty_strided(Operator op, PyObject** a):  # (size, stride, *, dtype, layout, device, pin_memory, grad)
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int n = read_ints(a[0], sizes, MAX_NDIM, b"empty_strided", b"size"), i
    cdef int m = read_ints(a[1], strides, MAX_NDIM, b"empty_strided", b"stride")
    if m != n:
        raise RuntimeError(f"dimensionality of sizes ({n}) must match dimensionality of strides ({m})")
    for i in range(n):
        if strides[i] < 0:
            raise RuntimeError("empty_strided(): negative strides are not supported")
    return finished(make_strided(options(a, 2, default_dtype()), n, sizes, strides), a[6])


# --- copying and filling --------------------------------------------------------------------------------------------

cdef Tensor _copy_in(Tensor t, int dtype, int format):
    cdef Tensor out = make_as(t, dtype, format)
    copy_elements(out, t)
    return out


cdef object _clone(Operator op, PyObject** a):
    return _copy_in(<Tensor>a[0], (<Tensor>a[0]).dtype, read_format(op.name, a[1]))


cdef bint _lies_in(Tensor t, int format) noexcept:
    if format == FORMAT_CHANNELS_LAST or format == FORMAT_CHANNELS_LAST_3D:
        return t.ndim == (4 if format == FORMAT_CHANNELS_LAST else 5) and is_channels_last(t.ndim, t.sizes, t.strides)
    return (t.flags & CONTIGUOUS) != 0


cdef object _contiguous(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef int format = read_format(op.name, a[1])
    if _lies_in(t, format):
        return t
    if format == FORMAT_PRESERVE:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return _copy_in(t, t.dtype, max(format, <int>FORMAT_CONTIGUOUS))


cdef object _to_copy(Operator op, PyObject** a):  # (self, dtype, memory_format)
    cdef Tensor t = <Tensor>a[0]
    cdef int dtype = (<DType>a[1]).id
    if CATEGORY[t.dtype] == CAT_COMPLEX and CATEGORY[dtype] < CAT_COMPLEX and dtype != BOOL:
        import warnings

        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=2)
    return _copy_in(t, dtype, read_format("to", a[2]))


cdef object _copy_(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    check_writable(op.name, t)
    if isinstance(<object>a[1], Tensor):
        check_overlap(t, <Tensor>a[1])
        copy_elements(t, <Tensor>a[1])
    else:
        fill_elements(t, <object>a[1])
    t.storage.version += 1
    return t


cdef object _fill_(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    check_not_readonly(op.name, t)
    if isinstance(<object>a[1], Tensor):
        if (<Tensor>a[1]).ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{(<Tensor>a[1]).ndim} dimensions.")
        copy_elements(t, <Tensor>a[1])
    else:
        fill_elements(t, <object>a[1])
    t.storage.version += 1
    return t


cdef object _zero_(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    check_not_readonly(op.name, t)
    if t.flags & CONTIGUOUS:
        _clear(t)
    else:
        fill_elements(t, 0)
    t.storage.version += 1
    return t


cdef object _resize_(Operator op, PyObject** a):
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Tensor t = <Tensor>a[0]
    cdef int format, n = read_ints(a[1], sizes, MAX_NDIM, b"resize_", b"size")
    if t.flags & REQUIRES_GRAD and not thread_state().inference:
        raise RuntimeError("cannot resize variables that require grad")
    format = read_format(op.name, a[2])
    if format == FORMAT_PRESERVE:
        raise RuntimeError("Unsupported memory formatPreserve")
    if format > FORMAT_CONTIGUOUS:
        format_strides(format, n, sizes, strides)
    if format >= FORMAT_CONTIGUOUS or t.ndim != n or not same_sizes(n, t.sizes, sizes):
        resize(t, n, sizes)  # otherwise it keeps its strides
        t.storage.version += 1
    if format > FORMAT_CONTIGUOUS:
        restride(t, strides)
    return t


# --- properties -----------------------------------------------------------------------------------------------------

cdef object _shape(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    return size_tuple(t.ndim, t.sizes)


cdef object _size(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    if a[1] == <PyObject*>None:
        return size_tuple(t.ndim, t.sizes)
    if t.ndim == 0:
        wrapped_dim(<object>a[1], 0, False)
    return t.sizes[wrap_dim(<object>a[1], t.ndim)]


cdef object _stride(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    if a[1] == <PyObject*>None:
        return plain_tuple(t.ndim, t.strides)
    if t.ndim == 0:
        wrapped_dim(<object>a[1], 0, False)
    return t.strides[wrap_dim(<object>a[1], t.ndim)]


cdef object _dim(Operator op, PyObject** a):
    return (<Tensor>a[0]).ndim


cdef object _numel(Operator op, PyObject** a):
    return (<Tensor>a[0]).numel


cdef object _dtype(Operator op, PyObject** a):
    return dtype_object((<Tensor>a[0]).dtype)


cdef object _itemsize(Operator op, PyObject** a):
    return ITEMSIZE[(<Tensor>a[0]).dtype]


cdef object _nbytes(Operator op, PyObject** a):
    return ITEMSIZE[(<Tensor>a[0]).dtype] * (<Tensor>a[0]).numel


cdef object _is_contiguous(Operator op, PyObject** a):
    return _lies_in(<Tensor>a[0], read_format(op.name, a[1]))


cdef object _suggest_memory_format(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    return FORMATS[suggested_format(t.ndim, t.sizes, t.strides)]


cdef object _storage_offset(Operator op, PyObject** a):
    return offset_of(<Tensor>a[0])


def is_meta(Tensor t not None):
    """Whether a tensor is on device 'meta' and has no memory."""
    return (t.flags & META) != 0


cdef object _data_ptr(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    return <size_t>t.data if t.numel and t.storage.owner is not CLASS_OWNER else 0


cdef object _storage(Operator op, PyObject** a):
    return (<Tensor>a[0]).storage


cdef object _is_floating_point(Operator op, PyObject** a):
    return CATEGORY[(<Tensor>a[0]).dtype] == CAT_FLOAT


cdef object _is_inference(Operator op, PyObject** a):
    return ((<Tensor>a[0]).flags & INFERENCE) != 0


cdef object _is_conj(Operator op, PyObject** a):
    return ((<Tensor>a[0]).flags & CONJ) != 0


cdef object _is_neg(Operator op, PyObject** a):
    return ((<Tensor>a[0]).flags & NEG) != 0


cdef object _is_complex(Operator op, PyObject** a):
    return CATEGORY[(<Tensor>a[0]).dtype] == CAT_COMPLEX


cdef object _is_signed(Operator op, PyObject** a):
    return dtype_object((<Tensor>a[0]).dtype).is_signed


cdef object _is_nonzero(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor b
    if t.numel != 1:
        if t.numel == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    b = to_dtype(t, BOOL)
    return b.data[0] != 0


cdef object _base(Operator op, PyObject** a):
    return (<Tensor>a[0]).base


cdef object _version(Operator op, PyObject** a):
    if (<Tensor>a[0]).flags & INFERENCE:
        raise RuntimeError("Inference tensors do not track version counter.")
    return (<Tensor>a[0]).storage.version


cdef object _shares(Operator op, PyObject** a):
    return (<Tensor>a[0]).storage is (<Tensor>a[1]).storage


cdef object _as_subclass(Operator op, PyObject** a):
    from flambeau_tensor._core.call.binding import rewrap

    if not isinstance(<object>a[1], type) or not issubclass(<object>a[1], Tensor):
        raise TypeError("as_subclass(): argument 'cls' (position 1) must be a subclass of Tensor, not "
                        f"{<object>a[1]!r}")
    return rewrap(alias_of(<Tensor>a[0]), <object>a[1])


empty = make_kernel(_empty, True)
zeros = make_kernel(_zeros, True)
ones = make_kernel(_ones, True)
full = make_kernel(_full, True)
empty_like = make_kernel(_empty_like)
zeros_like = make_kernel(_zeros_like)
ones_like = make_kernel(_ones_like)
full_like = make_kernel(_full_like)
new_empty = make_kernel(_new_empty)
empty_strided = make_kernel(_empty_strided)
clone = make_kernel(_clone)
contiguous = make_kernel(_contiguous)
to_copy = make_kernel(_to_copy)
copy_ = make_kernel(_copy_, True)
fill_ = make_kernel(_fill_, True)
zero_ = make_kernel(_zero_, True)
resize_ = make_kernel(_resize_, True)
shape = make_kernel(_shape)
size = make_kernel(_size)
stride = make_kernel(_stride)
dim = make_kernel(_dim)
numel = make_kernel(_numel)
dtype = make_kernel(_dtype)
itemsize = make_kernel(_itemsize)
nbytes = make_kernel(_nbytes)
is_contiguous = make_kernel(_is_contiguous)
storage_offset = make_kernel(_storage_offset)
data_ptr = make_kernel(_data_ptr)
storage = make_kernel(_storage)
is_floating_point = make_kernel(_is_floating_point)
is_complex = make_kernel(_is_complex)
is_conj = make_kernel(_is_conj)
is_neg = make_kernel(_is_neg)
suggest_memory_format = make_kernel(_suggest_memory_format)
is_inference = make_kernel(_is_inference)
is_signed = make_kernel(_is_signed)
is_nonzero = make_kernel(_is_nonzero)
base = make_kernel(_base)
version = make_kernel(_version)
shares = make_kernel(_shares)
as_subclass = make_kernel(_as_subclass)
