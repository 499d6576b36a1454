"""Operators that forward to other operators with different arguments."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.call.operator cimport Kernel, Operator
from flambeau_tensor._core.memory.types cimport MAX_ARGS

cdef enum:
    MAX_GIVEN = 4  # the number of arguments by which ByGiven can choose

cdef class Forward(Kernel):
    cdef readonly Operator target
    cdef readonly dict fixed
    cdef int[MAX_ARGS] source
    cdef PyObject* values[MAX_ARGS]
    cdef bint prepared
    cdef bint same  # the arguments are the target's, in the same order
    cdef int first

    cdef int prepare(self, Operator op) except -1
    cdef PyObject* fill(self, Operator op, PyObject** slots, PyObject** bound) except NULL

cdef class ByGiven(Kernel):
    cdef readonly dict forwards  # the names of the arguments that are given -> Forward
    cdef readonly object error
    cdef list names
    cdef int count
    cdef int[MAX_GIVEN] slot
    cdef PyObject* by_bits[1 << MAX_GIVEN]  # borrowed from `forwards`; NULL: raise `error`

    cdef PyObject* choose(self, PyObject** slots) except NULL

cdef inline bint is_redirected(PyObject* op) noexcept:
    cdef PyTypeObject* kind = (<PyObject*>(<Operator>op).implementation).ob_type
    return kind == <PyTypeObject*>Forward or kind == <PyTypeObject*>ByGiven

cdef Operator target_of(Operator op)  # the operator to which `op` forwards all arguments unchanged, or None
cdef object call_target(PyObject* op, PyObject** slots, unsigned int flags, PyTypeObject* cls)
cdef PyObject* straight_target(Operator op, PyObject* const* args, Py_ssize_t n) except? NULL
