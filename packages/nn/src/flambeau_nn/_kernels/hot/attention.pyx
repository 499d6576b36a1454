# cython: language_level=3
"""Rows of attention: weights from scores, and gradients of scores. ``ROWS`` holds the loops (attention_types.pxd)."""
from libc cimport math

from flambeau_tensor.vector_math cimport exp_down, fast_log, folded, largest

from flambeau_nn._kernels.attention_types cimport Attended
from flambeau_tensor.compute cimport Product

ctypedef fused real_t:
    float
    double

cdef enum:
    LANES = 32


cdef inline Py_ssize_t _masked(const Attended* a, Py_ssize_t r, real_t* x, real_t* scale) noexcept nogil:
    """Scale row r of the scores and apply the mask; without a mask, set `scale` to the factor still to apply.

    Return the number of columns that the row may attend to.
    """
    cdef Py_ssize_t row = a.first + r, j, n = a.columns
    cdef Py_ssize_t step = a.mask_column
    cdef const real_t* m
    if a.causal and row + 1 < n:
        n = row + 1
    for j in range(n, a.columns):
        x[j] = 0
    scale[0] = <real_t>a.scale
    if a.mask == NULL and a.scale >= 0:
        return n
    for j in range(n):
        x[j] = x[j] * scale[0]
    scale[0] = 1
    if a.mask != NULL:
        m = <const real_t*>a.mask + row * a.mask_row
        if a.boolean:
            for j in range(n):
                x[j] = x[j] if m[j * step] != 0 else <real_t>-math.INFINITY
        elif step == 1:
            for j in range(n):
                x[j] = x[j] + m[j]
        else:
            for j in range(n):
                x[j] = x[j] + m[j * step]
    return n


cdef void _weights(const Attended* a, real_t* tag) noexcept nogil:
    """Compute the weights, whose rows are not yet multiplied by their factors, and the sums."""
    cdef Py_ssize_t r, j, i, n
    cdef real_t* x
    cdef real_t[LANES] lanes
    cdef real_t top, scale, y
    cdef double total
    cdef real_t* sums = <real_t*>a.sums
    cdef real_t* factors = <real_t*>a.factors
    for r in range(a.rows):
        x = <real_t*>a.scores + r * a.columns
        n = _masked(a, r, x, &scale)
        top = largest(x, n) if n else <real_t>-math.INFINITY
        if top == <real_t>-math.INFINITY:
            for j in range(n):
                x[j] = 0
            sums[r] = <real_t>math.INFINITY
            factors[r] = 0
            continue
        total = 0
        i = 0
        while i + LANES <= n:  # in blocks of LANES * LANES
            for j in range(LANES):
                lanes[j] = 0
            while i + LANES <= n:
                for j in range(LANES):
                    y = exp_down((x[i + j] - top) * scale)
                    x[i + j] = y
                    lanes[j] += y
                i += LANES
                if i % (LANES * LANES) == 0:
                    break
            total += folded(&lanes[0])
        for j in range(i, n):
            x[j] = exp_down((x[j] - top) * scale)
        for j in range(i, n):
            total += x[j]
        factors[r] = <real_t>(1 / total)
        sums[r] = top * scale + fast_log(<real_t>total)


cdef void _finish(const Attended* a, real_t* tag) noexcept nogil:
    """Multiply the rows of the output by their factors."""
    cdef Py_ssize_t r, j
    cdef real_t* y = <real_t*>a.output
    cdef real_t factor
    for r in range(a.rows):
        factor = (<const real_t*>a.factors)[r]
        for j in range(a.width):
            y[j] = y[j] * factor
        y += a.width


cdef void _again(const Attended* a, real_t* tag) noexcept nogil:
    """Recompute the weights from the sums."""
    cdef Py_ssize_t r, j, n
    cdef real_t* x
    cdef real_t total, scale, y
    for r in range(a.rows):
        x = <real_t*>a.scores + r * a.columns
        n = _masked(a, r, x, &scale)
        total = (<const real_t*>a.sums)[r]
        if total == <real_t>math.INFINITY:
            for j in range(n):
                x[j] = 0
        else:
            for j in range(n):
                y = x[j] * scale
                x[j] = exp_down(0 if y > total else y - total)


cdef void _gradient(const Attended* a, real_t* tag) noexcept nogil:
    """Compute the gradients of the products of queries and keys from those of the weights."""
    cdef Py_ssize_t r, i, j, n = a.columns
    cdef const real_t* p
    cdef real_t* g
    cdef real_t[LANES] lanes
    cdef real_t mean, scale = <real_t>a.scale
    cdef double total
    for r in range(a.rows):
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
    """Compute eight columns of a row of the product."""
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
    """Compute products that are too small for BLAS."""
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
                for j in range(p.n):  # both operands are contiguous along the summed dimension
                    c[j] += _dot(a, b + j * p.b_col, p.k)
            a += p.a_row
            c += p.c_row


# By dtype: weights, their factors, recomputed weights, gradients, and small products.
ROWS = {
    "float32": (<size_t>&_weights[float], <size_t>&_finish[float], <size_t>&_again[float], <size_t>&_gradient[float],
                <size_t>&_product[float]),
    "float64": (<size_t>&_weights[double], <size_t>&_finish[double], <size_t>&_again[double],
                <size_t>&_gradient[double], <size_t>&_product[double]),
}
