# cython: language_level=3
"""Losses of scores and labels: the negative log-likelihood, and sums of margins over the other classes.

float16 and bfloat16 are computed in float32.
"""
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

from flambeau_nn._kernels cimport loss
from flambeau_nn._kernels.compute_dtype cimport computed
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT32, D_FLOAT64, D_INT64, D_UINT8, Array, array_of, converted, dense, fresh, itemsize,
    parallel_for, read_float, shape_text,
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
    MAX_NDIM = 64

cdef struct Scores:
    Py_ssize_t rows, classes, inner  # the number of interleaved rows: (samples, classes, inner)
    const void* x
    const int64_t* labels  # one per row; for multiple labels one per class, ended by -1
    const void* weight  # one per class, or NULL
    int64_t ignored
    int power
    double margin
    uint8_t* is_label  # for multiple labels, a flag per class of a row
    void* losses  # one per row
    const void* grads  # one per row, or one for all
    Py_ssize_t grad_step
    double factor  # multiplies every gradient
    void* result  # same layout as `x`

ctypedef void (*scores_t)(void* scores, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

cdef class _Held:
    """Keeps the memory that the scores point to alive."""
    cdef object x, labels, weight, flags
    cdef int dtype, original, reduction
    cdef double total  # the divisor of a mean


# --- loops ----------------------------------------------------------------------------------------------------------

cdef void _nll(const Scores* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t i, k = begin % s.inner
    cdef int64_t y
    cdef real_t v
    cdef const real_t* x = <const real_t*>s.x + begin // s.inner * s.classes * s.inner
    for i in range(begin, end):
        y, v = s.labels[i], 0
        if y != s.ignored:
            v = -x[y * s.inner + k]
            if s.weight != NULL:
                v *= (<const real_t*>s.weight)[y]
        (<real_t*>s.losses)[i] = v
        k += 1
        if k == s.inner:
            k = 0
            x += s.classes * s.inner


cdef void _nll_backward(const Scores* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Add to the result, which is zero-initialized."""
    cdef Py_ssize_t i, k = begin % s.inner
    cdef int64_t y
    cdef real_t v
    cdef real_t* out = <real_t*>s.result + begin // s.inner * s.classes * s.inner
    for i in range(begin, end):
        y = s.labels[i]
        if y != s.ignored:
            v = -(<const real_t*>s.grads)[i * s.grad_step] * <real_t>s.factor
            if s.weight != NULL:
                v *= (<const real_t*>s.weight)[y]
            out[y * s.inner + k] = v
        k += 1
        if k == s.inner:
            k = 0
            out += s.classes * s.inner


cdef inline real_t _beyond(const real_t* x, Py_ssize_t n, real_t base, int power) noexcept nogil:
    """Return the sum of the margins, or of their squares, of `n` classes."""
    cdef Py_ssize_t j
    cdef real_t z, total = 0
    if power == 1:
        for j in range(n):
            z = base + x[j]
            total += z if z > 0 else 0
    else:
        for j in range(n):
            z = base + x[j]
            total += z * z if z > 0 else 0
    return total


cdef void _margin(const Scores* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t i, y
    cdef const real_t* x
    cdef real_t total, base
    for i in range(begin, end):
        x, y = <const real_t*>s.x + i * s.classes, s.labels[i]
        base = <real_t>s.margin - x[y]
        total = _beyond(x, y, base, s.power) + _beyond(x + y + 1, s.classes - y - 1, base, s.power)
        if s.weight != NULL:
            total *= (<const real_t*>s.weight)[y]
        (<real_t*>s.losses)[i] = total / s.classes


cdef void _margin_backward(const Scores* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t i, j, y
    cdef const real_t* x
    cdef real_t* out
    cdef real_t total, z, base, g
    for i in range(begin, end):
        x, out, y = <const real_t*>s.x + i * s.classes, <real_t*>s.result + i * s.classes, s.labels[i]
        base, total = <real_t>s.margin - x[y], 0
        g = (<const real_t*>s.grads)[i * s.grad_step] * <real_t>(s.factor * s.power / s.classes)
        if s.weight != NULL:
            g *= (<const real_t*>s.weight)[y]
        for j in range(s.classes):
            z = base + x[j]
            out[j] = 0 if not z > 0 else g if s.power == 1 else g * z
        out[y] = 0
        for j in range(s.classes):
            total += out[j]
        out[y] = -total


cdef Py_ssize_t _labels_of(const Scores* s, Py_ssize_t i) noexcept nogil:
    """Set the flags of a row's labels and return the number of labels."""
    cdef const int64_t* y = s.labels + i * s.classes
    cdef uint8_t* flags = s.is_label + i * s.classes
    cdef Py_ssize_t k = 0
    while k < s.classes and y[k] >= 0:
        flags[y[k]] = 1
        k += 1
    return k


cdef void _margins(const Scores* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t i, j, k, n
    cdef const real_t* x
    cdef const uint8_t* flags
    cdef real_t total, z, base
    for i in range(begin, end):
        x, flags = <const real_t*>s.x + i * s.classes, s.is_label + i * s.classes
        n, total = _labels_of(s, i), 0
        for k in range(n):
            base = 1 - x[s.labels[i * s.classes + k]]
            for j in range(s.classes):
                z = base + x[j]
                total += 0 if flags[j] or not z > 0 else z
        (<real_t*>s.losses)[i] = total / s.classes


cdef void _margins_backward(const Scores* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Add to the result, which is zero-initialized."""
    cdef Py_ssize_t i, j, k, n, y, count
    cdef const real_t* x
    cdef const uint8_t* flags
    cdef real_t* out
    cdef real_t base, g
    for i in range(begin, end):
        x, out, flags = <const real_t*>s.x + i * s.classes, <real_t*>s.result + i * s.classes, \
            s.is_label + i * s.classes
        g = (<const real_t*>s.grads)[i * s.grad_step] * <real_t>(s.factor / s.classes)
        n = _labels_of(s, i)
        for k in range(n):
            y = s.labels[i * s.classes + k]
            base, count = 1 - x[y], 0
            for j in range(s.classes):
                if not flags[j] and base + x[j] > 0:
                    out[j] += g
                    count += 1
            out[y] -= g * count


cdef void _nll_float(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _nll[float](<const Scores*>s, begin, end, NULL)


cdef void _nll_double(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _nll[double](<const Scores*>s, begin, end, NULL)


cdef void _nll_backward_float(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _nll_backward[float](<const Scores*>s, begin, end, NULL)


cdef void _nll_backward_double(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _nll_backward[double](<const Scores*>s, begin, end, NULL)


cdef void _margin_float(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _margin[float](<const Scores*>s, begin, end, NULL)


cdef void _margin_double(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _margin[double](<const Scores*>s, begin, end, NULL)


cdef void _margin_backward_float(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _margin_backward[float](<const Scores*>s, begin, end, NULL)


cdef void _margin_backward_double(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _margin_backward[double](<const Scores*>s, begin, end, NULL)


cdef void _margins_float(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _margins[float](<const Scores*>s, begin, end, NULL)


cdef void _margins_double(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _margins[double](<const Scores*>s, begin, end, NULL)


cdef void _margins_backward_float(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _margins_backward[float](<const Scores*>s, begin, end, NULL)


cdef void _margins_backward_double(void* s, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _margins_backward[double](<const Scores*>s, begin, end, NULL)


cdef int _run(Scores* s, scores_t loop, Py_ssize_t work) except -1:
    """Run a loop; `work` is the number of elements of a row that it reads."""
    if s.rows * work < GIL_FREE:
        loop(s, 0, s.rows)
    else:
        with nogil:
            parallel_for(s.rows, max(<Py_ssize_t>1, GIL_FREE // max(work, <Py_ssize_t>1)), loop, s)
    return 0


# --- results --------------------------------------------------------------------------------------------------------

cdef object _losses(Scores* s, _Held held, scores_t loop, Py_ssize_t work, int ndim, const Py_ssize_t* sizes):
    """Return the reduction of the losses of all rows; `sizes` is the shape of the losses."""
    cdef Array out, scalar
    cdef double total
    each = fresh(held.dtype, ndim, sizes, &out)
    s.losses = out.data
    _run(s, loop, work)
    if held.reduction == loss.NONE:
        return converted(each, held.original)
    total = loss.sum_of(out.data, s.rows, held.dtype)
    if held.reduction == loss.MEAN:
        total = total / held.total
    result = fresh(held.dtype, 0, NULL, &scalar)
    if held.dtype == D_FLOAT32:
        (<float*>scalar.data)[0] = <float>total
    else:
        (<double*>scalar.data)[0] = total
    return converted(result, held.original)


cdef object _gradient(str name, Scores* s, _Held held, scores_t loop, Py_ssize_t work, PyObject* grad, PyObject* x,
                      bint zeros):
    """Return the gradient of the scores `x`; `zeros`: whether the loop needs a zero-initialized result."""
    cdef Array g, a, out
    _grads = dense(grad, held.dtype, &g)
    if g.numel != (s.rows if held.reduction == loss.NONE else 1):
        raise RuntimeError(f"{name}: a gradient of {g.numel} elements for "
                           f"{s.rows if held.reduction == loss.NONE else 1}")
    array_of(x, &a)
    result = fresh(held.dtype, a.ndim, a.sizes, &out)
    if zeros:
        memset(out.data, 0, out.numel * itemsize(held.dtype))
    s.grads, s.grad_step, s.result = g.data, 1 if held.reduction == loss.NONE else 0, out.data
    s.factor = 1 / held.total if held.reduction == loss.MEAN else 1
    _run(s, loop, work)
    return converted(result, held.original)


cdef _Held _begin(Scores* s, PyObject* x, PyObject* reduction):
    cdef Array a
    cdef _Held held = _Held.__new__(_Held)
    array_of(x, &a)
    held.reduction, held.original = loss.reduction_of(reduction), a.dtype
    held.dtype = computed(a.dtype)
    s.inner, s.weight, s.is_label, s.ignored = 1, NULL, NULL, -1
    return held


cdef int _check_floating(str name, _Held held) except -1:
    if held.dtype != D_FLOAT32 and held.dtype != D_FLOAT64:
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_string(held.original)}'")
    return 0


# --- the negative log-likelihood ------------------------------------------------------------------------------------

cdef int _check_target(Array* x, Array* y) except -1:
    cdef int d, dim = 0 if x.ndim == 1 else 1
    cdef bint good = y.ndim == max(x.ndim - 1, 0)
    if x.ndim == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if x.ndim == 1 and y.ndim == 1:
        if y.sizes[0] != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {y.sizes[0]}")
    if dim and good:
        good = x.sizes[0] == y.sizes[0]
    if not good:
        if x.ndim > 1 and y.ndim and x.sizes[0] != y.sizes[0]:
            raise ValueError(f"Expected input batch_size ({x.sizes[0]}) to match target batch_size ({y.sizes[0]}).")
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if y.dtype != D_INT64 and y.dtype != D_UINT8:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_string(y.dtype)}")
    for d in range(2, x.ndim):
        if x.sizes[d] != y.sizes[d - 1]:
            raise RuntimeError(f"size mismatch (got input: {shape_text(x.ndim, x.sizes)}, target: "
                               f"{shape_text(y.ndim, y.sizes)})")
    return 0


cdef _Held _set_nll(Scores* s, PyObject** a):
    """(self, target, weight, ignore_index, reduction)"""
    cdef Array x, y, w
    cdef Py_ssize_t i
    cdef int d
    cdef _Held held = _begin(s, a[0], a[4])
    array_of(a[0], &x)
    array_of(a[1], &y)
    _check_target(&x, &y)
    if a[2] != <PyObject*>None:
        array_of(a[2], &w)
        if w.dtype != x.dtype:
            raise RuntimeError(f"expected scalar type {type_string(x.dtype)} but found {type_string(w.dtype)}")
    _check_floating("nll_loss_out_frame", held)
    s.classes, s.rows, s.ignored = x.sizes[0 if x.ndim == 1 else 1], y.numel, <object>a[3]
    if a[2] != <PyObject*>None:
        if w.ndim != 1 or w.numel != s.classes:
            raise RuntimeError(f"weight tensor should be defined either for all {s.classes} classes or no classes but "
                               f"got weight tensor of shape: {shape_text(w.ndim, w.sizes)}")
        held.weight = dense(a[2], held.dtype, &w)
        s.weight = w.data
    for d in range(2, x.ndim):
        s.inner *= max(x.sizes[d], <Py_ssize_t>1)
    held.x, held.labels = dense(a[0], held.dtype, &x), dense(a[1], D_INT64, &y)
    s.x, s.labels, held.total = x.data, <const int64_t*>y.data, 0
    for i in range(s.rows):
        if s.labels[i] == s.ignored:
            continue
        if not 0 <= s.labels[i] < s.classes:
            raise IndexError(f"Target {s.labels[i]} is out of bounds.")
        if s.weight == NULL:
            held.total += 1
        elif held.dtype == D_FLOAT32:
            held.total += (<const float*>s.weight)[s.labels[i]]
        else:
            held.total += (<const double*>s.weight)[s.labels[i]]
    return held


cdef object _nll_loss(PyObject* op, PyObject** a):
    cdef Scores s
    cdef Array y
    cdef _Held held = _set_nll(&s, a)
    array_of(a[1], &y)
    return _losses(&s, held, _nll_float if held.dtype == D_FLOAT32 else _nll_double, 1, y.ndim, y.sizes)


cdef object _nll_loss_backward(PyObject* op, PyObject** a):
    """(grad_output, …)"""
    cdef Scores s
    cdef _Held held = _set_nll(&s, a + 1)
    return _gradient("nll_loss_backward", &s, held,
                     _nll_backward_float if held.dtype == D_FLOAT32 else _nll_backward_double, 1, a[0], a[1], True)


# --- margins --------------------------------------------------------------------------------------------------------

cdef int _set_rows(Scores* s, Array* x) except -1:
    """Set (N, C) from a shape (N, C), (C) or ()."""
    if x.ndim > 2 or (x.ndim and x.sizes[x.ndim - 1] == 0):
        raise RuntimeError("Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                           f"{shape_text(x.ndim, x.sizes)}")
    s.classes = x.sizes[x.ndim - 1] if x.ndim else 1
    s.rows = x.sizes[0] if x.ndim == 2 else 1
    return 0


cdef _Held _set_margin(Scores* s, PyObject** a):
    """(self, target, weight, p, reduction, margin)"""
    cdef Array x, y, w
    cdef Py_ssize_t i
    cdef _Held held = _begin(s, a[0], a[4])
    s.power = 0 if not -9 < <object>a[3] < 9 else <object>a[3]
    if s.power != 1 and s.power != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if a[2] != <PyObject*>None:
        array_of(a[2], &w)
        if w.ndim != 1:
            raise ValueError("weight must be one-dimensional")
    array_of(a[0], &x)
    array_of(a[1], &y)
    _set_rows(s, &x)
    if y.ndim > 1 or y.numel != s.rows:
        raise RuntimeError("multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
                           f"samples (batch size). Expected target size [{s.rows}], but got "
                           f"{shape_text(y.ndim, y.sizes)}. Input has shape {shape_text(x.ndim, x.sizes)}.")
    if a[2] != <PyObject*>None and w.numel != s.classes:
        raise RuntimeError(f"inconsistent weight size, expected {s.classes} but got {shape_text(w.ndim, w.sizes)}")
    if y.dtype != D_INT64:
        raise RuntimeError(f"expected scalar type Long but found {type_string(y.dtype)}")
    _check_floating("multi_margin_loss_cpu_kernel", held)
    if a[2] != <PyObject*>None:
        held.weight = dense(a[2], held.dtype, &w)
        s.weight = w.data
    held.x, held.labels, s.margin = dense(a[0], held.dtype, &x), dense(a[1], D_INT64, &y), read_float(a[5])
    s.x, s.labels, held.total = x.data, <const int64_t*>y.data, <double>s.rows
    for i in range(s.rows):
        if not 0 <= s.labels[i] < s.classes:
            raise RuntimeError("target out of range")
    return held


cdef object _multi_margin(PyObject* op, PyObject** a):
    cdef Scores s
    cdef Array y
    cdef _Held held = _set_margin(&s, a)
    array_of(a[1], &y)
    return _losses(&s, held, _margin_float if held.dtype == D_FLOAT32 else _margin_double, s.classes, y.ndim, y.sizes)


cdef object _multi_margin_backward(PyObject* op, PyObject** a):
    """(grad_output, …)"""
    cdef Scores s
    cdef _Held held = _set_margin(&s, a + 1)
    return _gradient("multi_margin_loss_backward", &s, held,
                     _margin_backward_float if held.dtype == D_FLOAT32 else _margin_backward_double, s.classes, a[0],
                     a[1], False)


cdef _Held _set_margins(Scores* s, PyObject** a):
    """(self, target, reduction)"""
    cdef Array x, y
    cdef Py_ssize_t i
    cdef int d
    cdef bint same
    cdef _Held held = _begin(s, a[0], a[2])
    array_of(a[0], &x)
    array_of(a[1], &y)
    _set_rows(s, &x)
    same = x.ndim == y.ndim
    for d in range(x.ndim if same else 0):
        same = same and x.sizes[d] == y.sizes[d]
    if not same and (x.ndim == 2 or x.numel != y.numel):
        raise RuntimeError(f"inconsistent target size: {shape_text(y.ndim, y.sizes)} for input of size: "
                           f"{shape_text(x.ndim, x.sizes)}")
    if y.dtype != D_INT64:
        raise RuntimeError(f"expected scalar type Long but found {type_string(y.dtype)}")
    _check_floating("multilabel_margin_loss_forward_out_frame", held)
    held.x, held.labels = dense(a[0], held.dtype, &x), dense(a[1], D_INT64, &y)
    s.x, s.labels, held.total = x.data, <const int64_t*>y.data, <double>s.rows
    for i in range(y.numel):
        if not -1 <= s.labels[i] < s.classes:
            raise RuntimeError("argument #2 'target' is out of range")
    held.flags = bytearray(y.numel)
    s.is_label = <uint8_t*><void*>PyByteArray_AS_STRING(held.flags)
    return held


cdef object _multilabel_margin(PyObject* op, PyObject** a):
    cdef Scores s
    cdef Array x
    cdef _Held held = _set_margins(&s, a)
    array_of(a[0], &x)
    return _losses(&s, held, _margins_float if held.dtype == D_FLOAT32 else _margins_double, 3 * s.classes,
                   1 if x.ndim == 2 else 0, x.sizes)


cdef object _multilabel_margin_backward(PyObject* op, PyObject** a):
    """(grad_output, …)"""
    cdef Scores s
    cdef _Held held = _set_margins(&s, a + 1)
    return _gradient("multilabel_margin_loss_backward", &s, held,
                     _margins_backward_float if held.dtype == D_FLOAT32 else _margins_backward_double, 3 * s.classes,
                     a[0], a[1], True)


nll = new_kernel(_nll_loss)
nll_backward = new_kernel(_nll_loss_backward)
multi_margin = new_kernel(_multi_margin)
multi_margin_backward = new_kernel(_multi_margin_backward)
multilabel_margin = new_kernel(_multilabel_margin)
multilabel_margin_backward = new_kernel(_multilabel_margin_backward)
