"""Handing calls over to ``__torch_dispatch__``."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Operator

cdef object dispatch(Operator op, PyObject** slots)  # in place of step 4; NotImplemented: nobody is to hear of the call
