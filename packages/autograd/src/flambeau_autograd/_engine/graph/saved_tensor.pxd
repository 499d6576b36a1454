"""A saved tensor as an object, for hooks on it alone."""
from flambeau_autograd._engine.graph.node cimport Node

cdef object saved_tensor(Node node, int place, bint is_output)  # the SavedTensor in a place of `node`
