# cython: language_level=3
"""Nested arguments: which tensors are among them, and whether another call's look alike."""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport is_tensor

cdef extern from "Python.h":
    bint PyDict_Next(PyObject*, Py_ssize_t*, PyObject**, PyObject**)
    Py_ssize_t PyDict_GET_SIZE(PyObject*)
    bint PyTuple_Check(PyObject*)
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t)

cdef enum:
    P_TENSOR = 0
    P_VALUE = 1  # equal and of the same type
    P_OBJECT = 2  # the same object
    P_TUPLE = 3
    P_LIST = 4
    P_DICT = 5


cdef class Pattern:
    """What an argument has to look like."""


cdef Pattern pattern_of(object o, list tensors):
    cdef Pattern p = Pattern.__new__(Pattern)
    p.cls = (<PyObject*>o).ob_type
    if is_tensor(<PyObject*>o):
        p.kind = P_TENSOR
        tensors.append(o)
    elif isinstance(o, tuple):
        p.kind, p.items = P_TUPLE, [pattern_of(each, tensors) for each in <tuple>o]
    elif type(o) is list:
        p.kind, p.items = P_LIST, [pattern_of(each, tensors) for each in <list>o]
    elif type(o) is dict:
        p.kind, p.names = P_DICT, tuple(<dict>o)
        p.items = [pattern_of(each, tensors) for each in (<dict>o).values()]
    else:
        p.kind = P_VALUE if type(o) in (int, float, bool, str, bytes, complex) else P_OBJECT
        p.value = o
    return p


def tensors_in(arguments):
    """All tensors among nested arguments, in order."""
    found = []
    pattern_of(arguments, found)
    return found


cdef bint matches(Pattern p, PyObject* o, PyObject** tensors, int* n) except -1:
    cdef Py_ssize_t i
    if p.kind == P_TENSOR:
        if o.ob_type != p.cls or n[0] >= MOST_TENSORS:
            return False
        tensors[n[0]] = o
        n[0] += 1
        return True
    if p.kind == P_OBJECT:
        return o == <PyObject*>p.value
    if o.ob_type != p.cls:
        return False
    if p.kind == P_VALUE:
        return o == <PyObject*>p.value or (<object>o == p.value and repr(<object>o) == repr(p.value))
    if p.kind == P_DICT:
        return PyDict_GET_SIZE(o) == len(p.items) and _matches_dict(p, o, tensors, n)
    if len(<object>o) != len(p.items):
        return False
    if PyTuple_Check(o):
        for i in range(len(p.items)):
            if not matches(<Pattern>p.items[i], PyTuple_GET_ITEM(o, i), tensors, n):
                return False
        return True
    for i, each in enumerate(<object>o):
        if not matches(<Pattern>p.items[i], <PyObject*>each, tensors, n):
            return False
    return True


cdef bint _matches_dict(Pattern p, PyObject* o, PyObject** tensors, int* n) except -1:
    cdef Py_ssize_t at = 0, i = 0
    cdef PyObject* key
    cdef PyObject* value
    while PyDict_Next(o, &at, &key, &value):
        name = <object>PyTuple_GET_ITEM(<PyObject*>p.names, i)
        if key != <PyObject*>name and <object>key != name:
            return False
        if not matches(<Pattern>p.items[i], value, tensors, n):
            return False
        i += 1
    return True
