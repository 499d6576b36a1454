# cython: language_level=3
"""Elementwise inner loops of gradients: the incoming gradient times the derivative, computed from the result."""
from flambeau_tensor._kernels.map_loops cimport map2, real_t, reals


cdef extern from *:
    """
    #ifdef __FMA__
    #define FL_LESS_SQUARE(y) __builtin_fma(-(y), (y), 1)
    #define FL_LESS_SQUARE_F(y) __builtin_fmaf(-(y), (y), 1)
    #else
    #define FL_LESS_SQUARE(y) (1 - (y) * (y))
    #define FL_LESS_SQUARE_F(y) (1 - (y) * (y))
    #endif
    """
    # Explicitly fused: otherwise the compiler uses g - g y^2 in the vectorized part only, which is NaN at infinity.
    double less_square "FL_LESS_SQUARE"(double y) noexcept nogil
    float less_square_f "FL_LESS_SQUARE_F"(float y) noexcept nogil


cdef inline real_t _tanh_backward(real_t g, real_t y) noexcept nogil:
    if real_t is float:
        return g * less_square_f(y)
    else:
        return g * less_square(y)


cdef void loop_tanh_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2[real_t](a, n, s, _tanh_backward[real_t])


cdef inline real_t _sigmoid_backward(real_t g, real_t y) noexcept nogil:
    return g * (y * (1 - y))


cdef void loop_sigmoid_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2[real_t](a, n, s, _sigmoid_backward[real_t])


cdef inline real_t _relu_backward(real_t g, real_t y) noexcept nogil:
    return 0 if y <= 0 else g


cdef void loop_relu_backward(char** a, const Py_ssize_t* n, const Py_ssize_t* s, real_t* tag) noexcept nogil:
    map2[real_t](a, n, s, _relu_backward[real_t])


LOOPS = {
    "tanh_backward": reals(<size_t>&loop_tanh_backward[float], <size_t>&loop_tanh_backward[double]),
    "sigmoid_backward": reals(<size_t>&loop_sigmoid_backward[float], <size_t>&loop_sigmoid_backward[double]),
    "relu_backward": reals(<size_t>&loop_relu_backward[float], <size_t>&loop_relu_backward[double]),
}
