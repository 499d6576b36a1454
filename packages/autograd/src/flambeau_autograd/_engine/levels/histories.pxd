"""On which tapes a tensor is: the levels of reverse mode that its history belongs to."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.levels.level cimport Level

cdef unsigned long long history_levels(PyObject* tensor) except? 0xFFFFFFFFFFFFFFFF
cdef int history_depth(PyObject* tensor) except -2  # of the innermost transform whose tape it is on; -1: none
cdef object with_history(object tensor, PyObject* of, int up_to=*)
cdef object with_history_of(object tensor, PyObject* of, unsigned long long levels)
cdef object as_input(object tensor, PyObject* of, Level level)
cdef bint is_input(PyObject* node) noexcept  # whether a tensor with that history is what a transform differentiates by
