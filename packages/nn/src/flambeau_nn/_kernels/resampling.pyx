# cython: language_level=3
"""Resampling of images to other sizes, along one axis after another.

A table lists the elements that contribute to each result. Every mode is such a table: with one element (nearest), two
(linear), four (cubic), or the width of a filter (with antialiasing). The gradient uses the same table in the opposite
direction. float16, bfloat16 and uint8 are computed in float32.
"""
from cpython.object cimport PyObject
from libc cimport math

from flambeau_nn._kernels.channels_last_layout cimport empty_in_format, operand
from flambeau_nn._kernels.resampling_types cimport Resampled, resampled_t
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BFLOAT16, D_FLOAT16, D_FLOAT32, D_FLOAT64, D_UINT8, Array, array_of, converted, fresh,
    in_format_of, parallel_for, read_ints, shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE, HEAVY_GRAIN

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

ctypedef fused real_t:
    float
    double

cdef enum:
    MAX_NDIM = 64

cdef enum:  # modes
    NEAREST = 0
    NEAREST_EXACT = 1
    LINEAR = 2
    CUBIC = 3
    LANCZOS = 4

cdef dict _MODES = {"nearest": NEAREST, "nearest-exact": NEAREST_EXACT, "linear": LINEAR, "bilinear": LINEAR,
                    "trilinear": LINEAR, "bicubic": CUBIC, "lanczos": LANCZOS}
_loops = hot("resampling", "flambeau_nn._kernels").LOOPS

cdef struct Axis:
    int mode
    bint align_corners, antialias
    Py_ssize_t size, count, taps
    double factor  # given by the user; 0: it follows from the sizes
    Py_ssize_t* places
    double* weights


# --- tables ---------------------------------------------------------------------------------------------------------

cdef inline real_t _step(const Axis* a, real_t tag) noexcept:
    """Return the distance of positions in the input."""
    if a.align_corners:
        return <real_t>(a.size - 1) / <real_t>(a.count - 1) if a.count > 1 else 0
    return <real_t>(1.0 / a.factor) if a.factor > 0 else <real_t>a.size / <real_t>a.count


cdef inline real_t _cubic(real_t x, real_t sharpness) noexcept:
    """Evaluate the cubic convolution kernel (Keys, 1981)."""
    x = math.fabs(x)
    if x < 1:
        return ((sharpness + 2) * x - (sharpness + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * sharpness if x < 2 else 0


cdef inline real_t _filter(int mode, real_t x) noexcept:
    if mode == LINEAR:
        return <real_t>max(1 - math.fabs(x), 0.0)
    if mode == CUBIC:
        return _cubic[real_t](x, <real_t>-0.5)
    if x == 0:
        return 1
    if math.fabs(x) >= 3:
        return 0
    return <real_t>(3 * math.sin(math.M_PI * x) * math.sin(math.M_PI * x / 3) / (math.M_PI * math.M_PI * x * x))


cdef Py_ssize_t _reach(const Axis* a, double* support) noexcept:
    """Return how many elements contribute to a position; set `support` to the half width of the filter."""
    cdef double step = _step[double](a, 0)
    support[0] = 0
    if a.antialias:
        support[0] = (1.0 if a.mode == LINEAR else 2.0 if a.mode == CUBIC else 3.0) * max(step, 1.0)
        return <Py_ssize_t>math.ceil(support[0]) * 2 + 1
    return 1 if a.mode <= NEAREST_EXACT else 2 if a.mode == LINEAR else 4


cdef void _fill(Axis* a, real_t tag) noexcept:
    """Fill the table, in the precision of the elements, which determines how halves are rounded."""
    cdef real_t step = _step[real_t](a, 0), at, rest, total, inverse, support
    cdef Py_ssize_t i, t, first, n
    cdef Py_ssize_t* places = a.places
    cdef double* weights = a.weights
    for i in range(a.count):
        if a.antialias:
            support = (1 if a.mode == LINEAR else 2 if a.mode == CUBIC else 3) * (step if step >= 1 else 1)
            inverse = 1 / step if step >= 1 else 1
            at = step * (i + <real_t>0.5)
            first = max(<Py_ssize_t>(at - support + <real_t>0.5), <Py_ssize_t>0)
            n = min(min(<Py_ssize_t>(at + support + <real_t>0.5), a.size) - first, a.taps)
            total = 0
            for t in range(a.taps):
                places[t], weights[t] = min(first + t, a.size - 1), 0
                if t < n:
                    weights[t] = _filter[real_t](a.mode, (t + first - at + <real_t>0.5) * inverse)
                    total += <real_t>weights[t]
            for t in range(n):
                weights[t] = <real_t>weights[t] / total if total != 0 else 0
        elif a.mode == NEAREST:
            places[0], weights[0] = min(<Py_ssize_t>math.floorf(<float>(step * i)), a.size - 1), 1
        elif a.mode == NEAREST_EXACT:
            at = step * (i + <real_t>0.5) - <real_t>0.5
            places[0] = min(max(<Py_ssize_t>math.floorf(<float>(at + <real_t>0.5)), <Py_ssize_t>0), a.size - 1)
            weights[0] = 1
        elif a.mode == LINEAR:
            at = step * i if a.align_corners else max(step * (i + <real_t>0.5) - <real_t>0.5, <real_t>0)
            first = min(<Py_ssize_t>at, a.size - 1)
            rest = min(max(at - first, <real_t>0), <real_t>1)
            if a.size == a.count:  # regardless of the factor
                first, rest = i, 0
            places[0], places[1] = first, min(first + 1, a.size - 1)
            weights[0], weights[1] = 1 - rest, rest
        else:
            at = step * i if a.align_corners else step * (i + <real_t>0.5) - <real_t>0.5
            first = <Py_ssize_t>math.floor(at)
            rest = min(max(at - first, <real_t>0), <real_t>1)
            for t in range(4):
                places[t] = min(max(first - 1 + t, <Py_ssize_t>0), a.size - 1)
                weights[t] = _cubic[real_t](rest + 1 - t, <real_t>-0.75)
        places += a.taps
        weights += a.taps


cdef object _table(Axis* a, int dtype):
    """Return memory for the table, which the caller keeps while it uses the table."""
    cdef double support
    cdef Array table
    cdef Py_ssize_t[3] sizes
    a.taps = _reach(a, &support)
    sizes[0], sizes[1], sizes[2] = 2, a.count, a.taps
    memory = fresh(D_FLOAT64, 3, sizes, &table)
    a.places, a.weights = <Py_ssize_t*>table.data, <double*>table.data + a.count * a.taps
    if dtype == D_FLOAT64:
        _fill[double](a, 0)
    else:
        _fill[float](a, 0)
    return memory


cdef bint _is_copy(const Axis* a) noexcept:
    """Whether the table copies every element to the same position."""
    cdef Py_ssize_t i
    if a.size != a.count:
        return False
    for i in range(a.count * a.taps):
        if a.weights[i] != (a.places[i] == i // a.taps):
            return False
    return True


# --- one axis after another -----------------------------------------------------------------------------------------

cdef struct Work:
    Resampled r
    resampled_t loop


cdef void _planes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    (<Work*>context).loop(&(<Work*>context).r, begin, end)


cdef object _along(object source, int dim, bint channels_last, Axis* axis, int dtype, str direction):
    """Resample `source`, contiguous or `channels_last`, along axis `dim`."""
    cdef Array x, y
    cdef Work work
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t outer = 1
    cdef int d
    array_of(<PyObject*>source, &x)
    work.r.inner = 1
    for d in range(x.ndim):
        sizes[d] = x.sizes[d]
        if d > dim or (channels_last and d == 1):
            work.r.inner *= x.sizes[d]
        elif d < dim:
            outer *= x.sizes[d]
    sizes[dim] = axis.count if direction == "forward" else axis.size
    result = empty_in_format(channels_last, dtype, x.ndim, sizes, &y)
    work.r.size, work.r.count, work.r.taps = axis.size, axis.count, axis.taps
    work.r.places, work.r.weights, work.r.x, work.r.y = axis.places, axis.weights, x.data, y.data
    work.loop = <resampled_t><size_t>_loops[direction]["float32" if dtype == D_FLOAT32 else "float64"]
    if y.numel + x.numel < GIL_FREE:
        _planes(&work, 0, outer)
    else:
        with nogil:
            parallel_for(outer, max(<Py_ssize_t>1, HEAVY_GRAIN * outer // max(y.numel * axis.taps, 1)), _planes,
                         &work)
    return result


cdef str _kind(int mode, bint antialias):
    if antialias:
        return "compute_indices_weights_aa"
    return ("compute_indices_weights_nearest", "compute_indices_weights_nearest", "compute_indices_weights_linear",
            "compute_indices_weights_cubic", "compute_indices_weights_aa")[mode]


cdef object _run(PyObject* tensor, PyObject* size_of_other, PyObject** settings, str direction):
    """Run the resampling; `settings`: mode, align_corners, scales, antialias."""
    cdef Array x
    cdef Py_ssize_t[MAX_NDIM] other
    cdef Axis[MAX_NDIM] axes
    cdef bint forward = direction == "forward", channels_last
    cdef int given = read_ints(size_of_other, other, MAX_NDIM, "resample", "size"), d, n, dtype, original
    array_of(tensor, &x)
    original = x.dtype
    n = x.ndim - 2
    if x.ndim < 3 or given != (n if forward else x.ndim):
        raise RuntimeError(f"resample: a size of {given} numbers for a tensor of {x.ndim} dimensions")
    mode = _MODES.get(<object>settings[0])
    if mode is None:
        raise RuntimeError(f"resample: no mode {<object>settings[0]!r}")
    factors = tuple(<object>settings[2]) or (0.0,) * n
    if len(factors) != n:
        raise RuntimeError(f"resample: {len(factors)} scales for {n} dimensions")
    if original == D_FLOAT16 or original == D_BFLOAT16 or original == D_FLOAT32:
        dtype = D_FLOAT32
    elif original == D_FLOAT64:
        dtype = D_FLOAT64
    elif original == D_UINT8 and (mode <= NEAREST_EXACT or n == 2):
        dtype = D_FLOAT32
    else:
        raise NotImplementedError(f"\"{_kind(mode, <object>settings[3] is True)}\" not implemented for "
                                  f"'{type_string(original)}'")
    if (x.sizes[1] if forward else other[1]) == 0:
        raise RuntimeError(f"Non-empty {x.ndim}D data tensor expected but got a tensor with sizes "
                           f"{shape_text(x.ndim, x.sizes)}")
    memory = []
    for d in range(n):
        axes[d].mode, axes[d].align_corners = mode, <object>settings[1] is True
        axes[d].antialias = <object>settings[3] is True and mode > NEAREST_EXACT
        axes[d].factor = factors[d]
        axes[d].size = x.sizes[2 + d] if forward else other[2 + d]
        axes[d].count = other[d] if forward else x.sizes[2 + d]
    for d in range(n):
        if axes[d].size <= 0 or axes[d].count <= 0:
            sides = ("W", "HW", "DHW")[n - 1] if n <= 3 else "?" * n
            into = ", ".join([f"{sides[k]}: {axes[k].size}" for k in range(n)])
            out = ", ".join([f"{sides[k]}: {axes[k].count}" for k in range(n)])
            raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({into})"
                               f"{' and' if n == 1 else ''} output ({out})")
        memory.append(_table(&axes[d], dtype))
    result = operand(tensor, dtype, &channels_last, &x)
    unchanged = result
    for d in range(n - 1, -1, -1):
        if not _is_copy(&axes[d]):
            result = _along(result, 2 + d, channels_last, &axes[d], dtype, direction)
            if original == D_UINT8 and mode > NEAREST_EXACT:
                _round(result)
    if result is unchanged and result is <object>tensor:
        result = _copied(result, channels_last, dtype)
    result = converted(result, original)
    return result if channels_last else in_format_of(result, tensor)


cdef object _copied(object tensor, bint channels_last, int dtype):
    """Return a copy in new memory."""
    cdef Axis axis
    cdef Array x
    array_of(<PyObject*>tensor, &x)
    axis.mode, axis.align_corners, axis.antialias, axis.factor = NEAREST, False, False, 0
    axis.size = axis.count = x.sizes[x.ndim - 1]
    _memory = _table(&axis, dtype)
    return _along(tensor, x.ndim - 1, channels_last, &axis, dtype, "forward")


cdef void _round(object tensor):
    """Round to integers in the range of a byte."""
    cdef Array x
    cdef Py_ssize_t i
    cdef float v
    array_of(<PyObject*>tensor, &x)
    for i in range(x.numel):
        v = math.floorf((<float*>x.data)[i] + <float>0.5)
        (<float*>x.data)[i] = min(max(v, <float>0), <float>255)


cdef object _resample(PyObject* op, PyObject** a):
    """(self, output_size, mode, align_corners, scales, antialias)"""
    return _run(a[0], a[1], &a[2], "forward")


cdef object _resample_backward(PyObject* op, PyObject** a):
    """(grad_output, input_size, mode, align_corners, scales, antialias)"""
    return _run(a[0], a[1], &a[2], "backward")


resample = new_kernel(_resample)
resample_backward = new_kernel(_resample_backward)
