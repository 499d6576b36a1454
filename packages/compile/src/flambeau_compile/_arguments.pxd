"""Nested arguments: which tensors are among them, and whether another call's look alike."""
from cpython.object cimport PyObject, PyTypeObject

cdef enum:
    MOST_TENSORS = 64  # among the arguments of a call

cdef class Pattern:
    cdef int kind
    cdef PyTypeObject* cls
    cdef object value  # what is no tensor and no container
    cdef list items
    cdef tuple names  # of a dict

cdef Pattern pattern_of(object o, list tensors)  # appends to `tensors`
# Whether an object fits a pattern; its tensors go to `tensors`, `n` counts them.
cdef bint matches(Pattern p, PyObject* o, PyObject** tensors, int* n) except -1

cdef bint matches_call(Pattern p, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** tensors,
                       int* n) except -1

cdef bytes firsts_of(list tensors)
cdef bint alike(const unsigned char* firsts, int n, PyObject** tensors) noexcept
cdef list regions_of(list tensors)
