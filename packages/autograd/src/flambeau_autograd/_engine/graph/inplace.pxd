"""Record in-place writes."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node

cdef int check_write(PyObject* tensor) except -1  # raises if PyTorch forbids the write
# Makes `node` the history of `tensor`, which it wrote to; its edge 0 leads to the previous history.
cdef int rebase(PyObject* tensor, Node node) except -1
