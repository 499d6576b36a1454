# cython: language_level=3
"""What stands in the structure that a call returns, in place of tensors and numbers that each call makes."""
from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Fast_ITEMS

from flambeau_tensor.abi cimport T_MULTI_VIEW, dtype_number, set_flags

from flambeau_compile._geometry cimport memory_of

import flambeau_tensor as ft
from flambeau_tensor.extend import rewrap

cdef int _I64 = ft.int64.id


cdef class NumberOf:
    """In the structure that a call returns: the number that an argument has."""

    def __init__(self, int number):
        self.number = number

    cdef object read(self, PyObject** tensors):
        return _read(tensors[self.number])


cdef object _read(PyObject* t):
    return (<long long*>memory_of(t))[0] if dtype_number(t) == _I64 else (<double*>memory_of(t))[0]


cdef class TakenFrom:
    """In the structure that a call returns: the number in the output of this number."""
    cdef readonly int number

    def __init__(self, int number):
        self.number = number


cdef class Output:
    """In the structure that a call returns: the output of this number."""

    def __init__(self, int number):
        self.number = number


cdef class Argument:
    """In the structure that a call returns: the tensor of this number among its arguments."""
    cdef readonly int number

    def __init__(self, int number):
        self.number = number


def refuse_writes(tensor not None):
    """Mark a view as one of several that an operator returned: autograd allows no writes to it."""
    set_flags(<PyObject*>tensor, T_MULTI_VIEW, 0)


cpdef list of_classes(list outputs, list classes):
    return [t if cls is None else rewrap(t, cls) for t, cls in zip(outputs, classes)]


cdef object filled(object structure, list outputs, PyObject** tensors):
    if isinstance(structure, Output):
        return outputs[(<Output>structure).number]
    if isinstance(structure, Argument):
        return <object>tensors[(<Argument>structure).number]
    if isinstance(structure, TakenFrom):
        whole = outputs[(<TakenFrom>structure).number]
        return _read(<PyObject*>whole)
    if isinstance(structure, NumberOf):
        return (<NumberOf>structure).read(tensors)
    if type(structure) is tuple:
        return tuple([filled(o, outputs, tensors) for o in <tuple>structure])
    if type(structure) is list:
        return [filled(o, outputs, tensors) for o in <list>structure]
    if type(structure) is dict:
        return {name: filled(o, outputs, tensors) for name, o in (<dict>structure).items()}
    if isinstance(structure, tuple):
        items = [filled(o, outputs, tensors) for o in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
    return structure


def rebuilt(structure, outputs, list tensors):
    """What a function returns, from the tensors that its program returned and those that it was given."""
    return filled(structure, list(outputs), PySequence_Fast_ITEMS(tensors))
