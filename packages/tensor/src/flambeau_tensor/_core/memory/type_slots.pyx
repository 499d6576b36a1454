"""Changes to types that are possible only in C."""
from cpython.object cimport PyTypeObject

cdef extern from "Python.h":
    void PyType_Modified(PyTypeObject*)
    unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    unsigned long Py_TPFLAGS_METHOD_DESCRIPTOR
    object vectorcall_tp_call "PyVectorcall_Call"(object, object, object)


cdef dict type_members(PyTypeObject* t):
    return <dict>(<FullType*>t).tp_dict


cdef int enable_vectorcall(type cls, Py_ssize_t offset, bint descriptor) except -1:
    """Let calls of a class's instances use the function whose address is at `offset` in them."""
    cdef FullType* t = <FullType*>cls
    t.tp_vectorcall_offset = offset
    t.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
    if descriptor:
        t.tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR
    t.tp_call = vectorcall_tp_call
    PyType_Modified(<PyTypeObject*>cls)
