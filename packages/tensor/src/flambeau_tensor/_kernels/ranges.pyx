# cython: language_level=3
"""Numbers at even distances: how many there are, and their tensors."""
from cpython.object cimport PyObject
from libc.math cimport INFINITY, ceil
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t

from flambeau_tensor._core.copying cimport to_dtype
from flambeau_tensor._core.dtype cimport CATEGORY, DType, default_dtype, dtype_object, letter
from flambeau_tensor._core.operator cimport Operator, make_kernel
from flambeau_tensor._core.scalar cimport Scalar, load_scalar, read_scalar, store_scalar
from flambeau_tensor._core.tensor cimport Tensor, empty as make_empty
from flambeau_tensor._core.types cimport *
from flambeau_tensor._kernels.maps cimport number_t
from flambeau_tensor._kernels.recording cimport finished

from flambeau_tensor._core.dtype import type_name
from flambeau_tensor.options import check_device, check_layout

ctypedef fused step_t:
    int64_t
    float
    double


cdef void _ramp(number_t* out, Py_ssize_t n, step_t start, step_t step) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <number_t>(start + step * i)


cdef void _line(number_t* out, Py_ssize_t n, step_t start, step_t end) noexcept nogil:
    # From both ends to the middle, so that both are met exactly. `start` and `end` are values of the dtype.
    cdef Py_ssize_t i, half = n // 2
    cdef step_t step = (end - start) / (n - 1) if n > 1 else <step_t>0
    if n == 1:
        out[0] = <number_t>start
        return
    for i in range(half):
        out[i] = <number_t>(start + step * i)
    for i in range(half, n):
        out[i] = <number_t>(end - step * (n - 1 - i))


cdef int _check_numbers(str name, DType dtype) except -1:
    if letter(dtype.id) not in "if":
        raise NotImplementedError(f'"{name}_cpu" not implemented for \'{type_name(dtype)}\'')
    return 0


def ramp(DType dtype not None, Py_ssize_t n, start, step):
    """`n` numbers from `start`, `step` apart."""
    _check_numbers("arange", dtype)
    cdef int want = dtype.id, compute = FLOAT32 if want == FLOAT16 or want == BFLOAT16 else want
    cdef Tensor t = make_empty(compute, 1, &n)
    cdef double x, dx
    cdef int64_t i, di
    if CATEGORY[want] == CAT_FLOAT:
        x, dx = start, step
        with nogil:
            if compute == FLOAT32:
                _ramp[float, double](<float*>t.data, n, x, dx)
            else:
                _ramp[double, double](<double*>t.data, n, x, dx)
        return to_dtype(t, want)
    i, di = int(start), int(step)
    with nogil:
        if want == UINT8:
            _ramp[uint8_t, int64_t](<uint8_t*>t.data, n, i, di)
        elif want == INT8:
            _ramp[int8_t, int64_t](<int8_t*>t.data, n, i, di)
        elif want == INT16:
            _ramp[int16_t, int64_t](<int16_t*>t.data, n, i, di)
        elif want == INT32:
            _ramp[int32_t, int64_t](<int32_t*>t.data, n, i, di)
        else:
            _ramp[int64_t, int64_t](<int64_t*>t.data, n, i, di)
    return t


cdef object _as_element(object number, int dtype):
    cdef Scalar s
    cdef char[16] element
    read_scalar(<PyObject*>number, &s)
    store_scalar(&s, dtype, element)
    return load_scalar(dtype, element)


def line(DType dtype not None, Py_ssize_t n, start, end):
    """`n` real numbers from `start` to `end`, both included."""
    _check_numbers("linspace", dtype)
    cdef int want = dtype.id, compute = FLOAT32 if want == FLOAT16 or want == BFLOAT16 else want
    cdef Tensor t = make_empty(compute, 1, &n)
    cdef double a, b
    if CATEGORY[want] == CAT_INT:
        a, b = _as_element(start, want), _as_element(end, want)
    else:
        a, b = start, end
    with nogil:
        if compute == FLOAT32:
            _line[float, float](<float*>t.data, n, <float>a, <float>b)
        elif compute == FLOAT64:
            _line[double, double](<double*>t.data, n, a, b)
        elif want == UINT8:
            _line[uint8_t, double](<uint8_t*>t.data, n, a, b)
        elif want == INT8:
            _line[int8_t, double](<int8_t*>t.data, n, a, b)
        elif want == INT16:
            _line[int16_t, double](<int16_t*>t.data, n, a, b)
        elif want == INT32:
            _line[int32_t, double](<int32_t*>t.data, n, a, b)
        else:
            _line[int64_t, double](<int64_t*>t.data, n, a, b)
    return to_dtype(t, want)


def steps(start, end, step, DType dtype not None):
    """How many steps from `start` reach `end`, it excluded."""
    cdef double reached
    if dtype.id == INT64:
        start, end, step = int(start), int(end), int(step)
    if not abs(step) > 0:
        raise RuntimeError("step must be nonzero")
    if not (abs(start) < INFINITY and abs(end) < INFINITY):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if start > end if step > 0 else start < end:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if isinstance(start, int) and isinstance(end, int) and isinstance(step, int):
        n = -((start - end) // step)
    else:
        reached = ceil((end - start) / step)
        n = reached
    if not n < 2**63:
        raise RuntimeError("invalid size, possible overflow?")
    return int(n)


cdef object _arange(Operator op, PyObject** a):
    """Slots: end, start, step, out, dtype, layout, device, pin_memory, requires_grad."""
    cdef int i, dtype = INT64
    if a[5] != <PyObject*>None:
        check_layout(<object>a[5])
    if a[6] != <PyObject*>None:
        check_device(<object>a[6])
    if a[4] != <PyObject*>None:
        dtype = (<DType>a[4]).id
    else:
        for i in range(3):
            if isinstance(<object>a[i], float):
                dtype = default_dtype()
    kind = dtype_object(dtype)
    if dtype == BOOL or CATEGORY[dtype] == CAT_COMPLEX:
        raise NotImplementedError(f"\"arange\" not implemented for '{type_name(kind)}'")
    n = steps(<object>a[1], <object>a[0], <object>a[2], kind)
    return finished(ramp(kind, n, <object>a[1], <object>a[2]), a[8])


arange = make_kernel(_arange)
