# cython: language_level=3
"""Elementwise inner loops with three operands (where, clamp, lerp, addcmul, addcdiv), and sums with a factor."""
cimport cython
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from flambeau_tensor._kernels.complex_conversion cimport narrow, wide
from flambeau_tensor._kernels.map_loops cimport any_t, complexes, inexact_t, integers, map2_with, map3, number_t, reals
from flambeau_tensor._kernels.map_loops cimport wider_unsigned

cdef extern from "<complex.h>" nogil:
    double cabs(double complex)


cdef void loop_where(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint8_t* c = <uint8_t*>a[0]
    cdef any_t* x = <any_t*>a[1]
    cdef any_t* y = <any_t*>a[2]
    cdef any_t* out = <any_t*>a[3]
    cdef any_t u, v
    if s[0] == 1 and s[3] == sizeof(any_t):
        if s[1] == sizeof(any_t) and s[2] == sizeof(any_t):
            for i in range(n[0]):
                u, v = x[i], y[i]
                out[i] = u if c[i] else v
            return
        if s[1] == sizeof(any_t) and s[2] == 0:
            v = y[0]
            for i in range(n[0]):
                u = x[i]
                out[i] = u if c[i] else v
            return
        if s[1] == 0 and s[2] == sizeof(any_t):
            u = x[0]
            for i in range(n[0]):
                v = y[i]
                out[i] = u if c[i] else v
            return
    for i in range(n[0]):
        (<any_t*>(a[3] + i * s[3]))[0] = (<any_t*>(a[1] + i * s[1]))[0] if a[0][i * s[0]] else \
            (<any_t*>(a[2] + i * s[2]))[0]


cdef inline number_t _clamp(number_t x, number_t lo, number_t hi, number_t unused) noexcept nogil:
    x = lo if x < lo else x
    x = lo if lo != lo else x  # NaN in any operand takes precedence
    x = hi if x > hi else x
    return hi if hi != hi else x


cdef void loop_clamp(char** a, const Py_ssize_t* n, const Py_ssize_t* s, number_t* tag) noexcept nogil:
    map3[number_t](a, n, s, 0, _clamp[number_t])


cdef inline inexact_t _lerp(inexact_t x, inexact_t y, inexact_t w, inexact_t unused) noexcept nogil:
    # Computed from the nearer end, so that both ends are exact.
    cdef bint near
    if inexact_t is float or inexact_t is double:
        near = (w > <inexact_t>-0.5) & (w < <inexact_t>0.5)
    else:
        near = cabs(wide(w)) < 0.5
    return x + w * (y - x) if near else y - (y - x) * (1 - w)


cdef void loop_lerp(char** a, const Py_ssize_t* n, const Py_ssize_t* s, inexact_t* tag) noexcept nogil:
    map3[inexact_t](a, n, s, 0, _lerp[inexact_t])


cdef inline any_t _factor(any_t* tag) noexcept nogil:
    # data: real parts of the parameters, then imaginary parts; integers unchanged
    cdef double* p = <double*>tag
    cdef double complex v
    if any_t is cython.floatcomplex or any_t is cython.doublecomplex:
        v.real, v.imag = p[0], p[1]
        return narrow(v, tag[0])
    elif any_t is float or any_t is double:
        return <any_t>p[0]
    else:
        return <any_t>(<long long*>tag)[0]


cdef inline any_t _add_scaled(any_t x, any_t y, any_t v) noexcept nogil:
    # Unsigned arithmetic wraps around; signed overflow is undefined in C.
    if any_t is int16_t or any_t is int32_t:
        return <any_t>(<uint32_t>x + <uint32_t>v * <uint32_t>y)
    elif any_t is int64_t:
        return <any_t>(<uint64_t>x + <uint64_t>v * <uint64_t>y)
    else:
        return x + v * y


cdef void loop_add_scaled(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag) noexcept nogil:
    map2_with[any_t](a, n, s, _factor[any_t](tag), _add_scaled[any_t])


cdef inline any_t _sub_scaled(any_t x, any_t y, any_t v) noexcept nogil:
    if any_t is int16_t or any_t is int32_t:
        return <any_t>(<uint32_t>x - <uint32_t>v * <uint32_t>y)
    elif any_t is int64_t:
        return <any_t>(<uint64_t>x - <uint64_t>v * <uint64_t>y)
    else:
        return x - v * y


cdef void loop_sub_scaled(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag) noexcept nogil:
    map2_with[any_t](a, n, s, _factor[any_t](tag), _sub_scaled[any_t])


cdef inline uint8_t _or_scaled(uint8_t x, uint8_t y, uint8_t v) noexcept nogil:
    return (x | (y & v)) != 0


cdef void loop_or_scaled(char** a, const Py_ssize_t* n, const Py_ssize_t* s, uint8_t* tag) noexcept nogil:
    # the parameter of a computation with booleans is a double
    map2_with[uint8_t](a, n, s, 255 if (<double*>tag)[0] != 0 else 0, _or_scaled)


cdef inline any_t _addcmul(any_t x, any_t y, any_t z, any_t v) noexcept nogil:
    # Unsigned arithmetic wraps around; signed overflow is undefined in C.
    if any_t is int16_t or any_t is int32_t:
        return <any_t>(<uint32_t>x + <uint32_t>v * <uint32_t>y * <uint32_t>z)
    elif any_t is int64_t:
        return <any_t>(<uint64_t>x + <uint64_t>v * <uint64_t>y * <uint64_t>z)
    else:
        return x + v * y * z


cdef void loop_addcmul(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag) noexcept nogil:
    cdef Py_ssize_t i
    cdef any_t v = _factor[any_t](tag), shift, scale
    cdef any_t* y = <any_t*>a[1]
    cdef any_t* out = <any_t*>a[3]
    if s[0] == 0 and s[1] == sizeof(any_t) and s[2] == 0 and s[3] == sizeof(any_t):  # a channel of a normalization
        shift, scale = (<any_t*>a[0])[0], (<any_t*>a[2])[0]
        for i in range(n[0]):
            out[i] = _addcmul(shift, y[i], scale, v)
        return
    map3[any_t](a, n, s, v, _addcmul[any_t])


cdef inline inexact_t _addcdiv(inexact_t x, inexact_t y, inexact_t z, inexact_t v) noexcept nogil:
    return x + v * y / z


cdef void loop_addcdiv(char** a, const Py_ssize_t* n, const Py_ssize_t* s, inexact_t* tag) noexcept nogil:
    map3[inexact_t](a, n, s, _factor[inexact_t](<inexact_t*>tag), _addcdiv[inexact_t])


LOOPS = {
    "add_scaled": reals(<size_t>&loop_add_scaled[float], <size_t>&loop_add_scaled[double])
    | integers(
        <size_t>&loop_add_scaled[uint8_t], <size_t>&loop_add_scaled[int8_t], <size_t>&loop_add_scaled[int16_t],
        <size_t>&loop_add_scaled[int32_t], <size_t>&loop_add_scaled[int64_t])
    | wider_unsigned(<size_t>&loop_add_scaled[int16_t], <size_t>&loop_add_scaled[int32_t],
                     <size_t>&loop_add_scaled[int64_t])
    | complexes(<size_t>&loop_add_scaled[cython.floatcomplex], <size_t>&loop_add_scaled[cython.doublecomplex])
    | {"bool": <size_t>&loop_or_scaled},
    "sub_scaled": reals(<size_t>&loop_sub_scaled[float], <size_t>&loop_sub_scaled[double])
    | integers(
        <size_t>&loop_sub_scaled[uint8_t], <size_t>&loop_sub_scaled[int8_t], <size_t>&loop_sub_scaled[int16_t],
        <size_t>&loop_sub_scaled[int32_t], <size_t>&loop_sub_scaled[int64_t])
    | wider_unsigned(<size_t>&loop_sub_scaled[int16_t], <size_t>&loop_sub_scaled[int32_t],
                     <size_t>&loop_sub_scaled[int64_t])
    | complexes(<size_t>&loop_sub_scaled[cython.floatcomplex], <size_t>&loop_sub_scaled[cython.doublecomplex]),
    "clamp": reals(<size_t>&loop_clamp[float], <size_t>&loop_clamp[double])
    | integers(
        <size_t>&loop_clamp[uint8_t], <size_t>&loop_clamp[int8_t], <size_t>&loop_clamp[int16_t],
        <size_t>&loop_clamp[int32_t], <size_t>&loop_clamp[int64_t]),
    "where": reals(<size_t>&loop_where[float], <size_t>&loop_where[double])
    | integers(
        <size_t>&loop_where[uint8_t], <size_t>&loop_where[int8_t], <size_t>&loop_where[int16_t],
        <size_t>&loop_where[int32_t], <size_t>&loop_where[int64_t])
    | wider_unsigned(<size_t>&loop_where[int16_t], <size_t>&loop_where[int32_t], <size_t>&loop_where[int64_t])
    | complexes(<size_t>&loop_where[cython.floatcomplex], <size_t>&loop_where[cython.doublecomplex]),
    "addcmul": reals(<size_t>&loop_addcmul[float], <size_t>&loop_addcmul[double])
    | integers(
        <size_t>&loop_addcmul[uint8_t], <size_t>&loop_addcmul[int8_t], <size_t>&loop_addcmul[int16_t],
        <size_t>&loop_addcmul[int32_t], <size_t>&loop_addcmul[int64_t])
    | complexes(<size_t>&loop_addcmul[cython.floatcomplex], <size_t>&loop_addcmul[cython.doublecomplex]),
    "lerp": reals(<size_t>&loop_lerp[float], <size_t>&loop_lerp[double])
    | complexes(<size_t>&loop_lerp[cython.floatcomplex], <size_t>&loop_lerp[cython.doublecomplex]),
    "addcdiv": reals(<size_t>&loop_addcdiv[float], <size_t>&loop_addcdiv[double])
    | complexes(<size_t>&loop_addcdiv[cython.floatcomplex], <size_t>&loop_addcdiv[cython.doublecomplex]),
}
