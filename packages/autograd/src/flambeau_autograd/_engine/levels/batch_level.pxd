"""vmap."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.levels.level cimport Level
from flambeau_tensor.abi cimport OperatorInfo

cdef enum:
    MAX_SLOTS = 32
    SHARED = -1  # by all examples
    NESTED = -2  # a list: each of its tensors has a dimension, or none, of its own

cdef struct Examples:  # the arguments of a call as the levels further out see them
    PyObject* op
    OperatorInfo* info
    PyObject** values  # owned, all of the schema: tensors with all examples
    int* dims  # the dimension that runs over the examples; SHARED, NESTED
    PyObject** nested  # owned: the dimensions of a list's items as a tuple, None for shared ones; or NULL
    int at  # for the rule to say: the dimension of the results that runs over the examples, or SHARED

cdef class BatchLevel(Level):
    cdef readonly Py_ssize_t size  # how many examples there are
    cdef readonly str randomness
    cdef readonly int running  # how many calls are being processed here: what those call lies further out

cdef class BatchRule:
    """How operators run on all examples at once, in compiled code; see ``batching/table.py`` for rules in Python."""
    # The results: a tensor, or a tuple or list of tensors.
    cdef object run(self, BatchLevel level, Examples* call)

cdef void put(Examples* call, int slot, object value) noexcept  # another value, its examples in dimension 0
cdef tuple for_python(Examples* call)  # the arguments and their dimensions as lists, for rules in Python
cdef object wrap_batch(object value, int dim, Level level)
