# cython: language_level=3
"""Losses: checks of the arguments, and reductions over the loops of hot/loss.pyx.

float16 and bfloat16 are computed in float32.
"""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memset

from flambeau_nn._kernels.compute_dtype cimport computed
from flambeau_nn._kernels.loss_types cimport Rows, pairs_t, rows_t, sum_t
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT16, D_FLOAT32, D_FLOAT64, D_INT64, D_UINT8, Array, array_of, convert, converted, dense,
    elementwise, fresh, itemsize, parallel_for, permuted, read_float, shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE, HEAVY_GRAIN

from flambeau_tensor.extend import hot
from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    MAX_NDIM = 64

_hot = hot("loss", "flambeau_nn._kernels")


cdef inline size_t _address(dict table, int dtype):
    return table["float32" if dtype == D_FLOAT32 else "float64"]


cdef sum_t _sum_floats = <sum_t><size_t>_hot.SUMS["float32"]
cdef sum_t _sum_doubles = <sum_t><size_t>_hot.SUMS["float64"]


cdef inline sum_t _adder(int dtype) noexcept nogil:
    return _sum_floats if dtype == D_FLOAT32 else _sum_doubles


cdef double sum_of(const void* x, Py_ssize_t n, int dtype) noexcept nogil:
    return _adder(dtype)(x, n)


cdef int reduction_of(PyObject* slot) except -1:
    text = <object>slot
    if text == "mean":
        return MEAN
    if text == "sum":
        return SUM
    if text == "none":
        return NONE
    raise ValueError(f"{text} is not a valid value for reduction")


# --- cross entropy --------------------------------------------------------------------------------------------------

cdef struct Batch:
    Rows rows
    rows_t loop
    Py_ssize_t count
    int dtype


cdef void _run_rows(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Batch* b = <Batch*>context
    b.loop(&b.rows, begin, end)


cdef int _run(Batch* b) except -1:
    if b.count * b.rows.classes < GIL_FREE:
        _run_rows(b, 0, b.count)
    else:
        with nogil:
            parallel_for(b.count, max(<Py_ssize_t>1, HEAVY_GRAIN // max(b.rows.classes, <Py_ssize_t>1)), _run_rows, b)
    return 0


cdef class _Held:
    """Keeps the memory that a batch points to alive."""
    cdef object scores, target, weight


cdef object _classes_last(object t, int ndim):
    """Return a view of (N, C, d1, …) with the class dimension last; other shapes are unchanged."""
    cdef int[MAX_NDIM] order
    cdef int d
    if ndim <= 2:
        return t
    for d in range(ndim - 2):
        order[d + 1] = d + 2
    order[0], order[ndim - 1] = 0, 1
    return permuted(<PyObject*>t, order)


cdef Py_ssize_t _rows_channels_last(const Array* x, _Held held, object scores) except -1:
    """Set the scores; return how many rows of (N, C, d1, …) are interleaved; 1 if a row's classes are contiguous."""
    cdef Array view
    cdef Py_ssize_t inner = 1
    cdef int d
    held.scores = _classes_last(scores, x.ndim)
    array_of(<PyObject*>held.scores, &view)
    if x.ndim <= 2 or view.contiguous:
        return 1
    for d in range(2, x.ndim):
        inner *= x.sizes[d]
    if inner > 1:
        held.scores = scores
    return max(inner, <Py_ssize_t>1)


cdef int _check_target(Array* x, Array* y, object xo, object yo) except -1:
    """Whether `target` holds probabilities (1) or labels (0); otherwise raise PyTorch's errors."""
    cdef int d
    cdef bint same = x.ndim == y.ndim
    for d in range(x.ndim):
        same = same and x.sizes[d] == y.sizes[d]
    if x.ndim == 0:
        raise RuntimeError("input tensor should be 1D or 2D")
    if same:
        if y.dtype < D_FLOAT16 or y.dtype > D_FLOAT64:
            raise RuntimeError("Expected floating point type for target with class probabilities, got "
                               f"{type_string(y.dtype)}")
        return 1
    if x.ndim == 1 or x.ndim == 2:
        if x.ndim == 1 and y.ndim == 1 and y.sizes[0] != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {y.sizes[0]}")
        if y.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if x.ndim == 2 and (y.ndim == 0 or y.sizes[0] != x.sizes[0]):
            raise ValueError(f"Expected input batch_size ({x.sizes[0]}) to match target batch_size "
                             f"({1 if y.ndim == 0 else y.sizes[0]}).")
    else:
        same = y.ndim == x.ndim - 1 and x.sizes[0] == y.sizes[0]
        for d in range(2, x.ndim):
            same = same and x.sizes[d] == y.sizes[d - 1]
        if not same:
            if y.ndim and y.sizes[0] != x.sizes[0]:
                raise ValueError(f"Expected input batch_size ({x.sizes[0]}) to match target batch_size ({y.sizes[0]}).")
            wanted = [x.sizes[0], *[x.sizes[d] for d in range(2, x.ndim)]]
            raise RuntimeError(f"Expected target size {wanted}, got {shape_text(y.ndim, y.sizes)}")
    if y.dtype != D_INT64 and y.dtype != D_UINT8:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_string(y.dtype)}")
    return 0


cdef _Held _set_rows(Batch* b, PyObject** a, int first):
    """Read the rows from the slots (self, target, weight, ignore_index, reduction, label_smoothing) at `first`."""
    cdef PyObject* scores = a[first]
    cdef PyObject* target = a[first + 1]
    cdef Array x, y, w
    cdef Rows* r = &b.rows
    cdef _Held held = _Held.__new__(_Held)
    cdef bint given
    cdef Py_ssize_t i
    array_of(scores, &x)
    array_of(target, &y)
    r.smoothing = read_float(a[first + 5])
    if not 0 <= r.smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {r.smoothing:g}")
    given = _check_target(&x, &y, <object>scores, <object>target)
    if x.dtype < D_FLOAT16 or x.dtype > D_FLOAT64:
        raise NotImplementedError(f'"log_softmax_lastdim_kernel_impl" not implemented for \'{type_string(x.dtype)}\'')
    b.count = 1
    for i in range(x.ndim):
        if i == (0 if x.ndim == 1 else 1):
            r.classes = x.sizes[i]
        else:
            b.count *= x.sizes[i]
    b.dtype = computed(x.dtype)
    r.inner = _rows_channels_last(&x, held, <object>scores)
    held.scores = dense(<PyObject*>held.scores, b.dtype, &x)
    r.scores = x.data
    r.labels = NULL
    r.probabilities = NULL
    r.ignored = <object>a[first + 3]
    if given:
        if r.ignored >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        held.target = <object>target if r.inner > 1 else _classes_last(<object>target, y.ndim)
        held.target = dense(<PyObject*>held.target, b.dtype, &y)
        r.probabilities = y.data
    else:
        held.target = dense(target, D_INT64, &y)
        r.labels = <int64_t*>y.data
        for i in range(y.numel):
            if (r.labels[i] < 0 or r.labels[i] >= r.classes) and r.labels[i] != r.ignored:
                raise IndexError(f"Target {r.labels[i]} is out of bounds.")
    r.weight = NULL
    r.total_weight = <double>r.classes
    if a[first + 2] != <PyObject*>None:
        array_of(a[first + 2], &w)
        if w.ndim != 1 or w.numel != r.classes:
            raise RuntimeError("cross_entropy: weight tensor should be defined either for all "
                               f"{r.classes} classes or no classes but got weight tensor of shape: "
                               f"{shape_text(w.ndim, w.sizes)}")
        array_of(a[first], &x)
        if r.labels != NULL and w.dtype != x.dtype:
            raise RuntimeError(f"expected scalar type {type_string(x.dtype)} but found {type_string(w.dtype)}")
        held.weight = dense(a[first + 2], b.dtype, &w)
        r.weight = w.data
        r.total_weight = sum_of(w.data, w.numel, b.dtype)
    return held


cdef double _label_weight(const Rows* r, Py_ssize_t n, int dtype) noexcept nogil:
    """Return the sum of the weights of all labels that are not ignored, or the number of rows for probabilities."""
    cdef double total = 0
    cdef Py_ssize_t i
    if r.labels == NULL:
        return <double>n
    for i in range(n):
        if r.labels[i] == r.ignored:
            continue
        if r.weight == NULL:
            total += 1
        elif dtype == D_FLOAT32:
            total += (<const float*>r.weight)[r.labels[i]]
        else:
            total += (<const double*>r.weight)[r.labels[i]]
    return total


cdef object _cross_entropy(PyObject* op, PyObject** a):
    cdef Batch b
    cdef Array losses, weights, scalar, original, target
    cdef int reduction = reduction_of(a[4])
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef double total
    cdef int d, ndim
    cdef _Held _held = _set_rows(&b, a, 0)
    array_of(a[0], &original)
    array_of(a[1], &target)
    if b.rows.labels != NULL:
        ndim = target.ndim
        for d in range(ndim):
            sizes[d] = target.sizes[d]
    else:
        ndim = max(original.ndim - 1, 0)
        for d in range(ndim):
            sizes[d] = original.sizes[d if d == 0 else d + 1]
    per_row = fresh(b.dtype, ndim, sizes, &losses)
    _weights = fresh(b.dtype, 1, &b.count, &weights)
    b.rows.losses, b.rows.weights = losses.data, weights.data
    b.loop = <rows_t>_address(_hot.ROWS["cross_entropy" if b.rows.inner == 1 else "cross_entropy_planes"], b.dtype)
    if b.rows.classes:
        _run(&b)
    else:
        memset(losses.data, 0, losses.numel * itemsize(b.dtype))
        memset(weights.data, 0, b.count * itemsize(b.dtype))
    if reduction == NONE:
        return converted(per_row, original.dtype)
    total = sum_of(losses.data, losses.numel, b.dtype)
    if reduction == MEAN:
        total = total / sum_of(weights.data, weights.numel, b.dtype)
    out = fresh(b.dtype, 0, NULL, &scalar)
    _store(&scalar, total)
    return converted(out, original.dtype)


cdef inline void _store(Array* scalar, double value) noexcept:
    if scalar.dtype == D_FLOAT32:
        (<float*>scalar.data)[0] = <float>value
    else:
        (<double*>scalar.data)[0] = value


cdef object _cross_entropy_backward(PyObject* op, PyObject** a):
    cdef Batch b
    cdef Array g, x, out
    cdef int reduction = reduction_of(a[5])
    cdef _Held held = _set_rows(&b, a, 1)
    cdef int[MAX_NDIM] order
    cdef int d
    _grads = dense(a[0], b.dtype, &g)
    _check_gradient("cross_entropy_backward", &g, b.count if reduction == NONE else 1)
    b.rows.grads = g.data
    b.rows.grad_step = 0 if reduction != NONE else 1
    b.rows.factor = 1
    if reduction == MEAN:
        b.rows.factor = 1 / _label_weight(&b.rows, b.count, b.dtype)
    array_of(<PyObject*>held.scores, &x)
    result = fresh(b.dtype, x.ndim, x.sizes, &out)
    b.rows.result = out.data
    loop = "cross_entropy_backward" if b.rows.inner == 1 else "cross_entropy_backward_planes"
    b.loop = <rows_t>_address(_hot.ROWS[loop], b.dtype)
    if b.rows.classes:
        _run(&b)
    array_of(a[1], &x)
    if x.ndim > 2 and b.rows.inner == 1:  # restore (N, C, d1, …)
        order[0], order[1] = 0, x.ndim - 1
        for d in range(2, x.ndim):
            order[d] = d - 1
        view = permuted(<PyObject*>result, order)
        result = dense(<PyObject*>view, b.dtype, &out)
    return converted(result, x.dtype)


cross_entropy = new_kernel(_cross_entropy)
cross_entropy_backward = new_kernel(_cross_entropy_backward)


# --- elementwise losses of two operands -----------------------------------------------------------------------------

cdef enum:
    BLOCK = 2048

cdef struct Pairs:
    pairs_t block
    sum_t add
    const char* x
    const char* y
    const char* grad
    Py_ssize_t grad_step  # 0: one value for all elements
    char* out  # NULL: only the sum is needed
    Py_ssize_t item
    double factor
    double[64] totals  # one per part, so that the sum does not depend on the order of threads
    Py_ssize_t part
    Py_ssize_t n
    double* p
    int dtype  # the dtype that `block` reads


cdef void _sum_pairs(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute parts `begin` to `end` of the sum."""
    cdef Pairs* s = <Pairs*>context
    cdef char[8 * BLOCK] buffer
    cdef Py_ssize_t k, i, m, stop
    cdef double total
    for k in range(begin, end):
        total = 0
        i, stop = k * s.part, min((k + 1) * s.part, s.n)
        while i < stop:
            m = min(<Py_ssize_t>BLOCK, stop - i)
            s.block(s.x + i * s.item, s.y + i * s.item, buffer, m, s.p)
            total += s.add(buffer, m)
            i += m
        s.totals[k] = total


cdef void _map_pairs(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute values or, given a gradient, derivatives times the gradient."""
    cdef Pairs* s = <Pairs*>context
    cdef Py_ssize_t i = begin, j, m
    cdef float* f
    cdef double* d
    cdef float ff
    cdef double dd
    while i < end:
        m = min(<Py_ssize_t>BLOCK, end - i)
        s.block(s.x + i * s.item, s.y + i * s.item, s.out + i * s.item, m, s.p)
        if s.grad != NULL and s.item == 4:
            f = <float*>s.out + i
            if s.grad_step == 0:
                ff = <float>((<const float*>s.grad)[0] * s.factor)
                for j in range(m):
                    f[j] = f[j] * ff
            else:
                for j in range(m):
                    f[j] = f[j] * (<const float*>s.grad)[i + j]
        elif s.grad != NULL:
            d = <double*>s.out + i
            if s.grad_step == 0:
                dd = (<const double*>s.grad)[0] * s.factor
                for j in range(m):
                    d[j] = d[j] * dd
            else:
                for j in range(m):
                    d[j] = d[j] * (<const double*>s.grad)[i + j]
        i += m


cdef void _each_pair(char** args, const Py_ssize_t* n, const Py_ssize_t* steps, void* data) noexcept nogil:
    """Compute the values of strided elements, which are gathered first."""
    cdef Pairs* s = <Pairs*>data
    cdef char[3][8 * BLOCK] buffers
    cdef char* at[3]
    cdef Py_ssize_t item = itemsize(s.dtype), i = 0, m
    cdef int k
    while i < n[0]:
        m = min(<Py_ssize_t>BLOCK, n[0] - i)
        for k in range(3):
            at[k] = args[k] + i * steps[k] if steps[k] == item else buffers[k]
            if k < 2 and steps[k] != item:
                convert(s.dtype, args[k] + i * steps[k], steps[k], s.dtype, at[k], item, m)
        s.block(at[0], at[1], at[2], m, s.p)
        if steps[2] != item:
            convert(s.dtype, at[2], item, s.dtype, args[2] + i * steps[2], steps[2], m)
        i += m


cdef object _check_pair(str name, Array* x, Array* y):
    cdef int d
    if x.dtype != y.dtype:
        raise RuntimeError(f"Found dtype {type_string(y.dtype)} but expected {type_string(x.dtype)}")
    if x.dtype < D_FLOAT16 or x.dtype > D_FLOAT64:
        raise NotImplementedError(f'"{name}" not implemented for \'{type_string(x.dtype)}\'')
    for d in range(x.ndim):
        if x.ndim != y.ndim or x.sizes[d] != y.sizes[d]:
            raise RuntimeError(f"{name}: input and target must have the same size, got {shape_text(x.ndim, x.sizes)} "
                               f"and {shape_text(y.ndim, y.sizes)}")


cdef int _check_gradient(str name, Array* grad, Py_ssize_t wanted) except -1:
    if grad.numel != wanted:
        raise RuntimeError(f"{name}: expected a gradient of {wanted} elements, got {shape_text(grad.ndim, grad.sizes)}")
    return 0


cdef object _values(str name, PyObject** a, double* p):
    """Compute a loss from (self, target, reduction, …)."""
    cdef Array x, y, out
    cdef Pairs s
    cdef int reduction = reduction_of(a[2]), dtype, original, k
    cdef Py_ssize_t parts = 1
    cdef double total = 0
    array_of(a[0], &x)
    array_of(a[1], &y)
    _check_pair(name, &x, &y)
    original = x.dtype
    dtype = s.dtype = computed(x.dtype)
    s.block, s.p = <pairs_t>_address(_hot.PAIRS[name], dtype), p
    if reduction == NONE:  # has the strides of `self`
        return elementwise(2, a, dtype, original, _each_pair, &s)
    _first, _second = dense(a[0], dtype, &x), dense(a[1], dtype, &y)
    s.x, s.y, s.item, s.n, s.grad = x.data, y.data, itemsize(dtype), x.numel, NULL
    s.add = _adder(dtype)
    if x.numel < GIL_FREE:
        s.part = max(x.numel, <Py_ssize_t>1)
        _sum_pairs(&s, 0, 1)
    else:
        parts = min(<Py_ssize_t>64, (x.numel + HEAVY_GRAIN - 1) // HEAVY_GRAIN)
        s.part = (x.numel + parts - 1) // parts
        with nogil:
            parallel_for(parts, 1, _sum_pairs, &s)
    for k in range(parts):
        total += s.totals[k]
    if reduction == MEAN:
        total = total / x.numel
    result = fresh(dtype, 0, NULL, &out)
    _store(&out, total)
    return converted(result, original)


cdef object _backward(str name, PyObject** a, double* p):
    """Compute the gradient from (grad_output, self, target, reduction, …)."""
    cdef Array g, x, y, out
    cdef Pairs s
    cdef int reduction = reduction_of(a[3]), dtype, original
    array_of(a[0], &g)
    array_of(a[1], &x)
    array_of(a[2], &y)
    _check_pair(name, &x, &y)
    _check_gradient(name, &g, x.numel if reduction == NONE else 1)
    original = x.dtype
    dtype = computed(x.dtype)
    _grad, _first, _second = dense(a[0], dtype, &g), dense(a[1], dtype, &x), dense(a[2], dtype, &y)
    s.block = <pairs_t>_address(_hot.PAIRS[name], dtype)
    s.x, s.y, s.item, s.n, s.p, s.grad = x.data, y.data, itemsize(dtype), x.numel, p, g.data
    s.grad_step = 1 if reduction == NONE else 0
    s.factor = 1.0 / x.numel if reduction == MEAN and x.numel else 1
    result = fresh(dtype, x.ndim, x.sizes, &out)
    s.out = out.data
    if x.numel < GIL_FREE:
        _map_pairs(&s, 0, x.numel)
    else:
        with nogil:
            parallel_for(x.numel, HEAVY_GRAIN, _map_pairs, &s)
    return converted(result, original)


cdef object _mse(PyObject* op, PyObject** a):
    return _values("mse_loss", a, NULL)


cdef object _mse_backward(PyObject* op, PyObject** a):
    return _backward("mse_loss_backward", a, NULL)


cdef object _l1(PyObject* op, PyObject** a):
    return _values("l1_loss", a, NULL)


cdef object _l1_backward(PyObject* op, PyObject** a):
    return _backward("l1_loss_backward", a, NULL)


cdef object _smooth_l1(PyObject* op, PyObject** a):
    cdef double beta = read_float(a[3])
    return _values("smooth_l1_loss", a, &beta)


cdef object _smooth_l1_backward(PyObject* op, PyObject** a):
    cdef double beta = read_float(a[4])
    return _backward("smooth_l1_loss_backward", a, &beta)


cdef object _huber(PyObject* op, PyObject** a):
    cdef double delta = read_float(a[3])
    return _values("huber_loss", a, &delta)


cdef object _huber_backward(PyObject* op, PyObject** a):
    cdef double delta = read_float(a[4])
    return _backward("huber_loss_backward", a, &delta)


ctypedef fused real_t:
    float
    double


cdef bint _within(const real_t* x, Py_ssize_t n) noexcept nogil:
    cdef bint fine = True
    cdef Py_ssize_t i
    for i in range(n):
        fine &= 0 <= x[i] <= 1
    return fine


cdef int _check_probabilities(PyObject* tensor, str name) except -1:
    cdef Array x
    array_of(tensor, &x)
    if x.dtype < D_FLOAT16 or x.dtype > D_FLOAT64:
        return 0  # the dtype raises an error later
    _kept = dense(tensor, computed(x.dtype), &x)
    if not (_within(<const float*>x.data, x.numel) if itemsize(computed(x.dtype)) == 4
            else _within(<const double*>x.data, x.numel)):
        raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return 0


cdef object _bce(PyObject* op, PyObject** a):
    _check_probabilities(a[0], "input")
    _check_probabilities(a[1], "target")
    return _values("binary_cross_entropy", a, NULL)


cdef object _bce_backward(PyObject* op, PyObject** a):
    return _backward("binary_cross_entropy_backward", a, NULL)


cdef object _bce_logits(PyObject* op, PyObject** a):
    return _values("binary_cross_entropy_with_logits", a, NULL)


cdef object _bce_logits_backward(PyObject* op, PyObject** a):
    return _backward("binary_cross_entropy_with_logits_backward", a, NULL)


KERNELS = {
    "mse_loss": (new_kernel(_mse), new_kernel(_mse_backward)),
    "l1_loss": (new_kernel(_l1), new_kernel(_l1_backward)),
    "smooth_l1_loss": (new_kernel(_smooth_l1), new_kernel(_smooth_l1_backward)),
    "huber_loss": (new_kernel(_huber), new_kernel(_huber_backward)),
    "binary_cross_entropy": (new_kernel(_bce), new_kernel(_bce_backward)),
    "binary_cross_entropy_with_logits": (new_kernel(_bce_logits), new_kernel(_bce_logits_backward)),
}
