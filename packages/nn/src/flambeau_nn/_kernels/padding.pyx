# cython: language_level=3
"""Padding: for each axis, a table maps each position of the result to the element that it copies.

The entry -1 stands for the fill value. Dimensions that are not padded are merged: leading ones are planes, trailing
ones form one element. The gradient uses the same tables in the opposite direction.
"""
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.float cimport PyFloat_CheckExact
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from flambeau_nn._kernels.channels_last_layout cimport empty_in_format, operand
from flambeau_nn._kernels.compute_dtype cimport check_reach, computed
from flambeau_tensor.abi cimport TENSOR_ABI, TensorInfo, copy_of, new_kernel, tensor_info, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BOOL, D_COMPLEX64, D_COMPLEX128, D_FLOAT32, D_FLOAT64, Array, array_of, converted, dense, fresh,
    in_format_of, itemsize, parallel_for, read_ints, shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

ctypedef fused real_t:
    float
    double

cdef extern from "Python.h":
    PyObject* Py_None
    PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    void Py_DECREF(PyObject*)

cdef enum:
    MAX_NDIM = 64
    SMALL = 256  # number of table entries that fit into stack memory

cdef enum:  # modes
    CONSTANT = 0
    REFLECT = 1
    REPLICATE = 2
    CIRCULAR = 3

cdef dict _MODES = {"constant": CONSTANT, "reflect": REFLECT, "replicate": REPLICATE, "circular": CIRCULAR}

cdef struct Axis:
    Py_ssize_t size, count  # of the input and of the result
    Py_ssize_t step, stride  # strides in bytes or elements: in the input, in the result
    Py_ssize_t first, run  # the first of `run` positions that copy a contiguous piece of the input
    Py_ssize_t* table

cdef struct Pad:
    int naxes
    Axis[MAX_NDIM] axes
    Py_ssize_t unit, item  # bytes, or elements, that stay together; bytes of an element
    Py_ssize_t planes, plane, padded  # number of planes; bytes, or elements, of a plane in the input and in the result
    bint zeros
    char[16] value
    char* x
    char* y


# --- tables ---------------------------------------------------------------------------------------------------------

cdef inline Py_ssize_t _source(int mode, Py_ssize_t i, Py_ssize_t n) noexcept:
    """Return the element for a position with unpadded index `i`."""
    if mode == CONSTANT:
        return i if 0 <= i < n else -1
    if mode == REFLECT:
        i = n - 1 - (-i if i < 0 else i)
        return n - 1 - (-i if i < 0 else i)
    return min(max(i, <Py_ssize_t>0), n - 1)


cdef void _fill_table(Axis* a, int mode, Py_ssize_t before, Py_ssize_t after) noexcept:
    cdef Py_ssize_t o, begin, n
    if mode == CIRCULAR:  # parts cut off by negative padding do not wrap around
        begin = max(-before, <Py_ssize_t>0)
        n = a.size - max(-after, <Py_ssize_t>0) - begin
        before = max(before, <Py_ssize_t>0)
        for o in range(a.count):
            a.table[o] = begin + ((o - before) % n + n) % n
        a.first, a.run = before, min(n, a.count - before)
        return
    for o in range(a.count):
        a.table[o] = _source(mode, o - before, a.size)
    a.first = min(max(before, <Py_ssize_t>0), a.count)
    a.run = max(min(before + a.size, a.count) - a.first, <Py_ssize_t>0)


cdef int _check_axis(int mode, int dim, Array* x, Py_ssize_t before, Py_ssize_t after, int axes) except -1:
    cdef Py_ssize_t n = x.sizes[dim], count
    check_reach(<double>before)
    check_reach(<double>after)
    check_reach(<double>n + before + after)
    count = n + before + after
    if mode == CONSTANT:
        if count < 0:
            raise RuntimeError(f"The input size {n}, plus negative padding {before} and {after} resulted in a negative "
                               f"output size, which is invalid. Check dimension {dim} of your input.")
        return 0
    if mode == REFLECT and max(before, after) >= n:
        raise RuntimeError("Argument #4: Padding size should be less than the corresponding input dimension, but got: "
                           f"padding ({before}, {after}) at dimension {dim} of input {shape_text(x.ndim, x.sizes)}")
    if mode == CIRCULAR and max(before, after) > n:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    if mode == CIRCULAR and n + min(before, <Py_ssize_t>0) + min(after, <Py_ssize_t>0) < 0:
        raise RuntimeError("Negative padding value is resulting in an empty dimension")
    if count < 0 or (count == 0 and mode != CIRCULAR and axes == 1):
        raise RuntimeError(f"input (size {n} of dimension {dim}) is too small for padding ({before}, {after}): the "
                           f"output would have size {count}")
    return 0


cdef int _check_filled(Array* x, int axes) except -1:
    """If elements of the input are copied, only batches may be empty."""
    cdef int d
    for d in range(max(x.ndim - axes - 1, 0), x.ndim):
        if x.sizes[d] == 0:
            raise RuntimeError(f"Expected {axes + 1}D or {axes + 2}D (batch mode) tensor with possibly 0 batch size "
                               f"and other non-zero dimensions for input, but got: {shape_text(x.ndim, x.sizes)}")
    return 0


cdef object _set_axes(Pad* p, int mode, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* pad, int given,
                      bint channels_last, Py_ssize_t* small):
    """Set planes, axes and the unit for an input with these sizes.

    Return the memory of the tables, which the caller keeps while it uses them. `given` is the number of entries of
    `pad`, which starts with the last dimension.
    """
    cdef int[MAX_NDIM] order
    cdef int k, d, i, padded = 0
    cdef Py_ssize_t total = 0, inner, outer
    cdef Axis* a
    cdef Py_ssize_t* at = small
    for k in range(ndim):
        order[k] = k
    if channels_last:  # in memory order: the channels last
        for k in range(1, ndim - 1):
            order[k] = k + 1
        order[ndim - 1] = 1
    p.naxes, p.planes, p.unit = 0, 1, 1
    for k in range(ndim):
        d, i = order[k], ndim - 1 - order[k]
        if 2 * i + 1 < given and (pad[2 * i] or pad[2 * i + 1]):
            p.axes[p.naxes].size, p.axes[p.naxes].count = sizes[d], sizes[d] + pad[2 * i] + pad[2 * i + 1]
            p.axes[p.naxes].first, p.axes[p.naxes].run = pad[2 * i], pad[2 * i + 1]
            total += p.axes[p.naxes].count
            p.naxes += 1
            padded = p.naxes
        elif not padded:
            p.planes *= sizes[d]
        else:  # between padded axes, or behind them
            p.axes[p.naxes].size = p.axes[p.naxes].count = sizes[d]
            p.axes[p.naxes].first = p.axes[p.naxes].run = 0
            total += sizes[d]
            p.naxes += 1
    while p.naxes > padded:
        p.naxes -= 1
        total -= p.axes[p.naxes].count
        p.unit *= p.axes[p.naxes].size
    memory = None
    if total > SMALL:
        memory = bytearray(total * <Py_ssize_t>sizeof(Py_ssize_t))
        at = <Py_ssize_t*><void*>PyByteArray_AS_STRING(memory)
    inner = outer = p.unit
    for k in range(p.naxes - 1, -1, -1):
        a = &p.axes[k]
        a.table, a.step, a.stride = at, inner, outer
        at += a.count
        inner *= a.size
        outer *= a.count
        _fill_table(a, mode, a.first, a.run)
    p.plane, p.padded = inner, outer
    return memory


# --- loops ----------------------------------------------------------------------------------------------------------

cdef void _fill(const Pad* p, char* y, Py_ssize_t bytes_) noexcept nogil:
    """Write the fill value."""
    cdef Py_ssize_t i
    if p.zeros:
        memset(y, 0, bytes_)
    elif p.item == 4:
        for i in range(bytes_ // 4):
            (<int*>y)[i] = (<const int*>p.value)[0]
    elif p.item == 8:
        for i in range(bytes_ // 8):
            (<long long*>y)[i] = (<const long long*>p.value)[0]
    else:
        for i in range(bytes_ // p.item):
            memcpy(y + i * p.item, p.value, p.item)


cdef inline void _copy_one(const Pad* p, const char* x, char* y) noexcept nogil:
    if p.unit == 4:
        (<int*>y)[0] = (<const int*>x)[0]
    elif p.unit == 8:
        (<long long*>y)[0] = (<const long long*>x)[0]
    else:
        memcpy(y, x, p.unit)


cdef void _pad_axis(const Pad* p, int k, const char* x, char* y) noexcept nogil:
    cdef const Axis* a = &p.axes[k]
    cdef Py_ssize_t o = 0
    cdef bint last = k == p.naxes - 1
    while o < a.count:
        if a.table[o] < 0:
            _fill(p, y + o * a.stride, a.stride)
        elif not last:
            _pad_axis(p, k + 1, x + a.table[o] * a.step, y + o * a.stride)
        elif o == a.first and a.run:
            memcpy(y + o * a.stride, x + a.table[o] * a.step, a.run * p.unit)
            o += a.run
            continue
        else:
            _copy_one(p, x + a.table[o] * a.step, y + o * a.stride)
        o += 1


cdef void _pad_planes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Pad* p = <const Pad*>context
    cdef Py_ssize_t i
    for i in range(begin, end):
        _pad_axis(p, 0, p.x + i * p.plane, p.y + i * p.padded)


cdef void _add(const Pad* p, int k, const real_t* x, real_t* y) noexcept nogil:
    """Add the gradient `x` of the result to the gradient of the input."""
    cdef const Axis* a = &p.axes[k]
    cdef Py_ssize_t o = 0, q
    cdef bint last = k == p.naxes - 1
    cdef real_t* row
    while o < a.count:
        row = y + a.table[o] * a.step
        if not last:
            _add(p, k + 1, x + o * a.stride, row)
            o += 1
        elif o == a.first and a.run:
            for q in range(a.run * p.unit):
                row[q] += (x + o * a.stride)[q]
            o += a.run
        else:
            for q in range(p.unit):
                row[q] += (x + o * a.stride)[q]
            o += 1


cdef void _add_planes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Pad* p = <const Pad*>context
    cdef Py_ssize_t i
    for i in range(begin, end):
        memset(p.y + i * p.plane * p.item, 0, p.plane * p.item)
        if p.item == 4:
            _add[float](p, 0, <const float*>p.x + i * p.padded, <float*>p.y + i * p.plane)
        else:
            _add[double](p, 0, <const double*>p.x + i * p.padded, <double*>p.y + i * p.plane)


# --- kernels --------------------------------------------------------------------------------------------------------

cdef int _read_value(Pad* p, int dtype, PyObject* slot) except -1:
    """Read the fill value in the dtype of the elements."""
    cdef Array one
    value = <object>slot
    p.zeros = (value is None or type(value) is int or PyFloat_CheckExact(value)) and not value
    if p.zeros:
        return 0
    if dtype == D_FLOAT32 and PyFloat_CheckExact(value):
        (<float*>p.value)[0] = <float><double>value
    elif dtype == D_FLOAT64 and PyFloat_CheckExact(value):
        (<double*>p.value)[0] = <double>value
    else:
        filled = fresh(dtype, 0, NULL, &one)
        filled.fill_(value)
        memcpy(p.value, one.data, p.item)
    return 0


cdef object _padded(int mode, PyObject* tensor, PyObject* slot, PyObject* value, str name):
    cdef Array x, y
    cdef Pad p
    cdef Py_ssize_t[2 * MAX_NDIM] pad
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[SMALL] small
    cdef int given = read_ints(slot, pad, 2 * MAX_NDIM, name, "pad"), d, k
    # whether it preserves the memory format
    cdef bint channels_last = False, keeps = mode == CONSTANT or (mode != CIRCULAR and given > 2)
    cdef bint changes = mode != CONSTANT
    array_of(tensor, &x)
    if given % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {given}")
    if given > 2 * x.ndim:
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of the input. Pad "
                           f"length is {given} while the input has {x.ndim} dimensions.")
    for d in range(x.ndim):
        sizes[d] = x.sizes[d]
    if mode == REFLECT or mode == REPLICATE:
        _check_filled(&x, given // 2)
    for k in range(given // 2):
        d = x.ndim - 1 - k
        _check_axis(mode, d, &x, pad[2 * k], pad[2 * k + 1], given // 2)
        sizes[d] += pad[2 * k] + pad[2 * k + 1]
        changes = changes or pad[2 * k] or pad[2 * k + 1]
    if not changes:
        return copy_of(tensor)
    p.item = itemsize(x.dtype)
    if mode == CONSTANT:
        _read_value(&p, x.dtype, value)
    _source_held = operand(tensor, x.dtype, &channels_last, &x) if keeps else dense(tensor, x.dtype, &x)
    result = empty_in_format(channels_last, x.dtype, x.ndim, sizes, &y)
    _memory = _set_axes(&p, mode, x.ndim, x.sizes, pad, given, channels_last, small)
    _in_bytes(&p)
    p.x, p.y = x.data, y.data
    if y.numel == 0:
        pass
    elif p.naxes == 0:
        memcpy(p.y, p.x, y.numel * p.item)
    elif y.numel < GIL_FREE:
        _pad_planes(&p, 0, p.planes)
    else:
        with nogil:
            parallel_for(p.planes, max(<Py_ssize_t>1, GIL_FREE * p.item // max(p.padded, 1)), _pad_planes, &p)
    return result if channels_last or not keeps else in_format_of(result, tensor)


cdef void _in_bytes(Pad* p) noexcept:
    cdef int k
    for k in range(p.naxes):
        p.axes[k].step *= p.item
        p.axes[k].stride *= p.item
    p.unit *= p.item
    p.plane *= p.item
    p.padded *= p.item


cdef object _constant_pad(PyObject* op, PyObject** a):
    """(self, pad, value)"""
    return _padded(CONSTANT, a[0], a[1], a[2], "constant_pad_nd")


cdef object _pad_by_copies(PyObject* op, PyObject** a):
    """(self, pad, mode)"""
    return _padded(_MODES[<object>a[2]], a[0], a[1], NULL, "pad_by_copies")


cdef object _pad_by_copies_backward(PyObject* op, PyObject** a):
    """(grad_output, input_size, pad, mode)"""
    cdef Array g, y
    cdef Pad p
    cdef Py_ssize_t[2 * MAX_NDIM] pad
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[SMALL] small
    cdef int ndim = read_ints(a[1], sizes, MAX_NDIM, "pad_by_copies_backward", "input_size"), dtype, original, d
    cdef int given = read_ints(a[2], pad, 2 * MAX_NDIM, "pad_by_copies_backward", "pad"), mode = _MODES[<object>a[3]]
    cdef bint channels_last = False, good, parts
    array_of(a[0], &g)
    good = g.ndim == ndim and given % 2 == 0 and given <= 2 * ndim
    for d in range(ndim if good else 0):
        good = good and g.sizes[d] == sizes[d] + (
            pad[2 * (ndim - 1 - d)] + pad[2 * (ndim - 1 - d) + 1] if 2 * (ndim - 1 - d) < given else 0)
    if not good:
        raise RuntimeError(f"pad_by_copies_backward: grad_output of size {shape_text(g.ndim, g.sizes)} does not belong "
                           f"to an input of size {shape_text(ndim, sizes)}")
    original = g.dtype
    dtype = computed(original)
    parts = dtype == D_COMPLEX64 or dtype == D_COMPLEX128
    if dtype != D_FLOAT32 and dtype != D_FLOAT64 and not parts:
        raise NotImplementedError(f"\"pad_by_copies_backward\" not implemented for '{type_string(original)}'")
    _source_held = operand(a[0], dtype, &channels_last, &g)
    result = empty_in_format(channels_last, dtype, ndim, sizes, &y)
    _memory = _set_axes(&p, mode, ndim, sizes, pad, given, channels_last, small)
    p.item = 4 if dtype == D_FLOAT32 or dtype == D_COMPLEX64 else 8
    if parts:
        for d in range(p.naxes):
            p.axes[d].step *= 2
            p.axes[d].stride *= 2
        p.unit, p.plane, p.padded = 2 * p.unit, 2 * p.plane, 2 * p.padded
    p.x, p.y = g.data, y.data
    if y.numel == 0:
        pass
    elif p.naxes == 0:
        memcpy(p.y, p.x, y.numel * itemsize(dtype))
    elif g.numel < GIL_FREE:
        _add_planes(&p, 0, p.planes)
    else:
        with nogil:
            parallel_for(p.planes, max(<Py_ssize_t>1, GIL_FREE // max(p.padded, 1)), _add_planes, &p)
    result = converted(result, original)
    return result if channels_last else in_format_of(result, a[0])


constant_pad = new_kernel(_constant_pad)
pad_by_copies = new_kernel(_pad_by_copies)
pad_by_copies_backward = new_kernel(_pad_by_copies_backward)


# --- the operator that chooses between them -------------------------------------------------------------------------

cdef object _by_value = None, _by_copies = None
cdef object _nothing = 0
cdef dict _NAMES = {"reflect": "reflection", "replicate": "replication"}


def connect(by_value, by_copies):
    """Set the operators that `pad` calls."""
    global _by_value, _by_copies
    _by_value, _by_copies = by_value, by_copies


cdef inline object _called(object op, PyObject** args, Py_ssize_t n):
    cdef PyObject* result = PyObject_Vectorcall(<PyObject*>op, args, n, NULL)
    o = <object>result
    Py_DECREF(result)
    return o


cdef object _pad(PyObject* op, PyObject** a):
    """(self, pad, mode, value)"""
    cdef PyObject* args[3]
    cdef TensorInfo x
    cdef Py_ssize_t given, dims
    pad, mode = <object>a[1], <object>a[2]
    if type(pad) is int:
        pad = (pad,)
    args[0], args[1], args[2] = a[0], <PyObject*>pad, a[2]
    if mode == "constant":
        if a[3] == Py_None:
            args[2] = <PyObject*>_nothing
        else:
            args[2] = a[3]
        return _called(_by_value, args, 3)
    if mode not in _MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    tensor_info(a[0], &x)
    given = len(pad)
    if given % 2:
        raise RuntimeError(f"Padding length must be divisible by 2, but got {given}")
    if given > 2 * x.ndim:
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but got "
                           f"padding length {given} and input of dimension {x.ndim}")
    if a[3] != Py_None and <object>a[3] != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    dims = given // 2
    if (x.ndim != dims + 1 and x.ndim != dims + 2) or not 1 <= dims <= 3:
        raise NotImplementedError(
            f"Padding size {given} is not supported for {x.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)")
    if x.dtype == D_BOOL and mode != "circular":
        raise NotImplementedError(f"\"{_NAMES[mode]}_pad{dims}d\" not implemented for 'Bool'")
    return _called(_by_copies, args, 3)


pad = new_kernel(_pad)
