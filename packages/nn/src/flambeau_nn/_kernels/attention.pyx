# cython: language_level=3
"""Attention in blocks: a thread computes the weights of some queries of an item, uses them for these queries' share of
the result or of the gradients, and discards them, so they stay in its cache. The forward pass divides the output by
the sums of the weights instead of dividing the weights (Dao et al., "FlashAttention", 2022). float16 and bfloat16 are
computed in float32.
"""
from cpython.float cimport PyFloat_CheckExact, PyFloat_FromDouble
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.math cimport sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from flambeau_nn._kernels.attention_types cimport Attended, attended_t
from flambeau_nn._kernels.compute_dtype cimport computed
from flambeau_tensor.abi cimport T_LAYERED, TENSOR_ABI, TensorInfo, new_kernel, tensor_info
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BOOL, D_FLOAT16, D_FLOAT32, D_FLOAT64, Array, Product, array_of, converted, dense, fresh,
    hold_blas, itemsize, multiply_here, num_threads, parallel_for, range_task, read_float, release_blas, shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.extend import hot
from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    BLOCK = 1 << 16  # weights that a thread holds at a time, unless FEWEST queries have more
    MOST = 128  # maximum number of queries in a block
    FEWEST = 32  # minimum number of queries in a block
    MAX_NDIM = 64
    SMALL = 2048  # number of multiplications below which a BLAS call does not pay
    WEIGHTS = 0
    FINISH = 1
    AGAIN = 2
    GRADIENT = 3
    KINDS = 4

ctypedef void (*product_t)(const Product* p) noexcept nogil

cdef attended_t[2][KINDS] _loops  # float32, float64
cdef product_t[2] _products


def _take_loops():
    rows = hot("attention", "flambeau_nn._kernels").ROWS
    for k, name in enumerate(("float32", "float64")):
        for kind in range(KINDS):
            _loops[<int>k][<int>kind] = <attended_t><size_t>rows[name][kind]
        _products[<int>k] = <product_t><size_t>rows[name][KINDS]


_take_loops()

cdef struct Job:
    attended_t* loops
    int dtype
    Py_ssize_t itemsize, count, length, others, size, width
    Py_ssize_t rows, blocks, parts  # rows of a block; blocks of an item; shares of an item's blocks in backward
    Attended like  # the fields that are the same for all blocks
    const char* mask
    const Py_ssize_t* places  # the offset of each item's mask, in elements
    char* query
    char* key
    char* value
    char* output
    char* sums
    char* grad
    char* of_query
    char* of_key  # the first share of each item; the others are in `apart`
    char* of_value
    char* apart
    bint failed


cdef void _multiply(const Job* job, bint add, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a, bint a_across,
                    const void* b, bint b_across, void* c) noexcept nogil:
    """c[m, n] = a @ b, or c += a @ b if `add`; `across`: the operand is stored transposed."""
    cdef Product p
    if k == 0 and not add:
        memset(c, 0, m * n * job.itemsize)
    if m == 0 or n == 0 or k == 0:
        return
    p.dtype, p.add, p.m, p.n, p.k, p.a, p.b, p.c = job.dtype, add, m, n, k, <char*>a, <char*>b, <char*>c
    p.a_row, p.a_col = 1 if a_across else k, m if a_across else 1
    p.b_row, p.b_col = 1 if b_across else n, k if b_across else 1
    p.c_row, p.count, p.a_step, p.b_step, p.c_step = n, 1, 0, 0, 0
    if m * n * k <= SMALL:
        _products[job.dtype == D_FLOAT64](&p)
    else:
        multiply_here(&p)


cdef char* _enter(const Job* job, Attended* b, Py_ssize_t item, Py_ssize_t block) noexcept nogil:
    """Start a block: compute its scores and return its queries."""
    cdef char* query
    b.first = block * job.rows
    b.rows = min(job.rows, job.length - b.first)
    b.columns = min(job.others, b.first + b.rows) if b.causal else job.others
    b.sums = job.sums + (item * job.length + b.first) * job.itemsize
    if job.mask != NULL:
        b.mask = job.mask + job.places[item] * job.itemsize
    query = job.query + (item * job.length + b.first) * job.size * job.itemsize
    _multiply(job, False, b.rows, b.columns, job.size, query, False,
              job.key + item * job.others * job.size * job.itemsize, True, b.scores)
    return query


cdef void _forward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the output of blocks of queries."""
    cdef Job* job = <Job*>context
    cdef Attended b = job.like
    cdef Py_ssize_t t, item
    b.scores = malloc((job.rows * job.others + job.rows) * job.itemsize)
    if b.scores == NULL:
        job.failed = True
        return
    b.factors = <char*>b.scores + job.rows * job.others * job.itemsize
    for t in range(begin, end):
        item = t // job.blocks
        _enter(job, &b, item, t % job.blocks)
        job.loops[WEIGHTS](&b)
        b.output = job.output + (item * job.length + b.first) * job.width * job.itemsize
        _multiply(job, False, b.rows, job.width, b.columns, b.scores, False,
                  job.value + item * job.others * job.width * job.itemsize, False, b.output)
        job.loops[FINISH](&b)
    free(b.scores)


cdef void _backward(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the gradients for shares of the blocks of items."""
    cdef Job* job = <Job*>context
    cdef Attended b = job.like
    cdef Py_ssize_t t, item, part, block, n, keys = job.others * job.size, values = job.others * job.width
    cdef char* query
    cdef char* grad
    cdef char* key
    cdef char* value
    cdef char* of_key
    cdef char* of_value
    b.scores = malloc(max(2 * job.rows * job.others, <Py_ssize_t>1) * job.itemsize)
    if b.scores == NULL:
        job.failed = True
        return
    b.grads = <char*>b.scores + job.rows * job.others * job.itemsize
    for t in range(begin, end):
        item, part = t // job.parts, t % job.parts
        key, value = job.key + item * keys * job.itemsize, job.value + item * values * job.itemsize
        of_key, of_value = job.of_key + item * keys * job.itemsize, job.of_value + item * values * job.itemsize
        if part > 0:
            of_key = job.apart + (item * (job.parts - 1) + part - 1) * (keys + values) * job.itemsize
            of_value = of_key + keys * job.itemsize
        memset(of_key, 0, keys * job.itemsize)
        memset(of_value, 0, values * job.itemsize)
        for block in range(job.blocks * part // job.parts, job.blocks * (part + 1) // job.parts):
            query = _enter(job, &b, item, block)
            n = b.columns
            grad = job.grad + (item * job.length + b.first) * job.width * job.itemsize
            job.loops[AGAIN](&b)
            _multiply(job, True, n, job.width, b.rows, b.scores, True, grad, False, of_value)
            _multiply(job, False, b.rows, n, job.width, grad, False, value, True, b.grads)
            job.loops[GRADIENT](&b)
            _multiply(job, False, b.rows, job.size, n, b.grads, False, key, False,
                      job.of_query + (item * job.length + b.first) * job.size * job.itemsize)
            _multiply(job, True, n, job.size, b.rows, b.grads, True, query, False, of_key)
    free(b.scores)


cdef void _add(void* to, const void* values, Py_ssize_t n, int dtype) noexcept nogil:
    cdef Py_ssize_t i
    if dtype == D_FLOAT32:
        for i in range(n):
            (<float*>to)[i] += (<const float*>values)[i]
    else:
        for i in range(n):
            (<double*>to)[i] += (<const double*>values)[i]


cdef int _run(Job* job, range_task task, Py_ssize_t tasks) except -1:
    cdef bint small = job.count * job.length * job.others * (job.size + job.width) < 4 * GIL_FREE
    cdef bint blas = job.rows * job.others * max(job.size, job.width) > SMALL
    job.failed = False
    if blas:
        hold_blas()
    if small:
        task(job, 0, tasks)
    else:
        with nogil:
            parallel_for(tasks, 1, task, job)
    if blas:
        release_blas()
    if job.failed:
        raise MemoryError()
    return 0


cdef class _Attention:
    """The dense operands and the work."""
    cdef Array q, k, v
    cdef int original, ndim
    cdef Job job
    cdef Py_ssize_t* places
    cdef list held

    def __dealloc__(self):
        PyMem_Free(self.places)

    cdef int read(self, PyObject* query, PyObject* key, PyObject* value, PyObject* mask, PyObject* is_causal,
                  PyObject* scale) except -1:
        cdef Array q, k, v
        cdef Job* job = &self.job
        cdef int d
        cdef bint fits
        array_of(query, &q)
        array_of(key, &k)
        array_of(value, &v)
        if q.dtype < D_FLOAT16 or q.dtype > D_FLOAT64 or k.dtype != q.dtype or v.dtype != q.dtype:
            raise RuntimeError("attention: query, key and value must have one floating point dtype")
        fits = q.ndim >= 2 and k.ndim == q.ndim and v.ndim == q.ndim
        for d in range(q.ndim - 2):
            fits = fits and k.sizes[d] == q.sizes[d] and v.sizes[d] == q.sizes[d]
        if not fits or k.sizes[k.ndim - 1] != q.sizes[q.ndim - 1] or k.sizes[k.ndim - 2] != v.sizes[v.ndim - 2]:
            raise RuntimeError(f"attention: sizes {shape_text(q.ndim, q.sizes)}, {shape_text(k.ndim, k.sizes)} and "
                               f"{shape_text(v.ndim, v.sizes)} do not go together")
        memset(job, 0, sizeof(Job))
        self.original, self.ndim, self.held = q.dtype, q.ndim, []
        job.dtype = computed(q.dtype)
        job.itemsize = itemsize(job.dtype)
        self.held.append(dense(query, job.dtype, &self.q))
        self.held.append(dense(key, job.dtype, &self.k))
        self.held.append(dense(value, job.dtype, &self.v))
        job.query, job.key, job.value = self.q.data, self.k.data, self.v.data
        job.length, job.size = q.sizes[q.ndim - 2], q.sizes[q.ndim - 1]
        job.others, job.width = k.sizes[k.ndim - 2], v.sizes[v.ndim - 1]
        job.count = 1
        for d in range(q.ndim - 2):
            job.count *= q.sizes[d]
        job.rows = min(max(BLOCK // max(job.others, <Py_ssize_t>1), <Py_ssize_t>FEWEST), <Py_ssize_t>MOST)
        job.rows = max(min(job.rows, job.length), <Py_ssize_t>1)
        job.blocks = (job.length + job.rows - 1) // job.rows
        job.parts = 1
        job.like.scale, job.like.causal, job.like.width = read_float(scale), <object>is_causal, job.width
        job.loops = &_loops[job.dtype == D_FLOAT64][0]
        if mask != <PyObject*>None:
            self.take_mask(mask)
        return 0

    cdef int take_mask(self, PyObject* mask) except -1:
        """Set the offset of each item's mask, which is broadcast to (*, queries, keys)."""
        cdef Array m
        cdef Job* job = &self.job
        cdef Py_ssize_t[MAX_NDIM] wanted
        cdef Py_ssize_t[MAX_NDIM] steps
        cdef Py_ssize_t step = 1, k, rest, place
        cdef int d, e
        array_of(mask, &m)
        job.like.boolean = m.dtype == D_BOOL
        for d in range(self.ndim - 2):
            wanted[d] = self.q.sizes[d]
        wanted[self.ndim - 2], wanted[self.ndim - 1] = job.length, job.others
        if m.ndim > self.ndim:
            raise RuntimeError(f"attention: a mask of size {shape_text(m.ndim, m.sizes)} has too many dimensions")
        for d in range(self.ndim):
            steps[d] = 0
        for d in range(m.ndim - 1, -1, -1):
            e = self.ndim - m.ndim + d
            if m.sizes[d] != 1:
                if m.sizes[d] != wanted[e]:
                    raise RuntimeError(f"attention: a mask of size {shape_text(m.ndim, m.sizes)} does not broadcast to "
                                       f"{shape_text(self.ndim, wanted)}")
                steps[e] = step
            step *= m.sizes[d]
        self.held.append(dense(mask, job.dtype, &m))
        job.mask = m.data
        job.like.mask_row, job.like.mask_column = steps[self.ndim - 2], steps[self.ndim - 1]
        self.places = <Py_ssize_t*>PyMem_Malloc(max(job.count, <Py_ssize_t>1) * sizeof(Py_ssize_t))
        if self.places == NULL:
            raise MemoryError()
        for k in range(job.count):
            rest, place = k, 0
            for d in range(self.ndim - 3, -1, -1):
                place += rest % wanted[d] * steps[d]
                rest //= wanted[d]
            self.places[k] = place
        job.places = self.places
        return 0

    cdef tuple forward(self):
        """Return (output, sums)."""
        cdef Py_ssize_t[MAX_NDIM] sizes
        cdef Array out, sums
        cdef int d
        for d in range(self.ndim - 1):
            sizes[d] = self.q.sizes[d]
        sizes[self.ndim - 1] = self.job.width
        output = fresh(self.job.dtype, self.ndim, sizes, &out)
        logarithms = fresh(self.job.dtype, self.ndim - 1, sizes, &sums)
        self.job.output, self.job.sums = out.data, sums.data
        _run(&self.job, _forward, self.job.count * self.job.blocks)
        return converted(output, self.original), logarithms

    cdef tuple backward(self, PyObject* grad, PyObject* logarithms):
        """Return the gradients of query, key and value."""
        cdef Array g, sums, of_q, of_k, of_v, apart
        cdef Job* job = &self.job
        cdef Py_ssize_t[1] room
        cdef Py_ssize_t item, _part, keys = job.others * job.size, values = job.others * job.width
        cdef char* at
        array_of(logarithms, &sums)
        array_of(grad, &g)
        if g.numel != job.count * job.length * job.width or sums.numel != job.count * job.length or \
                sums.dtype != job.dtype or not sums.contiguous:
            raise RuntimeError("attention_backward: the gradient and the sums are not those of these operands")
        self.held.append(dense(grad, job.dtype, &g))
        for_q = fresh(job.dtype, self.ndim, self.q.sizes, &of_q)
        for_k = fresh(job.dtype, self.ndim, self.k.sizes, &of_k)
        for_v = fresh(job.dtype, self.ndim, self.v.sizes, &of_v)
        job.grad, job.sums = g.data, sums.data
        job.of_query, job.of_key, job.of_value = of_q.data, of_k.data, of_v.data
        if 0 < job.count < num_threads():  # few items: each is split into shares, whose sums are added at the end
            job.parts = max(min(job.blocks, (num_threads() + job.count - 1) // job.count), <Py_ssize_t>1)
        if job.parts > 1:
            room[0] = job.count * (job.parts - 1) * (keys + values)
            self.held.append(fresh(job.dtype, 1, room, &apart))
            job.apart = apart.data
        _run(job, _backward, job.count * job.parts)
        at = job.apart
        for item in range(job.count if job.parts > 1 else 0):
            for _part in range(job.parts - 1):
                _add(job.of_key + item * keys * job.itemsize, at, keys, job.dtype)
                at += keys * job.itemsize
                _add(job.of_value + item * values * job.itemsize, at, values, job.dtype)
                at += values * job.itemsize
        return (converted(for_q, self.original), converted(for_k, self.original), converted(for_v, self.original))


cdef object _attention(PyObject* op, PyObject** a):
    """(query, key, value, mask, is_causal, scale)"""
    cdef _Attention attention = _Attention.__new__(_Attention)
    attention.read(a[0], a[1], a[2], a[3], a[4], a[5])
    return attention.forward()


cdef object _attention_backward(PyObject* op, PyObject** a):
    """(grad_output, logsumexp, query, key, value, mask, is_causal, scale)"""
    cdef _Attention attention = _Attention.__new__(_Attention)
    attention.read(a[2], a[3], a[4], a[5], a[6], a[7])
    return attention.backward(a[0], a[1])


# --- scaled_dot_product_attention ----------------------------------------------------------------------------------

cdef extern from "Python.h":
    PyObject* Py_False
    object _vectorcall "PyObject_Vectorcall"(PyObject*, PyObject* const*, size_t, PyObject*)

cdef object _operator = None, _general = None, _allowed = None


def connect(operator, general, allowed):
    """Set the functions that `scaled_dot_product_attention` calls.

    It calls `operator` if ``allowed.blocks`` is set, there is neither a mask nor dropout, and the operands are plain;
    otherwise the function `general` with all arguments.
    """
    global _operator, _general, _allowed
    _operator, _general, _allowed = operator, general, allowed


cdef bint _is_plain(PyObject** a) noexcept:
    """Whether query, key and value share a floating point dtype and outer sizes, and other arguments are defaults."""
    cdef TensorInfo q, k, v
    cdef int d
    cdef bint plain
    if a[3] != <PyObject*>None or a[7] != Py_False or a[6] != <PyObject*>None or \
            not PyFloat_CheckExact(<object>a[4]) or <double><object>a[4] != 0:
        return False
    tensor_info(a[0], &q)
    tensor_info(a[1], &k)
    tensor_info(a[2], &v)
    if not D_FLOAT16 <= q.dtype <= D_FLOAT64 or k.dtype != q.dtype or v.dtype != q.dtype or q.ndim < 2 or \
            k.ndim != q.ndim or v.ndim != q.ndim or (q.flags | k.flags | v.flags) & T_LAYERED:
        return False
    plain = q.sizes[q.ndim - 1] == k.sizes[q.ndim - 1] > 0 and k.sizes[q.ndim - 2] == v.sizes[q.ndim - 2]
    for d in range(q.ndim - 2):
        plain = plain and q.sizes[d] == k.sizes[d] == v.sizes[d]
    return plain


cdef object _scaled_dot_product_attention(PyObject* op, PyObject** a):
    """(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)"""
    cdef TensorInfo q
    cdef PyObject* args[6]
    if _is_plain(a) and _allowed.blocks is True:
        tensor_info(a[0], &q)
        scale = PyFloat_FromDouble(1 / sqrt(<double>q.sizes[q.ndim - 1]))
        args[0], args[1], args[2], args[3], args[4], args[5] = a[0], a[1], a[2], a[3], a[5], <PyObject*>scale
        return (<tuple>_vectorcall(<PyObject*>_operator, args, 6, NULL))[0]
    return _vectorcall(<PyObject*>_general, a, 8, NULL)


attention = new_kernel(_attention)
scaled_dot_product_attention = new_kernel(_scaled_dot_product_attention)
attention_backward = new_kernel(_attention_backward)
