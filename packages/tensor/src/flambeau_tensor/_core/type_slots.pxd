"""What a type keeps in C and Python does not show."""
from cpython.object cimport PyObject, PyTypeObject

cdef extern from "Python.h":
    ctypedef void (*destructor)(PyObject*) noexcept
    ctypedef int (*inquiry)(PyObject*) noexcept
    ctypedef int (*visitproc)(PyObject*, void*) noexcept
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
        object (*tp_call)(object, object, object)
        destructor tp_dealloc
        destructor tp_finalize
        traverseproc tp_traverse
        inquiry tp_clear

cdef int enable_vectorcall(type cls, Py_ssize_t offset, bint descriptor) except -1
cdef dict type_members(PyTypeObject* t)  # the dictionary of a type, which Python only shows as a read-only proxy
