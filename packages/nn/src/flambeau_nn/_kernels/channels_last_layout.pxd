"""Dense operands in `torch.channels_last` format, with two or three axes."""
from cpython.object cimport PyObject

from flambeau_tensor.compute cimport Array

cdef bint is_channels_last(PyObject* tensor) noexcept  # False for tensors with one channel or no element
# The same for empty tensors, too, and with any stride where the size is 1: `is_contiguous(memory_format=…)`.
cdef bint reads_as_channels_last(PyObject* tensor) noexcept
cdef object operand(PyObject* tensor, int dtype, bint* channels_last, Array* out)  # dense, in its own memory format
cdef object as_channels_last(PyObject* tensor, int dtype, Array* out)  # a copy, unless it has this format
# Returns a new tensor, `channels_last` or contiguous.
cdef object empty_in_format(bint channels_last, int dtype, int ndim, const Py_ssize_t* sizes, Array* out)
