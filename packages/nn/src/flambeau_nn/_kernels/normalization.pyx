# cython: language_level=3
"""Layer normalization, and root mean square normalization, which does not subtract the mean.

This module checks the operands and calls hot/normalization.pyx with the rows.

float16 and bfloat16 are computed in float32.
"""
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc cimport math

from flambeau_nn._kernels.compute_dtype cimport computed
from flambeau_nn._kernels.normalization_types cimport PARTS, Normalized, normalized_t
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BFLOAT16, D_FLOAT16, D_FLOAT32, D_FLOAT64, Array, array_of, converted, dense, fresh, in_format_of,
    parallel_for, read_float, read_ints, shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE, HEAVY_GRAIN

from flambeau_tensor.extend import hot
from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

ctypedef fused real_t:
    float
    double

cdef enum:
    MAX_NDIM = 64

_rows = hot("normalization", "flambeau_nn._kernels").ROWS

cdef struct Work:
    Normalized data
    normalized_t loop


cdef void _run(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Work* w = <Work*>context
    w.loop(&w.data, begin, end)


cdef class _Operands:
    """Dense operands of the computing dtype, kept alive."""
    cdef object x, weight, bias
    cdef Array array
    cdef Array weights
    cdef int dtype, original


cdef _Operands _prepare(Work* w, PyObject* x, PyObject* shape, PyObject* weight, PyObject* bias, PyObject* eps,
                        str loop):
    cdef _Operands held = _Operands.__new__(_Operands)
    cdef Array a, b
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t n = 1
    cdef int k = read_ints(shape, sizes, MAX_NDIM, "layer_norm", "normalized_shape"), d
    cdef bint fits
    array_of(x, &a)
    if k < 1:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           "element, but got normalized_shape = []")
    fits = a.ndim >= k
    for d in range(k):
        n *= sizes[d]
        fits = fits and a.sizes[a.ndim - k + d] == sizes[d]
    if not fits:
        wanted = ", ".join(["*", *[str(sizes[d]) for d in range(k)]])
        raise RuntimeError(f"Given normalized_shape={shape_text(k, sizes)}, expected input with shape [{wanted}], but "
                           f"got input of size{shape_text(a.ndim, a.sizes)}")
    _check_affine("weight", weight, k, sizes)
    _check_affine("bias", bias, k, sizes)
    _check_dtypes(a.dtype, weight, bias)
    if a.dtype < D_FLOAT16 or a.dtype > D_FLOAT64:
        raise NotImplementedError(f'"LayerNormKernelImpl" not implemented for \'{type_string(a.dtype)}\'')
    held.original = a.dtype
    held.dtype = computed(a.dtype)
    held.x = dense(x, held.dtype, &held.array)
    w.data.n, w.data.x, w.data.eps = n, held.array.data, read_float(eps)
    w.data.rows = a.numel // n if n else 0
    w.data.weight, w.data.bias = NULL, NULL
    if weight != <PyObject*>None:
        held.weight = dense(weight, held.dtype, &b)
        w.data.weight = b.data
    if bias != <PyObject*>None:
        held.bias = dense(bias, held.dtype, &b)
        w.data.bias = b.data
    w.loop = <normalized_t><size_t>_rows[loop]["float32" if held.dtype == D_FLOAT32 else "float64"]
    return held


cdef int _check_dtypes(int dtype, PyObject* weight, PyObject* bias) except -1:
    """Check that parameters have one dtype: the input's, or float32 for half types."""
    cdef Array a
    cdef int found = -1
    for t in (<object>weight, <object>bias):
        if t is None:
            continue
        array_of(<PyObject*>t, &a)
        if found >= 0 and a.dtype != found or \
                a.dtype != dtype and not (a.dtype == D_FLOAT32 and (dtype == D_FLOAT16 or dtype == D_BFLOAT16)):
            raise RuntimeError(f"layer_norm: expected weight and bias to have the dtype of the input, "
                               f"{type_string(dtype)}, or both float32 beside half precision, but found "
                               f"{type_string(a.dtype)}")
        found = a.dtype
    return 0


cdef int _check_affine(str name, PyObject* t, int k, const Py_ssize_t* sizes) except -1:
    cdef Array a
    cdef int d
    cdef bint fits
    if t == <PyObject*>None:
        return 0
    array_of(t, &a)
    fits = a.ndim == k
    for d in range(k if fits else 0):
        fits = fits and a.sizes[d] == sizes[d]
    if not fits:
        raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                           f"{shape_text(a.ndim, a.sizes)} and normalized_shape = {shape_text(k, sizes)}")
    return 0


cdef object _forward(Work* w, _Operands held, bint centered):
    cdef Array out
    w.data.centered = centered
    result = fresh(held.dtype, held.array.ndim, held.array.sizes, &out)
    w.data.out = out.data
    if out.numel < GIL_FREE:
        _run(w, 0, w.data.rows)
    else:
        with nogil:
            parallel_for(w.data.rows, max(<Py_ssize_t>1, HEAVY_GRAIN // max(w.data.n, <Py_ssize_t>1)), _run, w)
    return converted(result, held.original)


cdef object _layer_norm(PyObject* op, PyObject** a):
    cdef Work w
    cdef _Operands held = _prepare(&w, a[0], a[1], a[2], a[3], a[4], "layer_norm")
    return _forward(&w, held, True)


cdef object _rms_rows(PyObject* op, PyObject** a):
    """(self, normalized_shape, weight, eps)"""
    cdef Work w
    cdef _Operands held = _prepare(&w, a[0], a[1], a[2], <PyObject*>None, a[3], "layer_norm")
    return in_format_of(_forward(&w, held, False), a[0])


cdef object _affine_gradient(PyObject* like, const double* sums, Py_ssize_t parts, Py_ssize_t n, Py_ssize_t first,
                             int dtype):
    """Return the sum over the parts, in the shape and dtype of the weight."""
    cdef Array shape, out
    cdef Py_ssize_t i, k
    cdef double total
    if like == <PyObject*>None:
        return None
    array_of(like, &shape)
    t = fresh(dtype, shape.ndim, shape.sizes, &out)
    for i in range(n):
        total = 0
        for k in range(parts):
            total += sums[2 * n * k + first + i]
        if dtype == D_FLOAT32:
            (<float*>out.data)[i] = <float>total
        else:
            (<double*>out.data)[i] = total
    return converted(t, shape.dtype)


cdef tuple _backward(Work* w, _Operands held, bint centered, PyObject* grad, PyObject* weight, PyObject* bias):
    """Return the gradients of the input, of weight and of bias."""
    cdef Array g, out
    cdef Py_ssize_t parts = 1
    w.data.centered = centered
    _grad = dense(grad, held.dtype, &g)
    if g.numel != held.array.numel:
        raise RuntimeError(f"layer_norm_backward: expected a gradient of size "
                           f"{shape_text(held.array.ndim, held.array.sizes)}, got {shape_text(g.ndim, g.sizes)}")
    result = fresh(held.dtype, held.array.ndim, held.array.sizes, &out)
    w.data.grad, w.data.grad_x = g.data, out.data
    if out.numel >= GIL_FREE:
        parts = max(<Py_ssize_t>1, min(<Py_ssize_t>PARTS, w.data.rows))
    w.data.part = (w.data.rows + parts - 1) // parts
    w.data.sums = <double*>PyMem_Malloc(max(2 * w.data.n * parts, <Py_ssize_t>1) * 2 * sizeof(double))
    if w.data.sums == NULL:
        raise MemoryError()
    w.data.short_sums = w.data.sums + 2 * w.data.n * parts
    try:
        if parts == 1:
            _run(w, 0, 1)
        else:
            with nogil:
                parallel_for(parts, 1, _run, w)
        return (converted(result, held.original),
                _affine_gradient(weight, w.data.sums, parts, w.data.n, 0, held.dtype),
                _affine_gradient(bias, w.data.sums, parts, w.data.n, w.data.n, held.dtype))
    finally:
        PyMem_Free(w.data.sums)


cdef object _layer_norm_backward(PyObject* op, PyObject** a):
    """(grad_output, self, normalized_shape, weight, bias, eps)"""
    cdef Work w
    cdef _Operands held = _prepare(&w, a[1], a[2], a[3], a[4], a[5], "layer_norm_backward")
    return _backward(&w, held, True, a[0], a[3], a[4])


cdef object _rms_rows_backward(PyObject* op, PyObject** a):
    """(grad_output, self, normalized_shape, weight, eps)"""
    cdef Work w
    cdef _Operands held = _prepare(&w, a[1], a[2], a[3], <PyObject*>None, a[4], "layer_norm_backward")
    return _backward(&w, held, False, a[0], a[3], <PyObject*>None)[:2]


# --- statistics of rows ---------------------------------------------------------------------------------------------

cdef void _moments_of(const real_t* x, Py_ssize_t rows, Py_ssize_t n, double eps, real_t* mean,
                      real_t* scale) noexcept nogil:
    cdef Py_ssize_t i, k
    cdef double total, center
    for i in range(rows):
        total = 0
        for k in range(n):
            total += x[i * n + k]
        center = total / n if n else math.NAN
        total = 0
        for k in range(n):
            total += (x[i * n + k] - center) * (x[i * n + k] - center)
        mean[i], scale[i] = <real_t>center, <real_t>(1 / math.sqrt(total / n + eps)) if n else <real_t>math.NAN


cdef object _row_moments(PyObject* op, PyObject** a):
    """(self, dims, eps, keepdim)"""
    cdef Array x, mean, scale
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t n = 1, rows = 1
    cdef int d, dtype, dims = <object>a[1], ndim
    cdef double eps = read_float(a[2])
    array_of(a[0], &x)
    dtype = computed(x.dtype)
    if dtype != D_FLOAT32 and dtype != D_FLOAT64:
        raise NotImplementedError(f"\"row_moments\" not implemented for '{type_string(x.dtype)}'")
    if not 0 <= dims <= x.ndim:
        raise RuntimeError(f"row_moments: {dims} dimensions of {x.ndim}")
    _held = dense(a[0], dtype, &x)
    for d in range(x.ndim):
        if d < x.ndim - dims:
            sizes[d] = x.sizes[d]
            rows *= x.sizes[d]
        else:
            sizes[d] = 1
            n *= x.sizes[d]
    ndim = x.ndim if <object>a[3] is True else x.ndim - dims
    means, scales = fresh(dtype, ndim, sizes, &mean), fresh(dtype, ndim, sizes, &scale)
    if dtype == D_FLOAT32:
        _moments_of[float](<const float*>x.data, rows, n, eps, <float*>mean.data, <float*>scale.data)
    else:
        _moments_of[double](<const double*>x.data, rows, n, eps, <double*>mean.data, <double*>scale.data)
    return means, scales


row_moments = new_kernel(_row_moments)
layer_norm = new_kernel(_layer_norm)
layer_norm_backward = new_kernel(_layer_norm_backward)
rms_rows = new_kernel(_rms_rows)
rms_rows_backward = new_kernel(_rms_rows_backward)
