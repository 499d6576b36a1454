"""Gradients: zeros and constants, checks, sums."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport OutputMeta, Node

cdef object zeros_of(OutputMeta* meta)
# A tensor with the same value everywhere; `on_meta`: on device 'meta'.
cdef object constant(int dtype, int ndim, const Py_ssize_t* sizes, bint on_meta, int value)
# Converts the gradients that a node returned to the shapes and dtypes of its inputs, or raises.
cdef int validate(Node node, PyObject** out) except -1
cdef int add_up(PyObject** place, PyObject* gradient) except -1  # steals the reference
