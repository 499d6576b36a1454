"""Views of batched tensors: with reordered dimensions, and with dimensions of size 1."""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport OperatorInfo

cdef enum:
    NEW = -1  # a dimension of size 1

cdef bint is_direct(PyObject* tensor) noexcept  # whether views of it need neither recording, layers nor handlers
# Returns a view whose dimension i is dimension `order[i]` of the tensor, or NEW; dimensions of size 1 may be omitted.
cdef object rearranged(PyObject* tensor, const int* order, int n)
# Moves the batch dimension to the front, and pads an example to `rank` dimensions with dimensions of size 1.
cdef object examples_first(PyObject* tensor, int dim, int rank)
cdef object repeated_first(PyObject* tensor, Py_ssize_t size)  # adds a batch dimension to an unbatched tensor
cdef int ndim_of(PyObject* tensor) noexcept
