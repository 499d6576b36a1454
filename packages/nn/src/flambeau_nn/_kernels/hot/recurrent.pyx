# cython: language_level=3
"""One step of recurrent layers: all gates of a row at once, forward and backward. ``STEPS`` holds the loops (see
recurrent_types.pxd)."""
from libc.math cimport fabs, fabsf

from flambeau_tensor.vector_math cimport exp_down, fast_expm1

from flambeau_nn._kernels.recurrent_types cimport Step

cdef extern from * nogil:
    """
    #ifdef __GNUC__  /* copies of whole blocks stay in registers only once the functions that make them are inlined */
    #undef CYTHON_INLINE
    #define CYTHON_INLINE inline __attribute__((always_inline))
    #endif
    #include <string.h>
    /* Copy 64 bytes with registers as wide as the reader's: narrow stores would stall wide loads after them. */
    static inline void fl_copy_block(void* to, const void* from) {
    #if defined(__GNUC__) || defined(__clang__)
        typedef float block_t __attribute__((vector_size(64), aligned(4), may_alias));
        *(block_t*)to = *(const block_t*)from;
    #else
        memcpy(to, from, 64);
    #endif
    }
    """
    void copy_block "fl_copy_block"(void* to, const void* source)

cdef extern from "packed_products.h" nogil:
    int FL_PANEL_BYTES
    void* fl_packed_float
    void* fl_packed_double
    void* fl_pack_float
    void* fl_pack_double
    void* fl_outer_float
    void* fl_outer_double

cdef enum:
    BLOCK = 16  # numbers in a stack buffer, where nothing overlaps and the compiler vectorizes

ctypedef fused real_t:
    float
    double


# Divisions cost more than everything else, so gates share one: sigmoid and tanh of |x| have denominators from 1 to 2.
# Each step of a block is a separate loop, so that the processor works on several vectors while one waits for another.

cdef inline real_t _away(real_t x) noexcept nogil:
    """-|x|"""
    if real_t is float:
        return -fabsf(x)
    else:
        return -fabs(x)


cdef inline real_t _sigmoid_top(real_t x, real_t e) noexcept nogil:
    """Return the numerator over 1 + e, for e = exp(-|x|)."""
    return <real_t>1 if x > 0 else e


cdef inline real_t _tanh_top(real_t x, real_t e) noexcept nogil:
    """Return the numerator over 2 + e, for e = exp(-2 |x|) - 1."""
    return -e if x > 0 else e


cdef inline real_t _tanh(real_t x) noexcept nogil:
    cdef real_t e = fast_expm1(<real_t>2 * _away(x))
    return _tanh_top(x, e) / (<real_t>2 + e)


cdef inline void _exps(real_t* to, const real_t* x) noexcept nogil:
    """Compute exp(-|x|) of a block."""
    cdef Py_ssize_t j
    for j in range(BLOCK):
        to[j] = exp_down(_away(x[j]))


cdef inline void _expm1s(real_t* to, const real_t* x) noexcept nogil:
    """Compute exp(-2 |x|) - 1 of a block."""
    cdef Py_ssize_t j
    for j in range(BLOCK):
        to[j] = fast_expm1(<real_t>2 * _away(x[j]))


cdef inline void _copy(real_t* to, const real_t* x) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(BLOCK * sizeof(real_t) // 64):
        copy_block(<char*>to + 64 * k, <const char*>x + 64 * k)


cdef inline void _take(real_t* block, const real_t* x, Py_ssize_t n) noexcept nogil:
    """Copy n numbers and fill up with zeros."""
    cdef Py_ssize_t j
    if n == BLOCK:
        _copy(block, x)
    else:
        for j in range(BLOCK):
            block[j] = 0
        for j in range(n):
            block[j] = x[j]


cdef inline void _put(real_t* x, const real_t* block, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    if n == BLOCK:
        _copy(x, block)
    else:
        for j in range(n):
            x[j] = block[j]


cdef inline void _each_block(const Step* s, Py_ssize_t begin, Py_ssize_t end,
                             void (*block)(const Step*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
                                           real_t*) noexcept nogil) noexcept nogil:
    """Run `block` row by row on m numbers from `at` on. Whole blocks are separate, to keep copies in registers."""
    cdef Py_ssize_t row, k, whole = s.hidden // BLOCK, rest = s.hidden % BLOCK
    for row in range(begin, end):
        for k in range(whole):
            block(s, row, k * BLOCK, BLOCK, NULL)
        if rest:
            block(s, row, whole * BLOCK, rest, NULL)


cdef inline void _lstm_block(const Step* s, Py_ssize_t row, Py_ssize_t at, Py_ssize_t m,
                             real_t* tag) noexcept nogil:
    cdef Py_ssize_t k, j, n = s.hidden
    cdef real_t* g
    cdef real_t* c
    cdef real_t i, f, u, o, p, q, d, y
    cdef real_t[4][BLOCK] x, e
    cdef real_t[BLOCK] before, after, t, h
    g, c = <real_t*>s.gates + 4 * n * row + at, <real_t*>s.cells + n * row + at
    for k in range(4):
        _take(x[k], g + k * n, m)
    _take(before, c, m)
    _exps(e[0], x[0])
    _exps(e[1], x[1])
    _expm1s(e[2], x[2])
    _exps(e[3], x[3])
    for j in range(BLOCK):
        i, f, u = e[0][j], e[1][j], e[2][j]
        p, q, d = <real_t>1 + i, <real_t>1 + f, <real_t>2 + u
        y = <real_t>1 / (p * q * d)
        x[0][j] = _sigmoid_top(x[0][j], i) * (y * (q * d))
        x[1][j] = _sigmoid_top(x[1][j], f) * (y * (p * d))
        x[2][j] = _tanh_top(x[2][j], u) * (y * (p * q))
        after[j] = x[1][j] * before[j] + x[0][j] * x[2][j]
    _expm1s(e[2], after)
    for j in range(BLOCK):
        o, u = e[3][j], e[2][j]
        p, d = <real_t>1 + o, <real_t>2 + u
        y = <real_t>1 / (p * d)
        x[3][j] = _sigmoid_top(x[3][j], o) * (y * d)
        t[j] = _tanh_top(after[j], u) * (y * p)
        h[j] = x[3][j] * t[j]
    for k in range(4):
        _put(g + k * n, x[k], m)
    _put(<real_t*>s.kept + 2 * n * row + at, before, m)
    _put(<real_t*>s.kept + 2 * n * row + n + at, t, m)
    _put(c, after, m)
    _put(<real_t*>s.state + n * row + at, h, m)


cdef void _lstm(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    _each_block[real_t](s, begin, end, _lstm_block[real_t])


cdef inline void _lstm_backward_block(const Step* s, Py_ssize_t row, Py_ssize_t at, Py_ssize_t m,
                                      real_t* tag) noexcept nogil:
    """Compute the gradients of the gates; if `state` is not NULL, recompute the state there."""
    cdef Py_ssize_t k, j, n = s.hidden
    cdef const real_t* g
    cdef real_t* dc
    cdef real_t* dg
    cdef real_t i, f, u, o, t, d
    cdef real_t[4][BLOCK] x, out
    cdef real_t[BLOCK] before, after, dh, of_cells, h
    g, dc = <const real_t*>s.gates + 4 * n * row + at, <real_t*>s.grad_cells + n * row + at
    dg = <real_t*>s.grad_gates + 4 * n * row + at
    for k in range(4):
        _take(x[k], g + k * n, m)
    _take(before, <const real_t*>s.kept + 2 * n * row + at, m)
    _take(after, <const real_t*>s.kept + 2 * n * row + n + at, m)
    _take(dh, <const real_t*>s.grad_state + n * row + at, m)
    _take(of_cells, dc, m)
    for j in range(BLOCK):
        i, f, u, o, t = x[0][j], x[1][j], x[2][j], x[3][j], after[j]
        d = of_cells[j] + dh[j] * o * (<real_t>1 - t * t)
        out[0][j] = d * u * i * (<real_t>1 - i)
        out[1][j] = d * before[j] * f * (<real_t>1 - f)
        out[2][j] = d * i * (<real_t>1 - u * u)
        out[3][j] = dh[j] * t * o * (<real_t>1 - o)
        of_cells[j] = d * f
        h[j] = o * t
    for k in range(4):
        _put(dg + k * n, out[k], m)
    _put(dc, of_cells, m)
    if s.state != NULL:
        _put(<real_t*>s.state + n * row + at, h, m)


cdef void _lstm_backward(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    _each_block[real_t](s, begin, end, _lstm_backward_block[real_t])


cdef inline void _gru_block(const Step* s, Py_ssize_t row, Py_ssize_t at, Py_ssize_t m,
                            real_t* tag) noexcept nogil:
    cdef Py_ssize_t k, j, n = s.hidden
    cdef real_t* g
    cdef const real_t* p
    cdef real_t a, b, d
    cdef real_t[3][BLOCK] x, y
    cdef real_t[2][BLOCK] e
    cdef real_t[BLOCK] before, bias, h
    for j in range(BLOCK):
        bias[j] = 0
    g, p = <real_t*>s.gates + 3 * n * row + at, <const real_t*>s.products + 3 * n * row + at
    for k in range(3):
        _take(x[k], g + k * n, m)
        _take(y[k], p + k * n, m)
    _take(before, <const real_t*>s.before + n * row + at, m)
    if s.bias != NULL:
        _take(bias, <const real_t*>s.bias + at, m)
    for j in range(BLOCK):
        x[0][j] = x[0][j] + y[0][j]
        x[1][j] = x[1][j] + y[1][j]
    _exps(e[0], x[0])
    _exps(e[1], x[1])
    for j in range(BLOCK):
        a, b = e[0][j], e[1][j]
        d = <real_t>1 / ((<real_t>1 + a) * (<real_t>1 + b))
        x[0][j] = _sigmoid_top(x[0][j], a) * (d * (<real_t>1 + b))
        x[1][j] = _sigmoid_top(x[1][j], b) * (d * (<real_t>1 + a))
        y[2][j] = y[2][j] + bias[j]
        x[2][j] = _tanh(x[2][j] + x[0][j] * y[2][j])
        h[j] = (before[j] - x[2][j]) * x[1][j] + x[2][j]
    for k in range(3):
        _put(g + k * n, x[k], m)
    _put(<real_t*>s.kept + n * row + at, y[2], m)
    _put(<real_t*>s.state + n * row + at, h, m)


cdef void _gru(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    _each_block[real_t](s, begin, end, _gru_block[real_t])


cdef inline void _gru_backward_block(const Step* s, Py_ssize_t row, Py_ssize_t at, Py_ssize_t m,
                                     real_t* tag) noexcept nogil:
    cdef Py_ssize_t q, j, n = s.hidden
    cdef const real_t* g
    cdef real_t* dg
    cdef real_t* dp
    cdef real_t r, z, u
    cdef real_t[3][BLOCK] x, out
    cdef real_t[BLOCK] before, kept, dh, of_kept, past
    g, dg = <const real_t*>s.gates + 3 * n * row + at, <real_t*>s.grad_gates + 3 * n * row + at
    dp = <real_t*>s.grad_products + 3 * n * row + at
    for q in range(3):
        _take(x[q], g + q * n, m)
    _take(before, <const real_t*>s.before + n * row + at, m)
    _take(kept, <const real_t*>s.kept + n * row + at, m)
    _take(dh, <const real_t*>s.grad_state + n * row + at, m)
    for j in range(BLOCK):
        r, z, u = x[0][j], x[1][j], x[2][j]
        out[2][j] = dh[j] * (<real_t>1 - z) * (<real_t>1 - u * u)
        out[0][j] = out[2][j] * kept[j] * r * (<real_t>1 - r)
        out[1][j] = dh[j] * (before[j] - u) * z * (<real_t>1 - z)
        of_kept[j] = out[2][j] * r
        past[j] = dh[j] * z
    for q in range(3):
        _put(dg + q * n, out[q], m)
    for q in range(2):
        _put(dp + q * n, out[q], m)
    _put(dp + 2 * n, of_kept, m)
    _put(<real_t*>s.grad_before + n * row + at, past, m)


cdef void _gru_backward(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    _each_block[real_t](s, begin, end, _gru_backward_block[real_t])


cdef void _plain(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t j
    cdef real_t* g = <real_t*>s.gates
    cdef real_t* h = <real_t*>s.state
    if s.nonlinearity:
        for j in range(begin * s.hidden, end * s.hidden):
            h[j] = g[j] = 0 if g[j] < 0 else g[j]
    else:
        for j in range(begin * s.hidden, end * s.hidden):
            h[j] = g[j] = _tanh(g[j])


cdef void _plain_backward(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t j
    cdef const real_t* g = <const real_t*>s.gates
    cdef const real_t* dh = <const real_t*>s.grad_state
    cdef real_t* dg = <real_t*>s.grad_gates
    if s.nonlinearity:
        for j in range(begin * s.hidden, end * s.hidden):
            dg[j] = 0 if g[j] <= 0 else dh[j]
    else:
        for j in range(begin * s.hidden, end * s.hidden):
            dg[j] = dh[j] * (<real_t>1 - g[j] * g[j])


# --- rows ------------------------------------------------------------------------------------------------------------
cdef void _sum_rows(Py_ssize_t outer, Py_ssize_t inner, Py_ssize_t n, const real_t* x, Py_ssize_t x_outer,
                    Py_ssize_t x_inner, real_t* out) noexcept nogil:
    """Sum outer * inner rows: row (o, i) is at o * x_outer + i * x_inner."""
    cdef Py_ssize_t o, r, j, at, m
    cdef const real_t* row
    cdef real_t[4 * BLOCK] sums
    at = 0
    while at < n:
        m = min(n - at, <Py_ssize_t>(4 * BLOCK))
        for j in range(4 * BLOCK):
            sums[j] = 0
        for o in range(outer):
            row = x + o * x_outer + at
            if m == 4 * BLOCK:
                for r in range(inner):
                    for j in range(4 * BLOCK):
                        sums[j] += row[r * x_inner + j]
            else:
                for r in range(inner):
                    for j in range(m):
                        sums[j] += row[r * x_inner + j]
        for j in range(m):
            out[at + j] = sums[j]
        at += 4 * BLOCK


cdef void _add_to(real_t* x, const real_t* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        x[j] += y[j]


# By dtype.
STEPS = {
    "float32": {"lstm": <size_t>&_lstm[float], "lstm_backward": <size_t>&_lstm_backward[float],
                "gru": <size_t>&_gru[float], "gru_backward": <size_t>&_gru_backward[float],
                "rnn": <size_t>&_plain[float], "rnn_backward": <size_t>&_plain_backward[float],
                "sum_rows": <size_t>&_sum_rows[float],
                "add_to": <size_t>&_add_to[float], "pack": <size_t>fl_pack_float,
                "outer": <size_t>fl_outer_float,
                "multiply_packed": <size_t>fl_packed_float, "panel": FL_PANEL_BYTES // sizeof(float)},
    "float64": {"lstm": <size_t>&_lstm[double], "lstm_backward": <size_t>&_lstm_backward[double],
                "gru": <size_t>&_gru[double], "gru_backward": <size_t>&_gru_backward[double],
                "rnn": <size_t>&_plain[double], "rnn_backward": <size_t>&_plain_backward[double],
                "sum_rows": <size_t>&_sum_rows[double],
                "add_to": <size_t>&_add_to[double], "pack": <size_t>fl_pack_double,
                "outer": <size_t>fl_outer_double,
                "multiply_packed": <size_t>fl_packed_double, "panel": FL_PANEL_BYTES // sizeof(double)},
}
