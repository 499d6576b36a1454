"""What users call: a method of Tensor, or a name that several schemas answer."""
from cpython.object cimport PyObject

from flambeau_tensor._core.operator cimport Operator, vectorcallfunc

cdef enum:
    MAX_OVERLOADS = 12

cdef class OverloadSet:
    cdef vectorcallfunc vectorcall
    cdef PyObject* members[MAX_OVERLOADS]  # borrowed from `overloads`
    cdef int count
    cdef readonly tuple overloads  # of Operators, in the order in which they are tried
    cdef readonly str name, namespace
    cdef readonly bint of_methods  # the overloads that are methods; else those that are functions
    cdef object extra

cdef class Method:
    cdef vectorcallfunc vectorcall
    cdef readonly object target  # an Operator or an OverloadSet
    cdef readonly str name

cdef object call_object(PyObject* target, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, PyObject* called)
cdef Method make_method(str name, object target)
