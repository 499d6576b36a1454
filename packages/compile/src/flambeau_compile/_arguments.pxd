"""Patterns of nested arguments: the tensors among them, and whether another call has the same structure."""
from cpython.object cimport PyObject, PyTypeObject

cdef enum:
    MOST_TENSORS = 1024  # maximum number of tensors among the arguments of a call

cdef class Pattern:
    cdef int kind
    cdef PyTypeObject* cls
    cdef object value  # a value that is neither a tensor nor a container
    cdef list items
    cdef tuple names  # of a dict

cdef Pattern pattern_of(object o, list tensors)  # appends to `tensors`
# Whether an object matches a pattern; appends its tensors to `tensors`, with `n` as their count.
cdef bint matches(Pattern p, PyObject* o, PyObject** tensors, int* n) except -1

cdef bint matches_call(Pattern p, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** tensors,
                       int* n) except -1

cdef bytes firsts_of(list tensors)
cdef bint alike(const unsigned short* firsts, int n, PyObject** tensors) noexcept
cdef list regions_of(list tensors)
