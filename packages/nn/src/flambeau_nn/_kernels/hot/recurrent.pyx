# cython: language_level=3
"""One step of recurrent layers: all gates of a row at once, forward and backward. ``STEPS`` holds the loops (see
recurrent_steps.pxd)."""
from flambeau_tensor.vector_math cimport exp_down, fast_expm1

from flambeau_nn._kernels.recurrent_steps cimport Step

cdef extern from "packed_products.h" nogil:
    int FL_PANEL_BYTES
    void* fl_packed_float
    void* fl_packed_double
    void* fl_pack_float
    void* fl_pack_double

cdef enum:
    BLOCK = 128  # numbers that are held on the stack: the compiler makes vectors where nothing may overlap

ctypedef fused real_t:
    float
    double


cdef inline real_t _sigmoid(real_t x) noexcept nogil:
    cdef real_t e = exp_down(-x if x > 0 else x), y = 1 / (1 + e)
    return y if x > 0 else y * e


cdef inline real_t _tanh(real_t x) noexcept nogil:
    cdef real_t t
    if real_t is float:
        x = <float>20 if x > <float>20 else x
    else:
        x = 20.0 if x > 20.0 else x
    t = fast_expm1(2 * x)
    return t / (t + 2)


cdef void _lstm(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t r, j, n = s.hidden
    cdef real_t* g
    cdef real_t* c
    cdef real_t* kept
    cdef real_t* h
    for r in range(begin, end):
        g, c = <real_t*>s.gates + 4 * n * r, <real_t*>s.cells + n * r
        kept, h = <real_t*>s.kept + n * r, <real_t*>s.state + n * r
        for j in range(2 * n):
            g[j] = _sigmoid(g[j])
        for j in range(2 * n, 3 * n):
            g[j] = _tanh(g[j])
        for j in range(3 * n, 4 * n):
            g[j] = _sigmoid(g[j])
        for j in range(n):
            kept[j] = c[j]
            c[j] = g[n + j] * c[j] + g[j] * g[2 * n + j]
        for j in range(n):
            h[j] = g[3 * n + j] * _tanh(c[j])


cdef void _lstm_backward(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    """`state` gets what the step gave where it is not NULL."""
    cdef Py_ssize_t r, j, at, m, n = s.hidden
    cdef const real_t* g
    cdef const real_t* before
    cdef const real_t* dh
    cdef real_t* dc
    cdef real_t* dg
    cdef real_t* h
    cdef real_t i, f, u, o, t, d
    cdef real_t[6][BLOCK] out
    for r in range(begin, end):
        at = 0
        while at < n:
            m = min(n - at, <Py_ssize_t>BLOCK)
            g, before = <const real_t*>s.gates + 4 * n * r + at, <const real_t*>s.kept + n * r + at
            dh, dc = <const real_t*>s.grad_state + n * r + at, <real_t*>s.grad_cells + n * r + at
            dg = <real_t*>s.grad_gates + 4 * n * r + at
            for j in range(m):
                i, f, u, o = g[j], g[n + j], g[2 * n + j], g[3 * n + j]
                t = _tanh(f * before[j] + i * u)
                d = dc[j] + dh[j] * o * (1 - t * t)
                out[0][j] = d * u * i * (1 - i)
                out[1][j] = d * before[j] * f * (1 - f)
                out[2][j] = d * i * (1 - u * u)
                out[3][j] = dh[j] * t * o * (1 - o)
                out[4][j] = d * f
                out[5][j] = o * t
            for j in range(m):
                dg[j] = out[0][j]
            for j in range(m):
                dg[n + j] = out[1][j]
            for j in range(m):
                dg[2 * n + j] = out[2][j]
            for j in range(m):
                dg[3 * n + j] = out[3][j]
            for j in range(m):
                dc[j] = out[4][j]
            if s.state != NULL:
                h = <real_t*>s.state + n * r + at
                for j in range(m):
                    h[j] = out[5][j]
            at += m


cdef void _gru(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t r, j, n = s.hidden
    cdef real_t* g
    cdef const real_t* p
    cdef const real_t* before
    cdef const real_t* bias = <const real_t*>s.bias
    cdef real_t* kept
    cdef real_t* h
    for r in range(begin, end):
        g, p = <real_t*>s.gates + 3 * n * r, <const real_t*>s.products + 3 * n * r
        before = <const real_t*>s.before + n * r
        kept, h = <real_t*>s.kept + n * r, <real_t*>s.state + n * r
        for j in range(2 * n):
            g[j] = _sigmoid(g[j] + p[j])
        if bias == NULL:
            for j in range(n):
                kept[j] = p[2 * n + j]
        else:
            for j in range(n):
                kept[j] = p[2 * n + j] + bias[j]
        for j in range(n):
            g[2 * n + j] = _tanh(g[2 * n + j] + g[j] * kept[j])
        for j in range(n):
            h[j] = (before[j] - g[2 * n + j]) * g[n + j] + g[2 * n + j]


cdef void _gru_backward(const Step* s, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef Py_ssize_t k, j, at, m, n = s.hidden
    cdef const real_t* g
    cdef const real_t* before
    cdef const real_t* kept
    cdef const real_t* dh
    cdef real_t* dg
    cdef real_t* dp
    cdef real_t* past
    cdef real_t r, z, u
    cdef real_t[4][BLOCK] out
    for k in range(begin, end):
        at = 0
        while at < n:
            m = min(n - at, <Py_ssize_t>BLOCK)
            g, before = <const real_t*>s.gates + 3 * n * k + at, <const real_t*>s.before + n * k + at
            kept, dh = <const real_t*>s.kept + n * k + at, <const real_t*>s.grad_state + n * k + at
            dg, dp = <real_t*>s.grad_gates + 3 * n * k + at, <real_t*>s.grad_products + 3 * n * k + at
            past = <real_t*>s.grad_before + n * k + at
            for j in range(m):
                r, z, u = g[j], g[n + j], g[2 * n + j]
                out[2][j] = dh[j] * (1 - z) * (1 - u * u)
                out[0][j] = out[2][j] * kept[j] * r * (1 - r)
                out[1][j] = dh[j] * (before[j] - u) * z * (1 - z)
                out[3][j] = dh[j] * z
            for j in range(m):
                dp[2 * n + j] = out[2][j] * g[j]
            for j in range(m):
                dp[j] = out[0][j]
            for j in range(m):
                dp[n + j] = out[1][j]
            for j in range(m):
                dg[j] = out[0][j]
            for j in range(m):
                dg[n + j] = out[1][j]
            for j in range(m):
                dg[2 * n + j] = out[2][j]
            for j in range(m):
                past[j] = out[3][j]
            at += m


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
            dg[j] = dh[j] if g[j] > 0 else 0
    else:
        for j in range(begin * s.hidden, end * s.hidden):
            dg[j] = dh[j] * (1 - g[j] * g[j])


# --- rows ------------------------------------------------------------------------------------------------------------
cdef void _fill_rows(real_t* out, const real_t* a, const real_t* b, Py_ssize_t nb, Py_ssize_t n,
                     Py_ssize_t rows) noexcept nogil:
    """Rows of a, plus the first nb numbers of b."""
    cdef Py_ssize_t r, j
    for j in range(n):
        out[j] = a[j]
    for j in range(nb):
        out[j] += b[j]
    for r in range(1, rows):
        for j in range(n):
            out[r * n + j] = out[j]


cdef void _sum_rows(const real_t* x, real_t* out, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t r, j
    for j in range(n):
        out[j] = 0
    for r in range(rows):
        for j in range(n):
            out[j] += x[r * n + j]


cdef void _add_to(real_t* x, const real_t* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        x[j] += y[j]


# By dtype.
STEPS = {
    "float32": {"lstm": <size_t>&_lstm[float], "lstm_backward": <size_t>&_lstm_backward[float],
                "gru": <size_t>&_gru[float], "gru_backward": <size_t>&_gru_backward[float],
                "rnn": <size_t>&_plain[float], "rnn_backward": <size_t>&_plain_backward[float],
                "fill_rows": <size_t>&_fill_rows[float], "sum_rows": <size_t>&_sum_rows[float],
                "add_to": <size_t>&_add_to[float], "pack": <size_t>fl_pack_float,
                "multiply_packed": <size_t>fl_packed_float, "panel": FL_PANEL_BYTES // sizeof(float)},
    "float64": {"lstm": <size_t>&_lstm[double], "lstm_backward": <size_t>&_lstm_backward[double],
                "gru": <size_t>&_gru[double], "gru_backward": <size_t>&_gru_backward[double],
                "rnn": <size_t>&_plain[double], "rnn_backward": <size_t>&_plain_backward[double],
                "fill_rows": <size_t>&_fill_rows[double], "sum_rows": <size_t>&_sum_rows[double],
                "add_to": <size_t>&_add_to[double], "pack": <size_t>fl_pack_double,
                "multiply_packed": <size_t>fl_packed_double, "panel": FL_PANEL_BYTES // sizeof(double)},
}
