"""The level of vmap."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.levels.level cimport Level
from flambeau_tensor.abi cimport OperatorInfo

cdef enum:
    MAX_SLOTS = 32
    SHARED = -1  # not batched
    NESTED = -2  # a list, whose tensors have their own batch dimensions or none

cdef struct Examples:  # the arguments of a call as outer levels see them
    PyObject* op
    OperatorInfo* info
    PyObject** values  # owned, all arguments of the schema: batched tensors with their batch dimension
    int* dims  # the batch dimension; SHARED, NESTED
    PyObject** nested  # owned: the batch dimensions of a list's items as a tuple, None for unbatched ones; or NULL
    int at  # set by the rule: the batch dimension of the results, or SHARED

cdef class BatchLevel(Level):
    cdef readonly Py_ssize_t size  # of the batch
    cdef readonly str randomness
    # the number of calls being processed at this level; calls inside them belong to outer levels
    cdef readonly int running

cdef class BatchRule:
    """Runs operators on batched tensors, in compiled code; see ``batching/table.py`` for rules in Python."""
    # Returns the results: a tensor, or a tuple or list of tensors.
    cdef object run(self, BatchLevel level, Examples* call)

cdef void put(Examples* call, int slot, object value) noexcept  # replace an argument; its batch dimension is 0
cdef tuple for_python(Examples* call)  # the arguments and their batch dimensions as lists, for rules in Python
cdef object wrap_batch(object value, int dim, Level level)
