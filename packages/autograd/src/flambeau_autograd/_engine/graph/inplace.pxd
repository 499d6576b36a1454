"""Writing to tensors while recording."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node

cdef int check_write(PyObject* tensor) except -1  # raises where PyTorch forbids it
# `node`, whose edge 0 leads to what `tensor` was before, wrote to it as its output 0.
cdef int rebase(PyObject* tensor, Node node) except -1
