"""Arithmetic on sizes that tells when a result does not fit."""

cdef extern from * nogil:
    """
    /* Whether a product or sum of sizes does not fit, in which case it has wrapped around. */
    #if defined(__GNUC__) || defined(__clang__)
    #define fl_multiply(a, b, out) __builtin_mul_overflow(a, b, out)
    #define fl_sum(a, b, out) __builtin_add_overflow(a, b, out)
    #else
    static int fl_multiply(size_t a, size_t b, size_t* out) { *out = a * b; return a && *out / a != b; }
    static int fl_sum(size_t a, size_t b, size_t* out) { *out = a + b; return *out < a; }
    #endif
    """
    bint fl_multiply(size_t a, size_t b, size_t* out)
    bint fl_sum(size_t a, size_t b, size_t* out)
    const size_t MAX_SIZE "((size_t)PY_SSIZE_T_MAX)"
