# cython: language_level=3
"""Conversion of lists, and of ints that are passed one by one, to the tuples that kernels read.

A tuple lives as long as its call, and does not change if the caller's list does.
"""
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM


cdef PyObject* pack_list(Bound* bound, PyObject* o) noexcept:
    """Return a tuple that replaces the list `o`; NULL if it is not a list or there are too many."""
    cdef tuple packed
    cdef Py_ssize_t i
    if not PyList_CheckExact(<object>o) or bound.packed == MAX_PACKED:
        return NULL
    packed = PyTuple_New(PyList_GET_SIZE(<object>o))
    for i in range(PyList_GET_SIZE(<object>o)):
        _put(packed, i, PyList_GET_ITEM(<object>o, i))
    return _hold(bound, packed, o)


cdef PyObject* pack_rest(Bound* bound, PyObject* const* args, Py_ssize_t n) noexcept:
    """`x.view(2, 3)`: return a tuple of arguments that were passed one by one."""
    cdef tuple packed = PyTuple_New(n)
    cdef Py_ssize_t i
    for i in range(n):
        _put(packed, i, args[i])
    return _hold(bound, packed, NULL)


cdef inline void _put(tuple packed, Py_ssize_t i, PyObject* o) noexcept:
    Py_INCREF(<object>o)
    PyTuple_SET_ITEM(packed, i, <object>o)


cdef inline PyObject* _hold(Bound* bound, tuple packed, PyObject* given) noexcept:
    Py_INCREF(packed)
    bound.tuples[bound.packed], bound.given[bound.packed] = <PyObject*>packed, given
    bound.packed += 1
    return <PyObject*>packed


cdef object as_given(Bound* bound, object result):
    """Return the caller's list if the result is its replacement; not for the empty tuple, which is shared."""
    cdef int i
    for i in range(bound.packed):
        if <PyObject*>result == bound.tuples[i] and bound.given[i] != NULL and PyTuple_GET_SIZE(result):
            return <object>bound.given[i]
    return result


cdef bint release(Bound* bound) noexcept:
    """Release the tuples and return False, as a failed binding does."""
    while bound.packed:
        bound.packed -= 1
        Py_DECREF(<object>bound.tuples[bound.packed])
    return False
