"""Recording a call of an operator."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.rule cimport Rule
from flambeau_tensor.abi cimport OperatorInfo

cdef class LevelCall:
    """What runs a call instead of the operator's kernel, where tensors have layers: the call at their innermost level.

    It is recorded like the kernel, but for histories that levels further out record.
    """
    cdef int batch_depth  # up to which they do: of the innermost batch, or -1
    cdef object run(self)
    cdef int finish(self, object result) except -1  # once `result` has its history

ctypedef object (*dispatcher_t)(PyObject* op, PyObject** slots)

# Run a call, recorded where that is wanted; without `inner` the kernel.
cdef object process_call(PyObject* op, OperatorInfo* o, PyObject** slots, LevelCall inner)
cdef object compose(Rule rule, PyObject** slots, Py_ssize_t n)  # what the rule computes instead of the operator
cdef void set_dispatcher(dispatcher_t function) noexcept  # of calls on tensors with layers
