"""Record a call of an operator."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.rule cimport Rule
from flambeau_tensor.abi cimport OperatorInfo

cdef class LevelCall:
    """Runs a call in place of the operator's kernel if tensors have layers: processes it at their innermost level.

    The call is recorded like a kernel, except for histories that outer levels record.
    """
    cdef int batch_depth  # the depth of the innermost batch, up to which outer levels record; or -1
    cdef object run(self)
    cdef int finish(self, object result) except -1  # called when `result` has its history

ctypedef object (*dispatcher_t)(PyObject* op, PyObject** slots)

# Runs a call and records it if needed; without `inner` it runs the kernel.
cdef object process_call(PyObject* op, OperatorInfo* o, PyObject** slots, LevelCall inner)
cdef object compose(Rule rule, PyObject** slots, Py_ssize_t n)  # runs the rule's composition instead of the operator
cdef void set_dispatcher(dispatcher_t function) noexcept  # handles calls on tensors with layers
