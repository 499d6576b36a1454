"""Convolution of `channels_last` operands, and types shared by its loops and their caller."""
from cpython.object cimport PyObject

from flambeau_nn._kernels.convolution_types cimport Geometry
from flambeau_tensor.compute cimport Array

cdef struct Depthwise:  # with two axes
    Geometry g
    Py_ssize_t batch, channels
    const void* image  # (batch, *size, channels); the result, if `kind` is IMAGE
    const void* values  # (batch, *count, channels)
    void* weight  # (taps, channels)
    const void* start  # biases, or zeros
    int kind
    bint failed

ctypedef void (*depthwise_t)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil


# Whether this module can compute a convolution that is not transposed.
cdef bint suits(const Geometry* g, Py_ssize_t groups, int dtype, PyObject* input) noexcept
cdef object values_of(Geometry* g, Py_ssize_t batch, Py_ssize_t groups, const Array* x, const Py_ssize_t* sizes,
                      char* weight, char* bias)
# Returns the gradients of input, weight and bias; None for those that are not wanted.
cdef tuple gradients_of(Geometry* g, Py_ssize_t batch, Py_ssize_t groups, PyObject* grad, PyObject* input,
                        PyObject* weight, wanted)
