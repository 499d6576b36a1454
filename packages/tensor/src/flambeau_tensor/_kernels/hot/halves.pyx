# cython: language_level=3
"""Elementwise loops on the bits of float16 and bfloat16: of signs, and of neighbouring numbers."""
from libc.stdint cimport uint16_t


cdef inline int _rank(uint16_t x) noexcept nogil:
    """Map a bit pattern to an integer with the same order as the number."""
    return -<int>(x & 0x7FFF) if x & 0x8000 else x


cdef inline void _nextafter(char** a, const Py_ssize_t* n, const Py_ssize_t* s, uint16_t infinity) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint16_t x, y, r
    for i in range(n[0]):
        x, y = (<uint16_t*>(a[0] + i * s[0]))[0], (<uint16_t*>(a[1] + i * s[1]))[0]
        if x & 0x7FFF > infinity:
            r = x
        elif y & 0x7FFF > infinity or _rank(x) == _rank(y):
            r = y
        elif x & 0x7FFF == 0:
            r = (y & 0x8000) | 1
        else:
            r = x + 1 if (_rank(x) < _rank(y)) == (x & 0x8000 == 0) else x - 1
        (<uint16_t*>(a[2] + i * s[2]))[0] = r


cdef void loop_nextafter_half(char** a, const Py_ssize_t* n, const Py_ssize_t* s, void* data) noexcept nogil:
    _nextafter(a, n, s, 0x7C00)


cdef void loop_nextafter_brain(char** a, const Py_ssize_t* n, const Py_ssize_t* s, void* data) noexcept nogil:
    _nextafter(a, n, s, 0x7F80)


cdef inline void _change_sign(char** a, const Py_ssize_t* n, const Py_ssize_t* s, uint16_t keep, uint16_t flip) \
        noexcept nogil:
    cdef Py_ssize_t i
    cdef const uint16_t* x = <const uint16_t*>a[0]
    cdef uint16_t* out = <uint16_t*>a[1]
    if s[0] == 2 and s[1] == 2:
        for i in range(n[0]):
            out[i] = (x[i] & keep) ^ flip
        return
    for i in range(n[0]):
        (<uint16_t*>(a[1] + i * s[1]))[0] = ((<uint16_t*>(a[0] + i * s[0]))[0] & keep) ^ flip


cdef void loop_neg(char** a, const Py_ssize_t* n, const Py_ssize_t* s, void* data) noexcept nogil:
    _change_sign(a, n, s, 0xFFFF, 0x8000)


cdef void loop_abs(char** a, const Py_ssize_t* n, const Py_ssize_t* s, void* data) noexcept nogil:
    _change_sign(a, n, s, 0x7FFF, 0)


LOOPS = {
    "neg": {"float16": <size_t>&loop_neg, "bfloat16": <size_t>&loop_neg},
    "abs": {"float16": <size_t>&loop_abs, "bfloat16": <size_t>&loop_abs},
    "nextafter": {"float16": <size_t>&loop_nextafter_half, "bfloat16": <size_t>&loop_nextafter_brain},
}
