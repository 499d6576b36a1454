"""Gradients of parts of a tensor, added where the gradient of the whole waits."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node

# Add the gradient of a view of a part to that part of ``whole``, which waits for its input. False: it was not done.
cdef bint add_to_part(Node node, PyObject* gradient, PyObject* whole) except -1
