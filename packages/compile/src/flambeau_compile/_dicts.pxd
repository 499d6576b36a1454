from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

from flambeau_compile._watch cimport Checks, Record

cdef class Watched:
    cdef uint64_t changes
    cdef PyObject* place

cdef class DictRecord(Record):
    cdef PyObject* place
    cdef Watched watched
    cdef list keys, values
    cdef frozenset names, skipped
    cdef str marks
    cdef bint keep, ordered
    cdef object keys_in_order
    cdef bint matters(self, object key) except -1
    cdef int write_slots(self, Checks checks) except -1
