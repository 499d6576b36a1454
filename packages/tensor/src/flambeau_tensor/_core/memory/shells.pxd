"""Objects that are kept when they go, for the next ones of their type."""
from cpython.object cimport PyObject

cdef extern from "Python.h":
    void _Py_NewReference(PyObject*) noexcept

cdef enum:
    MOST_KEPT = 256

cdef struct Shells:
    PyObject* kept[MOST_KEPT]
    int count


cdef inline bint keep(Shells* shells, PyObject* o) noexcept:
    """Whether there is room for an object that has no references."""
    if shells.count == MOST_KEPT:
        return False
    shells.kept[shells.count] = o
    shells.count += 1
    return True


cdef inline PyObject* take(Shells* shells) noexcept:
    """One of them, with one reference; NULL where there is none."""
    if shells.count == 0:
        return NULL
    shells.count -= 1
    _Py_NewReference(shells.kept[shells.count])
    return shells.kept[shells.count]
