"""vmap."""
from flambeau_autograd._engine.levels cimport Level

cdef class BatchLevel(Level):
    cdef readonly Py_ssize_t size  # how many examples there are
    cdef readonly str randomness
    cdef readonly int running  # how many calls are being processed here: what those call lies further out

cdef object wrap_batch(object value, int dim, Level level)
