# cython: language_level=3
"""Batch normalization as a composition of checks, the normalizing operator, and the update of running statistics.

The operators are declared in higher folders and connected from there.
"""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    T_COMPLEX, T_DISPATCH, T_FLOATING, T_LAYERED, T_REQUIRES_GRAD, TENSOR_ABI, TensorInfo, ThreadFlags, dtype_number,
    flags_of, new_kernel, shape_of, tensor_info, thread_flags,
)
from flambeau_tensor.compute cimport COMPUTE_ABI, D_FLOAT32, D_FLOAT64, Array, array_of, begin_write, written

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef object _check_dtypes, _channel_norm, _complex_norm, _channel_scale, _composed_scale, _mul_, _add_


def connect(check_dtypes, channel_norm, complex_norm, channel_scale, composed_scale, mul_, add_):
    """Set the functions that check dtypes, that normalize by the batch (real and complex) and by running statistics
    (floats and other dtypes), and the operators that update running statistics.
    """
    global _check_dtypes, _channel_norm, _complex_norm, _channel_scale, _composed_scale, _mul_, _add_
    _check_dtypes, _channel_norm, _complex_norm = check_dtypes, channel_norm, complex_norm
    _channel_scale, _composed_scale, _mul_, _add_ = channel_scale, composed_scale, mul_, add_


cdef bint _moved(PyObject* running, PyObject* value, double momentum, double correction) except -1:
    """Do what `move` does, without operators, if nothing observes them; return whether it is done."""
    cdef ThreadFlags* thread = thread_flags()
    cdef Array to, of
    cdef Py_ssize_t i
    cdef float keep = <float>(1 - momentum), take = <float>(momentum * correction), old
    if thread.transform_depth or thread.dispatching or flags_of(running) & (T_REQUIRES_GRAD | T_LAYERED | T_DISPATCH) \
            or flags_of(value) & (T_LAYERED | T_DISPATCH):
        return False
    array_of(running, &to)
    array_of(value, &of)
    if to.dtype != D_FLOAT32 or of.dtype != D_FLOAT64 or not to.contiguous or not of.contiguous or \
            to.numel != of.numel or to.data == NULL or of.data == NULL:
        return False
    begin_write(running, "batch_norm")
    for i in range(to.numel):
        old = keep * (<float*>to.data)[i]
        (<float*>to.data)[i] = old + take * <float>(<const double*>of.data)[i]
    written(running)
    return True


def move(running, value, double momentum, double correction=1.0):
    """running += momentum · (correction · value - running), unrecorded; do nothing if `running` is None."""
    cdef bint recording
    if running is None or _moved(<PyObject*>running, <PyObject*>value, momentum, correction):
        return
    recording = thread_flags().grad_enabled
    thread_flags().grad_enabled = False
    try:
        if flags_of(<PyObject*>value) & (T_REQUIRES_GRAD | T_LAYERED):
            value = value.detach()
        if dtype_number(<PyObject*>value) != dtype_number(<PyObject*>running):
            value = value.to(running.dtype)
        _add_(_mul_(running, 1 - momentum), value, alpha=momentum * correction)
    finally:
        thread_flags().grad_enabled = recording


cdef int _check(const TensorInfo* x, object input, running_mean, running_var, weight, bias) except -1:
    """Check that each other operand has one element per channel and a dtype compatible with the input."""
    cdef TensorInfo t
    cdef int k
    cdef bint same = True
    for k, parameter in enumerate((running_mean, running_var, weight, bias)):
        if parameter is None:
            continue
        tensor_info(<PyObject*>parameter, &t)
        if t.numel != x.sizes[1]:
            name = ("running_mean", "running_var", "weight", "bias")[k]
            raise RuntimeError(f"{name} should contain {x.sizes[1]} elements not {t.numel}")
        same = same and t.dtype == x.dtype
    if not same:
        _check_dtypes(input, weight, bias, running_mean, running_var)
    return 0


def normalized_batch(input, running_mean, running_var, weight, bias, bint training, double momentum, eps):
    """Return batch_norm and, in training, means and variances of the batch, otherwise None twice."""
    cdef TensorInfo x
    cdef Py_ssize_t count
    tensor_info(<PyObject*>input, &x)
    if x.ndim < 2:
        if x.ndim == 1 and x.numel == 0:
            return input.clone(), None, None
        raise ValueError(f"batch_norm: expected at least 2 dimensions (got {x.ndim}D input)")
    _check(&x, input, running_mean, running_var, weight, bias)
    if training:
        count = x.numel // x.sizes[1] if x.sizes[1] else 0
        if count == 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size "
                             f"{shape_of(<PyObject*>input)}")
        of_channels = _complex_norm if x.dtype >= T_COMPLEX else _channel_norm
        result, mean, variance = of_channels(input, weight, bias, 0, eps)
        if x.numel:  # the mean of no elements is NaN and would never leave the running statistics
            move(running_mean, mean, momentum)
            move(running_var, variance, momentum, <double>count / max(count - 1, <Py_ssize_t>1))
        return result, mean, variance
    if running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when training=False")
    scaled = _channel_scale if T_FLOATING <= x.dtype < T_COMPLEX else _composed_scale
    return scaled(input, running_mean, running_var, weight, bias, eps), None, None


cdef object _batch_norm(PyObject* op, PyObject** a):
    """(input, running_mean, running_var, weight, bias, training, momentum, eps)"""
    return normalized_batch(<object>a[0], <object>a[1], <object>a[2], <object>a[3], <object>a[4], <object>a[5],
                            <object>a[6], <object>a[7])[0]


batch_norm = new_kernel(_batch_norm)
