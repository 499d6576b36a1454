# cython: language_level=3
"""Maxima of windows at random positions with about equal distances (Graham, 2014).

float16 and bfloat16 are computed in float32.
"""
from cpython.object cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from flambeau_nn._kernels.compute_dtype cimport check_reach, computed
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT32, D_FLOAT64, D_INT64, Array, array_of, converted, dense, fresh, parallel_for, read_ints,
    shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

ctypedef fused real_t:
    float
    double

cdef enum:
    AXES = 3

cdef struct Windows:  # in two dimensions, the first axis has one element
    Py_ssize_t[AXES] size, count, kernel
    int[AXES] order  # the column of `samples` for each axis, or -1
    double[AXES] step  # distance of windows, in the precision of the samples
    int dims
    const void* x
    const void* samples  # one row per plane
    void* y
    int64_t* indices


cdef inline Py_ssize_t _start(const Windows* w, int d, Py_ssize_t i, const real_t* samples) noexcept nogil:
    """Return the start of a window."""
    cdef real_t step, sample
    if w.order[d] < 0:
        return 0
    if i == w.count[d] - 1:
        return w.size[d] - w.kernel[d]
    sample, step = samples[w.order[d]], <real_t>w.step[d]
    i = <Py_ssize_t>((sample + <real_t>i) * step) - <Py_ssize_t>(sample * step)
    return min(max(i, <Py_ssize_t>0), w.size[d] - w.kernel[d])  # samples should be between 0 and 1, but need not be


cdef void _planes(const Windows* w, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t plane, i, j, k, a, b, c, p, q, r, at, best, o
    cdef Py_ssize_t size = w.size[0] * w.size[1] * w.size[2]
    cdef const real_t* x
    cdef const real_t* samples
    cdef real_t most, v
    for plane in range(begin, end):
        x, samples = <const real_t*>w.x + plane * size, <const real_t*>w.samples + plane * w.dims
        o = plane * w.count[0] * w.count[1] * w.count[2]
        for i in range(w.count[0]):
            p = _start[real_t](w, 0, i, samples)
            for j in range(w.count[1]):
                q = _start[real_t](w, 1, j, samples)
                for k in range(w.count[2]):
                    r = _start[real_t](w, 2, k, samples)
                    best, most = (p * w.size[1] + q) * w.size[2] + r, -INFINITY
                    for a in range(p, p + w.kernel[0]):
                        for b in range(q, q + w.kernel[1]):
                            at = (a * w.size[1] + b) * w.size[2]
                            for c in range(r, r + w.kernel[2]):
                                v = x[at + c]
                                if not v <= most and (most == most or v != v):  # or NaN
                                    most, best = v, at + c
                    (<real_t*>w.y)[o], w.indices[o] = most, best
                    o += 1


cdef void _planes_float(void* w, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _planes[float](<const Windows*>w, begin, end, NULL)


cdef void _planes_double(void* w, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _planes[double](<const Windows*>w, begin, end, NULL)


cdef object _fractional_pool(PyObject* op, PyObject** a):
    """(self, samples, kernel_size, output_size)"""
    cdef Windows w
    cdef Array x, samples, y, at
    cdef Py_ssize_t[AXES] kernel, count
    cdef Py_ssize_t[AXES + 2] sizes
    cdef Py_ssize_t work
    cdef int d, k, original, dtype
    array_of(a[0], &x)
    array_of(a[1], &samples)
    original = x.dtype
    dtype = computed(original)
    w.dims = read_ints(a[2], kernel, AXES, "fractional_pool", "kernel_size")
    if read_ints(a[3], count, AXES, "fractional_pool", "output_size") != w.dims or w.dims < 2 or x.ndim != w.dims + 2:
        raise RuntimeError(f"fractional_pool: windows of {w.dims} dimensions for an input of size "
                           f"{shape_text(x.ndim, x.sizes)}")
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    if samples.sizes[0] != x.sizes[0]:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.sizes[1] != x.sizes[1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.sizes[2] != w.dims:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {w.dims}; got {samples.sizes[2]}.")
    for d in range(w.dims):
        check_reach(<double>count[d] + kernel[d])
        if count[d] + kernel[d] - 1 > x.sizes[2 + d]:
            axis = ("time", "height", "width")[d + AXES - w.dims]
            raise RuntimeError(f"fractional_max_pool{w.dims}d(): pool {axis} {kernel[d]} too large relative to input "
                               f"{axis} {x.sizes[2 + d]}")
        if kernel[d] < 1 or count[d] < 0:
            raise RuntimeError(f"fractional_max_pool{w.dims}d(): windows of {kernel[d]} elements, and {count[d]} of "
                               "them")
    if dtype != D_FLOAT32 and dtype != D_FLOAT64:
        raise NotImplementedError(f"\"fractional_pool\" not implemented for '{type_string(original)}'")
    for d in range(AXES):
        k = d - (AXES - w.dims)
        w.size[d] = w.count[d] = w.kernel[d] = 1
        w.order[d] = -1
        if k >= 0:  # in two dimensions the first sample belongs to the last axis, in three to the first
            w.size[d], w.count[d], w.kernel[d] = x.sizes[2 + k], count[k], kernel[k]
            w.order[d] = k if w.dims == 3 else 1 - k
            if dtype == D_FLOAT32:
                w.step[d] = <float>(w.size[d] - w.kernel[d]) / <float>max(w.count[d] - 1, <Py_ssize_t>1)
            else:
                w.step[d] = <double>(w.size[d] - w.kernel[d]) / <double>max(w.count[d] - 1, <Py_ssize_t>1)
    for d in range(x.ndim):
        sizes[d] = x.sizes[d] if d < 2 else count[d - 2]
    _held = dense(a[0], dtype, &x), dense(a[1], dtype, &samples)
    result, indices = fresh(dtype, x.ndim, sizes, &y), fresh(D_INT64, x.ndim, sizes, &at)
    w.x, w.samples, w.y, w.indices = x.data, samples.data, y.data, <int64_t*>at.data
    work = y.numel * w.kernel[0] * w.kernel[1] * w.kernel[2]
    loop = _planes_float if dtype == D_FLOAT32 else _planes_double
    if work < GIL_FREE:
        loop(&w, 0, x.sizes[0] * x.sizes[1])
    else:
        with nogil:
            parallel_for(x.sizes[0] * x.sizes[1], max(<Py_ssize_t>1, GIL_FREE * x.sizes[0] * x.sizes[1] // work), loop,
                         &w)
    return converted(result, original), indices


fractional_pool = new_kernel(_fractional_pool)
