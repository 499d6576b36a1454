"""Python's C API for manually counted references, which nodes and runs of the engine store in arrays."""
from cpython.object cimport PyObject, PyTypeObject

cdef extern from "Python.h":
    void incref "Py_INCREF"(PyObject*) noexcept
    void xincref "Py_XINCREF"(PyObject*) noexcept
    void decref "Py_DECREF"(PyObject*) noexcept
    void xdecref "Py_XDECREF"(PyObject*) noexcept
    Py_ssize_t refcount "Py_REFCNT"(PyObject*) noexcept
    PyObject* vectorcall "PyObject_Vectorcall"(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    PyObject* tuple_item "PyTuple_GET_ITEM"(PyObject*, Py_ssize_t) noexcept
    Py_ssize_t tuple_size "PyTuple_GET_SIZE"(PyObject*) noexcept
    PyObject* list_item "PyList_GET_ITEM"(PyObject*, Py_ssize_t) noexcept
    PyObject* new_tuple "PyTuple_New"(Py_ssize_t) except NULL
    void set_tuple_item "PyTuple_SET_ITEM"(PyObject*, Py_ssize_t, PyObject*) noexcept
    bint is_tuple "PyTuple_CheckExact"(PyObject*) noexcept
    bint is_tuple_kind "PyTuple_Check"(PyObject*) noexcept
    bint is_list_kind "PyList_Check"(PyObject*) noexcept

cdef extern from *:
    """
    #define fl_tuple_items(t) (((PyTupleObject *)(t))->ob_item)
    """
    PyObject** tuple_items "fl_tuple_items"(PyObject*) noexcept

cdef inline object owned(PyObject* new_reference):
    """Hand a new reference over to Cython."""
    o = <object>new_reference
    decref(new_reference)
    return o
