"""What binding asks where an argument is not of its schema's type."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Operator

cdef object NOTHING  # no argument

cdef str public_name(Operator op, int i)  # how errors call an argument
cdef object array_operand(PyObject* o)
cdef object integer_of(object o)  # or None
cdef object convert(Operator op, Py_ssize_t i, object o, bint quiet)  # or NOTHING
