# cython: language_level=3
"""Rows of attention: weights of scores, and gradients by scores. ``ROWS`` holds the loops (see attended.pxd)."""
from libc cimport math

from flambeau_tensor.vector_math cimport exp_down, folded, largest

from flambeau_nn._kernels.attended cimport Attended
from flambeau_tensor.compute cimport Product

ctypedef fused real_t:
    float
    double

cdef enum:
    LANES = 32


cdef inline Py_ssize_t _masked(const Attended* a, Py_ssize_t r, real_t* x) noexcept nogil:
    """Scale row r of the scores and put the mask on it; how many columns it may see."""
    cdef Py_ssize_t item = r // a.rows, row = a.first + r % a.rows, j, n = a.columns
    cdef Py_ssize_t step = a.mask_column
    cdef real_t scale = <real_t>a.scale
    cdef const real_t* m
    if a.causal and row + 1 < n:
        n = row + 1
    for j in range(n):
        x[j] = x[j] * scale
    if a.mask != NULL:
        m = <const real_t*>a.mask + a.places[item] + row * a.mask_row
        if a.boolean:
            for j in range(n):
                x[j] = x[j] if m[j * step] != 0 else <real_t>-math.INFINITY
        elif step == 1:
            for j in range(n):
                x[j] = x[j] + m[j]
        else:
            for j in range(n):
                x[j] = x[j] + m[j * step]
    for j in range(n, a.columns):
        x[j] = 0
    return n


cdef void _weights(const Attended* a, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t r, j, i, n
    cdef real_t* x
    cdef real_t[LANES] lanes
    cdef real_t top, factor
    cdef double total
    cdef real_t* sums = <real_t*>a.sums
    for r in range(begin, end):
        x = <real_t*>a.scores + r * a.columns
        n = _masked(a, r, x)
        i = r // a.rows * a.length + a.first + r % a.rows
        top = largest(x, n) if n else <real_t>-math.INFINITY
        if top == <real_t>-math.INFINITY:
            for j in range(n):
                x[j] = 0
            sums[i] = <real_t>math.INFINITY
            continue
        for j in range(n):
            x[j] = exp_down(x[j] - top)
        total = 0
        i = 0
        while i + LANES <= n:  # in blocks of LANES * LANES
            for j in range(LANES):
                lanes[j] = 0
            while i + LANES <= n:
                for j in range(LANES):
                    lanes[j] += x[i + j]
                i += LANES
                if i % (LANES * LANES) == 0:
                    break
            total += folded(&lanes[0])
        for j in range(i, n):
            total += x[j]
        factor = <real_t>(1 / total)
        for j in range(n):
            x[j] = x[j] * factor
        sums[r // a.rows * a.length + a.first + r % a.rows] = <real_t>(top + math.log(total))


cdef void _again(const Attended* a, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """The weights, from the sums."""
    cdef Py_ssize_t r, j, n
    cdef real_t* x
    cdef real_t total
    for r in range(begin, end):
        x = <real_t*>a.scores + r * a.columns
        n = _masked(a, r, x)
        total = (<const real_t*>a.sums)[r // a.rows * a.length + a.first + r % a.rows]
        if total == <real_t>math.INFINITY:
            for j in range(n):
                x[j] = 0
        else:
            for j in range(n):
                x[j] = exp_down(0 if x[j] > total else x[j] - total)


cdef void _gradient(const Attended* a, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """Gradients by the products of queries and keys, from those by the weights."""
    cdef Py_ssize_t r, i, j, n = a.columns
    cdef const real_t* p
    cdef real_t* g
    cdef real_t[LANES] lanes
    cdef real_t mean, scale = <real_t>a.scale
    cdef double total
    for r in range(begin, end):
        p, g = <const real_t*>a.scores + r * n, <real_t*>a.grads + r * n
        total = 0
        i = 0
        while i + LANES <= n:
            for j in range(LANES):
                lanes[j] = 0
            while i + LANES <= n:
                for j in range(LANES):
                    lanes[j] += p[i + j] * g[i + j]
                i += LANES
                if i % (LANES * LANES) == 0:
                    break
            total += folded(&lanes[0])
        for j in range(i, n):
            total += p[j] * g[j]
        mean = <real_t>total
        for j in range(n):
            g[j] = p[j] * (g[j] - mean) * scale


cdef inline real_t _dot(const real_t* a, const real_t* b, Py_ssize_t n) noexcept nogil:
    cdef real_t[8] lanes
    cdef Py_ssize_t e = 8, j
    cdef real_t x = 0
    if n >= 8:
        for j in range(8):
            lanes[j] = a[j] * b[j]
        while e + 8 <= n:
            for j in range(8):
                lanes[j] += a[e + j] * b[e + j]
            e += 8
        for j in range(4):
            lanes[j] += lanes[j + 4]
        x = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
    else:
        e = 0
    for j in range(e, n):
        x += a[j] * b[j]
    return x


cdef inline void _add_eight(const Product* p, const real_t* a, const real_t* b, real_t* c) noexcept nogil:
    """Eight columns of a row of the product."""
    cdef real_t[8] sums
    cdef Py_ssize_t e, j
    for j in range(8):
        sums[j] = c[j]
    for e in range(p.k):
        for j in range(8):
            sums[j] += a[e * p.a_col] * b[e * p.b_row + j]
    for j in range(8):
        c[j] = sums[j]


cdef void _product(const Product* p, real_t* tag) noexcept nogil:
    """What is too small for BLAS."""
    cdef Py_ssize_t item, _r, i, j, e
    cdef const real_t* a
    cdef const real_t* b
    cdef real_t* c
    cdef real_t x
    for item in range(p.count):
        a, b = <const real_t*>p.a + item * p.a_step, <const real_t*>p.b + item * p.b_step
        c = <real_t*>p.c + item * p.c_step
        for _r in range(p.m):
            if not p.add:
                for j in range(p.n):
                    c[j] = 0
            if p.b_col == 1:
                j = 0
                while j + 8 <= p.n:
                    _add_eight(p, a, b + j, c + j)
                    j += 8
                for e in range(p.k if j < p.n else 0):
                    x = a[e * p.a_col]
                    for i in range(j, p.n):
                        c[i] += x * b[e * p.b_row + i]
            else:
                for j in range(p.n):  # both operands lie along what is summed over
                    c[j] += _dot(a, b + j * p.b_col, p.k)
            a += p.a_row
            c += p.c_row


# By dtype: weights, the weights again, gradients, and small products.
ROWS = {
    "float32": (<size_t>&_weights[float], <size_t>&_again[float], <size_t>&_gradient[float], <size_t>&_product[float]),
    "float64": (<size_t>&_weights[double], <size_t>&_again[double], <size_t>&_gradient[double],
                <size_t>&_product[double]),
}
