"""Changing the signs of elements in place."""
from flambeau_tensor._core.memory.tensor cimport Tensor

cdef int apply_lazy(Tensor t, unsigned int lazy) except -1  # applies a view's flags to the elements of `t`
