"""Running the hooks of a node and of the tensors that are its outputs."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node

# Arrays of owned references; hooks replace what is in them.
cdef int tensor_hooks(Node node, PyObject** grads) except -1
cdef int pre_hooks(Node node, PyObject** grads) except -1
cdef int post_hooks(Node node, PyObject** out, PyObject** grads) except -1
cdef tuple as_tuple(PyObject** grads, int n)  # NULL as None

cdef int leaf_hooks(object hooks, PyObject* leaf) except -1
