# cython: language_level=3
"""Moving and combining elements found by index.

Each loop runs over n elements of a plain side (a step apart) and an indexed side: `offsets` bytes from a base, or,
where that is NULL, a step apart too. `get` reads the indexed side into the plain one, all others write the indexed
side, in order, so that of equal indices the last one counts and sums are the same on every run.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from * nogil:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define fl_prefetch(p) __builtin_prefetch(p)
    #else
    #define fl_prefetch(p) ((void)(p))
    #endif
    """
    void fl_prefetch(const void* p)

ctypedef float complex complex64
ctypedef double complex complex128

ctypedef fused unit:  # what is moved: only its size matters
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    complex128

ctypedef fused number:  # integers are unsigned where products would not fit in an int: those wrap around
    uint8_t
    int8_t
    int16_t
    uint32_t
    uint64_t
    float
    double
    complex64
    complex128

ctypedef fused ordered:
    uint8_t
    int8_t
    int16_t
    int32_t
    int64_t
    float
    double

cdef enum:
    AHEAD = 12  # rows that the processor is told of before they are needed


cdef void get_units(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                    Py_ssize_t n, unit* unused) noexcept nogil:
    cdef Py_ssize_t i
    if offsets == NULL:
        for i in range(n):
            (<unit*>(plain + i * step))[0] = (<unit*>(indexed + i * stride))[0]
    elif step == sizeof(unit):
        for i in range(n):
            (<unit*>plain)[i] = (<unit*>(indexed + offsets[i]))[0]
    else:
        for i in range(n):
            (<unit*>(plain + i * step))[0] = (<unit*>(indexed + offsets[i]))[0]


cdef void put_units(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                    Py_ssize_t n, unit* unused) noexcept nogil:
    cdef Py_ssize_t i
    if offsets == NULL:
        for i in range(n):
            (<unit*>(indexed + i * stride))[0] = (<unit*>(plain + i * step))[0]
    else:
        for i in range(n):
            (<unit*>(indexed + offsets[i]))[0] = (<unit*>(plain + i * step))[0]


cdef void add_numbers(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                      Py_ssize_t n, number* unused) noexcept nogil:
    cdef Py_ssize_t i
    if offsets != NULL:
        for i in range(n):
            (<number*>(indexed + offsets[i]))[0] += (<number*>(plain + i * step))[0]
    elif step == sizeof(number) and stride == sizeof(number):
        for i in range(n):
            (<number*>indexed)[i] += (<number*>plain)[i]
    else:
        for i in range(n):
            (<number*>(indexed + i * stride))[0] += (<number*>(plain + i * step))[0]


cdef void multiply_numbers(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                           Py_ssize_t n, number* unused) noexcept nogil:
    cdef Py_ssize_t i
    cdef number* to
    for i in range(n):
        to = <number*>(indexed + (i * stride if offsets == NULL else offsets[i]))
        to[0] = to[0] * (<number*>(plain + i * step))[0]


cdef void least(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                Py_ssize_t n, ordered* unused) noexcept nogil:
    cdef Py_ssize_t i
    cdef ordered* to
    cdef ordered v
    for i in range(n):
        to = <ordered*>(indexed + (i * stride if offsets == NULL else offsets[i]))
        v = (<ordered*>(plain + i * step))[0]
        if v < to[0] or v != v:
            to[0] = v


cdef void greatest(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                   Py_ssize_t n, ordered* unused) noexcept nogil:
    cdef Py_ssize_t i
    cdef ordered* to
    cdef ordered v
    for i in range(n):
        to = <ordered*>(indexed + (i * stride if offsets == NULL else offsets[i]))
        v = (<ordered*>(plain + i * step))[0]
        if v > to[0] or v != v:
            to[0] = v


# Contiguous blocks of `size` bytes; `step` apart on the plain side.

cdef void get_blocks(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t size, const Py_ssize_t* offsets,
                     Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if i + AHEAD < n:
            fl_prefetch(indexed + offsets[i + AHEAD])
        memcpy(plain + i * step, indexed + offsets[i], size)


cdef void put_blocks(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t size, const Py_ssize_t* offsets,
                     Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if i + AHEAD < n:
            fl_prefetch(indexed + offsets[i + AHEAD])
        memcpy(indexed + offsets[i], plain + i * step, size)


# The last argument only tells the element type; callers pass NULL.
LOOPS = {
    "get": {
        1: <size_t><void*>get_units[uint8_t], 2: <size_t><void*>get_units[uint16_t],
        4: <size_t><void*>get_units[uint32_t], 8: <size_t><void*>get_units[uint64_t],
        16: <size_t><void*>get_units[complex128],
    },
    "put": {
        1: <size_t><void*>put_units[uint8_t], 2: <size_t><void*>put_units[uint16_t],
        4: <size_t><void*>put_units[uint32_t], 8: <size_t><void*>put_units[uint64_t],
        16: <size_t><void*>put_units[complex128],
    },
    "add": {
        "bool": <size_t><void*>greatest[uint8_t], "uint8": <size_t><void*>add_numbers[uint8_t],
        "int8": <size_t><void*>add_numbers[int8_t], "int16": <size_t><void*>add_numbers[int16_t],
        "int32": <size_t><void*>add_numbers[uint32_t], "int64": <size_t><void*>add_numbers[uint64_t],
        "float32": <size_t><void*>add_numbers[float], "float64": <size_t><void*>add_numbers[double],
        "complex64": <size_t><void*>add_numbers[complex64], "complex128": <size_t><void*>add_numbers[complex128],
    },
    "multiply": {
        "bool": <size_t><void*>least[uint8_t], "uint8": <size_t><void*>multiply_numbers[uint8_t],
        "int8": <size_t><void*>multiply_numbers[int8_t], "int16": <size_t><void*>multiply_numbers[int16_t],
        "int32": <size_t><void*>multiply_numbers[uint32_t], "int64": <size_t><void*>multiply_numbers[uint64_t],
        "float32": <size_t><void*>multiply_numbers[float], "float64": <size_t><void*>multiply_numbers[double],
        "complex64": <size_t><void*>multiply_numbers[complex64],
        "complex128": <size_t><void*>multiply_numbers[complex128],
    },
    "least": {
        "bool": <size_t><void*>least[uint8_t], "uint8": <size_t><void*>least[uint8_t],
        "int8": <size_t><void*>least[int8_t], "int16": <size_t><void*>least[int16_t],
        "int32": <size_t><void*>least[int32_t], "int64": <size_t><void*>least[int64_t],
        "float32": <size_t><void*>least[float], "float64": <size_t><void*>least[double],
    },
    "greatest": {
        "bool": <size_t><void*>greatest[uint8_t], "uint8": <size_t><void*>greatest[uint8_t],
        "int8": <size_t><void*>greatest[int8_t], "int16": <size_t><void*>greatest[int16_t],
        "int32": <size_t><void*>greatest[int32_t], "int64": <size_t><void*>greatest[int64_t],
        "float32": <size_t><void*>greatest[float], "float64": <size_t><void*>greatest[double],
    },
    "blocks": {"get": <size_t><void*>get_blocks, "put": <size_t><void*>put_blocks},
}
