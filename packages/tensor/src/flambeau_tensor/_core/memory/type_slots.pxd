"""Slots of C types that Python does not expose."""
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
cdef dict type_members(PyTypeObject* t)  # a type's dictionary, of which Python shows only a read-only proxy


cdef inline void forget_owner(Py_buffer* buffer) noexcept:
    """Clear a buffer that another function fills in __getbuffer__, which would overwrite Cython's reference."""
    Py_DECREF(None)  # Cython has stored it in the buffer
    memset(buffer, 0, sizeof(Py_buffer))
