# cython: language_level=3
"""Attention in blocks: the weights of some queries of some items at a time, which are gone when their share of the
result, or of the gradients, is computed. float16 and bfloat16 are computed in float32.
"""
from cpython.float cimport PyFloat_CheckExact, PyFloat_FromDouble
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.math cimport sqrt
from libc.string cimport memset

from flambeau_nn._kernels.attended cimport Attended, attended_t
from flambeau_tensor.abi cimport T_LAYERED, TENSOR_ABI, TensorInfo, new_kernel, tensor_info
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BFLOAT16, D_BOOL, D_FLOAT16, D_FLOAT32, D_FLOAT64, Array, Product, array_of, converted, dense, fresh,
    itemsize, multiply, parallel_for, read_float, shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE, HEAVY_GRAIN

from flambeau_tensor.extend import hot
from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    BLOCK = 1 << 18  # weights that are held at a time, unless one query has more
    QUERIES = 128  # of an item that a block has at most
    MAX_NDIM = 64
    SMALL = 2048  # multiplications that are not worth calling BLAS

ctypedef void (*product_t)(const Product* p) noexcept nogil

cdef attended_t[2][3] _loops  # float32, float64
cdef product_t[2] _products


def _take_loops():
    rows = hot("attention", "flambeau_nn._kernels").ROWS
    for k, name in enumerate(("float32", "float64")):
        for kind in range(3):
            _loops[<int>k][<int>kind] = <attended_t><size_t>rows[name][kind]
        _products[<int>k] = <product_t><size_t>rows[name][3]


_take_loops()

cdef struct _Share:
    Attended* block
    attended_t loop


cdef void _run(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef _Share* s = <_Share*>context
    s.loop(s.block, begin, end)


cdef inline Py_ssize_t _blocks(Py_ssize_t n, Py_ssize_t most) noexcept nogil:
    return (n + most - 1) // most


cdef class _Attention:
    """The operands, dense, and the block that is being worked on."""
    cdef Array q, k, v
    cdef Py_ssize_t count, length, others, size, width, item
    cdef int dtype, original, ndim
    cdef Attended block
    cdef attended_t* loops
    cdef Py_ssize_t* places
    cdef list held

    def __dealloc__(self):
        PyMem_Free(self.places)

    cdef int read(self, PyObject* query, PyObject* key, PyObject* value, PyObject* mask, PyObject* is_causal,
                  PyObject* scale) except -1:
        cdef Array q, k, v
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
        self.original, self.ndim, self.held = q.dtype, q.ndim, []
        self.dtype = D_FLOAT32 if q.dtype == D_FLOAT16 or q.dtype == D_BFLOAT16 else q.dtype
        self.item = itemsize(self.dtype)
        self.held.append(dense(query, self.dtype, &self.q))
        self.held.append(dense(key, self.dtype, &self.k))
        self.held.append(dense(value, self.dtype, &self.v))
        self.length, self.size = q.sizes[q.ndim - 2], q.sizes[q.ndim - 1]
        self.others, self.width = k.sizes[k.ndim - 2], v.sizes[v.ndim - 1]
        self.count = 1
        for d in range(q.ndim - 2):
            self.count *= q.sizes[d]
        memset(&self.block, 0, sizeof(Attended))
        self.block.length, self.block.scale = self.length, read_float(scale)
        self.block.causal = <object>is_causal
        self.loops = &_loops[self.dtype == D_FLOAT64][0]
        if mask != <PyObject*>None:
            self.take_mask(mask)
        return 0

    cdef int take_mask(self, PyObject* mask) except -1:
        """Where each item's mask begins: it is broadcast to (*, queries, keys)."""
        cdef Array m
        cdef Py_ssize_t[MAX_NDIM] wanted
        cdef Py_ssize_t[MAX_NDIM] steps
        cdef Py_ssize_t step = 1, k, rest, place
        cdef int d, e
        array_of(mask, &m)
        self.block.boolean = m.dtype == D_BOOL
        for d in range(self.ndim - 2):
            wanted[d] = self.q.sizes[d]
        wanted[self.ndim - 2], wanted[self.ndim - 1] = self.length, self.others
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
        self.held.append(dense(mask, self.dtype, &m))
        self.block.mask = m.data
        self.block.mask_row, self.block.mask_column = steps[self.ndim - 2], steps[self.ndim - 1]
        self.places = <Py_ssize_t*>PyMem_Malloc(max(self.count, <Py_ssize_t>1) * sizeof(Py_ssize_t))
        if self.places == NULL:
            raise MemoryError()
        for k in range(self.count):
            rest, place = k, 0
            for d in range(self.ndim - 3, -1, -1):
                place += rest % wanted[d] * steps[d]
                rest //= wanted[d]
            self.places[k] = place
        return 0

    cdef int multiplied(self, bint add, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const char* a, bint a_across,
                        Py_ssize_t a_step, const char* b, bint b_across, Py_ssize_t b_step, char* c,
                        Py_ssize_t c_step) except -1:
        """c[m, n] = a @ b (or += ) of each item of the block; `across`: the operand is stored transposed."""
        cdef Product p
        cdef Py_ssize_t i
        if k == 0 and not add:
            for i in range(self.block.items):
                memset(c + i * c_step * self.item, 0, m * n * self.item)
        if m == 0 or n == 0 or k == 0:
            return 0
        p.dtype, p.add, p.m, p.n, p.k, p.a, p.b, p.c = self.dtype, add, m, n, k, a, b, c
        p.a_row, p.a_col = 1 if a_across else k, m if a_across else 1
        p.b_row, p.b_col = 1 if b_across else n, k if b_across else 1
        p.c_row, p.count, p.a_step, p.b_step, p.c_step = n, self.block.items, a_step, b_step, c_step
        if m * n * k * p.count <= SMALL:
            _products[self.dtype == D_FLOAT64](&p)
            return 0
        return multiply(&p)

    cdef int run(self, int kind) except -1:
        cdef _Share share
        cdef Py_ssize_t rows = self.block.items * self.block.rows
        if rows * self.block.columns < GIL_FREE:
            self.loops[kind](&self.block, 0, rows)
        else:
            share.block, share.loop = &self.block, self.loops[kind]
            with nogil:
                parallel_for(rows, max(<Py_ssize_t>1, HEAVY_GRAIN // self.block.columns), _run, &share)
        return 0

    cdef int measure(self) noexcept:
        """How many queries a block has at most, and how many items."""
        self.block.rows = max(<Py_ssize_t>1, min(self.length, <Py_ssize_t>QUERIES))
        self.block.items = max(<Py_ssize_t>1, min(self.count, BLOCK // max(self.block.rows * self.others,
                                                                           <Py_ssize_t>1)))
        return 0

    cdef object buffer(self, Array* a):
        cdef Py_ssize_t[1] sizes
        sizes[0] = self.block.items * self.block.rows * self.others
        return fresh(self.dtype, 1, sizes, a)

    cdef char* at(self, char* data, Py_ssize_t item, Py_ssize_t row, Py_ssize_t rows, Py_ssize_t columns) noexcept:
        return data + (item * rows + row) * columns * self.item

    cdef int enter(self, Py_ssize_t item, Py_ssize_t items, Py_ssize_t row, Py_ssize_t rows, char* sums) except -1:
        """Begin a block: its scores."""
        cdef Attended* b = &self.block
        b.items, b.rows, b.first = items, rows, row
        b.columns = min(self.others, row + rows) if b.causal else self.others
        b.sums = sums + item * self.length * self.item
        b.places = self.places + item if self.places != NULL else NULL
        return self.multiplied(False, rows, b.columns, self.size,
                               self.at(self.q.data, item, row, self.length, self.size), False, self.length * self.size,
                               self.at(self.k.data, item, 0, self.others, self.size), True, self.others * self.size,
                               <char*>b.scores, rows * b.columns)

    cdef tuple forward(self):
        """(output, sums)"""
        cdef Py_ssize_t[MAX_NDIM] sizes
        cdef Array out, sums, scores
        cdef Py_ssize_t i, j, item, row, items, rows, most_items, most_rows
        cdef int d
        for d in range(self.ndim - 1):
            sizes[d] = self.q.sizes[d]
        sizes[self.ndim - 1] = self.width
        output = fresh(self.dtype, self.ndim, sizes, &out)
        logarithms = fresh(self.dtype, self.ndim - 1, sizes, &sums)
        self.measure()
        self.held.append(self.buffer(&scores))
        self.block.scores = scores.data
        most_items, most_rows = self.block.items, self.block.rows
        for i in range(_blocks(self.count, most_items)):
            item = i * most_items
            items = min(most_items, self.count - item)
            for j in range(_blocks(self.length, most_rows)):
                row = j * most_rows
                rows = min(most_rows, self.length - row)
                self.enter(item, items, row, rows, sums.data)
                self.run(0)
                self.multiplied(False, rows, self.width, self.block.columns, scores.data, False,
                                rows * self.block.columns, self.at(self.v.data, item, 0, self.others, self.width),
                                False, self.others * self.width, self.at(out.data, item, row, self.length, self.width),
                                self.length * self.width)
        return converted(output, self.original), logarithms

    cdef tuple backward(self, PyObject* grad, PyObject* logarithms):
        """The gradients of query, key and value."""
        cdef Array g, sums, of_q, of_k, of_v, scores, grads
        cdef Py_ssize_t i, j, item, row, items, rows, most_items, most_rows, n
        cdef Attended* b = &self.block
        array_of(logarithms, &sums)
        array_of(grad, &g)
        if g.numel != self.count * self.length * self.width or sums.numel != self.count * self.length or \
                sums.dtype != self.dtype or not sums.contiguous:
            raise RuntimeError("attention_backward: the gradient and the sums are not those of these operands")
        self.held.append(dense(grad, self.dtype, &g))
        for_q = fresh(self.dtype, self.ndim, self.q.sizes, &of_q)
        for_k = fresh(self.dtype, self.ndim, self.k.sizes, &of_k)
        for_v = fresh(self.dtype, self.ndim, self.v.sizes, &of_v)
        memset(of_k.data, 0, of_k.numel * self.item)
        memset(of_v.data, 0, of_v.numel * self.item)
        self.measure()
        self.held.append(self.buffer(&scores))
        self.held.append(self.buffer(&grads))
        b.scores, b.grads = scores.data, grads.data
        most_items, most_rows = b.items, b.rows
        for i in range(_blocks(self.count, most_items)):
            item = i * most_items
            items = min(most_items, self.count - item)
            for j in range(_blocks(self.length, most_rows)):
                row = j * most_rows
                rows = min(most_rows, self.length - row)
                self.enter(item, items, row, rows, sums.data)
                n = b.columns
                self.run(1)
                self.multiplied(True, n, self.width, rows, scores.data, True, rows * n,
                                self.at(g.data, item, row, self.length, self.width), False, self.length * self.width,
                                self.at(of_v.data, item, 0, self.others, self.width), self.others * self.width)
                self.multiplied(False, rows, n, self.width, self.at(g.data, item, row, self.length, self.width), False,
                                self.length * self.width, self.at(self.v.data, item, 0, self.others, self.width), True,
                                self.others * self.width, grads.data, rows * n)
                self.run(2)
                self.multiplied(False, rows, self.size, n, grads.data, False, rows * n,
                                self.at(self.k.data, item, 0, self.others, self.size), False, self.others * self.size,
                                self.at(of_q.data, item, row, self.length, self.size), self.length * self.size)
                self.multiplied(True, n, self.size, rows, grads.data, True, rows * n,
                                self.at(self.q.data, item, row, self.length, self.size), False,
                                self.length * self.size, self.at(of_k.data, item, 0, self.others, self.size),
                                self.others * self.size)
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
    """Say what `scaled_dot_product_attention` is made of: `operator` where there is neither a mask nor dropout and the
    operands are plain, if ``allowed.blocks``; else the function `general` of all arguments."""
    global _operator, _general, _allowed
    _operator, _general, _allowed = operator, general, allowed


cdef bint _is_plain(PyObject** a) noexcept:
    """Whether query, key and value are of one floating point dtype and equal outer sizes, and the rest is left out."""
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
