# cython: language_level=3
"""Moving elements between channels and space, and between groups of channels: copies through two views."""
from cpython.object cimport PyObject

from flambeau_nn._kernels.channels_last_layout cimport empty_in_format, is_channels_last
from flambeau_nn._kernels.compute_dtype cimport check_reach
from flambeau_tensor.abi cimport (
    TENSOR_ABI, TensorInfo, as_strided, copy_into, new_kernel, offset_of, tensor_info,
)
from flambeau_tensor.compute cimport COMPUTE_ABI, Array, in_format_of, shape_text

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    MAX_NDIM = 64
    MOST = MAX_NDIM - 3  # maximum number of dimensions, since views have up to two more


cdef void _set_pixels(Py_ssize_t* strides, const Py_ssize_t* of, Py_ssize_t r, bint wide) noexcept:
    """Set strides of (C, H, r, W, r) for memory with shape (C, H · r, W · r), or (C · r², H, W)."""
    if wide:
        strides[0], strides[1], strides[2] = of[0], of[1] * r, of[1]
        strides[3], strides[4] = of[2] * r, of[2]
    else:
        strides[0], strides[1], strides[2] = of[0] * r * r, of[1], of[0] * r
        strides[3], strides[4] = of[2], of[0]


cdef object _copied(PyObject* tensor, int ndim, const Py_ssize_t* sizes, int dims, const Py_ssize_t* apart,
                    Py_ssize_t r, int kind):
    """Return a tensor of these sizes with the elements of `tensor`, copied through views with the sizes `apart`."""
    cdef TensorInfo x, y
    cdef Array out
    cdef Py_ssize_t[MAX_NDIM] source, target
    cdef int d, lead = dims - 5 if kind < 2 else 1
    cdef bint channels_last = is_channels_last(tensor)
    tensor_info(tensor, &x)
    result = empty_in_format(channels_last, x.dtype, ndim, sizes, &out)
    tensor_info(<PyObject*>result, &y)
    for d in range(lead):
        source[d], target[d] = x.strides[d], y.strides[d]
    if kind < 2:
        _set_pixels(source + lead, x.strides + lead, r, kind == 1)
        _set_pixels(target + lead, y.strides + lead, r, kind == 0)
    else:  # groups, and channels of a group
        source[1], source[2] = x.strides[1] * apart[2], x.strides[1]
        target[1], target[2] = y.strides[1], y.strides[1] * apart[1]
        for d in range(3, dims):
            source[d], target[d] = x.strides[d - 1], y.strides[d - 1]
    seen = as_strided(tensor, dims, apart, source, offset_of(tensor))
    into = as_strided(<PyObject*>result, dims, apart, target, 0)
    copy_into(<PyObject*>into, <PyObject*>seen)
    return result if channels_last else in_format_of(result, tensor)


cdef int _check(str name, TensorInfo* x, object factor, str word) except -1:
    if x.ndim < 3:
        raise RuntimeError(f"{name} expects input to have at least 3 dimensions, but got input with {x.ndim} "
                           "dimension(s)")
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {word}, but got {factor}")
    if x.ndim > MOST:
        raise RuntimeError(f"{name}: more than {MOST} dimensions")
    for d in range(x.ndim - 3, x.ndim):
        check_reach(<double>max(x.sizes[d], <Py_ssize_t>1) * <double>factor * <double>factor)
    return 0


cdef object _pixel_shuffle(PyObject* op, PyObject** a):
    """(self, upscale_factor)"""
    cdef TensorInfo x
    cdef Py_ssize_t[MAX_NDIM] sizes, apart
    cdef Py_ssize_t r
    cdef int d, n
    tensor_info(a[0], &x)
    factor = <object>a[1]
    _check("pixel_shuffle", &x, factor, "upscale_factor")
    n = x.ndim - 3
    if x.sizes[n] % (factor * factor):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={x.sizes[n]} is not divisible by {factor * factor}")
    r = factor
    for d in range(n):
        sizes[d] = apart[d] = x.sizes[d]
    sizes[n] = apart[n] = x.sizes[n] // (r * r)
    sizes[n + 1], sizes[n + 2] = x.sizes[n + 1] * r, x.sizes[n + 2] * r
    apart[n + 1], apart[n + 2], apart[n + 3], apart[n + 4] = x.sizes[n + 1], r, x.sizes[n + 2], r
    return _copied(a[0], x.ndim, sizes, n + 5, apart, r, 0)


cdef object _pixel_unshuffle(PyObject* op, PyObject** a):
    """(self, downscale_factor)"""
    cdef TensorInfo x
    cdef Py_ssize_t[MAX_NDIM] sizes, apart
    cdef Py_ssize_t r
    cdef int d, n
    tensor_info(a[0], &x)
    factor = <object>a[1]
    _check("pixel_unshuffle", &x, factor, "downscale_factor")
    n = x.ndim - 3
    for d, word in ((-2, "height"), (-1, "width")):
        if x.sizes[x.ndim + d] % factor:
            raise RuntimeError(f"pixel_unshuffle expects {word} to be divisible by downscale_factor, but "
                               f"input.size({d})={x.sizes[x.ndim + d]} is not divisible by {factor}")
    r = factor
    for d in range(n):
        sizes[d] = apart[d] = x.sizes[d]
    apart[n], sizes[n] = x.sizes[n], x.sizes[n] * r * r
    sizes[n + 1], sizes[n + 2] = x.sizes[n + 1] // r, x.sizes[n + 2] // r
    apart[n + 1], apart[n + 2], apart[n + 3], apart[n + 4] = sizes[n + 1], r, sizes[n + 2], r
    return _copied(a[0], x.ndim, sizes, n + 5, apart, r, 1)


cdef object _channel_shuffle(PyObject* op, PyObject** a):
    """(self, groups)"""
    cdef TensorInfo x
    cdef Py_ssize_t[MAX_NDIM] apart
    cdef int d
    tensor_info(a[0], &x)
    groups = <object>a[1]
    if x.ndim <= 2:
        raise RuntimeError("channel_shuffle expects input with > 2 dims, but got input with sizes "
                           f"{shape_text(x.ndim, x.sizes)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if x.sizes[1] % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {x.sizes[1]} channels and {groups} "
                           "groups.")
    if x.ndim > MOST:
        raise RuntimeError(f"channel_shuffle: more than {MOST} dimensions")
    apart[0], apart[1], apart[2] = x.sizes[0], groups, x.sizes[1] // groups
    for d in range(2, x.ndim):
        apart[d + 1] = x.sizes[d]
    return _copied(a[0], x.ndim, x.sizes, x.ndim + 1, apart, 0, 2)


pixel_shuffle = new_kernel(_pixel_shuffle)
pixel_unshuffle = new_kernel(_pixel_unshuffle)
channel_shuffle = new_kernel(_channel_shuffle)
