# cython: language_level=3
"""Elementwise loops of division with remainder.

The integer part of the quotient times y is exact if it has few enough bits. If it has more, and for infinities and
NaN, the C library's slow function is used.
"""
from libc cimport math
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t

from flambeau_tensor._core.elementwise.half_precision cimport bf16_to_float, float_to_bf16, float_to_half, half_to_float
from flambeau_tensor._kernels.map_loops cimport BLOCK, map2, map2_checked, real_t, reals, small_t

ctypedef void (*floats_t)(char**, const Py_ssize_t*, const Py_ssize_t*, float*) noexcept nogil

cdef extern from *:
    """
    #ifdef __FMA__
    #define FL_FMA 1
    #else
    #define FL_FMA 0
    #endif
    """
    const bint FMA "FL_FMA"  # whether fused multiply-add is available


cdef inline bint _short(real_t x, real_t y) noexcept nogil:
    if real_t is float:
        return math.fabsf(x) < math.fabsf(y) * <float>536870912  # 2**29: times 24 bits, it fits in a double
    elif FMA:
        return math.fabs(x) < math.fabs(y) * 4503599627370496.0  # 2**52; the product is not rounded
    else:
        return False


cdef inline real_t _quick_fmod(real_t x, real_t y) noexcept nogil:
    cdef double u = x, v = math.fabs(<double>y), r
    if real_t is float:
        r = u - math.trunc(u / v) * v
    else:
        r = math.fma(-math.trunc(u / v), v, u)
    v = v if u > 0 else -v
    r = r + v if (r < 0 if u > 0 else r > 0) else r  # the quotient was rounded away from zero
    r = math.copysign(r, u)
    return x if math.fabs(u) < math.fabs(v) else <real_t>r


cdef inline real_t _slow_fmod(real_t x, real_t y) noexcept nogil:
    if real_t is float:
        return math.fmodf(x, y)
    else:
        return math.fmod(x, y)


cdef inline real_t _of_divisors_sign(real_t r, real_t y) noexcept nogil:
    cdef real_t moved = r + y
    moved = moved if (r < 0) != (y < 0) else r
    return r if r == 0 else moved


cdef inline real_t _zero_of(real_t x) noexcept nogil:
    return math.copysignf(0, x) if real_t is float else math.copysign(0, x)


cdef inline real_t _floored(real_t x, real_t y, real_t r) noexcept nogil:
    # Computed from the exact remainder, so that the quotient is not rounded up to the next integer.
    cdef real_t q = (x - r) / y, whole
    q = q - 1 if (r != 0) & ((r < 0) != (y < 0)) else q
    whole = math.floorf(q) if real_t is float else math.floor(q)
    whole = whole + 1 if q - whole > <real_t>0.5 else whole
    whole = _zero_of[real_t](x / y) if q == 0 else whole
    return x / y if y == 0 else whole


cdef inline real_t _quick_remainder(real_t x, real_t y) noexcept nogil:
    return _of_divisors_sign[real_t](_quick_fmod[real_t](x, y), y)


cdef inline real_t _slow_remainder(real_t x, real_t y) noexcept nogil:
    return _of_divisors_sign[real_t](_slow_fmod[real_t](x, y), y)


cdef inline real_t _quick_floor_divide(real_t x, real_t y) noexcept nogil:
    return _floored[real_t](x, y, _quick_fmod[real_t](x, y))


cdef inline real_t _slow_floor_divide(real_t x, real_t y) noexcept nogil:
    return _floored[real_t](x, y, _slow_fmod[real_t](x, y))


cdef void loop_fmod(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2_checked[real_t](a, n, s, _quick_fmod[real_t], _short[real_t], _slow_fmod[real_t])


cdef void loop_remainder(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2_checked[real_t](a, n, s, _quick_remainder[real_t], _short[real_t], _slow_remainder[real_t])


cdef void loop_floor_divide(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2_checked[real_t](a, n, s, _quick_floor_divide[real_t], _short[real_t], _slow_floor_divide[real_t])


# Quotients of integers of up to 32 bits have an exact floor in double precision, which vectorizes. No divisor is 0.

cdef inline small_t _whole_floor_divide(small_t x, small_t y) noexcept nogil:
    cdef double q = math.floor(<double>x / <double>y)
    return <small_t><int32_t>(-2147483648.0 if q > 2147483647.0 else q)  # wraps, as integers do


cdef inline small_t _whole_remainder(small_t x, small_t y) noexcept nogil:
    return <small_t><int32_t>(<double>x - math.floor(<double>x / <double>y) * <double>y)


cdef inline small_t _whole_fmod(small_t x, small_t y) noexcept nogil:
    return <small_t><int32_t>(<double>x - math.trunc(<double>x / <double>y) * <double>y)


cdef void loop_whole_floor_divide(char** a, const Py_ssize_t* n, const Py_ssize_t* s, small_t* tag) noexcept nogil:
    map2[small_t](a, n, s, _whole_floor_divide[small_t])


cdef void loop_whole_remainder(char** a, const Py_ssize_t* n, const Py_ssize_t* s, small_t* tag) noexcept nogil:
    map2[small_t](a, n, s, _whole_remainder[small_t])


cdef void loop_whole_fmod(char** a, const Py_ssize_t* n, const Py_ssize_t* s, small_t* tag) noexcept nogil:
    map2[small_t](a, n, s, _whole_fmod[small_t])


# float16 and bfloat16: exact in single precision. Operands, including numbers, must be rounded to the dtype first.

cdef inline void _widened(char** a, const Py_ssize_t* n, const Py_ssize_t* s, floats_t loop, bint brain) noexcept nogil:
    cdef float[BLOCK] x, y
    cdef char* rows[3]
    cdef Py_ssize_t[3] steps = [sizeof(float), sizeof(float), sizeof(float)]
    cdef Py_ssize_t done = 0, m, i
    cdef uint16_t u, v
    rows[0] = rows[2] = <char*>x
    rows[1] = <char*>y
    while done < n[0]:
        m = min(<Py_ssize_t>BLOCK, n[0] - done)
        for i in range(m):
            u, v = (<uint16_t*>(a[0] + (done + i) * s[0]))[0], (<uint16_t*>(a[1] + (done + i) * s[1]))[0]
            x[i] = bf16_to_float(u) if brain else half_to_float(u)
            y[i] = bf16_to_float(v) if brain else half_to_float(v)
        loop(rows, &m, steps, NULL)
        for i in range(m):
            u = float_to_bf16(x[i]) if brain else float_to_half(x[i])
            (<uint16_t*>(a[2] + (done + i) * s[2]))[0] = u
        done += m


cdef void loop_fmod_half(char** a, const Py_ssize_t* n, const Py_ssize_t* s, void* data) noexcept nogil:
    _widened(a, n, s, loop_fmod[float], False)


cdef void loop_fmod_brain(char** a, const Py_ssize_t* n, const Py_ssize_t* s, void* data) noexcept nogil:
    _widened(a, n, s, loop_fmod[float], True)


cdef void loop_remainder_half(char** a, const Py_ssize_t* n, const Py_ssize_t* s, void* data) noexcept nogil:
    _widened(a, n, s, loop_remainder[float], False)


cdef void loop_remainder_brain(char** a, const Py_ssize_t* n, const Py_ssize_t* s, void* data) noexcept nogil:
    _widened(a, n, s, loop_remainder[float], True)


cdef inline dict _small(size_t u8, size_t i8, size_t i16, size_t i32):
    return {"uint8": u8, "int8": i8, "int16": i16, "int32": i32}


LOOPS = {
    "fmod": reals(<size_t>&loop_fmod[float], <size_t>&loop_fmod[double])
    | _small(<size_t>&loop_whole_fmod[uint8_t], <size_t>&loop_whole_fmod[int8_t],
             <size_t>&loop_whole_fmod[int16_t], <size_t>&loop_whole_fmod[int32_t])
    | {"float16": <size_t>&loop_fmod_half, "bfloat16": <size_t>&loop_fmod_brain},
    "remainder": reals(<size_t>&loop_remainder[float], <size_t>&loop_remainder[double])
    | _small(<size_t>&loop_whole_remainder[uint8_t], <size_t>&loop_whole_remainder[int8_t],
             <size_t>&loop_whole_remainder[int16_t], <size_t>&loop_whole_remainder[int32_t])
    | {"float16": <size_t>&loop_remainder_half, "bfloat16": <size_t>&loop_remainder_brain},
    "floor_divide": reals(<size_t>&loop_floor_divide[float], <size_t>&loop_floor_divide[double])
    | _small(<size_t>&loop_whole_floor_divide[uint8_t], <size_t>&loop_whole_floor_divide[int8_t],
             <size_t>&loop_whole_floor_divide[int16_t], <size_t>&loop_whole_floor_divide[int32_t]),
}
