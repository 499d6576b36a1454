"""What gradients look like, and their sums."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport OutputMeta, Node

cdef object zeros_of(OutputMeta* meta)
# One number everywhere; `on_meta`: on device 'meta'.
cdef object constant(int dtype, int ndim, const Py_ssize_t* sizes, bint on_meta, int value)
# Bring what a node returned into the form that its inputs have, or raise.
cdef int validate(Node node, PyObject** out) except -1
cdef int add_up(PyObject** place, PyObject* gradient) except -1  # takes over the reference
