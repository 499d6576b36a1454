"""Guards on the memory of arguments and captured tensors."""
from cpython.object cimport PyObject

from flambeau_compile._geometry cimport Geometry

cdef struct Pin:  # an argument that shows memory of a captured tensor
    int number
    char* origin
    PyObject* itself  # the tensor that it has to be, or NULL

cdef class MemoryGuards:
    cdef Pin* pins
    cdef int npins
    cdef list pinned  # the captured tensors of `pins`
    cdef list aliases  # (tensor, address of its memory)
    cdef public list apart  # captured tensors that must not be passed as arguments
    cdef public list regions  # where arguments begin in their storages and how long these are, if that matters
    cdef bint some  # there is anything to compare
    cdef int pin(self, int number, char* origin, captured, bint itself) except -1
    cdef bint aliases_hold(self) except -1
    cdef bint hold(self, PyObject** tensors, const Geometry* args, int n) except -1
