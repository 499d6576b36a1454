# cython: language_level=3
"""Activation functions and their derivatives, elementwise, with the signature of NumPy's inner loops.

Each function is a tag, a formula in ``_value``, one in ``_gradient``, and a row in ``LOOPS``; the compiler generates
the loops of all tags from one. Loops whose name ends in ``_backward`` take (grad, x) and compute grad times the
derivative at x; `data` points to the parameters, which are doubles.
"""
from libc.string cimport memcpy

from flambeau_tensor.vector_math cimport fast_erf, fast_exp, fast_expm1, fast_log1p

ctypedef fused real_t:
    float
    double

# Tags: a loop is generated for each, and `data` is passed as a pointer to it.
cdef struct Gelu:
    double first
cdef struct GeluTanh:
    double first
cdef struct Silu:
    double first
cdef struct Mish:
    double first
cdef struct LogSigmoid:
    double first
cdef struct Softplus:
    double first
cdef struct Elu:
    double first
cdef struct LeakyRelu:
    double first
cdef struct Hardtanh:
    double first
cdef struct Hardsigmoid:
    double first
cdef struct Hardswish:
    double first
cdef struct Softshrink:
    double first
cdef struct Hardshrink:
    double first
cdef struct Threshold:
    double first

ctypedef fused Activation:
    Gelu
    GeluTanh
    Silu
    Mish
    LogSigmoid
    Softplus
    Elu
    LeakyRelu
    Hardtanh
    Hardsigmoid
    Hardswish
    Softshrink
    Hardshrink
    Threshold

ctypedef void (*block_t)(char** x, char* out, Py_ssize_t n, const void* data) noexcept nogil

cdef enum:
    CHUNK = 512

cdef double SQRT_HALF = 0.70710678118654752440
cdef double INV_SQRT_2PI = 0.39894228040143267794
cdef double TWO_SQRT_2_OVER_PI = 1.5957691216057307118  # 2 * sqrt(2 / pi)
cdef double CUBIC = 0.044715


cdef inline void _fill(char* buffer, const char* value, Py_ssize_t item, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t done = 1
    memcpy(buffer, value, item)
    while done < n:
        memcpy(buffer + done * item, buffer, min(done, n - done) * item)
        done *= 2


cdef inline void _drive(int nin, char** a, const Py_ssize_t* n, const Py_ssize_t* s, Py_ssize_t item, block_t block,
                        const void* data) noexcept nogil:
    """Run `block` over strided memory: directly if it is contiguous, otherwise in pieces through buffers."""
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
        block(a, a[nin], n[0], data)
        return
    while done < n[0]:
        m = min(<Py_ssize_t>CHUNK, n[0] - done)
        for k in range(nin):
            x[k] = a[k] + done * s[k]
            if s[k] == item:
                continue
            if s[k] != 0:
                for i in range(m):
                    memcpy(buffers + 8 * CHUNK * k + i * item, x[k] + i * s[k], item)
            elif done == 0:  # a constant fills the buffer once
                _fill(buffers + 8 * CHUNK * k, x[k], item, m)
            x[k] = buffers + 8 * CHUNK * k
        block(x, result, m, data)
        out = a[nin] + done * s[nin]
        if s[nin] == item:
            memcpy(out, result, m * item)
        else:
            for i in range(m):
                memcpy(out + i * s[nin], result + i * item, item)
        done += m


# --- formulas -------------------------------------------------------------------------------------------------------

cdef inline real_t _sigmoid(real_t x) noexcept nogil:
    return <real_t>1 / (<real_t>1 + fast_exp(-x))


cdef inline real_t _magnitude(real_t x) noexcept nogil:
    return -x if x < 0 else x


cdef inline real_t _log1pexp(real_t x) noexcept nogil:
    """log(1 + exp(x)) without overflow."""
    return (0 if x < 0 else x) + fast_log1p(fast_exp(-_magnitude(x)))


cdef inline real_t _mish_gate(real_t x) noexcept nogil:
    """tanh(log(1 + exp(x))), which is n / (n + 2) with n = e (e + 2), e = exp(x)."""
    cdef real_t e = fast_exp(<real_t>20 if x > 20 else x)
    cdef real_t n = e * (e + <real_t>2)
    return n / (n + <real_t>2)

# --- functions ------------------------------------------------------------------------------------------------------

cdef inline int _parameters(Activation* op) noexcept nogil:
    if Activation is Elu:
        return 3
    elif Activation is Softplus or Activation is Hardtanh or Activation is Threshold:
        return 2
    elif Activation is LeakyRelu or Activation is Softshrink or Activation is Hardshrink:
        return 1
    else:
        return 0


cdef inline real_t _value(Activation* op, real_t v, real_t a, real_t b, real_t c) noexcept nogil:
    """Return the function at `v`; `a`, `b` and `c` are its parameters."""
    cdef real_t s
    if Activation is Gelu:
        return <real_t>0.5 * v * (<real_t>1 + fast_erf(v * <real_t>SQRT_HALF))
    elif Activation is GeluTanh:
        return v * _sigmoid(<real_t>TWO_SQRT_2_OVER_PI * (v + <real_t>CUBIC * v * v * v))
    elif Activation is Silu:
        return v * _sigmoid(v)
    elif Activation is Mish:
        return v * _mish_gate(v)
    elif Activation is LogSigmoid:
        return -_log1pexp(-v)
    elif Activation is Softplus:  # beta, threshold
        s = _log1pexp(v * a) / a
        return v if v * a > b else s
    elif Activation is Elu:  # alpha, scale, input_scale
        s = fast_expm1(v * c) * a
        return s * b if v < 0 else v * b
    elif Activation is LeakyRelu:
        return v if v > 0 else v * a
    elif Activation is Hardtanh:
        return a if v < a else b if v > b else v
    elif Activation is Hardsigmoid:
        return 0 if v < -3 else 1 if v > 3 else (v + <real_t>3) / <real_t>6
    elif Activation is Hardswish:
        s = v + 3
        s = 0 if s < 0 else 6 if s > 6 else s
        return v * s / <real_t>6
    elif Activation is Softshrink:
        return v - a if v > a else v + a if v < -a else v - v
    elif Activation is Hardshrink:
        return 0 if (v >= -a) & (v <= a) else v
    else:  # Threshold: the threshold, the value
        return b if v <= a else v


cdef inline real_t _gradient(Activation* op, real_t g, real_t v, real_t a, real_t b, real_t c) noexcept nogil:
    """Return `g` times the derivative at `v`."""
    cdef real_t s
    if Activation is Gelu:
        s = v * <real_t>INV_SQRT_2PI * fast_exp(<real_t>-0.5 * v * v)
        return g * (<real_t>0.5 * (<real_t>1 + fast_erf(v * <real_t>SQRT_HALF)) + s)
    elif Activation is GeluTanh:
        s = _sigmoid(<real_t>TWO_SQRT_2_OVER_PI * (v + <real_t>CUBIC * v * v * v))
        return g * s * (<real_t>1 + v * <real_t>TWO_SQRT_2_OVER_PI * (<real_t>1 + <real_t>3 * <real_t>CUBIC * v * v) *
                        (<real_t>1 - s))
    elif Activation is Silu:
        s = _sigmoid(v)
        return g * s * (<real_t>1 + v * (<real_t>1 - s))
    elif Activation is Mish:
        s = _mish_gate(v)
        return g * (s + v * _sigmoid(v) * (<real_t>1 - s * s))
    elif Activation is LogSigmoid:
        return g * _sigmoid(-v)
    elif Activation is Softplus:
        s = g * _sigmoid(v * a)
        return g if v * a > b else s
    elif Activation is Elu:
        s = g * c * a * fast_exp(v * c)
        return s * b if v <= 0 else g * b
    elif Activation is LeakyRelu:
        return g if v > 0 else g * a
    elif Activation is Hardtanh:
        return 0 if (v <= a) | (v >= b) else g  # bits, since branches do not vectorize
    elif Activation is Hardsigmoid:
        return g / 6 if (v > -3) & (v < 3) else 0
    elif Activation is Hardswish:
        return 0 if v <= -3 else g if v >= 3 else g * (v / <real_t>3 + <real_t>0.5)
    elif Activation is Softshrink or Activation is Hardshrink:
        return 0 if (v >= -a) & (v <= a) else g
    else:
        return 0 if v <= a else g


# --- loops ----------------------------------------------------------------------------------------------------------

cdef inline real_t _parameter(Activation* data, int which, real_t like) noexcept nogil:
    return <real_t>(<const double*>data)[which] if which < _parameters(data) else 0


cdef void _values(real_t** x, real_t* out, Py_ssize_t n, Activation* data) noexcept nogil:
    cdef const real_t* v = x[0]
    cdef real_t a = _parameter(data, 0, <real_t>0)
    cdef real_t b = _parameter(data, 1, <real_t>0)
    cdef real_t c = _parameter(data, 2, <real_t>0)
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = _value(data, v[i], a, b, c)


cdef void _gradients(real_t** x, real_t* out, Py_ssize_t n, Activation* data) noexcept nogil:
    cdef const real_t* g = x[0]
    cdef const real_t* v = x[1]
    cdef real_t a = _parameter(data, 0, <real_t>0)
    cdef real_t b = _parameter(data, 1, <real_t>0)
    cdef real_t c = _parameter(data, 2, <real_t>0)
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = _gradient(data, g[i], v[i], a, b, c)


cdef void _forward(real_t** a, const Py_ssize_t* n, const Py_ssize_t* s, Activation* data) noexcept nogil:
    _drive(1, <char**>a, n, s, sizeof(real_t), <block_t>_values[real_t, Activation], data)


cdef void _backward(real_t** a, const Py_ssize_t* n, const Py_ssize_t* s, Activation* data) noexcept nogil:
    _drive(2, <char**>a, n, s, sizeof(real_t), <block_t>_gradients[real_t, Activation], data)


cdef void _prelu_values(real_t** x, real_t* out, Py_ssize_t n, const void* data) noexcept nogil:
    cdef const real_t* v = x[0]
    cdef const real_t* slope = x[1]
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = v[i] if v[i] > 0 else v[i] * slope[i]


cdef void _prelu(real_t** a, const Py_ssize_t* n, const Py_ssize_t* s, const void* data) noexcept nogil:
    cdef const real_t* v = a[0]
    cdef real_t* out = a[2]
    cdef real_t slope
    cdef Py_ssize_t i
    if s[0] == sizeof(real_t) and s[1] == 0 and s[2] == sizeof(real_t):  # one weight, or the weight of a channel
        slope = a[1][0]
        for i in range(n[0]):
            out[i] = v[i] if v[i] > 0 else v[i] * slope
        return
    _drive(2, <char**>a, n, s, sizeof(real_t), <block_t>_prelu_values[real_t], data)


cdef dict _loops(str name, Activation* op):
    return {
        name: {"float32": <size_t><void*>_forward[float, Activation],
               "float64": <size_t><void*>_forward[double, Activation]},
        f"{name}_backward": {"float32": <size_t><void*>_backward[float, Activation],
                             "float64": <size_t><void*>_backward[double, Activation]},
    }


LOOPS = {
    **_loops("gelu", <Gelu*>NULL),
    **_loops("gelu_tanh", <GeluTanh*>NULL),
    **_loops("silu", <Silu*>NULL),
    **_loops("mish", <Mish*>NULL),
    **_loops("logsigmoid", <LogSigmoid*>NULL),
    **_loops("softplus", <Softplus*>NULL),
    **_loops("elu", <Elu*>NULL),
    **_loops("leaky_relu", <LeakyRelu*>NULL),
    **_loops("hardtanh", <Hardtanh*>NULL),
    **_loops("hardsigmoid", <Hardsigmoid*>NULL),
    **_loops("hardswish", <Hardswish*>NULL),
    **_loops("softshrink", <Softshrink*>NULL),
    **_loops("hardshrink", <Hardshrink*>NULL),
    **_loops("threshold", <Threshold*>NULL),
    "prelu": {"float32": <size_t><void*>_prelu[float], "float64": <size_t><void*>_prelu[double]},
}
