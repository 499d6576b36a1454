# cython: language_level=3
"""The functions of ``compute.pxd``, over the private core."""
from cpython.object cimport PyObject

from flambeau_tensor._core cimport copying, parallel, tensor as core, types
from flambeau_tensor._core.dtype cimport ITEMSIZE, default_dtype
from flambeau_tensor._core.layout cimport FORMAT_CONTIGUOUS, empty_format, suggested_format
from flambeau_tensor._core.operands cimport check_writable
from flambeau_tensor._core.scalar cimport Scalar, read_scalar as core_read_scalar
from flambeau_tensor._core.tensor cimport Tensor


def require(int number, str package not None):
    """Raise ImportError unless ``package`` was built for the interface that this one has."""
    if number != COMPUTE_ABI:
        older = package if number < COMPUTE_ABI else "flambeau-tensor"
        raise ImportError(f"{package} was built for interface {number} of flambeau_tensor.compute, which is "
                          f"{COMPUTE_ABI} now: upgrade {older}")


cdef tuple _mine = (D_BOOL, D_UINT8, D_INT8, D_INT16, D_INT32, D_INT64, D_FLOAT16, D_BFLOAT16, D_FLOAT32, D_FLOAT64,
                    D_COMPLEX64, D_COMPLEX128)
if _mine != (types.BOOL, types.UINT8, types.INT8, types.INT16, types.INT32, types.INT64, types.FLOAT16, types.BFLOAT16,
             types.FLOAT32, types.FLOAT64, types.COMPLEX64, types.COMPLEX128):
    raise ImportError("compute.pxd and types.pxd disagree on dtypes")


# --- memory ---------------------------------------------------------------------------------------------------------

cdef inline void _describe(Tensor t, Array* out) noexcept:
    out.data = t.data
    out.numel = t.numel
    out.sizes = t.sizes
    out.strides = t.strides
    out.ndim = t.ndim
    out.dtype = t.dtype
    out.contiguous = t.flags & (types.CONTIGUOUS | types.LAZY) == types.CONTIGUOUS


cdef void array_of(PyObject* tensor, Array* out) noexcept:
    _describe(<Tensor>tensor, out)


cdef object dense(PyObject* tensor, int dtype, Array* out):
    cdef Tensor t = <Tensor>tensor
    cdef Tensor copy
    if t.dtype != dtype or t.flags & (types.CONTIGUOUS | types.LAZY) != types.CONTIGUOUS:
        copy = core.empty(dtype, t.ndim, t.sizes)
        copying.copy_elements(copy, t)
        t = copy
    _describe(t, out)
    return t


cdef object fresh(int dtype, int ndim, const Py_ssize_t* sizes, Array* out):
    cdef Tensor t = core.empty(dtype, ndim, sizes)
    _describe(t, out)
    return t


cdef object fresh_like(PyObject* tensor, int dtype, Array* out):
    return fresh(dtype, (<Tensor>tensor).ndim, (<Tensor>tensor).sizes, out)


cdef object converted(object tensor, int dtype):
    return copying.to_dtype(<Tensor>tensor, dtype)


cdef object in_format_of(object result, PyObject* tensor):
    cdef Tensor t = <Tensor>tensor, r = <Tensor>result, out
    cdef int format = suggested_format(t.ndim, t.sizes, t.strides)
    if format == FORMAT_CONTIGUOUS:
        return r
    out = empty_format(r.dtype, r.ndim, r.sizes, format)
    copying.copy_elements(out, r)
    return out


cdef object permuted(PyObject* tensor, const int* order):
    cdef Tensor t = <Tensor>tensor
    cdef Py_ssize_t[types.MAX_NDIM] sizes
    cdef Py_ssize_t[types.MAX_NDIM] strides
    cdef int d
    for d in range(t.ndim):
        sizes[d], strides[d] = t.sizes[order[d]], t.strides[order[d]]
    return core.view_of(t, t.ndim, sizes, strides, t.data)


cdef Py_ssize_t itemsize(int dtype) noexcept nogil:
    return ITEMSIZE[dtype]


cdef int default_float() noexcept nogil:
    return default_dtype()


cdef int begin_write(PyObject* tensor, str function) except -1:
    return check_writable(function, <Tensor>tensor)


cdef void written(PyObject* tensor) noexcept:
    (<Tensor>tensor).storage.version += 1


# --- arguments ------------------------------------------------------------------------------------------------------

cdef int read_ints(PyObject* slot, Py_ssize_t* out, int most, str function, str name) except -1:
    cdef bytes f = function.encode(), n = name.encode()
    return core.read_ints(slot, out, most, f, n)


cdef double read_float(PyObject* slot) except? -1e300:
    cdef Scalar s
    core_read_scalar(slot, &s)
    return s.re


cdef int wrap_dim(Py_ssize_t dim, int ndim) except -1:
    return core.wrap_dim(dim, ndim)


cdef str shape_text(int ndim, const Py_ssize_t* sizes):
    return core.shape_str(ndim, sizes)


# --- work -----------------------------------------------------------------------------------------------------------

cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, range_task task, void* context) noexcept nogil:
    parallel.parallel_for(n, grain, <parallel.task_t>task, context)


cdef int num_threads() noexcept nogil:
    return parallel.num_threads()
