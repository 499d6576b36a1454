from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

cdef extern from "Python.h":
    ctypedef struct PyWeakReference:
        PyObject* wr_object

cdef enum:
    STRONG, WEAK, BARE  # how Held refers to its value

cdef struct Word:
    uint64_t* at
    uint64_t expected

cdef struct Block:
    const char* at
    const char* expected
    size_t size
    int record

cdef class Record

cdef class Checks:
    cdef Word* words
    cdef int* owners  # the record to which a word belongs
    cdef Block* blocks
    cdef Py_ssize_t count, room, cursor, end, block_count
    cdef bint renewing
    cdef bint partial  # a record found a difference before all records had written their words
    cdef int writing  # the index of the record that is writing words
    cdef readonly list records
    cdef list loose  # records without words, which are compared at every call
    cdef list kept
    cdef int failed

    cpdef bint hold(self) except -1
    cdef int put(self, void* at) except -1
    cdef int expect_always_other(self) except -1
    cdef int put_block(self, const char* at, bytes expected) except -1
    cdef int add_loose(self, Record record) except -1
    cdef bint write_all(self) except -1
    cdef int renew(self, Py_ssize_t at) except -1

cdef class Record:
    cdef public Record parent
    cdef public object key, style
    cdef Py_ssize_t first, size
    cdef int write(self, Checks checks) except -1
    cdef bint same(self) except -1

cdef class Held:
    cdef PyObject* value
    cdef object owner
    cdef int mode
    cdef bint same(self, PyObject* value) except -1
    cdef int write(self, Checks checks, PyObject** slot) except -1
    cdef int write_identity(self, Checks checks) except -1
    cdef object get(self)

cdef bint equal(object a, object b) except -1
cdef Held hold_value(PyObject* value, bint keep)
