"""Operands whose channels lie beside each other in memory, densely: `torch.channels_last`, with two or three axes."""
from cpython.object cimport PyObject

from flambeau_tensor.compute cimport Array

cdef bint lie_beside(PyObject* tensor) noexcept  # which one channel, or no element, never does
cdef object operand(PyObject* tensor, int dtype, bint* beside, Array* out)  # dense, as it lies if it lies so
cdef object beside_too(PyObject* tensor, int dtype, Array* out)  # laid so, a copy where it does not lie so
# A fresh tensor, laid so or contiguous.
cdef object laid(bint beside, int dtype, int ndim, const Py_ssize_t* sizes, Array* out)
