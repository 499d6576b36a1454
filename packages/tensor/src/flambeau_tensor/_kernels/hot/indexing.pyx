# cython: language_level=3
"""Moving and combining indexed elements.

Each loop processes n elements of a plain side, `step` apart, and of an indexed side: at `offsets` times a stride from a
base or, if `offsets` is NULL, a stride apart. `get` reads the indexed side into the plain side; all others write the
indexed side, in order. Of equal indices, the last one therefore counts, and sums are reproducible.
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

ctypedef fused unit:  # the moved element; only its size matters
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    complex128

ctypedef fused number:  # integers are unsigned if products exceed an int, so that they wrap around
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
    AHEAD = 12  # the number of rows that are prefetched


cdef inline void pick(unit* out, const char* indexed, const Py_ssize_t* at, Py_ssize_t n, Py_ssize_t scale) \
        noexcept nogil:
    # Unrolled by four: the overhead of a simple loop would double its time if its code crosses a cache line.
    cdef Py_ssize_t i = 0
    while i + 4 <= n:
        out[i] = (<const unit*>(indexed + at[i] * scale))[0]
        out[i + 1] = (<const unit*>(indexed + at[i + 1] * scale))[0]
        out[i + 2] = (<const unit*>(indexed + at[i + 2] * scale))[0]
        out[i + 3] = (<const unit*>(indexed + at[i + 3] * scale))[0]
        i += 4
    while i < n:
        out[i] = (<const unit*>(indexed + at[i] * scale))[0]
        i += 1


cdef void get_units(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                    Py_ssize_t n, unit* unused) noexcept nogil:
    cdef Py_ssize_t i
    if offsets == NULL:
        for i in range(n):
            (<unit*>(plain + i * step))[0] = (<unit*>(indexed + i * stride))[0]
    elif step == sizeof(unit) and stride == sizeof(unit):
        pick(<unit*>plain, indexed, offsets, n, sizeof(unit))
    elif step == sizeof(unit) and stride == 1:
        pick(<unit*>plain, indexed, offsets, n, 1)
    else:
        for i in range(n):
            (<unit*>(plain + i * step))[0] = (<unit*>(indexed + offsets[i] * stride))[0]


cdef void put_units(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                    Py_ssize_t n, unit* unused) noexcept nogil:
    cdef Py_ssize_t i
    if offsets == NULL:
        for i in range(n):
            (<unit*>(indexed + i * stride))[0] = (<unit*>(plain + i * step))[0]
    elif step == sizeof(unit) and stride == sizeof(unit):
        for i in range(n):
            (<unit*>indexed)[offsets[i]] = (<unit*>plain)[i]
    else:
        for i in range(n):
            (<unit*>(indexed + offsets[i] * stride))[0] = (<unit*>(plain + i * step))[0]


cdef void add_numbers(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                      Py_ssize_t n, number* unused) noexcept nogil:
    cdef Py_ssize_t i
    if offsets != NULL and step == sizeof(number) and stride == sizeof(number):
        for i in range(n):
            (<number*>indexed)[offsets[i]] += (<number*>plain)[i]
    elif offsets != NULL:
        for i in range(n):
            (<number*>(indexed + offsets[i] * stride))[0] += (<number*>(plain + i * step))[0]
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
    if offsets == NULL and step == sizeof(number) and stride == sizeof(number):
        for i in range(n):
            (<number*>indexed)[i] = (<number*>indexed)[i] * (<number*>plain)[i]
        return
    for i in range(n):
        to = <number*>(indexed + (i if offsets == NULL else offsets[i]) * stride)
        to[0] = to[0] * (<number*>(plain + i * step))[0]


cdef inline void extremes(bint most, char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride,
                          const Py_ssize_t* offsets, Py_ssize_t n, ordered* unused) noexcept nogil:
    cdef Py_ssize_t i
    cdef ordered* to
    cdef ordered v, old
    cdef ordered[2] both
    if offsets == NULL and step == sizeof(ordered) and stride == sizeof(ordered):
        for i in range(n):
            v, old = (<ordered*>plain)[i], (<ordered*>indexed)[i]
            (<ordered*>indexed)[i] = v if (v > old if most else v < old) | (v != v) else old
        return
    for i in range(n):
        to = <ordered*>(indexed + (i if offsets == NULL else offsets[i]) * stride)
        v, old = (<ordered*>(plain + i * step))[0], to[0]
        both[0], both[1] = old, v
        to[0] = both[(v > old if most else v < old) | (v != v)]  # a branch would be mispredicted


cdef void least(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                Py_ssize_t n, ordered* unused) noexcept nogil:
    extremes(False, plain, step, indexed, stride, offsets, n, unused)


cdef void greatest(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                   Py_ssize_t n, ordered* unused) noexcept nogil:
    extremes(True, plain, step, indexed, stride, offsets, n, unused)


# Contiguous blocks of `size` bytes, `step` apart on the plain side.

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


# --- from indices to offsets ----------------------------------------------------------------------------------------

cdef bint all_within(const int64_t* at, Py_ssize_t n, int64_t low, int64_t most) noexcept nogil:
    cdef Py_ssize_t i
    cdef int64_t outside = 0
    for i in range(n):
        outside |= (at[i] < low) | (at[i] > most)
    return outside == 0


cdef bint wrapped(const int64_t* at, Py_ssize_t n, int64_t size, int64_t step, int64_t* offsets) noexcept nogil:
    """Set offsets[i] = at[i] * step, counting negative ones from the end; return whether all are in [-size, size)."""
    cdef Py_ssize_t i
    cdef int64_t outside = 0, v
    for i in range(n):
        v = at[i]
        v = v + size if v < 0 else v
        outside |= (v < 0) | (v >= size)
        offsets[i] = v * step
    return outside == 0


cdef void shifted(const int64_t* at, Py_ssize_t n, int64_t step, const int64_t* shifts, int64_t* offsets) \
        noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        offsets[i] = at[i] * step + shifts[i]


# The last argument only determines the element type; callers pass NULL.
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
    "offsets": {"all_within": <size_t><void*>all_within, "wrapped": <size_t><void*>wrapped,
                "shifted": <size_t><void*>shifted},
}
