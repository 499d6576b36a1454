# cython: language_level=3
"""Elementwise inner loops of gradients: what comes in times a function's derivative, from its result."""
from flambeau_tensor._kernels.maps cimport map2, real_t, reals


cdef inline real_t _tanh_backward(real_t g, real_t y) noexcept nogil:
    return g * (1 - y * y)


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
