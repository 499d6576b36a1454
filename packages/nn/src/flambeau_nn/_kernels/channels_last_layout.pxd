"""Operands whose channels lie beside each other in memory, densely: `torch.channels_last`, with two or three axes."""
from cpython.object cimport PyObject

from flambeau_tensor.compute cimport Array

cdef bint is_channels_last(PyObject* tensor) noexcept  # which one channel, or no element, never does
cdef object operand(PyObject* tensor, int dtype, bint* channels_last, Array* out)  # dense, as it lies if it lies so
cdef object as_channels_last(PyObject* tensor, int dtype, Array* out)  # a copy where it does not lie so
# A fresh tensor, `channels_last` or contiguous.
cdef object empty_in_format(bint channels_last, int dtype, int ndim, const Py_ssize_t* sizes, Array* out)
