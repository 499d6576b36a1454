# cython: language_level=3
"""Placeholders in the structure that a call returns, for tensors and numbers that each call computes."""
cimport cython
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.sequence cimport PySequence_Fast_ITEMS
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM

from flambeau_tensor.abi cimport T_MULTI_VIEW, dtype_number, set_flags

from flambeau_compile._geometry cimport memory_of

import flambeau_tensor as ft
from flambeau_tensor.extend import rewrap

cdef int _I64 = ft.int64.id
cdef object _set_attribute = object.__setattr__


@cython.final
cdef class NumberOf:
    """In the structure that a call returns: the number in an argument."""

    def __init__(self, int number):
        self.number = number

    cdef object read(self, PyObject** tensors):
        return _read(tensors[self.number])


cdef object _read(PyObject* t):
    return (<long long*>memory_of(t))[0] if dtype_number(t) == _I64 else (<double*>memory_of(t))[0]


@cython.final
cdef class TakenFrom:
    """In the structure that a call returns: the number in an output."""
    cdef readonly int number

    def __init__(self, int number):
        self.number = number


@cython.final
cdef class Output:
    """In the structure that a call returns: an output."""

    def __init__(self, int number):
        self.number = number


@cython.final
cdef class Argument:
    """In the structure that a call returns: a tensor among the arguments."""
    cdef readonly int number

    def __init__(self, int number):
        self.number = number


@cython.final
cdef class Instance:
    """In the structure that a call returns: a new object of a class, with these attributes."""
    cdef readonly object kind
    cdef readonly dict state

    def __init__(self, kind, dict state):
        self.kind, self.state = kind, state


def refuse_writes(tensor not None):
    """Mark a view as one of several that an operator returned, so that autograd refuses writes to it."""
    set_flags(<PyObject*>tensor, T_MULTI_VIEW, 0)


cpdef tuple of_classes(outputs, list classes):
    return tuple([t if cls is None else rewrap(t, cls) for t, cls in zip(outputs, classes)])


cdef object filled(object structure, tuple outputs, PyObject** tensors):
    cdef Py_ssize_t i
    cdef tuple made
    if type(structure) is Output:
        return outputs[(<Output>structure).number]
    if type(structure) is tuple:
        made = PyTuple_New(PyTuple_GET_SIZE(structure))
        for i in range(PyTuple_GET_SIZE(structure)):
            o = filled(<object>PyTuple_GET_ITEM(structure, i), outputs, tensors)
            Py_INCREF(o)
            PyTuple_SET_ITEM(made, i, o)
        return made
    if type(structure) is dict:
        return {name: filled(o, outputs, tensors) for name, o in (<dict>structure).items()}
    if type(structure) is list:
        return [filled(o, outputs, tensors) for o in <list>structure]
    if type(structure) is Argument:
        return <object>tensors[(<Argument>structure).number]
    if type(structure) is TakenFrom:
        whole = outputs[(<TakenFrom>structure).number]
        return _read(<PyObject*>whole)
    if type(structure) is NumberOf:
        return (<NumberOf>structure).read(tensors)
    if type(structure) is Instance:
        made_object = object.__new__((<Instance>structure).kind)
        for name, o in (<Instance>structure).state.items():
            _set_attribute(made_object, name, filled(o, outputs, tensors))
        return made_object
    if isinstance(structure, tuple):
        items = [filled(o, outputs, tensors) for o in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
    return structure


def rebuilt(structure, outputs, list tensors):
    """Return a function's result, given the tensors that its program returned and those that it received."""
    return filled(structure, tuple(outputs), PySequence_Fast_ITEMS(tensors))
