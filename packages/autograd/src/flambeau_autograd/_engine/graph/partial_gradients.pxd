"""Add gradients of parts of a tensor to the waiting gradient of the whole tensor."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node

# Add the gradient of a partial view to its part of ``whole``, the waiting gradient of its input. Returns False if that
# is not possible.
cdef bint add_to_part(Node node, PyObject* gradient, PyObject* whole) except -1
