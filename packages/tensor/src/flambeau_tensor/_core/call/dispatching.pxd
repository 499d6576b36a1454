"""Dispatch to ``__torch_dispatch__`` handlers."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Operator

cdef object dispatch(Operator op, PyObject** slots)  # replaces step 4; NotImplemented if no handler applies
