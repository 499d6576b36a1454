"""Inner loops over scalar functions, from which hot elementwise kernels are made.

All functions are inline, so each CPU level compiles its own. `map1(args, n, steps, f)` becomes a loop with NumPy's
signature inside a function with a fixed type; the compiler inlines `f` and vectorizes the case of contiguous operands.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t
from libc.string cimport memcpy

ctypedef fused real_t:
    float
    double

ctypedef fused number_t:
    uint8_t
    int8_t
    int16_t
    int32_t
    int64_t
    float
    double

ctypedef fused small_t:  # whose quotients are exact in double precision
    uint8_t
    int8_t
    int16_t
    int32_t

ctypedef fused integer_t:
    uint8_t
    int8_t
    int16_t
    int32_t
    int64_t

ctypedef fused any_t:
    uint8_t
    int8_t
    int16_t
    int32_t
    int64_t
    float
    double
    float complex
    double complex

ctypedef fused inexact_t:
    float
    double
    float complex
    double complex

ctypedef fused complex_t:
    float complex
    double complex


# --- loops over scalar functions ------------------------------------------------------------------------------------
# A loop for contiguous operands, which the compiler vectorizes; one for a constant operand; and one for other cases.

cdef inline void map1(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t (*f)(any_t) noexcept nogil) \
        noexcept nogil:
    cdef Py_ssize_t i
    cdef any_t* x = <any_t*>a[0]
    cdef any_t* out = <any_t*>a[1]
    if s[0] == sizeof(any_t) and s[1] == sizeof(any_t):
        for i in range(n[0]):
            out[i] = f(x[i])
        return
    for i in range(n[0]):
        (<any_t*>(a[1] + i * s[1]))[0] = f((<any_t*>(a[0] + i * s[0]))[0])


cdef inline void map2(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t (*f)(any_t, any_t) noexcept nogil) \
        noexcept nogil:
    cdef Py_ssize_t i
    cdef any_t* x = <any_t*>a[0]
    cdef any_t* y = <any_t*>a[1]
    cdef any_t* out = <any_t*>a[2]
    cdef any_t constant
    if s[0] == sizeof(any_t) and s[2] == sizeof(any_t):
        if s[1] == sizeof(any_t):
            for i in range(n[0]):
                out[i] = f(x[i], y[i])
            return
        if s[1] == 0:
            constant = y[0]
            for i in range(n[0]):
                out[i] = f(x[i], constant)
            return
    if s[0] == 0 and s[1] == sizeof(any_t) and s[2] == sizeof(any_t):
        constant = x[0]
        for i in range(n[0]):
            out[i] = f(constant, y[i])
        return
    for i in range(n[0]):
        (<any_t*>(a[2] + i * s[2]))[0] = f((<any_t*>(a[0] + i * s[0]))[0], (<any_t*>(a[1] + i * s[1]))[0])


cdef inline void map2_with(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t v,
                           any_t (*f)(any_t, any_t, any_t) noexcept nogil) noexcept nogil:
    """The same for functions with a parameter."""
    cdef Py_ssize_t i
    cdef any_t* x = <any_t*>a[0]
    cdef any_t* y = <any_t*>a[1]
    cdef any_t* out = <any_t*>a[2]
    cdef any_t constant
    if s[0] == sizeof(any_t) and s[2] == sizeof(any_t):
        if s[1] == sizeof(any_t):
            for i in range(n[0]):
                out[i] = f(x[i], y[i], v)
            return
        if s[1] == 0:
            constant = y[0]
            for i in range(n[0]):
                out[i] = f(x[i], constant, v)
            return
    for i in range(n[0]):
        (<any_t*>(a[2] + i * s[2]))[0] = f((<any_t*>(a[0] + i * s[0]))[0], (<any_t*>(a[1] + i * s[1]))[0], v)


cdef enum:
    BLOCK = 512  # elements of a buffer on the stack


# For functions that cost more than a copy: a single loop, with buffers for operands that are not contiguous. An operand
# that is also the result is copied, too, because otherwise the compiler's overlap check would select scalar code.

cdef inline const real_t* lined(const char* p, Py_ssize_t step, const char* result, real_t* buffer, Py_ssize_t n) \
        noexcept nogil:
    """Return n elements in order: in place, or copied to the buffer."""
    if step == sizeof(real_t) and p != result:
        return <const real_t*>p
    gather(p, step, buffer, n)
    return buffer


cdef inline void map1_blocks(char** a, const Py_ssize_t* n, const Py_ssize_t* s,
                             real_t (*f)(real_t) noexcept nogil) noexcept nogil:
    cdef real_t[BLOCK] buffer, block
    cdef const real_t* x
    cdef real_t* out
    cdef Py_ssize_t done = 0, m, i
    while done < n[0]:
        m = min(<Py_ssize_t>BLOCK, n[0] - done)
        x = lined(a[0] + done * s[0], s[0], a[1] + done * s[1], buffer, m)
        out = <real_t*>(a[1] + done * s[1]) if s[1] == sizeof(real_t) else block
        for i in range(m):
            out[i] = f(x[i])
        if s[1] != sizeof(real_t):
            scatter(block, a[1] + done * s[1], s[1], m)
        done += m


cdef inline void map1_checked(char** a, const Py_ssize_t* n, const Py_ssize_t* s,
                              real_t (*quick)(real_t) noexcept nogil,
                              bint (*right)(real_t) noexcept nogil,
                              real_t (*slow)(real_t) noexcept nogil) noexcept nogil:
    """Apply `quick` to all elements, vectorized, and then `slow` to the few elements for which it is wrong."""
    cdef real_t[BLOCK] buffer, block
    cdef const real_t* x
    cdef real_t* out
    cdef Py_ssize_t done = 0, m, i
    cdef bint wrong
    while done < n[0]:
        m = min(<Py_ssize_t>BLOCK, n[0] - done)
        x = lined(a[0] + done * s[0], s[0], a[1] + done * s[1], buffer, m)
        out = <real_t*>(a[1] + done * s[1]) if s[1] == sizeof(real_t) else block
        wrong = False
        for i in range(m):
            wrong |= not right(x[i])
            out[i] = quick(x[i])
        if wrong:
            for i in range(m):
                if not right(x[i]):
                    out[i] = slow(x[i])
        if s[1] != sizeof(real_t):
            scatter(block, a[1] + done * s[1], s[1], m)
        done += m


cdef inline void map2_blocks(char** a, const Py_ssize_t* n, const Py_ssize_t* s,
                             real_t (*f)(real_t, real_t) noexcept nogil) noexcept nogil:
    cdef real_t[BLOCK] first, second, block
    cdef const real_t* x
    cdef const real_t* y
    cdef real_t* out
    cdef Py_ssize_t done = 0, m, i
    while done < n[0]:
        m = min(<Py_ssize_t>BLOCK, n[0] - done)
        x = lined(a[0] + done * s[0], s[0], a[2] + done * s[2], first, m)
        y = lined(a[1] + done * s[1], s[1], a[2] + done * s[2], second, m)
        out = <real_t*>(a[2] + done * s[2]) if s[2] == sizeof(real_t) else block
        for i in range(m):
            out[i] = f(x[i], y[i])
        if s[2] != sizeof(real_t):
            scatter(block, a[2] + done * s[2], s[2], m)
        done += m


cdef inline void map2_checked(char** a, const Py_ssize_t* n, const Py_ssize_t* s,
                              real_t (*quick)(real_t, real_t) noexcept nogil,
                              bint (*right)(real_t, real_t) noexcept nogil,
                              real_t (*slow)(real_t, real_t) noexcept nogil) noexcept nogil:
    """Apply `quick` to all elements, vectorized, and then `slow` to the few elements for which it is wrong."""
    cdef real_t[BLOCK] x, y, out
    cdef Py_ssize_t done = 0, m, i
    cdef bint wrong
    while done < n[0]:
        m = min(<Py_ssize_t>BLOCK, n[0] - done)
        gather(a[0] + done * s[0], s[0], x, m)
        gather(a[1] + done * s[1], s[1], y, m)
        wrong = False
        for i in range(m):
            out[i] = quick(x[i], y[i])
            wrong |= not right(x[i], y[i])
        if wrong:
            for i in range(m):
                if not right(x[i], y[i]):
                    out[i] = slow(x[i], y[i])
        scatter(out, a[2] + done * s[2], s[2], m)
        done += m


cdef inline void gather(const char* p, Py_ssize_t step, real_t* block, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t constant
    if step == sizeof(real_t):
        memcpy(block, p, n * sizeof(real_t))
    elif step == 0:
        constant = (<real_t*>p)[0]
        for i in range(n):
            block[i] = constant
    else:
        for i in range(n):
            block[i] = (<real_t*>(p + i * step))[0]


cdef inline void scatter(const real_t* block, char* p, Py_ssize_t step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    if step == sizeof(real_t):
        memcpy(p, block, n * sizeof(real_t))
    else:
        for i in range(n):
            (<real_t*>(p + i * step))[0] = block[i]


cdef inline void map2_truth(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t* tag,
                            uint8_t (*f)(bint, bint) noexcept nogil) noexcept nogil:
    """Apply a function to whether elements are nonzero, with booleans as results."""
    cdef Py_ssize_t i
    cdef any_t* x = <any_t*>a[0]
    cdef any_t* y = <any_t*>a[1]
    cdef uint8_t* out = <uint8_t*>a[2]
    if s[0] == sizeof(any_t) and s[1] == sizeof(any_t) and s[2] == 1:
        for i in range(n[0]):
            out[i] = f(x[i] != 0, y[i] != 0)
        return
    for i in range(n[0]):
        (<uint8_t*>(a[2] + i * s[2]))[0] = f((<any_t*>(a[0] + i * s[0]))[0] != 0, (<any_t*>(a[1] + i * s[1]))[0] != 0)


cdef inline void map3(char** a, const Py_ssize_t* n, const Py_ssize_t* s, any_t v,
                      any_t (*f)(any_t, any_t, any_t, any_t) noexcept nogil) noexcept nogil:
    cdef Py_ssize_t i
    cdef any_t* x = <any_t*>a[0]
    cdef any_t* y = <any_t*>a[1]
    cdef any_t* z = <any_t*>a[2]
    cdef any_t* out = <any_t*>a[3]
    cdef any_t second, third
    if s[0] == sizeof(any_t) and s[3] == sizeof(any_t):
        if s[1] == sizeof(any_t) and s[2] == sizeof(any_t):
            for i in range(n[0]):
                out[i] = f(x[i], y[i], z[i], v)
            return
        if s[1] == sizeof(any_t) and s[2] == 0:
            third = z[0]
            for i in range(n[0]):
                out[i] = f(x[i], y[i], third, v)
            return
        if s[1] == 0 and s[2] == 0:
            second, third = y[0], z[0]
            for i in range(n[0]):
                out[i] = f(x[i], second, third, v)
            return
    for i in range(n[0]):
        (<any_t*>(a[3] + i * s[3]))[0] = f((<any_t*>(a[0] + i * s[0]))[0], (<any_t*>(a[1] + i * s[1]))[0],
                                           (<any_t*>(a[2] + i * s[2]))[0], v)


# --- rows of LOOPS: the addresses of a loop by dtype ----------------------------------------------------------------

cdef inline dict reals(size_t f32, size_t f64):
    return {"float32": f32, "float64": f64}


cdef inline dict integers(size_t u8, size_t i8, size_t i16, size_t i32, size_t i64):
    return {"bool": u8, "uint8": u8, "int8": i8, "int16": i16, "int32": i32, "int64": i64}


cdef inline dict wider_unsigned(size_t u16, size_t u32, size_t u64):
    return {"uint16": u16, "uint32": u32, "uint64": u64}


cdef inline dict complexes(size_t c64, size_t c128):
    return {"complex64": c64, "complex128": c128}
