"""Operators that are other operators under other arguments."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.call.operator cimport Kernel, Operator
from flambeau_tensor._core.memory.types cimport MAX_ARGS

cdef enum:
    MAX_GIVEN = 4  # arguments that an operator is chosen by

cdef class Forward(Kernel):
    cdef readonly Operator target
    cdef readonly dict fixed
    cdef int[MAX_ARGS] source
    cdef PyObject* values[MAX_ARGS]
    cdef bint prepared
    cdef bint same  # its arguments are the target's, one by one
    cdef int first

    cdef int prepare(self, Operator op) except -1
    cdef PyObject* fill(self, Operator op, PyObject** slots, PyObject** bound) except NULL

cdef class ByGiven(Kernel):
    cdef readonly dict forwards  # the names that are given -> Forward
    cdef readonly object error
    cdef list names
    cdef int count
    cdef int[MAX_GIVEN] slot
    cdef PyObject* by_bits[1 << MAX_GIVEN]  # borrowed from `forwards`; NULL: an error

    cdef PyObject* choose(self, PyObject** slots) except NULL

cdef inline bint is_redirected(PyObject* op) noexcept:
    cdef PyTypeObject* kind = (<PyObject*>(<Operator>op).implementation).ob_type
    return kind == <PyTypeObject*>Forward or kind == <PyTypeObject*>ByGiven

cdef Operator target_of(Operator op)  # what a signature forwards all of its arguments to, as they are; or None
cdef object call_target(PyObject* op, PyObject** slots, unsigned int flags, PyTypeObject* cls)
cdef PyObject* straight_target(Operator op, PyObject* const* args, Py_ssize_t n) except? NULL
