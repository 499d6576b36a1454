"""Sampling indices by weight: cumulative distribution with replacement, exponential race without."""
from cpython.object cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc, qsort

from flambeau_tensor._core.elementwise.casts cimport CAST
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, dtype_object
from flambeau_tensor._core.elementwise.copying cimport contiguous, copy_elements
from flambeau_tensor._core.memory.meta_device cimport is_dry
from flambeau_tensor._core.elementwise.operands cimport out_tensor
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.random_types cimport Params, Source, draw_t
from flambeau_tensor._kernels.generator cimport Generator, generator_of
from flambeau_tensor._kernels.random cimport dense_like, exponential_

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.cpu_levels import hot

ctypedef fused real:
    float
    double

cdef draw_t UNIFORM = <draw_t><size_t>hot("random").LOOPS["uniform"]["float64"]


cdef struct Choice:
    double key
    int64_t index


cdef int larger_first(const void* a, const void* b) noexcept nogil:
    cdef const Choice* x = <const Choice*>a
    cdef const Choice* y = <const Choice*>b
    if x.key != y.key:
        return -1 if x.key > y.key else 1
    return -1 if x.index < y.index else x.index > y.index


cdef enum:
    FEW = 32  # choices that are inserted into a sorted list; more are sorted with all others


cdef void largest_first(Choice* choices, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """Sort so that the `k` largest choices come first, in order."""
    cdef Py_ssize_t i, j
    cdef Choice c
    if k > FEW:
        qsort(choices, n, sizeof(Choice), larger_first)
        return
    for i in range(1, n):
        c = choices[i]
        if i >= k and larger_first(&choices[k - 1], &c) < 0:
            continue
        j = min(i, k - 1)
        while j > 0 and larger_first(&c, &choices[j - 1]) < 0:
            choices[j] = choices[j - 1]
            j -= 1
        choices[j] = c


cdef int draw_without_replacement(Tensor weights, Tensor result, Generator g) except -1:
    """Return the indices with the largest ratios of weight and exponential number (exponential race), largest first."""
    cdef Tensor race = dense_like(weights), w, q
    cdef Py_ssize_t rows, n = weights.sizes[weights.ndim - 1], k = result.sizes[result.ndim - 1], i, j
    cdef int64_t* out = <int64_t*>result.data
    cdef Choice* choices
    cdef float ratio
    cdef int halves = weights.dtype if weights.dtype in (FLOAT16, BFLOAT16) else FLOAT32
    exponential_(race, 1, g)
    w, q = contiguous(weights, FLOAT64), contiguous(race, FLOAT64)
    rows = w.numel // n if n else 0
    choices = <Choice*>malloc(max(n, 1) * sizeof(Choice))
    if choices == NULL:
        raise MemoryError()
    with nogil:
        for i in range(rows):
            for j in range(n):
                choices[j].index = j
                choices[j].key = (<double*>w.data)[i * n + j] / (<double*>q.data)[i * n + j]
                if weights.dtype != FLOAT64:  # rounded as if divided in the dtype of the weights
                    ratio = <float>choices[j].key
                    if halves != FLOAT32:
                        CAST[FLOAT32][halves](<char*>&ratio, 4, <char*>&ratio, 2, 1)
                        CAST[halves][FLOAT32](<char*>&ratio, 2, <char*>&ratio, 4, 1)
                    choices[j].key = ratio
            largest_first(choices, n, k)
            for j in range(k):
                out[i * k + j] = choices[j].index
    free(choices)
    return 0


cdef void search_rows(Source* s, real* weights, Py_ssize_t rows, Py_ssize_t n, int64_t* out, Py_ssize_t k) \
        noexcept nogil:
    """Invert the cumulative distribution, which replaces `weights`, for each drawn number."""
    cdef Params unit
    cdef Py_ssize_t _row, j, low, high, middle
    cdef real total
    cdef double u
    unit.a, unit.b = 0, 1
    for _row in range(rows):
        total = 0
        for j in range(n):
            total += weights[j]
            weights[j] = total
        for j in range(n):
            weights[j] /= total
        weights[n - 1] = 1
        for j in range(k):
            UNIFORM(s, &unit, &u, 1)
            low, high = 0, n
            while low < high:
                middle = (low + high) // 2
                if weights[middle] < u:
                    low = middle + 1
                else:
                    high = middle
            out[j] = low
        weights += n
        out += k


cdef int draw_with_replacement(Tensor weights, Tensor result, Generator g) except -1:
    cdef int dtype = FLOAT64 if weights.dtype == FLOAT64 else FLOAT32
    cdef Tensor sums = empty(dtype, weights.ndim, weights.sizes)
    cdef Py_ssize_t n = sums.sizes[sums.ndim - 1], k = result.sizes[result.ndim - 1]
    cdef Py_ssize_t rows = sums.numel // n if n else 0
    cdef int64_t* out = <int64_t*>result.data
    cdef Source* source
    copy_elements(sums, weights)
    with g.lock.mutex:
        source = &g.source
        with nogil:
            if dtype == FLOAT64:
                search_rows[double](source, <double*>sums.data, rows, n, out, k)
            else:
                search_rows[float](source, <float*>sums.data, rows, n, out, k)
    return 0


cdef int check_weights(Tensor weights, bint race) except -1:
    cdef Tensor w = contiguous(weights, FLOAT64)
    cdef Py_ssize_t n = w.sizes[w.ndim - 1], rows = 1 if w.ndim == 1 else w.sizes[0], _row, j
    cdef const double* p = <const double*>w.data
    cdef double total
    for _row in range(rows):
        total = 0
        for j in range(n):
            if not p[j] >= 0 or p[j] == INFINITY:
                if race:
                    raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
                raise RuntimeError("invalid multinomial distribution (encountering probability entry "
                                   + ("= infinity or NaN)" if p[j] == INFINITY else "< 0)"))
            total += p[j]
        if not total > 0:
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        p += n
    return 0


cdef object _multinomial(Operator op, PyObject** a):
    """self, num_samples, replacement, generator, out"""
    cdef Tensor self = <Tensor>a[0], result
    cdef int64_t k = <object>a[1]
    cdef bint race = <object>a[2] is False or k == 1
    cdef Generator g = generator_of(op.name, <object>a[3])
    cdef Py_ssize_t[2] shape
    cdef Py_ssize_t n
    cdef object out = <object>a[4]
    if not 1 <= self.ndim <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if CATEGORY[self.dtype] != CAT_FLOAT:
        raise RuntimeError("multinomial only supports floating-point dtypes for input, got: "
                           f"{type_name(dtype_object(self.dtype))}")
    if k <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    n = self.sizes[self.ndim - 1]
    if <object>a[2] is False and k > n:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if n > 1 << 24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    if not is_dry():
        check_weights(self, race)
    shape[0] = self.sizes[0]
    shape[self.ndim - 1] = k
    if out is not None and (<Tensor?>out).dtype != INT64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {type_name(out.dtype)}")
    result = empty(INT64, self.ndim, shape)
    if result.numel and not is_dry():
        if race:
            draw_without_replacement(self, result, g)
        else:
            draw_with_replacement(self, result, g)
    if out is None:
        return result
    out_tensor(op.name, out, INT64, self.ndim, shape)
    copy_elements(<Tensor>out, result)
    (<Tensor>out).storage.version += 1
    return out


multinomial = make_kernel(_multinomial, True)
