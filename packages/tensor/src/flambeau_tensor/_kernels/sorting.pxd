"""Keys that order as elements do, and the order that they give."""
from libc.stdint cimport uint64_t

from flambeau_tensor._core.memory.tensor cimport Tensor

cdef void long_keys(const char* x, Py_ssize_t n, int dtype, uint64_t* keys) noexcept nogil
cdef Tensor sorting_order(Tensor x)
