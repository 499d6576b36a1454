# cython: language_level=3
"""The order of elements in memory: strides of results, and memory formats.

Results follow their operands: the first operand that distinguishes two dimensions determines their order, and the
result has no gaps. This is PyTorch's rule, which matters because programs see strides.
"""
from cpython.object cimport PyObject

from flambeau_tensor._core.memory.tensor cimport Tensor, empty, empty_strided, is_dense, set_geometry
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor.options import channels_last, channels_last_3d, contiguous_format, memory_format, preserve_format

FORMATS = (contiguous_format, preserve_format, channels_last, channels_last_3d)
cdef int[4] _ORDER = [1, 3, 2, 0]  # dimensions from the innermost outward
cdef int[5] _ORDER_3D = [1, 4, 3, 2, 0]


# --- results of operations ------------------------------------------------------------------------------------------

cdef int _comes_after(int n, Py_ssize_t** strides, const Py_ssize_t* shape, int a, int b) noexcept nogil:
    """1 if `a` lies outside `b`, -1 if inside, 0 if no operand distinguishes them."""
    cdef int k
    cdef Py_ssize_t p, q
    for k in range(n):
        p, q = strides[k][a], strides[k][b]
        if p == 0 or q == 0:  # broadcast
            continue
        if p != q:
            return 1 if p > q else -1
        if shape[a] > shape[b]:
            return 1
    return 0


cdef void _order(int n, Py_ssize_t** strides, int ndim, const Py_ssize_t* shape, int* order) noexcept nogil:
    """Order the dimensions from the innermost outward; the last dimension comes first if no operand decides."""
    cdef int i, j, at, side
    for i in range(ndim):
        order[i] = ndim - 1 - i
    for i in range(1, ndim):
        at = i
        for j in range(i - 1, -1, -1):
            side = _comes_after(n, strides, shape, order[j], order[at])
            if side > 0:
                order[j], order[at] = order[at], order[j]
                at = j
            elif side < 0:
                break


cdef void follow_order(int n, Py_ssize_t** strides, int ndim, const Py_ssize_t* shape, Py_ssize_t* out) noexcept nogil:
    """Compute the strides of a new result of `n` operands, whose strides are 0 in broadcast dimensions."""
    cdef int[MAX_NDIM] order
    cdef int i
    cdef Py_ssize_t step = 1
    cdef bint moved = False
    _order(n, strides, ndim, shape, order)
    for i in range(ndim):
        moved = moved or order[i] != ndim - 1 - i
    for i in range(ndim):
        out[order[i]] = step
        if moved or shape[order[i]] > 1:
            step *= shape[order[i]]


cdef void dense_strides(int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides, Py_ssize_t* out) noexcept nogil:
    """Compute strides without gaps, in the order of the given ones."""
    cdef int[MAX_NDIM] order
    cdef int i
    cdef Py_ssize_t step = 1
    _order(1, <Py_ssize_t**>&strides, ndim, sizes, order)
    for i in range(ndim):
        out[order[i]] = step
        if sizes[order[i]] > 1:
            step *= sizes[order[i]]


# --- memory formats -------------------------------------------------------------------------------------------------

cdef bint is_channels_last(int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides) noexcept nogil:
    """Whether a batch of images or volumes is dense in channels-last format."""
    cdef const int* order = &_ORDER[0] if ndim == 4 else &_ORDER_3D[0]
    cdef Py_ssize_t expected = 1
    cdef int i
    if ndim != 4 and ndim != 5:
        return False
    for i in range(ndim):
        if sizes[order[i]] != 1:
            if strides[order[i]] != expected:
                return False
            expected *= sizes[order[i]]
    return True


cdef int suggested_format(int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides) noexcept nogil:
    """Return the format that the order of the strides suggests, with or without gaps; contiguous if none."""
    cdef const int* order = &_ORDER[0] if ndim == 4 else &_ORDER_3D[0]
    cdef Py_ssize_t least = 0
    cdef int i, d
    if (ndim != 4 and ndim != 5) or strides[1] == 0:
        return FORMAT_CONTIGUOUS
    for i in range(ndim):
        d = order[i]
        if sizes[d] == 0 or strides[d] < least or (d == 0 and least == strides[1]):
            return FORMAT_CONTIGUOUS
        least = strides[d] * (sizes[d] if sizes[d] > 1 else 1)
    return FORMAT_CHANNELS_LAST if ndim == 4 else FORMAT_CHANNELS_LAST_3D


cdef int format_strides(int format, int ndim, const Py_ssize_t* sizes, Py_ssize_t* out) except -1:
    """Compute the strides of a dense tensor in a format."""
    cdef const int* order = &_ORDER[0] if format == FORMAT_CHANNELS_LAST else &_ORDER_3D[0]
    cdef Py_ssize_t step = 1
    cdef int i, d, rank = 4 if format == FORMAT_CHANNELS_LAST else 5
    if format == FORMAT_CONTIGUOUS:
        for i in range(ndim - 1, -1, -1):
            out[i] = step
            if sizes[i] > 1:
                step *= sizes[i]
        return 0
    if format == FORMAT_PRESERVE:
        raise RuntimeError("unsupported memory format Preserve")
    if ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {FORMATS[format].name} format")
    for i in range(rank):
        d = order[i]
        out[d] = step
        step *= sizes[d]
    return 0


cdef int read_format(str func, PyObject* slot) except -2:
    cdef int i
    if slot == <PyObject*>None:
        return -1
    for i in range(4):
        if slot == <PyObject*>FORMATS[i]:
            return i
    if isinstance(<object>slot, memory_format):  # a copy of the object
        return [f.name for f in FORMATS].index((<object>slot).name)
    raise TypeError(f"{func}(): argument 'memory_format' must be torch.memory_format, not "
                    f"{type(<object>slot).__name__}")


# --- tensors ----------------------------------------------------------------------------------------------------------

cdef Tensor empty_like(Tensor t, int dtype):
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Tensor out
    cdef int i
    if t.flags & CONTIGUOUS:
        out = empty(dtype, t.ndim, t.sizes)
        for i in range(t.ndim):  # dimensions of size 1, too
            out.strides[i] = t.strides[i]
        return out
    if is_dense(t):
        return empty_strided(dtype, t.ndim, t.sizes, t.strides)
    dense_strides(t.ndim, t.sizes, t.strides, strides)
    return empty_strided(dtype, t.ndim, t.sizes, strides)


cdef Tensor empty_format(int dtype, int ndim, const Py_ssize_t* sizes, int format):
    cdef Py_ssize_t[MAX_NDIM] strides
    if format <= FORMAT_CONTIGUOUS:
        return empty(dtype, ndim, sizes)
    format_strides(format, ndim, sizes, strides)
    return empty_strided(dtype, ndim, sizes, strides)


cdef Tensor empty_as(Tensor t, int dtype, int format):
    if format < 0 or format == FORMAT_PRESERVE:
        return empty_like(t, dtype)
    return empty_format(dtype, t.ndim, t.sizes, format)


cdef int restride(Tensor t, const Py_ssize_t* strides) except -1:
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int i
    for i in range(t.ndim):
        sizes[i] = t.sizes[i]
    return set_geometry(t, t.ndim, sizes, strides)
