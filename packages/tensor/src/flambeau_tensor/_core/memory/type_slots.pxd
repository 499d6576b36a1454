"""What a type keeps in C and Python does not show."""
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF
from libc.string cimport memset

cdef extern from "Python.h":
    ctypedef void (*destructor)(PyObject*) noexcept
    ctypedef int (*inquiry)(PyObject*) noexcept
    ctypedef int (*visitproc)(PyObject*, void*) noexcept
    ctypedef object (*getattrofunc)(object, object)
    ctypedef int (*traverseproc)(PyObject*, visitproc, void*) noexcept
    ctypedef struct FullType "PyTypeObject":
        const char* tp_name
        PyTypeObject* tp_base
        Py_ssize_t tp_basicsize
        Py_ssize_t tp_dictoffset
        Py_ssize_t tp_vectorcall_offset
        unsigned long tp_flags
        PyObject* tp_dict
        void* tp_vectorcall
        getattrofunc tp_getattro
        object (*tp_call)(object, object, object)
        destructor tp_dealloc
        destructor tp_finalize
        traverseproc tp_traverse
        inquiry tp_clear

cdef int enable_vectorcall(type cls, Py_ssize_t offset, bint descriptor) except -1
cdef dict type_members(PyTypeObject* t)  # the dictionary of a type, which Python only shows as a read-only proxy


cdef inline void forget_owner(Py_buffer* buffer) noexcept:
    """What a __getbuffer__ does before another function fills the buffer and would write over Cython's reference."""
    Py_DECREF(None)  # Cython has put it there
    memset(buffer, 0, sizeof(Py_buffer))
