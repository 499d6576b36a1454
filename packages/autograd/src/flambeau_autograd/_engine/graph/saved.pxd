"""Tensors saved for backward."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node, Saved

cdef int save(Saved* place, PyObject* tensor, bint is_output) except -1
# Returns a new reference. `edge`: the edge of the node whose input it is, or -1; `output_nr`: the number of the output
# that it is, or -1.
cdef PyObject* unpack(Node node, Saved* place, int edge, int output_nr) except NULL
cdef int check_saveable(PyObject* tensor) except -1
cdef int pack_later(Saved* place, tuple hooks, bint is_output) except -1  # apply hooks to a value that is already saved
# Returns the tensor with the history that it had when it was saved: a new reference.
cdef PyObject* with_history(Node node, PyObject* tensor, int edge, int output_nr) except NULL
