"""Conversion between complex64 and complex128.

Cython composes a complex number as `x + y*I`, which makes the real part NaN if `y` is infinite or NaN.
"""
cimport cython

from flambeau_tensor._kernels.map_loops cimport complex_t

cdef extern from *:
    """
    #include <complex.h>
    #define fl_wide(z) ((double complex)(z))
    #define fl_narrow(z) ((float complex)(z))
    """
    double complex widened "fl_wide"(float complex) noexcept nogil
    float complex narrowed "fl_narrow"(double complex) noexcept nogil


cdef inline double complex wide(complex_t z) noexcept nogil:
    if complex_t is cython.floatcomplex:
        return widened(z)
    else:
        return z


cdef inline complex_t narrow(double complex z, complex_t like) noexcept nogil:
    """Convert `z` to the type of `like`."""
    if complex_t is cython.floatcomplex:
        return narrowed(z)
    else:
        return z
