"""Tensors kept for backward."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node, Saved

cdef int save(Saved* place, PyObject* tensor, bint is_output) except -1
# A new reference. `edge`: which edge of the node it is an input for, or -1; `output_nr`: which output it is, or -1.
cdef PyObject* unpack(Node node, Saved* place, int edge, int output_nr) except NULL
cdef int check_saveable(PyObject* tensor) except -1
cdef int pack_later(Saved* place, tuple hooks, bint is_output) except -1  # let (pack, unpack) have what is kept already
# The tensor with the history it had when it was saved: a new reference.
cdef PyObject* with_history(Node node, PyObject* tensor, int edge, int output_nr) except NULL
