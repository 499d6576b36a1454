"""Placeholders in the structure that a call returns."""
from cpython.object cimport PyObject

cdef class NumberOf:
    cdef readonly int number  # the index of the argument that has it
    cdef object read(self, PyObject** tensors)

cdef class Output:
    cdef readonly int number

cpdef tuple of_classes(outputs, list classes)  # outputs as instances of subclasses, where one is given
cdef object filled(object structure, tuple outputs, PyObject** tensors)  # the structure for one call
