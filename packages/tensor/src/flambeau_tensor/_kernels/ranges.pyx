# cython: language_level=3
"""Ranges, the identity, and indices of triangles."""
from cpython.object cimport PyObject
from libc.math cimport INFINITY, ceil
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t

from flambeau_tensor._core.elementwise.copying cimport copy_of, fill_elements, to_dtype, write_out
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, DType, default_complex, default_dtype, dtype_object
from flambeau_tensor._core.elementwise.dtype cimport family
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.elementwise.scalar cimport Scalar, load_scalar, read_scalar, store_scalar
from flambeau_tensor._core.memory.tensor cimport Tensor, empty as make_empty, resize, view_of
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.map_loops cimport number_t
from flambeau_tensor._kernels.recording cimport check_out_dtype, finished

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._kernels.factories import check_size
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
    # Computes from both ends to the middle, so that both ends are exact. `start` and `end` are values of the dtype.
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
    if not family(dtype.id) & (F_INT | F_FLOAT):
        raise NotImplementedError(f'"{name}_cpu" not implemented for \'{type_name(dtype)}\'')
    return 0


def ramp(DType dtype not None, Py_ssize_t n, start, step):
    """Return `n` numbers, starting at `start`, with distance `step`."""
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


cdef Tensor _complex_line(Py_ssize_t n, double complex start, double complex end):
    cdef Tensor t = make_empty(COMPLEX128, 1, &n)
    cdef double complex* out = <double complex*>t.data
    cdef double complex step = (end - start) / (n - 1) if n > 1 else 0
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = start + step * i if i < n // 2 or n == 1 else end - step * (n - 1 - i)
    return t


cdef Tensor line(int want, Py_ssize_t n, object start, object end):
    """Return `n` numbers from `start` to `end`, both included."""
    cdef int compute = FLOAT32 if want == FLOAT16 or want == BFLOAT16 else want
    cdef Tensor t
    cdef double a, b
    if n < 0:
        raise RuntimeError("number of steps must be non-negative")
    if CATEGORY[want] == CAT_COMPLEX:
        return to_dtype(_complex_line(n, start, end), want)
    _check_numbers("linspace", dtype_object(want))
    t = make_empty(compute, 1, &n)
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
    """Return the number of steps from `start` to `end`, which is excluded."""
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


cdef int wanted_dtype(PyObject* out, PyObject* dtype, int otherwise) except -1:
    """Return the dtype of the computation: that of `out`, which `dtype` must equal; else `dtype`, else `otherwise`."""
    if dtype != <PyObject*>None:
        if out != <PyObject*>None:
            check_out_dtype(<Tensor>out, (<DType>dtype).id)
        return (<DType>dtype).id
    return otherwise if out == <PyObject*>None else (<Tensor>out).dtype


cdef object delivered(Operator op, Tensor t, PyObject* out, PyObject* requires_grad):
    """Return a result, or write it to `out`: element by element in order if the numbers of elements are equal."""
    if out == <PyObject*>None:
        return finished(t, requires_grad)
    if (<Tensor>out).numel == t.numel and (<Tensor>out).ndim != t.ndim:
        resize(t, (<Tensor>out).ndim, (<Tensor>out).sizes)
    return finished(write_out(op.name, <object>out, t), requires_grad)


cdef object _arange(Operator op, PyObject** a):
    """Slots: end, start, step, out, dtype, layout, device, pin_memory, requires_grad."""
    cdef int i, dtype = INT64
    if a[5] != <PyObject*>None:
        check_layout(<object>a[5])
    if a[6] != <PyObject*>None:
        check_device(<object>a[6])
    for i in range(3):
        if isinstance(<object>a[i], float):
            dtype = default_dtype()
    dtype = wanted_dtype(a[3], a[4], dtype)
    kind = dtype_object(dtype)
    if dtype == BOOL or CATEGORY[dtype] == CAT_COMPLEX:
        raise NotImplementedError(f"\"arange\" not implemented for '{type_name(kind)}'")
    n = steps(<object>a[1], <object>a[0], <object>a[2], kind)
    return delivered(op, ramp(kind, n, <object>a[1], <object>a[2]), a[3], a[8])


cdef object _range(Operator op, PyObject** a):
    """Slots: start, end, step, out, dtype, layout, device, pin_memory, requires_grad."""
    check_layout(<object>a[5])
    check_device(<object>a[6])
    start, end = (0, <object>a[0]) if a[1] == <PyObject*>None else (<object>a[0], <object>a[1])
    kind = dtype_object(wanted_dtype(a[3], a[4], default_dtype()))
    steps(start, end, <object>a[2], kind)  # raises if arguments are invalid
    n = int((end - start) / <object>a[2]) + 1
    return delivered(op, ramp(kind, n, start, <object>a[2]), a[3], a[8])


cdef object _number(str name, str argument, PyObject* given):
    """Return an end of a range, which may be a 0-d tensor."""
    cdef Tensor t
    if not isinstance(<object>given, Tensor):
        return <object>given
    t = <Tensor>given
    if t.ndim:
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got {argument} with "
                           f"{t.ndim} dimension(s).")
    return load_scalar(t.dtype, (copy_of(t) if t.flags & LAZY else t).data)


cdef int _read_line(str name, PyObject** a, PyObject** options, list ends) except -1:
    """Read both ends and the dtype; slots of `options`: out, dtype, layout, device."""
    if options[2] != <PyObject*>None:
        check_layout(<object>options[2])
    if options[3] != <PyObject*>None:
        check_device(<object>options[3])
    ends[:] = _number(name, "start", a[0]), _number(name, "end", a[1])
    return wanted_dtype(options[0], options[1], default_complex() if type(ends[0]) is complex or
                        type(ends[1]) is complex else default_dtype())


cdef object _linspace(Operator op, PyObject** a):
    """Slots: start, end, steps, out, dtype, layout, device, pin_memory, requires_grad."""
    cdef list ends = []
    cdef int dtype = _read_line("linspace", a, a + 3, ends)
    return delivered(op, line(dtype, <object>a[2], ends[0], ends[1]), a[3], a[8])


cdef object _logspace(Operator op, PyObject** a):
    """Slots: start, end, steps, base, out, dtype, layout, device, pin_memory, requires_grad."""
    cdef list ends = []
    cdef int dtype = _read_line("logspace", a, a + 4, ends)
    if CATEGORY[dtype] != CAT_COMPLEX:
        _check_numbers("logspace", dtype_object(dtype))
    if CATEGORY[dtype] <= CAT_INT and <object>a[2] != 1:
        ends = [int(ends[0]), int(ends[1])]
    exponents = line(COMPLEX128 if CATEGORY[dtype] == CAT_COMPLEX else FLOAT64, <object>a[2], ends[0], ends[1])
    return delivered(op, to_dtype(<Tensor>find("torch.pow")(<object>a[3], exponents), dtype), a[4], a[9])


cdef object _eye(Operator op, PyObject** a):
    """Slots: n, m, out, dtype, layout, device, pin_memory, requires_grad."""
    cdef Py_ssize_t[2] sizes = [<object>a[0], <object>(a[0] if a[1] == <PyObject*>None else a[1])]
    cdef Py_ssize_t length = min(sizes[0], sizes[1]), step = sizes[1] + 1
    cdef Tensor t
    check_layout(<object>a[4])
    check_device(<object>a[5])
    for i in range(2):
        if sizes[i] < 0:
            raise RuntimeError(f"{'nm'[i]} must be greater or equal to 0, got {sizes[i]}")
    t = make_empty(wanted_dtype(a[2], a[3], default_dtype()), 2, sizes)
    fill_elements(t, 0)
    fill_elements(view_of(t, 1, &length, &step, t.data), 1)
    return finished(t if a[2] == <PyObject*>None else <Tensor>write_out(op.name, <object>a[2], t), a[7])


cdef object _triangle_indices(Operator op, PyObject** a):
    """Slots: row, col, offset, dtype, layout, device, pin_memory, requires_grad."""
    cdef bint lower = op.name == "tril_indices"
    cdef Py_ssize_t rows = <object>a[0], columns = <object>a[1], i, j, at = 0
    cdef Py_ssize_t edge = min(max(<object>a[2] + lower, -rows), columns)  # first column of the other side, in row 0
    cdef Py_ssize_t cut
    cdef Py_ssize_t[2] sizes = [2, 0]
    cdef double total = 0
    cdef Tensor t
    cdef int64_t* out
    check_device(<object>a[5])
    check_layout(<object>a[4])
    if rows < 0:
        raise RuntimeError(f"row must be non-negative, got{rows}")
    if columns < 0:
        raise RuntimeError(f"col must be non-negative, got{columns}")
    kind = INT64 if a[3] == <PyObject*>None else (<DType>a[3]).id
    if kind != INT64 and kind != INT32:
        raise NotImplementedError(f"\"{op.name}\" not implemented for '{dtype_object(kind).name}'")
    check_size((rows,), dtype_object(INT64))
    for i in range(rows):
        j = min(max(edge + i, 0), columns)
        total += j if lower else columns - j
    check_size((2, int(total)), dtype_object(INT64))
    sizes[1] = <Py_ssize_t>total
    t = make_empty(INT64, 2, sizes)
    out = <int64_t*>t.data
    for i in range(rows):
        cut = min(max(edge + i, 0), columns)
        for j in range(0 if lower else cut, cut if lower else columns):
            out[at] = i
            out[sizes[1] + at] = j
            at += 1
    return finished(to_dtype(t, kind), a[7])


arange, range_ = make_kernel(_arange, True), make_kernel(_range, True)
linspace, logspace, eye = make_kernel(_linspace, True), make_kernel(_logspace, True), make_kernel(_eye, True)
triangle_indices = make_kernel(_triangle_indices)
