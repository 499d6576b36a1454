# cython: language_level=3
"""Python numbers that a program reads at each call: their locations, and computations with them.

Computations with numbers before they reach tensors are repeated by the same Python functions at each call, so results
and errors are Python's own. A program receives a number as a tensor without dimensions.
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
    """The numbers of a program.

    Args:
        sources: the location of each number, as a tuple of indices and keys in (args, kwargs), or a `Place`.
        kinds: the type of each.
        constants: other operands.
        steps: (function, operands), the computations in order. Operands are indices into constants, sources and steps.
        guards: (operand, expected value), for values on which control flow depended.
        wanted: (operand, dtype) for each tensor that the program receives.
    """

    def __init__(self, list sources, list kinds, list constants, list steps, list guards, list wanted):
        self.sources, self.kinds, self.constants = sources, kinds, constants
        self.readers = [_reader(source) for source in sources]
        self.steps, self.guards, self.wanted = steps, guards, [(i, dtype.id) for i, dtype in wanted]

    cdef list evaluate(self, object whole):
        """Return all operands for a call with these arguments, or None if the program does not match them."""
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
        except Exception:  # the function itself raises it, or takes another path
            return None
        for at, expected in self.guards:
            if not equal(values[<Py_ssize_t>at], expected):
                return None
        return values

    cdef list tensors(self, object whole):
        """Return the tensors for the program, or None if it does not match these numbers."""
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
        """Return the current values of numbers in objects, lists and variables."""
        return [None if type(source) is tuple else source.get() for source in self.sources]


cdef enum:
    R_ARGUMENT, R_NAMED, R_WAY, R_ATTRIBUTE, R_ITEM, R_CELL


@cython.final
cdef class Reader:
    """Reads a number from its location."""

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
        """Write a number to its location, which is not an argument."""
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
    """Return a Reader for a number at a `Place`."""
    return _reader(place)


cdef object tensor_of(object value, int dtype):
    """Return a number as a tensor without dimensions, or None if it is out of range."""
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
    """Return a number as a tensor without dimensions, or None if it cannot be represented exactly enough."""
    return tensor_of(value, dtype.id)


def evaluated(Numbers numbers not None, whole):
    """Return all operands for (args, kwargs), or None."""
    return numbers.evaluate(whole)
