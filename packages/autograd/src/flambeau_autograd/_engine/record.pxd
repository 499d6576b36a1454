"""Recording a call of an operator."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.rule cimport Rule

cdef class Below:
    """What runs a recorded call instead of the operator's kernel, where tensors have layers."""
    cdef int floor  # histories up to this depth are not this recording's: they lie below a batch
    cdef object run(self)
    cdef int finish(self, object result) except -1  # once `result` has its history

ctypedef object (*layered_t)(PyObject* op, PyObject** slots)

cdef object record_above(PyObject* op, PyObject** slots, Below below)
cdef object compose(Rule rule, PyObject** slots, Py_ssize_t n)  # what the rule computes instead of the operator
cdef void set_layered(layered_t function) noexcept
