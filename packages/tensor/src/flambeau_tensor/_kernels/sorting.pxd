"""Sort keys of elements, and the sorting order."""
from libc.stdint cimport uint64_t

from flambeau_tensor._core.memory.tensor cimport Tensor

cdef void long_keys(const char* x, Py_ssize_t n, int dtype, uint64_t* keys) noexcept nogil
cdef Tensor sorting_order(Tensor x)
