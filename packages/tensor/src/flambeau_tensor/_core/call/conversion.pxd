"""Conversions that binding applies to arguments that do not have their schema's type."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Operator

cdef object NOTHING  # returned if the argument cannot be converted

cdef str public_name(Operator op, int i)  # the name of an argument in errors
cdef object array_operand(PyObject* o)
cdef object integer_of(object o)  # or None
cdef object convert(Operator op, Py_ssize_t i, object o, bint quiet)  # or NOTHING
