"""Free lists: deallocated objects that are kept for reuse by new objects of their type."""
from cpython.object cimport PyObject

cdef extern from "Python.h":
    void _Py_NewReference(PyObject*) noexcept

cdef enum:
    MOST_KEPT = 256

cdef struct Shells:
    PyObject* kept[MOST_KEPT]
    int count


cdef inline bint keep(Shells* shells, PyObject* o) noexcept:
    """Keep an object that has no references; return False if the list is full."""
    if shells.count == MOST_KEPT:
        return False
    shells.kept[shells.count] = o
    shells.count += 1
    return True


cdef inline PyObject* take(Shells* shells) noexcept:
    """Remove an object from the list and return it with one reference; NULL if the list is empty."""
    if shells.count == 0:
        return NULL
    shells.count -= 1
    _Py_NewReference(shells.kept[shells.count])
    return shells.kept[shells.count]
