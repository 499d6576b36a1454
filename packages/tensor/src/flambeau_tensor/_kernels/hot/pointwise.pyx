# cython: language_level=3
"""Elementwise inner loops that NumPy lacks or that are faster than NumPy's, with NumPy's signature.

Each consists of a scalar function over a fused type, `map1` or `map2` of map_loops.pxd, and a row in ``LOOPS``. The
compiler inlines the function and vectorizes the loop at each CPU level if possible.
"""
cimport cython
from libc cimport math
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t

from flambeau_tensor._kernels.complex_conversion cimport narrow, wide
from flambeau_tensor._kernels.map_loops cimport (
    BLOCK, any_t, complex_t, complexes, gather, inexact_t, integer_t, integers, map1, map1_blocks, map2,
    map2_truth, number_t, real_t, reals, scatter, wider_unsigned,
)
from flambeau_tensor.vector_math cimport fast_log, fast_sigmoid

import numpy as np

from flambeau_tensor._core.elementwise.engine import ufunc_loop

cdef extern from "<complex.h>" nogil:
    double cabs(double complex)
    double complex cexp(double complex)
    double complex clog(double complex)
    double complex csqrt(double complex)

ctypedef void (*loop_t)(char**, const Py_ssize_t*, const Py_ssize_t*, void*) noexcept nogil

cdef struct Borrowed:  # one of NumPy's loops, and its data
    loop_t run
    void* data

cdef Borrowed pow32, pow64


cdef int _borrow(Borrowed* target, object ufunc, str dtype) except -1:
    loop, data = ufunc_loop(ufunc, dtype)
    target.run, target.data = <loop_t><size_t>loop, <void*><size_t>data
    return 0


_borrow(&pow32, np.power, "float32")
_borrow(&pow64, np.power, "float64")


# --- scalar functions -----------------------------------------------------------------------------------------------

cdef inline real_t _rsqrt(real_t x) noexcept nogil:
    if real_t is float:
        return <float>1 / math.sqrtf(x)
    else:
        return 1.0 / math.sqrt(x)


cdef inline real_t _frac(real_t x) noexcept nogil:
    if real_t is float:
        return x - math.truncf(x)
    else:
        return x - math.trunc(x)


# --- arithmetic: loops of NumPy take longer to start, which matters for many short rows ------------------------------

cdef inline real_t _add(real_t x, real_t y) noexcept nogil:
    return x + y


cdef void loop_add(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2[real_t](a, n, s, _add[real_t])


cdef inline real_t _sub(real_t x, real_t y) noexcept nogil:
    return x - y


cdef void loop_sub(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2[real_t](a, n, s, _sub[real_t])


cdef inline real_t _mul(real_t x, real_t y) noexcept nogil:
    return x * y


cdef void loop_mul(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2[real_t](a, n, s, _mul[real_t])


cdef inline real_t _div(real_t x, real_t y) noexcept nogil:
    return x / y


cdef void loop_div(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2[real_t](a, n, s, _div[real_t])


# --- unary ----------------------------------------------------------------------------------------------------------

cdef void loop_rsqrt(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _rsqrt[real_t])


cdef void loop_frac(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _frac[real_t])


cdef inline real_t _deg2rad(real_t x) noexcept nogil:
    return x * <real_t>(3.141592653589793 / 180)


cdef void loop_deg2rad(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _deg2rad[real_t])


cdef inline real_t _rad2deg(real_t x) noexcept nogil:
    return x * <real_t>(180 / 3.141592653589793)


cdef void loop_rad2deg(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _rad2deg[real_t])


cdef inline real_t _sqrt(real_t x) noexcept nogil:
    return math.sqrtf(x) if real_t is float else math.sqrt(x)


cdef void loop_sqrt(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _sqrt[real_t])


cdef inline real_t _reciprocal(real_t x) noexcept nogil:
    return <real_t>1 / x


cdef void loop_reciprocal(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _reciprocal[real_t])


cdef inline number_t _relu(number_t x) noexcept nogil:
    return <number_t>0 if x < 0 else x  # keeps NaN


cdef void loop_relu(char** a, const Py_ssize_t* n, const Py_ssize_t* s, number_t* tag) noexcept nogil:
    map1[number_t](a, n, s, _relu[number_t])


cdef inline number_t _sign(number_t x) noexcept nogil:
    cdef number_t sign = 1 if x > 0 else 0  # 0 for NaN
    return <number_t>-1 if x < 0 else sign


cdef void loop_sign(char** a, const Py_ssize_t* n, const Py_ssize_t* s, number_t* tag) noexcept nogil:
    map1[number_t](a, n, s, _sign[number_t])


cdef inline complex_t _sgn(complex_t x) noexcept nogil:
    cdef double complex z = wide(x)
    cdef double r = cabs(z)
    if r != 0:
        z = z / r
    return narrow(z, x)


cdef void loop_sgn(char** a, const Py_ssize_t* n, const Py_ssize_t* s, complex_t* tag) noexcept nogil:
    map1[complex_t](a, n, s, _sgn[complex_t])


cdef inline complex_t _complex_sigmoid(complex_t x) noexcept nogil:
    return narrow(1 / (1 + cexp(-wide(x))), x)


cdef void loop_sigmoid_c(char** a, const Py_ssize_t* n, const Py_ssize_t* s, complex_t* tag) noexcept nogil:
    map1[complex_t](a, n, s, _complex_sigmoid[complex_t])


cdef inline complex_t _rsqrt_complex(complex_t x) noexcept nogil:
    return narrow(1 / csqrt(wide(x)), x)


cdef void loop_rsqrt_complex(char** a, const Py_ssize_t* n, const Py_ssize_t* s, complex_t* tag) noexcept nogil:
    map1[complex_t](a, n, s, _rsqrt_complex[complex_t])


cdef void loop_sigmoid(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1_blocks[real_t](a, n, s, fast_sigmoid[real_t])


cdef void loop_logit(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    # log(x / (1 - x)); data: the least distance of x from 0 and 1, to which x is clamped; negative: no clamping
    cdef real_t[BLOCK] block
    cdef real_t low = <real_t>(<double*>tag)[0], high = <real_t>1 - low, x
    cdef Py_ssize_t done = 0, m, i
    while done < n[0]:
        m = min(<Py_ssize_t>BLOCK, n[0] - done)
        gather(a[0] + done * s[0], s[0], block, m)
        if low >= 0:
            for i in range(m):
                x = high if block[i] > high else block[i]
                block[i] = low if block[i] < low else x
        for i in range(m):
            block[i] = block[i] / (<real_t>1 - block[i])
        for i in range(m):
            block[i] = fast_log(block[i])
        scatter(block, a[1] + done * s[1], s[1], m)
        done += m


cdef inline real_t _replaced(real_t x, real_t nan, real_t most, real_t least) noexcept nogil:
    cdef real_t y = most if x == <real_t>math.INFINITY else x
    y = least if x == <real_t>-math.INFINITY else y
    return nan if x != x else y


cdef void loop_nan_to_num(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    # data: the replacements of NaN, infinity and minus infinity
    cdef const double* p = <const double*>tag
    cdef real_t nan = <real_t>p[0], most = <real_t>p[1], least = <real_t>p[2]
    cdef real_t* x = <real_t*>a[0]
    cdef real_t* out = <real_t*>a[1]
    cdef Py_ssize_t i
    if s[0] == sizeof(real_t) and s[1] == sizeof(real_t):
        for i in range(n[0]):
            out[i] = _replaced[real_t](x[i], nan, most, least)
        return
    for i in range(n[0]):
        (<real_t*>(a[1] + i * s[1]))[0] = _replaced[real_t]((<real_t*>(a[0] + i * s[0]))[0], nan, most, least)


cdef inline real_t _angle(real_t x) noexcept nogil:
    cdef real_t turn = <real_t>3.141592653589793 if x < 0 else <real_t>0
    return x if x != x else turn


cdef void loop_angle(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map1[real_t](a, n, s, _angle[real_t])


cdef inline real_t _round(real_t x) noexcept nogil:
    if real_t is float:
        return math.nearbyintf(x)
    else:
        return math.nearbyint(x)


cdef void loop_round(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    # data: the number of decimals
    cdef Py_ssize_t i
    cdef double decimals = (<double*>tag)[0]
    cdef real_t scale = <real_t>math.pow(10.0, math.fabs(decimals)), x
    if decimals == 0:
        map1[real_t](a, n, s, _round[real_t])
        return
    for i in range(n[0]):
        x = (<real_t*>(a[0] + i * s[0]))[0]
        x = _round[real_t](x * scale) / scale if decimals > 0 else _round[real_t](x / scale) * scale
        (<real_t*>(a[1] + i * s[1]))[0] = x


cdef inline integer_t _same(integer_t x) noexcept nogil:
    return x


cdef void loop_same(char** a, const Py_ssize_t* n, const Py_ssize_t* s, integer_t* tag) noexcept nogil:
    map1[integer_t](a, n, s, _same[integer_t])


cdef void loop_negative(char** a, const Py_ssize_t* n, const Py_ssize_t* s, integer_t* tag) noexcept nogil:
    # signbit of integers
    cdef Py_ssize_t i
    for i in range(n[0]):
        (<uint8_t*>(a[1] + i * s[1]))[0] = (<integer_t*>(a[0] + i * s[0]))[0] < 0


# --- truth of any dtype ---------------------------------------------------------------------------------------------

cdef inline void _map1_truth(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag,
                             uint8_t (*f)(any_t) noexcept nogil) noexcept nogil:
    cdef Py_ssize_t i
    cdef any_t* x = <any_t*>a[0]
    cdef uint8_t* out = <uint8_t*>a[1]
    if s[0] == sizeof(any_t) and s[1] == 1:
        for i in range(n[0]):
            out[i] = f(x[i])
        return
    for i in range(n[0]):
        (<uint8_t*>(a[1] + i * s[1]))[0] = f((<any_t*>(a[0] + i * s[0]))[0])


cdef inline uint8_t _is_zero(any_t x) noexcept nogil:
    return x == 0


cdef void loop_logical_not(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag) noexcept nogil:
    _map1_truth(a, n, s, tag, _is_zero[any_t])


# NumPy's own loops for these skip results that are not contiguous (NumPy 2.4 with AVX-512).
cdef inline uint8_t _isnan(real_t x) noexcept nogil:
    return x != x


cdef inline uint8_t _isinf(real_t x) noexcept nogil:
    return math.fabs(x) == math.INFINITY


cdef inline uint8_t _isfinite(real_t x) noexcept nogil:
    return math.fabs(x) < math.INFINITY


cdef inline uint8_t _signbit(real_t x) noexcept nogil:
    return math.copysign(<real_t>1, x) < 0


cdef void loop_isnan(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _map1_truth(a, n, s, tag, _isnan[real_t])


cdef void loop_isinf(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _map1_truth(a, n, s, tag, _isinf[real_t])


cdef void loop_isfinite(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _map1_truth(a, n, s, tag, _isfinite[real_t])


cdef void loop_signbit(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    _map1_truth(a, n, s, tag, _signbit[real_t])


cdef inline uint8_t _and(bint x, bint y) noexcept nogil:
    return x & y


cdef inline uint8_t _or(bint x, bint y) noexcept nogil:
    return x | y


cdef inline uint8_t _xor(bint x, bint y) noexcept nogil:
    return x ^ y


cdef void loop_logical_and(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag) noexcept nogil:
    map2_truth(a, n, s, tag, _and)


cdef void loop_logical_or(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag) noexcept nogil:
    map2_truth(a, n, s, tag, _or)


cdef void loop_logical_xor(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag) noexcept nogil:
    map2_truth(a, n, s, tag, _xor)


# --- two operands ---------------------------------------------------------------------------------------------------

cdef inline number_t _trunc_divide(number_t x, number_t y) noexcept nogil:
    if number_t is float:
        return math.truncf(x / y)
    elif number_t is double:
        return math.trunc(x / y)
    else:
        if y == 0:  # an error was raised before
            return 0
        if y == <number_t>-1:  # the smallest integer cannot be negated
            return <number_t>(0 - <unsigned long long>x)
        return x // y


cdef void loop_trunc_divide(char** a, const Py_ssize_t* n, const Py_ssize_t* s, number_t* tag) noexcept nogil:
    map2[number_t](a, n, s, _trunc_divide[number_t])


cdef inline real_t _copysign(real_t x, real_t y) noexcept nogil:
    if real_t is float:
        return math.copysignf(x, y)
    else:
        return math.copysign(x, y)


cdef void loop_copysign(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2[real_t](a, n, s, _copysign[real_t])


cdef inline number_t _maximum(number_t x, number_t y) noexcept nogil:
    cdef number_t larger = x if x > y else y
    return x if x != x else larger  # NaN takes precedence


cdef void loop_maximum(char** a, const Py_ssize_t* n, const Py_ssize_t* s, number_t* tag) noexcept nogil:
    map2[number_t](a, n, s, _maximum[number_t])


cdef inline number_t _minimum(number_t x, number_t y) noexcept nogil:
    cdef number_t smaller = x if x < y else y
    return x if x != x else smaller


cdef void loop_minimum(char** a, const Py_ssize_t* n, const Py_ssize_t* s, number_t* tag) noexcept nogil:
    map2[number_t](a, n, s, _minimum[number_t])


cdef inline number_t _heaviside(number_t x, number_t y) noexcept nogil:
    return y if x == 0 else <number_t>(x > 0)


cdef void loop_heaviside(char** a, const Py_ssize_t* n, const Py_ssize_t* s, number_t* tag) noexcept nogil:
    map2[number_t](a, n, s, _heaviside[number_t])


cdef inline integer_t _power(integer_t x, integer_t y) noexcept nogil:
    # By squaring; wraps around. Negative exponents give 1 / x**-y truncated to an integer.
    cdef int64_t result = 1, base = x, left = y
    if left < 0:
        if x == 1:
            return 1
        if x == <integer_t>-1:
            return <integer_t>(1 - 2 * (left & 1))
        return 0
    while left:
        if left & 1:
            result = <int64_t>(<unsigned long long>result * <unsigned long long>base)
        left >>= 1
        base = <int64_t>(<unsigned long long>base * <unsigned long long>base)
    return <integer_t>result


cdef void loop_power_integer(char** a, const Py_ssize_t* n, const Py_ssize_t* s, integer_t* tag) noexcept nogil:
    map2[integer_t](a, n, s, _power[integer_t])


cdef inline inexact_t _square(inexact_t x) noexcept nogil:
    return x * x


cdef inline inexact_t _cube(inexact_t x) noexcept nogil:
    return x * x * x


cdef inline real_t _root(real_t x) noexcept nogil:
    if real_t is float:
        return math.sqrtf(x)
    else:
        return math.sqrt(x)


cdef inline real_t _inverse_square(real_t x) noexcept nogil:
    return <real_t>1 / (x * x)


cdef void loop_power(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    # Common constant exponents have fast paths.
    cdef double y = (<real_t*>a[1])[0]
    cdef char* both[2]
    cdef Py_ssize_t[2] steps
    both[0], both[1] = a[0], a[2]
    steps[0], steps[1] = s[0], s[2]
    if s[1] == 0:
        if y == 2:
            map1[real_t](both, n, steps, _square[real_t])
            return
        if y == 3:
            map1[real_t](both, n, steps, _cube[real_t])
            return
        if y == 0.5:
            map1[real_t](both, n, steps, _root[real_t])
            return
        if y == -1:
            map1[real_t](both, n, steps, _reciprocal[real_t])
            return
        if y == -0.5:
            map1[real_t](both, n, steps, _rsqrt[real_t])
            return
        if y == -2:
            map1[real_t](both, n, steps, _inverse_square[real_t])
            return
    if real_t is float:
        pow32.run(a, n, s, pow32.data)
    else:
        pow64.run(a, n, s, pow64.data)


cdef inline complex_t _complex_power(complex_t x, complex_t y) noexcept nogil:
    return narrow(cexp(wide(y) * clog(wide(x))), x)


cdef inline complex_t _complex_root(complex_t x) noexcept nogil:
    return narrow(csqrt(wide(x)), x)


cdef inline complex_t _complex_reciprocal(complex_t x) noexcept nogil:
    return narrow(1 / wide(x), x)


cdef inline complex_t _complex_inverse_square(complex_t x) noexcept nogil:
    return narrow(1 / (wide(x) * wide(x)), x)


cdef inline complex_t _one(complex_t x) noexcept nogil:
    return 1


cdef inline complex_t _itself(complex_t x) noexcept nogil:
    return x


cdef void loop_power_complex(char** a, const Py_ssize_t* n, const Py_ssize_t* s, complex_t* tag) noexcept nogil:
    # As in PyTorch, a number is a power in the arithmetic sense (0 to the power 0 is 1), a tensor means exp(y *
    # log(x)).
    cdef complex_t x = (<complex_t*>a[0])[0], y = (<complex_t*>a[1])[0]
    cdef char* both[2]
    cdef Py_ssize_t[2] steps
    cdef double exponent = y.real if s[1] == 0 and y.imag == 0 else math.NAN
    both[0], both[1] = a[0], a[2]
    steps[0], steps[1] = s[0], s[2]
    if exponent == 0 or (s[0] == 0 and s[1] != 0 and x == 1):
        map1[complex_t](both, n, steps, _one[complex_t])
    elif exponent == 1:
        map1[complex_t](both, n, steps, _itself[complex_t])
    elif exponent == 2:
        map1[complex_t](both, n, steps, _square[complex_t])
    elif exponent == 3:
        map1[complex_t](both, n, steps, _cube[complex_t])
    elif exponent == 0.5:
        map1[complex_t](both, n, steps, _complex_root[complex_t])
    elif exponent == -1:
        map1[complex_t](both, n, steps, _complex_reciprocal[complex_t])
    elif exponent == -0.5:
        map1[complex_t](both, n, steps, _rsqrt_complex[complex_t])
    elif exponent == -2:
        map1[complex_t](both, n, steps, _complex_inverse_square[complex_t])
    else:
        map2[complex_t](a, n, s, _complex_power[complex_t])


cdef inline complex_t _complex_logaddexp(complex_t x, complex_t y) noexcept nogil:
    cdef double complex u = wide(x), v = wide(y)
    if u.real < v.real:
        u, v = v, u
    return narrow(u + clog(1 + cexp(v - u)), x)


cdef void loop_logaddexp_c(char** a, const Py_ssize_t* n, const Py_ssize_t* s, complex_t* tag) noexcept nogil:
    map2[complex_t](a, n, s, _complex_logaddexp[complex_t])


# --- the table ------------------------------------------------------------------------------------------------------

_SAME = integers(
        <size_t>&loop_same[uint8_t], <size_t>&loop_same[int8_t], <size_t>&loop_same[int16_t],
        <size_t>&loop_same[int32_t], <size_t>&loop_same[int64_t]) \
    | wider_unsigned(<size_t>&loop_same[int16_t], <size_t>&loop_same[int32_t], <size_t>&loop_same[int64_t])
LOOPS = {
    "rsqrt": reals(<size_t>&loop_rsqrt[float], <size_t>&loop_rsqrt[double])
    | complexes(<size_t>&loop_rsqrt_complex[cython.floatcomplex], <size_t>&loop_rsqrt_complex[cython.doublecomplex]),
    "frac": reals(<size_t>&loop_frac[float], <size_t>&loop_frac[double]),
    "deg2rad": reals(<size_t>&loop_deg2rad[float], <size_t>&loop_deg2rad[double]),
    "rad2deg": reals(<size_t>&loop_rad2deg[float], <size_t>&loop_rad2deg[double]),
    "add": reals(<size_t>&loop_add[float], <size_t>&loop_add[double]),
    "sub": reals(<size_t>&loop_sub[float], <size_t>&loop_sub[double]),
    "mul": reals(<size_t>&loop_mul[float], <size_t>&loop_mul[double]),
    "div": reals(<size_t>&loop_div[float], <size_t>&loop_div[double]),
    "sqrt": reals(<size_t>&loop_sqrt[float], <size_t>&loop_sqrt[double]),
    "reciprocal": reals(<size_t>&loop_reciprocal[float], <size_t>&loop_reciprocal[double]),
    "sigmoid": reals(<size_t>&loop_sigmoid[float], <size_t>&loop_sigmoid[double])
    | complexes(<size_t>&loop_sigmoid_c[cython.floatcomplex], <size_t>&loop_sigmoid_c[cython.doublecomplex]),
    "copysign": reals(<size_t>&loop_copysign[float], <size_t>&loop_copysign[double]),
    "power": reals(<size_t>&loop_power[float], <size_t>&loop_power[double])
    | integers(
        <size_t>&loop_power_integer[uint8_t], <size_t>&loop_power_integer[int8_t], <size_t>&loop_power_integer[int16_t],
        <size_t>&loop_power_integer[int32_t], <size_t>&loop_power_integer[int64_t])
    | complexes(<size_t>&loop_power_complex[cython.floatcomplex], <size_t>&loop_power_complex[cython.doublecomplex]),
    "relu": reals(<size_t>&loop_relu[float], <size_t>&loop_relu[double])
    | integers(
        <size_t>&loop_relu[uint8_t], <size_t>&loop_relu[int8_t], <size_t>&loop_relu[int16_t],
        <size_t>&loop_relu[int32_t], <size_t>&loop_relu[int64_t]),
    "sign": reals(<size_t>&loop_sign[float], <size_t>&loop_sign[double])
    | integers(
        <size_t>&loop_sign[uint8_t], <size_t>&loop_sign[int8_t], <size_t>&loop_sign[int16_t],
        <size_t>&loop_sign[int32_t], <size_t>&loop_sign[int64_t]),
    "trunc_divide": reals(<size_t>&loop_trunc_divide[float], <size_t>&loop_trunc_divide[double])
    | integers(
        <size_t>&loop_trunc_divide[uint8_t], <size_t>&loop_trunc_divide[int8_t], <size_t>&loop_trunc_divide[int16_t],
        <size_t>&loop_trunc_divide[int32_t], <size_t>&loop_trunc_divide[int64_t]),
    "maximum": reals(<size_t>&loop_maximum[float], <size_t>&loop_maximum[double])
    | integers(
        <size_t>&loop_maximum[uint8_t], <size_t>&loop_maximum[int8_t], <size_t>&loop_maximum[int16_t],
        <size_t>&loop_maximum[int32_t], <size_t>&loop_maximum[int64_t]),
    "minimum": reals(<size_t>&loop_minimum[float], <size_t>&loop_minimum[double])
    | integers(
        <size_t>&loop_minimum[uint8_t], <size_t>&loop_minimum[int8_t], <size_t>&loop_minimum[int16_t],
        <size_t>&loop_minimum[int32_t], <size_t>&loop_minimum[int64_t]),
    "heaviside": reals(<size_t>&loop_heaviside[float], <size_t>&loop_heaviside[double])
    | integers(
        <size_t>&loop_heaviside[uint8_t], <size_t>&loop_heaviside[int8_t], <size_t>&loop_heaviside[int16_t],
        <size_t>&loop_heaviside[int32_t], <size_t>&loop_heaviside[int64_t]),
    "logical_not": reals(<size_t>&loop_logical_not[float], <size_t>&loop_logical_not[double])
    | integers(
        <size_t>&loop_logical_not[uint8_t], <size_t>&loop_logical_not[int8_t], <size_t>&loop_logical_not[int16_t],
        <size_t>&loop_logical_not[int32_t], <size_t>&loop_logical_not[int64_t])
    | complexes(<size_t>&loop_logical_not[cython.floatcomplex], <size_t>&loop_logical_not[cython.doublecomplex]),
    "logical_and": reals(<size_t>&loop_logical_and[float], <size_t>&loop_logical_and[double])
    | integers(
        <size_t>&loop_logical_and[uint8_t], <size_t>&loop_logical_and[int8_t], <size_t>&loop_logical_and[int16_t],
        <size_t>&loop_logical_and[int32_t], <size_t>&loop_logical_and[int64_t])
    | complexes(<size_t>&loop_logical_and[cython.floatcomplex], <size_t>&loop_logical_and[cython.doublecomplex]),
    "logical_or": reals(<size_t>&loop_logical_or[float], <size_t>&loop_logical_or[double])
    | integers(
        <size_t>&loop_logical_or[uint8_t], <size_t>&loop_logical_or[int8_t], <size_t>&loop_logical_or[int16_t],
        <size_t>&loop_logical_or[int32_t], <size_t>&loop_logical_or[int64_t])
    | complexes(<size_t>&loop_logical_or[cython.floatcomplex], <size_t>&loop_logical_or[cython.doublecomplex]),
    "logical_xor": reals(<size_t>&loop_logical_xor[float], <size_t>&loop_logical_xor[double])
    | integers(
        <size_t>&loop_logical_xor[uint8_t], <size_t>&loop_logical_xor[int8_t], <size_t>&loop_logical_xor[int16_t],
        <size_t>&loop_logical_xor[int32_t], <size_t>&loop_logical_xor[int64_t])
    | complexes(<size_t>&loop_logical_xor[cython.floatcomplex], <size_t>&loop_logical_xor[cython.doublecomplex]),
    "same": _SAME,
    "round": reals(<size_t>&loop_round[float], <size_t>&loop_round[double])
    | _SAME,
    "sgn": reals(<size_t>&loop_sign[float], <size_t>&loop_sign[double])
    | integers(
        <size_t>&loop_sign[uint8_t], <size_t>&loop_sign[int8_t], <size_t>&loop_sign[int16_t],
        <size_t>&loop_sign[int32_t], <size_t>&loop_sign[int64_t])
    | complexes(<size_t>&loop_sgn[cython.floatcomplex], <size_t>&loop_sgn[cython.doublecomplex]),
    "isnan": reals(<size_t>&loop_isnan[float], <size_t>&loop_isnan[double]),
    "isinf": reals(<size_t>&loop_isinf[float], <size_t>&loop_isinf[double]),
    "isfinite": reals(<size_t>&loop_isfinite[float], <size_t>&loop_isfinite[double]),
    "signbit": reals(<size_t>&loop_signbit[float], <size_t>&loop_signbit[double])
    | integers(
        <size_t>&loop_negative[uint8_t], <size_t>&loop_negative[int8_t], <size_t>&loop_negative[int16_t],
        <size_t>&loop_negative[int32_t], <size_t>&loop_negative[int64_t])
    | wider_unsigned(<size_t>&loop_negative[uint8_t], <size_t>&loop_negative[uint8_t], <size_t>&loop_negative[uint8_t]),
    "logit": reals(<size_t>&loop_logit[float], <size_t>&loop_logit[double]),
    "nan_to_num": reals(<size_t>&loop_nan_to_num[float], <size_t>&loop_nan_to_num[double]),
    "angle": reals(<size_t>&loop_angle[float], <size_t>&loop_angle[double]),
    "logaddexp": complexes(
        <size_t>&loop_logaddexp_c[cython.floatcomplex], <size_t>&loop_logaddexp_c[cython.doublecomplex]),
}
