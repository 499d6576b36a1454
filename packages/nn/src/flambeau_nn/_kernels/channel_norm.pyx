# cython: language_level=3
"""Normalization of channels: each channel over all samples (batch norm), or groups of channels in each sample.

The channels are planes or last in memory. float16 and bfloat16 are computed in float32.
"""
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject
from libc cimport math

from flambeau_nn._kernels.channels_last_layout cimport (
    as_channels_last, empty_in_format, operand, reads_as_channels_last,
)
from flambeau_nn._kernels.compute_dtype cimport computed
from flambeau_nn._kernels.normalization_types cimport FACTORS, PARTS, Channels, channels_t
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT16, D_FLOAT32, D_FLOAT64, Array, array_of, converted, dense, fresh, in_format_of,
    parallel_for, read_float,
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
    FORWARD, BACKWARD, SUMS, SQUARES, PRODUCTS, ROWS_FORWARD, ROWS_BACKWARD, NLOOPS

cdef channels_t[NLOOPS][2] _loops  # for float and double


def _fill_table(loops):
    for k, name in enumerate(("forward", "backward", "sums", "squares", "products", "rows_forward", "rows_backward")):
        _loops[<int>k][0] = <channels_t><size_t>loops[name]["float32"]
        _loops[<int>k][1] = <channels_t><size_t>loops[name]["float64"]


_fill_table(hot("normalization", "flambeau_nn._kernels").CHANNELS)

cdef struct Work:
    Channels data
    channels_t loop


cdef void _task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Work* w = <Work*>context
    w.loop(&w.data, begin, end)


cdef int _run(Work* w, int loop, int dtype, Py_ssize_t units) except -1:
    w.loop = _loops[loop][dtype == D_FLOAT64]
    return _share(w, units)


cdef int _share(Work* w, Py_ssize_t units) except -1:
    cdef Py_ssize_t numel = w.data.samples * w.data.channels * w.data.positions
    if numel < GIL_FREE:
        _task(w, 0, units)
    else:
        with nogil:
            parallel_for(units, max(<Py_ssize_t>1, HEAVY_GRAIN * units // numel), _task, w)
    return 0


cdef class _Operands:
    """Dense operands of the computing dtype, kept alive, and memory for the loops."""
    cdef object x, weight, bias
    cdef char* memory
    cdef Array array
    cdef int dtype, original
    cdef bint channels_last, rows  # the memory format, or the channels are columns of a matrix

    def __dealloc__(self):
        PyMem_Free(self.memory)

    cdef char* reserve(self, Py_ssize_t n) except NULL:
        """Return n bytes of zeros that live as long as the object."""
        PyMem_Free(self.memory)
        self.memory = <char*>PyMem_Calloc(max(n, <Py_ssize_t>1), 1)
        if self.memory == NULL:
            raise MemoryError()
        return self.memory


cdef _Operands _prepare(Work* w, PyObject* x, PyObject* weight, PyObject* bias, PyObject* groups, PyObject* eps):
    cdef _Operands held = _Operands.__new__(_Operands)
    cdef Channels* d = &w.data
    cdef Array a
    cdef int i
    array_of(x, &a)
    if a.ndim < 2:
        raise RuntimeError(f"channel_norm: expected at least 2 dimensions, but got {a.ndim}")
    if a.dtype < D_FLOAT16 or a.dtype > D_FLOAT64:
        name = "GroupNormKernelImpl" if <object>groups else "batch_norm"
        raise NotImplementedError(f'"{name}" not implemented for \'{type_string(a.dtype)}\'')
    held.original = a.dtype
    held.dtype = computed(a.dtype)
    held.x = operand(x, held.dtype, &held.channels_last, &held.array)
    if not held.channels_last and reads_as_channels_last(x):
        held.x, held.channels_last = as_channels_last(x, held.dtype, &held.array), True
    d.x, d.eps, d.groups = held.array.data, read_float(eps), <object>groups
    d.samples, d.channels, d.positions = a.sizes[0], a.sizes[1], 1
    for i in range(2, a.ndim):
        d.positions *= a.sizes[i]
    if d.groups < 0 or (d.groups and d.channels % d.groups):
        raise RuntimeError(f"channel_norm: {d.channels} channels do not make {d.groups} groups")
    d.weight = d.bias = NULL
    if weight != <PyObject*>None:
        held.weight = _parameter(weight, held.dtype, d.channels, &a)
        d.weight = a.data
    if bias != <PyObject*>None:
        held.bias = _parameter(bias, held.dtype, d.channels, &a)
        d.bias = a.data
    held.rows = held.channels_last or d.positions == 1
    if held.rows:
        _make_parts(d, held)
    return held


cdef object _parameter(PyObject* t, int dtype, Py_ssize_t channels, Array* a):
    result = dense(t, dtype, a)
    if a.numel != channels:
        raise RuntimeError(f"channel_norm: expected weight and bias to have {channels} elements, but got {a.numel}")
    return result


cdef int _make_parts(Channels* d, _Operands held) except -1:
    cdef Py_ssize_t outer = d.samples if d.groups else 1, numbers, item = 4 if held.dtype == D_FLOAT32 else 8
    cdef char* memory
    d.rows = d.positions if d.groups else d.samples * d.positions
    d.parts = 1
    if d.samples * d.channels * d.positions >= GIL_FREE:
        d.parts = max(min(PARTS // max(outer, <Py_ssize_t>1), d.rows), <Py_ssize_t>1)
    numbers = outer * d.channels
    memory = held.reserve((16 * d.parts + 2 * item * d.parts + FACTORS * item) * numbers)
    d.sums = <double*>memory
    d.short_sums = memory + 16 * d.parts * numbers
    d.factors = <char*>d.short_sums + 2 * item * d.parts * numbers
    return 0


# --- channels last: combining the sums of the parts -----------------------------------------------------------------

cdef inline double _total(const Channels* d, Py_ssize_t outer, Py_ssize_t index) noexcept nogil:
    cdef double total = 0
    cdef Py_ssize_t part
    for part in range(outer * d.parts, (outer + 1) * d.parts):
        total += d.sums[2 * d.channels * part + index]
    return total


cdef void _statistics(const Channels* d, bint squares, real_t* tag) noexcept:
    """Compute means in the dtype of the loop; with `squares`, variances and the factors to apply."""
    cdef Py_ssize_t n = d.channels, width = max(n // d.groups, <Py_ssize_t>1) if d.groups else 1, sets, i, k, c, outer
    cdef Py_ssize_t count = d.rows * width
    cdef real_t* f
    cdef double total, square, off, variance, factor
    sets = n // width * (d.samples if d.groups else 1) if n else 0
    for i in range(sets):
        outer, c = i * width // n, i * width % n
        f = <real_t*>d.factors + outer * FACTORS * n
        total = square = 0
        for k in range(c, c + width):
            total += _total(d, outer, k)
            square += _total(d, outer, n + k)
        if not squares:
            for k in range(c, c + width):
                f[k] = <real_t>(total / count)
            continue
        off = total / count
        variance = square / count - off * off
        variance = 0 if variance < 0 else variance
        d.mean[i], d.variance[i] = f[c] + off, variance
        for k in range(c, c + width):
            factor = 1 / math.sqrt(variance + d.eps)
            factor = factor if d.weight == NULL else factor * (<const real_t*>d.weight)[k]
            f[n + k] = <real_t>factor
            f[2 * n + k] = <real_t>((0 if d.bias == NULL else (<const real_t*>d.bias)[k]) - off * factor)


cdef void _set_centers(const Channels* d, real_t* tag) noexcept:
    """Backward: set center and scale."""
    cdef Py_ssize_t n = d.channels, width = max(n // d.groups, <Py_ssize_t>1) if d.groups else 1, outer, k, at
    cdef real_t* f
    for outer in range(d.samples if d.groups else 1):
        f = <real_t*>d.factors + outer * FACTORS * n
        for k in range(n):
            at = (outer * n + k) // width
            f[k] = <real_t>d.mean[at]
            f[n + k] = <real_t>(1 / math.sqrt(d.variance[at] + d.eps))


cdef void _set_gradients(const Channels* d, double* of_weight, double* of_bias, real_t* tag) noexcept:
    """Backward: set the remaining factors, and the sums that are the gradients of weight and bias."""
    cdef Py_ssize_t n = d.channels, width = max(n // d.groups, <Py_ssize_t>1) if d.groups else 1, outer, at, c, k
    cdef real_t* f
    cdef double plain, along, v, scale, shift, of_grad, of_product
    for outer in range(0 if d.rows == 0 else d.samples if d.groups else 1):
        f = <real_t*>d.factors + outer * FACTORS * n
        for at in range(outer * n // width, (outer + 1) * n // width):
            c = at * width - outer * n
            plain = along = 0
            scale = 1 / math.sqrt(d.variance[at] + d.eps)
            shift = (d.mean[at] - f[c]) * scale
            for k in range(c, c + width):
                v = 1 if d.weight == NULL else (<const real_t*>d.weight)[k]
                of_grad = _total(d, outer, k)
                of_product = _total(d, outer, n + k) * scale - of_grad * shift
                plain += v * of_grad
                along += v * of_product
                of_bias[k] += of_grad
                of_weight[k] += of_product
            plain, along = plain / (d.rows * width), along / (d.rows * width)
            if d.fixed:
                plain = along = 0
            for k in range(c, c + width):
                v = 1 if d.weight == NULL else (<const real_t*>d.weight)[k]
                f[2 * n + k] = <real_t>(v * scale)
                f[3 * n + k] = <real_t>((plain - shift * along) * scale)
                f[4 * n + k] = <real_t>(along * scale)


# --- kernels --------------------------------------------------------------------------------------------------------

cdef object _forward(PyObject* op, PyObject** a):
    """Map (self, weight, bias, groups, eps) to the result, and to means and variances in double precision."""
    cdef Work w
    cdef Array out, mean, variance
    cdef _Operands held = _prepare(&w, a[0], a[1], a[2], a[3], a[4])
    cdef Channels* d = &w.data
    cdef Py_ssize_t[2] sizes
    cdef Py_ssize_t units
    cdef int step
    cdef bint single = held.dtype == D_FLOAT32
    result = empty_in_format(held.channels_last, held.dtype, held.array.ndim, held.array.sizes, &out)
    sizes[0], sizes[1] = d.samples if d.groups else d.channels, d.groups
    means = fresh(D_FLOAT64, 2 if d.groups else 1, sizes, &mean)
    variances = fresh(D_FLOAT64, 2 if d.groups else 1, sizes, &variance)
    d.out, d.mean, d.variance = out.data, <double*>mean.data, <double*>variance.data
    if held.rows:
        units = d.parts * (d.samples if d.groups else 1)
        for step in range(2):
            _run(&w, SQUARES if step else SUMS, held.dtype, units)
            if single:
                _statistics[float](d, step == 1, NULL)
            else:
                _statistics[double](d, step == 1, NULL)
        _run(&w, ROWS_FORWARD, held.dtype, units)
    else:
        _run(&w, FORWARD, held.dtype, mean.numel)
    result = converted(result, held.original)
    return result if held.channels_last else in_format_of(result, a[0]), means, variances


cdef object _gradient_of(PyObject* parameter, const double* sums, int dtype):
    cdef Array like, out
    cdef Py_ssize_t i
    if parameter == <PyObject*>None:
        return None
    array_of(parameter, &like)
    t = fresh(D_FLOAT64, like.ndim, like.sizes, &out)
    for i in range(out.numel):
        (<double*>out.data)[i] = sums[i]
    return converted(t, like.dtype)


cdef object _gradients(PyObject* grad, PyObject* x, PyObject* weight, PyObject* bias, PyObject* means,
                       PyObject* variances, PyObject* groups, PyObject* eps, bint fixed):
    """Return the gradients of self, weight and bias; with `fixed`, means and variances are constants."""
    cdef Work w
    cdef Array g, out, mean, variance
    cdef _Operands held = _prepare(&w, x, weight, bias, groups, eps)
    cdef Channels* d = &w.data
    cdef Py_ssize_t units, n = d.channels, i
    cdef bint single = held.dtype == D_FLOAT32
    cdef double* of_weight
    cdef double* of_bias
    d.fixed = fixed
    _grad = as_channels_last(grad, held.dtype, &g) if held.channels_last else dense(grad, held.dtype, &g)
    _mean, _variance = dense(means, D_FLOAT64, &mean), dense(variances, D_FLOAT64, &variance)
    if g.numel != held.array.numel or mean.numel != (d.samples * d.groups if d.groups else n) or \
            variance.numel != mean.numel:
        raise RuntimeError("channel_norm_backward: sizes of the gradient, of means or variances are not the input's")
    result = empty_in_format(held.channels_last, held.dtype, held.array.ndim, held.array.sizes, &out)
    d.grad, d.grad_x = g.data, out.data
    d.mean, d.variance = <double*>mean.data, <double*>variance.data
    _sums = bytearray(16 * n + 1)
    of_weight = <double*><char*>_sums
    of_bias = of_weight + n
    if held.rows:
        units = d.parts * (d.samples if d.groups else 1)
        if single:
            _set_centers[float](d, NULL)
        else:
            _set_centers[double](d, NULL)
        _run(&w, PRODUCTS, held.dtype, units)
        if single:
            _set_gradients[float](d, of_weight, of_bias, NULL)
        else:
            _set_gradients[double](d, of_weight, of_bias, NULL)
        _run(&w, ROWS_BACKWARD, held.dtype, units)
    else:
        d.sums = <double*>held.reserve(16 * d.samples * n)
        _run(&w, BACKWARD, held.dtype, mean.numel)
        for i in range(d.samples * n):
            of_bias[i % n] += d.sums[2 * i]
            of_weight[i % n] += d.sums[2 * i + 1]
    result = converted(result, held.original)
    return (result if held.channels_last else in_format_of(result, x), _gradient_of(weight, of_weight, held.dtype),
            _gradient_of(bias, of_bias, held.dtype))


cdef object _backward(PyObject* op, PyObject** a):
    """(grad_output, self, weight, bias, mean, variance, groups, eps)"""
    return _gradients(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], False)


# --- normalization by given statistics ------------------------------------------------------------------------------

cdef void _scale_planes(const Channels* d, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Compute x · scale + shift; a plane is a channel of a sample, or with channels last a row of channels."""
    cdef Py_ssize_t i, k, n = d.positions
    cdef const real_t* scale = <const real_t*>d.factors
    cdef const real_t* shift = scale + d.channels
    cdef const real_t* x
    cdef real_t* y
    cdef real_t a, b
    for i in range(begin, end):
        if d.rows:
            x, y = <const real_t*>d.x + i * d.channels, <real_t*>d.out + i * d.channels
            for k in range(d.channels):
                y[k] = x[k] * scale[k] + shift[k]
        else:
            x, y = <const real_t*>d.x + i * n, <real_t*>d.out + i * n
            a, b = scale[i % d.channels], shift[i % d.channels]
            for k in range(n):
                y[k] = x[k] * a + b


cdef void _scale_float(const Channels* d, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _scale_planes[float](d, begin, end, NULL)


cdef void _scale_double(const Channels* d, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _scale_planes[double](d, begin, end, NULL)


cdef void _set_scales(const Channels* d, const real_t* mean, const real_t* variance) noexcept:
    cdef real_t* scale = <real_t*>d.factors
    cdef double factor
    cdef Py_ssize_t k
    for k in range(d.channels):
        factor = 1 / math.sqrt(variance[k] + d.eps)
        factor = factor if d.weight == NULL else factor * (<const real_t*>d.weight)[k]
        scale[k] = <real_t>factor
        scale[d.channels + k] = <real_t>((0 if d.bias == NULL else (<const real_t*>d.bias)[k]) - mean[k] * factor)


cdef object _scaled(PyObject* op, PyObject** a):
    """(self, mean, variance, weight, bias, eps)"""
    cdef Work w
    cdef Array out, mean, variance
    cdef _Operands held = _prepare(&w, a[0], a[3], a[4], <PyObject*>_no_groups, a[5])
    cdef Channels* d = &w.data
    cdef Py_ssize_t units
    _mean = _parameter(a[1], held.dtype, d.channels, &mean)
    _variance = _parameter(a[2], held.dtype, d.channels, &variance)
    d.rows = 1 if held.rows else 0
    units = d.samples * (d.positions if held.rows else d.channels)
    d.factors = held.reserve(16 * d.channels)
    result = empty_in_format(held.channels_last, held.dtype, held.array.ndim, held.array.sizes, &out)
    d.out = out.data
    if held.dtype == D_FLOAT32:
        _set_scales[float](d, <const float*>mean.data, <const float*>variance.data)
        w.loop = _scale_float
    else:
        _set_scales[double](d, <const double*>mean.data, <const double*>variance.data)
        w.loop = _scale_double
    _share(&w, units)
    result = converted(result, held.original)
    return result if held.channels_last else in_format_of(result, a[0])


cdef object _scale_backward(PyObject* op, PyObject** a):
    """(grad_output, self, mean, variance, weight, bias, eps)"""
    return _gradients(a[0], a[1], a[4], a[5], a[2], a[3], <PyObject*>_no_groups, a[6], True)


cdef object _no_groups = 0
channel_scale = new_kernel(_scaled)
channel_scale_backward = new_kernel(_scale_backward)
channel_norm = new_kernel(_forward)
channel_norm_backward = new_kernel(_backward)
