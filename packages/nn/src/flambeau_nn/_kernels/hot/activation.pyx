# cython: language_level=3
"""Activation functions and their slopes, element by element, with NumPy's signature of inner loops.

Each is a scalar formula, a block over contiguous memory that the compiler vectorizes, and a row in ``LOOPS``. Loops
whose name ends in ``_backward`` take (grad, x) and give grad times the slope at x; parameters are doubles behind
`data`.
"""
from libc.string cimport memcpy

from flambeau_tensor.vector_math cimport fast_erf, fast_exp, fast_expm1, fast_log1p

ctypedef fused real_t:
    float
    double

ctypedef void (*block_t)(char** x, char* out, Py_ssize_t n, const double* p) noexcept nogil

cdef enum:
    CHUNK = 512

cdef double SQRT_HALF = 0.70710678118654752440
cdef double INV_SQRT_2PI = 0.39894228040143267794
cdef double TWO_SQRT_2_OVER_PI = 1.5957691216057307118  # 2 * sqrt(2 / pi)
cdef double CUBIC = 0.044715


cdef inline void _drive(int nin, char** a, const Py_ssize_t* n, const Py_ssize_t* s, Py_ssize_t item, block_t block,
                        const void* p) noexcept nogil:
    """Run `block` over strided memory: at once where it is contiguous, else in pieces through buffers."""
    cdef char[2 * 8 * CHUNK] buffers
    cdef char[8 * CHUNK] result
    cdef char* x[2]
    cdef char* out
    cdef bint plain = s[nin] == item
    cdef Py_ssize_t done = 0, m, i
    cdef int k
    for k in range(nin):
        plain = plain and s[k] == item and a[k] != a[nin]
    if plain:
        block(a, a[nin], n[0], <const double*>p)
        return
    while done < n[0]:
        m = min(<Py_ssize_t>CHUNK, n[0] - done)
        for k in range(nin):
            x[k] = a[k] + done * s[k]
            if s[k] == item:
                continue
            for i in range(m):
                memcpy(buffers + 8 * CHUNK * k + i * item, x[k] + i * s[k], item)
            x[k] = buffers + 8 * CHUNK * k
        block(x, result, m, <const double*>p)
        out = a[nin] + done * s[nin]
        if s[nin] == item:
            memcpy(out, result, m * item)
        else:
            for i in range(m):
                memcpy(out + i * s[nin], result + i * item, item)
        done += m


# --- formulas -------------------------------------------------------------------------------------------------------

cdef inline real_t _sigmoid(real_t x) noexcept nogil:
    return 1 / (1 + fast_exp(-x))


cdef inline real_t _magnitude(real_t x) noexcept nogil:
    return -x if x < 0 else x


cdef inline real_t _log1pexp(real_t x) noexcept nogil:
    """log(1 + exp(x)) without overflow."""
    return (0 if x < 0 else x) + fast_log1p(fast_exp(-_magnitude(x)))


cdef inline real_t _mish_gate(real_t x) noexcept nogil:
    """tanh(log(1 + exp(x))), which is n / (n + 2) with n = e (e + 2), e = exp(x)."""
    cdef real_t e = fast_exp(<real_t>20 if x > 20 else x)
    cdef real_t n = e * (e + 2)
    return n / (n + 2)

# --- blocks and loops -----------------------------------------------------------------------------------------------

cdef void _gelu(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = <real_t>0.5 * v * (1 + fast_erf(v * <real_t>SQRT_HALF))


cdef void loop_gelu(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_gelu[real_t], tag)


cdef void _gelu_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g, s
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        s = v * <real_t>INV_SQRT_2PI * fast_exp(<real_t>-0.5 * v * v)
        out[i] = g * (<real_t>0.5 * (1 + fast_erf(v * <real_t>SQRT_HALF)) + s)


cdef void loop_gelu_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_gelu_backward[real_t], tag)


cdef void _gelu_tanh(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = v * _sigmoid(<real_t>TWO_SQRT_2_OVER_PI * (v + <real_t>CUBIC * v * v * v))


cdef void loop_gelu_tanh(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_gelu_tanh[real_t], tag)


cdef void _gelu_tanh_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g, s
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        s = _sigmoid(<real_t>TWO_SQRT_2_OVER_PI * (v + <real_t>CUBIC * v * v * v))
        out[i] = g * s * (1 + v * <real_t>TWO_SQRT_2_OVER_PI * (1 + 3 * <real_t>CUBIC * v * v) * (1 - s))


cdef void loop_gelu_tanh_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_gelu_tanh_backward[real_t], tag)


cdef void _silu(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = v * _sigmoid(v)


cdef void loop_silu(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_silu[real_t], tag)


cdef void _silu_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g, s
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        s = _sigmoid(v)
        out[i] = g * s * (1 + v * (1 - s))


cdef void loop_silu_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_silu_backward[real_t], tag)


cdef void _mish(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = v * _mish_gate(v)


cdef void loop_mish(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_mish[real_t], tag)


cdef void _mish_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g, s
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        s = _mish_gate(v)
        out[i] = g * (s + v * _sigmoid(v) * (1 - s * s))


cdef void loop_mish_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_mish_backward[real_t], tag)


cdef void _logsigmoid(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = -_log1pexp(-v)


cdef void loop_logsigmoid(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_logsigmoid[real_t], tag)


cdef void _logsigmoid_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        out[i] = g * _sigmoid(-v)


cdef void loop_logsigmoid_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_logsigmoid_backward[real_t], tag)


cdef void _softplus(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, s
    cdef real_t beta = <real_t>p[0]
    cdef real_t threshold = <real_t>p[1]
    for i in range(n):
        v = (<real_t*>x[0])[i]
        s = _log1pexp(v * beta) / beta
        out[i] = v if v * beta > threshold else s


cdef void loop_softplus(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_softplus[real_t], tag)


cdef void _softplus_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g, s
    cdef real_t beta = <real_t>p[0]
    cdef real_t threshold = <real_t>p[1]
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        s = g * _sigmoid(v * beta)
        out[i] = g if v * beta > threshold else s


cdef void loop_softplus_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_softplus_backward[real_t], tag)


cdef void _elu(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, s
    cdef real_t alpha = <real_t>p[0]
    cdef real_t scale = <real_t>p[1]
    cdef real_t input_scale = <real_t>p[2]
    for i in range(n):
        v = (<real_t*>x[0])[i]
        s = fast_expm1(v * input_scale) * alpha
        out[i] = v * scale if v > 0 else s * scale


cdef void loop_elu(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_elu[real_t], tag)


cdef void _elu_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g, s
    cdef real_t alpha = <real_t>p[0]
    cdef real_t scale = <real_t>p[1]
    cdef real_t input_scale = <real_t>p[2]
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        s = g * input_scale * alpha * fast_exp(v * input_scale)
        out[i] = g * scale if v > 0 else s * scale


cdef void loop_elu_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_elu_backward[real_t], tag)


cdef void _leaky_relu(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    cdef real_t slope = <real_t>p[0]
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = v if v > 0 else v * slope


cdef void loop_leaky_relu(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_leaky_relu[real_t], tag)


cdef void _leaky_relu_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g
    cdef real_t slope = <real_t>p[0]
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        out[i] = g if v > 0 else g * slope


cdef void loop_leaky_relu_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_leaky_relu_backward[real_t], tag)


cdef void _hardtanh(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    cdef real_t low = <real_t>p[0]
    cdef real_t high = <real_t>p[1]
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = low if v < low else high if v > high else v


cdef void loop_hardtanh(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_hardtanh[real_t], tag)


cdef void _hardtanh_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g
    cdef real_t low = <real_t>p[0]
    cdef real_t high = <real_t>p[1]
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        out[i] = 0 if v <= low or v >= high else g


cdef void loop_hardtanh_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_hardtanh_backward[real_t], tag)


cdef void _hardsigmoid(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = 0 if v < -3 else 1 if v > 3 else (v + 3) / 6


cdef void loop_hardsigmoid(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_hardsigmoid[real_t], tag)


cdef void _hardsigmoid_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        out[i] = g / 6 if -3 < v < 3 else 0


cdef void loop_hardsigmoid_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_hardsigmoid_backward[real_t], tag)


cdef void _hardswish(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, gate
    for i in range(n):
        v = (<real_t*>x[0])[i]
        gate = v + 3
        gate = 0 if gate < 0 else 6 if gate > 6 else gate
        out[i] = v * gate / 6


cdef void loop_hardswish(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_hardswish[real_t], tag)


cdef void _hardswish_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        out[i] = 0 if v <= -3 else g if v >= 3 else g * (v / 3 + <real_t>0.5)


cdef void loop_hardswish_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_hardswish_backward[real_t], tag)


cdef void _softshrink(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    cdef real_t lambd = <real_t>p[0]
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = v - lambd if v > lambd else v + lambd if v < -lambd else v - v


cdef void loop_softshrink(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_softshrink[real_t], tag)


cdef void _softshrink_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g
    cdef real_t lambd = <real_t>p[0]
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        out[i] = 0 if -lambd <= v <= lambd else g


cdef void loop_softshrink_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_softshrink_backward[real_t], tag)


cdef void _hardshrink(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    cdef real_t lambd = <real_t>p[0]
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = 0 if -lambd <= v <= lambd else v


cdef void loop_hardshrink(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_hardshrink[real_t], tag)


cdef void _hardshrink_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g
    cdef real_t lambd = <real_t>p[0]
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        out[i] = 0 if -lambd <= v <= lambd else g


cdef void loop_hardshrink_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_hardshrink_backward[real_t], tag)


cdef void _threshold(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v
    cdef real_t threshold = <real_t>p[0]
    cdef real_t value = <real_t>p[1]
    for i in range(n):
        v = (<real_t*>x[0])[i]
        out[i] = value if v <= threshold else v


cdef void loop_threshold(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(1, a, n, s, sizeof(real_t), <block_t>_threshold[real_t], tag)


cdef void _threshold_backward(char** x, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t v, g
    cdef real_t threshold = <real_t>p[0]
    for i in range(n):
        g = (<real_t*>x[0])[i]
        v = (<real_t*>x[1])[i]
        out[i] = 0 if v <= threshold else g


cdef void loop_threshold_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _drive(2, a, n, s, sizeof(real_t), <block_t>_threshold_backward[real_t], tag)


def _pair(size_t single, size_t double_):
    return {"float32": single, "float64": double_}


LOOPS = {
    "gelu": _pair(<size_t>&loop_gelu[float], <size_t>&loop_gelu[double]),
    "gelu_backward": _pair(<size_t>&loop_gelu_backward[float], <size_t>&loop_gelu_backward[double]),
    "gelu_tanh": _pair(<size_t>&loop_gelu_tanh[float], <size_t>&loop_gelu_tanh[double]),
    "gelu_tanh_backward": _pair(<size_t>&loop_gelu_tanh_backward[float], <size_t>&loop_gelu_tanh_backward[double]),
    "silu": _pair(<size_t>&loop_silu[float], <size_t>&loop_silu[double]),
    "silu_backward": _pair(<size_t>&loop_silu_backward[float], <size_t>&loop_silu_backward[double]),
    "mish": _pair(<size_t>&loop_mish[float], <size_t>&loop_mish[double]),
    "mish_backward": _pair(<size_t>&loop_mish_backward[float], <size_t>&loop_mish_backward[double]),
    "logsigmoid": _pair(<size_t>&loop_logsigmoid[float], <size_t>&loop_logsigmoid[double]),
    "logsigmoid_backward": _pair(<size_t>&loop_logsigmoid_backward[float], <size_t>&loop_logsigmoid_backward[double]),
    "softplus": _pair(<size_t>&loop_softplus[float], <size_t>&loop_softplus[double]),
    "softplus_backward": _pair(<size_t>&loop_softplus_backward[float], <size_t>&loop_softplus_backward[double]),
    "elu": _pair(<size_t>&loop_elu[float], <size_t>&loop_elu[double]),
    "elu_backward": _pair(<size_t>&loop_elu_backward[float], <size_t>&loop_elu_backward[double]),
    "leaky_relu": _pair(<size_t>&loop_leaky_relu[float], <size_t>&loop_leaky_relu[double]),
    "leaky_relu_backward": _pair(<size_t>&loop_leaky_relu_backward[float], <size_t>&loop_leaky_relu_backward[double]),
    "hardtanh": _pair(<size_t>&loop_hardtanh[float], <size_t>&loop_hardtanh[double]),
    "hardtanh_backward": _pair(<size_t>&loop_hardtanh_backward[float], <size_t>&loop_hardtanh_backward[double]),
    "hardsigmoid": _pair(<size_t>&loop_hardsigmoid[float], <size_t>&loop_hardsigmoid[double]),
    "hardsigmoid_backward": _pair(<size_t>&loop_hardsigmoid_backward[float],
                                  <size_t>&loop_hardsigmoid_backward[double]),
    "hardswish": _pair(<size_t>&loop_hardswish[float], <size_t>&loop_hardswish[double]),
    "hardswish_backward": _pair(<size_t>&loop_hardswish_backward[float], <size_t>&loop_hardswish_backward[double]),
    "softshrink": _pair(<size_t>&loop_softshrink[float], <size_t>&loop_softshrink[double]),
    "softshrink_backward": _pair(<size_t>&loop_softshrink_backward[float], <size_t>&loop_softshrink_backward[double]),
    "hardshrink": _pair(<size_t>&loop_hardshrink[float], <size_t>&loop_hardshrink[double]),
    "hardshrink_backward": _pair(<size_t>&loop_hardshrink_backward[float], <size_t>&loop_hardshrink_backward[double]),
    "threshold": _pair(<size_t>&loop_threshold[float], <size_t>&loop_threshold[double]),
    "threshold_backward": _pair(<size_t>&loop_threshold_backward[float], <size_t>&loop_threshold_backward[double]),
}
