# cython: language_level=3
"""The functions of ``compute.pxd``, implemented by the private core."""
from cpython.object cimport PyObject

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_AsUTF8

from flambeau_tensor._core.elementwise cimport copying, loops, parallel
from flambeau_tensor._core.memory cimport tensor as core, types
from flambeau_tensor._core.elementwise.casts cimport CAST
from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE, default_dtype, dtype_object
from flambeau_tensor._core.memory.layout cimport FORMAT_CONTIGUOUS, empty_format, suggested_format
from flambeau_tensor._core.memory.meta_device cimport META
from flambeau_tensor._core.elementwise.operands cimport broadcast_shape, broadcast_strides, check_writable
from flambeau_tensor._core.elementwise.operands cimport result_strides
from flambeau_tensor._core.elementwise.scalar cimport Scalar, read_scalar as core_read_scalar
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._kernels cimport blas

import numpy as np

from flambeau_tensor._core.elementwise.engine import ufunc_loop


def require(int number, str package not None):
    """Raise ImportError unless ``package`` was built for this version of the interface."""
    if number != COMPUTE_ABI:
        older = package if number < COMPUTE_ABI else "flambeau-tensor"
        raise ImportError(f"{package} was built for interface {number} of flambeau_tensor.compute, which is "
                          f"{COMPUTE_ABI} now: upgrade {older}")


cdef tuple _mine = (D_BOOL, D_UINT8, D_INT8, D_INT16, D_INT32, D_INT64, D_UINT16, D_UINT32, D_UINT64, D_FLOAT16,
                    D_BFLOAT16, D_FLOAT32, D_FLOAT64, D_COMPLEX32, D_COMPLEX64, D_COMPLEX128)
if _mine != (types.BOOL, types.UINT8, types.INT8, types.INT16, types.INT32, types.INT64, types.UINT16, types.UINT32,
             types.UINT64, types.FLOAT16, types.BFLOAT16, types.FLOAT32, types.FLOAT64, types.COMPLEX32,
             types.COMPLEX64, types.COMPLEX128):
    raise ImportError("compute.pxd and types.pxd disagree on dtypes")


# --- memory ---------------------------------------------------------------------------------------------------------

cdef inline void _describe(Tensor t, Array* out) noexcept:
    out.data = NULL if t.flags & META else t.data  # kernels never receive such tensors, but other callers may
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
    return core.read_ints(slot, out, most, PyUnicode_AsUTF8(function), PyUnicode_AsUTF8(name))


cdef double read_float(PyObject* slot) except? -1e300:
    cdef Scalar s
    core_read_scalar(slot, &s)
    return s.re


cdef int wrap_dim(Py_ssize_t dim, int ndim) except -1:
    return core.wrap_dim(dim, ndim)


cdef str shape_text(int ndim, const Py_ssize_t* sizes):
    return core.shape_str(ndim, sizes)


# --- loops over elements --------------------------------------------------------------------------------------------

cdef object elementwise(int nin, PyObject** tensors, int compute, int result, inner_loop loop, void* data):
    cdef Py_ssize_t[types.MAX_NDIM] shape
    cdef Py_ssize_t[types.MAX_NDIM] steps
    cdef Py_ssize_t[types.MAX_OPERANDS][types.MAX_NDIM] strides
    cdef Py_ssize_t* rows[types.MAX_OPERANDS]
    cdef char* ptrs[types.MAX_OPERANDS]
    cdef int[types.MAX_OPERANDS] have
    cdef int[types.MAX_OPERANDS] want
    cdef Tensor out, t
    cdef int k, ndim
    if not 1 <= nin < types.MAX_OPERANDS:
        raise ValueError(f"elementwise(): 1 to {types.MAX_OPERANDS - 1} tensors, got {nin}")
    ndim = broadcast_shape(nin, tensors, shape)
    if result_strides(nin, tensors, ndim, shape, steps):
        out = core.empty_strided(result, ndim, shape, steps)
    else:
        out = core.empty(result, ndim, shape)
    for k in range(nin + 1):
        t = <Tensor>tensors[k] if k < nin else out
        broadcast_strides(t, ndim, shape, strides[k])
        rows[k], ptrs[k], have[k], want[k] = strides[k], t.data, t.dtype, compute
    loops.run_loop(<loops.loop_t>loop, data, nin + 1, ptrs, have, want, ndim, shape, rows)
    return out


cdef void convert(int source_dtype, const char* source, Py_ssize_t source_step, int target_dtype, char* target,
                  Py_ssize_t target_step, Py_ssize_t n) noexcept nogil:
    CAST[source_dtype][target_dtype](source, source_step, target, target_step, n)


# --- products of matrices -------------------------------------------------------------------------------------------

cdef inline void _describe_product(const Product* p, blas.Products* q) noexcept nogil:
    q.dtype, q.m, q.n, q.k, q.brain = p.dtype, p.m, p.n, p.k, False
    q.a, q.b, q.c = <char*>p.a, <char*>p.b, p.c
    q.a_row, q.a_col, q.b_row, q.b_col, q.c_row = p.a_row, p.a_col, p.b_row, p.b_col, p.c_row
    q.alpha[0], q.alpha[1], q.beta[0], q.beta[1] = 1, 0, p.add, 0


cdef int multiply(const Product* p) except -1:
    cdef blas.Products q
    _describe_product(p, &q)
    q.nbatch = p.count != 1
    q.batch_sizes[0], q.a_batch[0], q.b_batch[0], q.c_batch[0] = p.count, p.a_step, p.b_step, p.c_step
    if p.dtype in (D_BOOL, D_FLOAT16, D_BFLOAT16):
        raise ValueError(f"multiply(): no products of dtype {p.dtype}; convert the factors first")
    if p.m == 0 or p.n == 0 or p.count == 0:
        return 0
    if p.k == 0:  # empty sums
        q.a_row, q.a_col, q.b_row, q.b_col = 1, 1, p.n, 1
    elif not blas.fits(p.m, p.k, &q.a_row, &q.a_col) or not blas.fits(p.k, p.n, &q.b_row, &q.b_col):
        raise ValueError("multiply(): neither the rows nor the columns of a factor are adjacent; copy it first")
    if p.add and not blas.has_factors(p.dtype):
        return _multiply_and_add(p, &q)
    return blas.multiply(&q)


cdef void multiply_here(const Product* p) noexcept nogil:
    cdef blas.Products q
    _describe_product(p, &q)
    blas.fits(p.m, p.k, &q.a_row, &q.a_col)
    blas.fits(p.k, p.n, &q.b_row, &q.b_col)
    blas.multiply_here(&q)


cdef void hold_blas() noexcept:
    if blas.has_factors(types.FLOAT32):
        blas.hold()


cdef void release_blas() noexcept:
    if blas.has_factors(types.FLOAT32):
        blas.release()


cdef int _multiply_and_add(const Product* p, blas.Products* q) except -1:
    """Multiply into a temporary buffer and add that to c, for dtypes that BLAS does not support."""
    cdef Py_ssize_t item = ITEMSIZE[p.dtype]
    cdef char* ptrs[3]
    cdef int[3] dtypes
    cdef Py_ssize_t[3] sizes
    cdef Py_ssize_t[3] own
    cdef Py_ssize_t[3] theirs
    cdef Py_ssize_t* strides[3]
    loop, data = ufunc_loop(np.add, dtype_object(p.dtype).name)
    sizes[0], sizes[1], sizes[2] = p.count, p.m, p.n
    own[0], own[1], own[2] = p.m * p.n * item, p.n * item, item
    theirs[0], theirs[1], theirs[2] = p.c_step * item, p.c_row * item, item
    cdef char* made = <char*>PyMem_Malloc(max(p.count * own[0], 1))
    if made == NULL:
        raise MemoryError()
    try:
        q.c, q.c_row, q.c_batch[0], q.beta[0] = made, p.n, p.m * p.n, 0
        blas.multiply(q)
        ptrs[0], ptrs[1], ptrs[2] = p.c, made, p.c
        strides[0], strides[1], strides[2] = theirs, own, theirs
        dtypes[0] = dtypes[1] = dtypes[2] = p.dtype
        loops.run_loop(<loops.loop_t><size_t>loop, <void*><size_t>data, 3, ptrs, dtypes, dtypes, 3, sizes, strides)
    finally:
        PyMem_Free(made)
    return 0


# --- work -----------------------------------------------------------------------------------------------------------

cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, range_task task, void* context) noexcept nogil:
    parallel.parallel_for(n, grain, <parallel.task_t>task, context)


cdef int num_threads() noexcept nogil:
    return parallel.num_threads()
