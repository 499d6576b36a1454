"""Conjugate and negative views."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Operator

cdef object run_with_memory(Operator op, PyObject** slots, unsigned int flags)  # step 4; resolves lazy views
