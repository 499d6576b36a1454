"""Arithmetic on sizes with overflow checks."""

cdef extern from * nogil:
    """
    /* Whether a product or sum of sizes overflows; the result then wraps around. */
    #if defined(__GNUC__) || defined(__clang__)
    #define fl_multiply(a, b, out) __builtin_mul_overflow(a, b, out)
    #define fl_sum(a, b, out) __builtin_add_overflow(a, b, out)
    #define fl_add(a, b, out) __builtin_add_overflow(a, b, out)
    #else
    static int fl_multiply(size_t a, size_t b, size_t* out) { *out = a * b; return a && *out / a != b; }
    static int fl_sum(size_t a, size_t b, size_t* out) { *out = a + b; return *out < a; }
    static int fl_add(Py_ssize_t a, Py_ssize_t b, Py_ssize_t* out) {
        *out = (Py_ssize_t)((size_t)a + (size_t)b);
        return (a < 0) == (b < 0) && (a < 0) != (*out < 0);
    }
    #endif
    """
    bint fl_multiply(size_t a, size_t b, size_t* out)
    bint fl_sum(size_t a, size_t b, size_t* out)
    bint fl_add(Py_ssize_t a, Py_ssize_t b, Py_ssize_t* out)  # for numbers that may be negative
    const size_t MAX_SIZE "((size_t)PY_SSIZE_T_MAX)"


cdef inline Py_ssize_t sum_of_sizes(Py_ssize_t a, Py_ssize_t b) except? -1:
    """Return a size plus a number, which may be negative; raises if the sum overflows."""
    cdef Py_ssize_t total = 0
    if fl_add(a, b, &total):
        raise RuntimeError(f"Storage size calculation overflowed: {a} + {b}")
    return total
