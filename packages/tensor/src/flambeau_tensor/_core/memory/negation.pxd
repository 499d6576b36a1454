"""Changing the signs of numbers where they are."""
from flambeau_tensor._core.memory.tensor cimport Tensor

cdef int apply_lazy(Tensor t, unsigned int lazy) except -1  # as a view with these flags means the elements of `t`
