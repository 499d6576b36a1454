"""The layout of the random number generator, and access to its numbers for kernels."""
cimport cython
from libc.stdint cimport uint64_t

from flambeau_tensor._kernels.random_types cimport Source

cdef class Lock:
    cdef cython.pymutex mutex

cdef class Generator:
    cdef Source source
    cdef uint64_t seed_value
    cdef Lock lock  # held while drawing
    cdef int forks  # the value of _forks when the lock was created
    cdef object __weakref__

    cdef void reseed(self, uint64_t seed) noexcept
    cdef bytes save(self)
    cdef int load(self, const char* data, Py_ssize_t n) except -1

cdef Generator generator_of(str func, object generator)  # the default generator for None
