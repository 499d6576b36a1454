# cython: language_level=3
"""Numbers of Python's that a program reads at each call: where they stand, and what is computed of them.

What a function does with numbers before tensors see them is computed by the same Python functions at each call, so
the results, and the errors, are Python's own. A program gets a number as a tensor without dimensions.
"""
cimport cython
from cpython.float cimport PyFloat_AsDouble
from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport isinf

from flambeau_tensor.abi cimport empty

from flambeau_compile._geometry cimport memory_of
from flambeau_compile._watch cimport equal

import flambeau_tensor as ft

cdef int _F32 = ft.float32.id, _F64 = ft.float64.id, _I64 = ft.int64.id


cdef class Numbers:
    """What a program knows of numbers.

    Args:
        sources: for each number, the way to it in (args, kwargs) as a tuple of indices and keys, or a `Place`.
        kinds: the type of each.
        constants: other operands.
        steps: (function, numbers of operands): what was computed, in order. Operands are counted through constants,
            sources and steps.
        guards: (number of an operand, what it has to be): where the program went the way of a value.
        wanted: (number of an operand, dtype) for each tensor that the program gets.
    """

    def __init__(self, list sources, list kinds, list constants, list steps, list guards, list wanted):
        self.sources, self.kinds, self.constants = sources, kinds, constants
        self.readers = [_reader(source) for source in sources]
        self.steps, self.guards, self.wanted = steps, guards, [(i, dtype.id) for i, dtype in wanted]

    cdef list evaluate(self, object whole):
        """All operands for a call of these arguments; None where the program was not made for them."""
        cdef list values = list(self.constants)
        cdef Py_ssize_t i
        try:
            for i in range(len(self.sources)):
                value = (<Reader>self.readers[i]).read(<tuple>whole)
                if (<PyObject*>value).ob_type != <PyTypeObject*><PyObject*>self.kinds[i]:
                    return None
                values.append(value)
            for function, operands in self.steps:
                if len(<tuple>operands) == 2:
                    values.append(function(values[<Py_ssize_t>operands[0]], values[<Py_ssize_t>operands[1]]))
                else:
                    values.append(function(*[values[<Py_ssize_t>each] for each in <tuple>operands]))
        except Exception:  # the function itself raises it, or goes another way
            return None
        for at, expected in self.guards:
            if not equal(values[<Py_ssize_t>at], expected):
                return None
        return values

    cdef list tensors(self, object whole):
        """The tensors that the program gets; None where it was not made for these numbers."""
        cdef list values = self.evaluate(whole)
        cdef list found = []
        if values is None:
            return None
        for at, dtype in self.wanted:
            t = tensor_of(values[<Py_ssize_t>at], dtype)
            if t is None:
                return None
            found.append(t)
        return found

    def outside(self):
        """What stands now where numbers are read from objects, lists and variables."""
        return [None if type(source) is tuple else source.get() for source in self.sources]


cdef enum:
    R_ARGUMENT, R_NAMED, R_WAY, R_ATTRIBUTE, R_ITEM, R_CELL


@cython.final
cdef class Reader:
    """How a number is found."""

    cdef object read(self, tuple whole):
        if self.kind == R_ARGUMENT:
            return (<tuple>whole[0])[self.index]
        if self.kind == R_NAMED:
            return (<dict>whole[1])[self.key]
        if self.kind == R_ATTRIBUTE:
            return getattr(self.owner, self.key)
        if self.kind == R_CELL:
            return self.owner.cell_contents
        if self.kind == R_ITEM:
            return self.owner[self.key]
        value = whole
        for key in <tuple>self.key:
            value = value[key]
        return value

    cdef int write(self, object value) except -1:
        """Put a number there, where it is no argument."""
        if self.kind == R_ATTRIBUTE:
            setattr(self.owner, self.key, value)
        elif self.kind == R_CELL:
            self.owner.cell_contents = value
        else:
            self.owner[self.key] = value
        return 0


def _reader(source):
    cdef Reader r = Reader.__new__(Reader)
    if type(source) is tuple:
        r.kind, r.key = R_WAY, source
        if len(source) == 2:
            r.kind, r.key = R_ARGUMENT if source[0] == 0 else R_NAMED, source[1]
            r.index = source[1] if source[0] == 0 else 0
        return r
    r.owner, r.key = source.owner, source.key
    r.kind = {"attribute": R_ATTRIBUTE, "cell": R_CELL, "item": R_ITEM}[source.kind]
    return r


def reader(place):
    """How a number at a `Place` is read and set."""
    return _reader(place)


cdef object tensor_of(object value, int dtype):
    """A number as a tensor without dimensions; None where it does not fit."""
    cdef void* place
    cdef double real
    t = empty(dtype, 0, NULL)
    place = memory_of(<PyObject*>t)
    if type(value) is int and not -(1 << 53) <= value <= 1 << 53:
        return None
    if dtype == _I64:
        (<long long*>place)[0] = value
        return t
    real = PyFloat_AsDouble(value)
    if dtype == _F64:
        (<double*>place)[0] = real
        return t
    (<float*>place)[0] = <float>real
    return None if isinf((<float*>place)[0]) and not isinf(real) else t


def as_tensor(value, dtype):
    """A number as a tensor without dimensions, or None where that is not exact enough."""
    return tensor_of(value, dtype.id)


def evaluated(Numbers numbers not None, whole):
    """All operands for (args, kwargs), or None."""
    return numbers.evaluate(whole)
