"""Histories: the levels of reverse mode (tapes) to which a tensor belongs."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.levels.level cimport Level

cdef unsigned long long history_levels(PyObject* tensor) except? 0xFFFFFFFFFFFFFFFF
cdef int history_depth(PyObject* tensor) except -2  # of the innermost transform on whose tape it is; -1: none
cdef object with_history(object tensor, PyObject* of, int up_to=*)
cdef object with_history_of(object tensor, PyObject* of, unsigned long long levels)
cdef object as_input(object tensor, PyObject* of, Level level)
# whether the history marks an input with respect to which a transform differentiates
cdef bint is_input(PyObject* node) noexcept
