"""Run the hooks of a node and of its output tensors."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node

# Arrays of owned references, which hooks replace.
cdef int tensor_hooks(Node node, PyObject** grads) except -1
cdef int pre_hooks(Node node, PyObject** grads) except -1
cdef int post_hooks(Node node, PyObject** out, PyObject** grads) except -1
cdef tuple as_tuple(PyObject** grads, int n)  # with None for NULL

cdef int leaf_hooks(object hooks, PyObject* leaf) except -1
