"""Views of tensors with examples: dimensions in another order, and ones of size 1."""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport OperatorInfo

cdef enum:
    NEW = -1  # a dimension of size 1

cdef bint is_direct(PyObject* tensor) noexcept  # whether a view of it concerns nobody but itself
# A view whose dimension i is `order[i]` of the tensor, or NEW; dimensions of size 1 may be left out.
cdef object rearranged(PyObject* tensor, const int* order, int n)
# With the examples in front, and behind them as many dimensions of size 1 as `rank` dimensions of an example need.
cdef object examples_first(PyObject* tensor, int dim, int rank)
cdef object repeated_first(PyObject* tensor, Py_ssize_t size)  # what all examples share, once for each
cdef int ndim_of(PyObject* tensor) noexcept
