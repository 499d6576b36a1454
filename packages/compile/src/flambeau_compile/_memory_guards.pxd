"""What has to be so about the memory of arguments and captured tensors."""
from cpython.object cimport PyObject

from flambeau_compile._geometry cimport Geometry

cdef class MemoryGuards:
    cdef list pinned  # (number of an argument, its address, a captured tensor, whether it is that tensor)
    cdef list aliases  # (tensor, its memory)
    cdef public list apart  # captured tensors that no argument may be
    cdef public list regions  # where arguments begin in their storages and how long these are, if that matters
    cdef bint some  # there is anything to compare
    cdef bint aliases_hold(self) except -1
    cdef bint hold(self, PyObject** tensors, const Geometry* args, int n) except -1
