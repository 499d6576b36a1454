# cython: language_level=3
"""Dense operands in `channels_last` format."""
from flambeau_tensor.abi cimport TENSOR_ABI, T_LAZY, copy_into, empty_strided, flags_of
from flambeau_tensor.compute cimport COMPUTE_ABI, array_of, converted, dense, fresh

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    MAX_NDIM = 64


cdef void _strides(int ndim, const Py_ssize_t* sizes, Py_ssize_t* out) noexcept:
    cdef Py_ssize_t step = sizes[1]
    cdef int d
    for d in range(ndim - 1, 1, -1):
        out[d] = step
        step *= sizes[d]
    out[0], out[1] = step, 1


cdef bint _lies_so(const Array* a) noexcept:
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d
    if a.contiguous or (a.ndim != 4 and a.ndim != 5) or a.numel == 0 or a.sizes[1] == 1 or a.strides[1] != 1:
        return False
    _strides(a.ndim, a.sizes, strides)
    for d in range(a.ndim):
        if a.strides[d] != strides[d]:
            return False
    return True


cdef bint is_channels_last(PyObject* tensor) noexcept:
    cdef Array a
    array_of(tensor, &a)
    return _lies_so(&a) and flags_of(tensor) & T_LAZY == 0


cdef bint reads_as_channels_last(PyObject* tensor) noexcept:
    cdef Array a
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d
    array_of(tensor, &a)
    if a.ndim != 4 and a.ndim != 5 or a.numel and a.contiguous or flags_of(tensor) & T_LAZY:
        return False
    _strides(a.ndim, a.sizes, strides)
    for d in range(a.ndim):
        if (a.sizes[d] != 1 or a.numel == 0) and a.strides[d] != strides[d]:
            return False
    return True


cdef object operand(PyObject* tensor, int dtype, bint* channels_last, Array* out):
    channels_last[0] = is_channels_last(tensor)
    if not channels_last[0]:
        return dense(tensor, dtype, out)
    t = converted(<object>tensor, dtype)
    array_of(<PyObject*>t, out)
    return t


cdef object as_channels_last(PyObject* tensor, int dtype, Array* out):
    t = converted(<object>tensor, dtype)
    array_of(<PyObject*>t, out)
    if _lies_so(out) and flags_of(<PyObject*>t) & T_LAZY == 0:
        return t
    copy = empty_in_format(True, dtype, out.ndim, out.sizes, out)
    copy_into(<PyObject*>copy, <PyObject*>t)
    return copy


cdef object empty_in_format(bint channels_last, int dtype, int ndim, const Py_ssize_t* sizes, Array* out):
    cdef Py_ssize_t[MAX_NDIM] strides
    if not channels_last:
        return fresh(dtype, ndim, sizes, out)
    _strides(ndim, sizes, strides)
    t = empty_strided(dtype, ndim, sizes, strides)
    array_of(<PyObject*>t, out)
    return t
