"""Views for products along a dimension."""
from flambeau_tensor._core.memory.tensor cimport Tensor

cdef Tensor swapped(Tensor t, int dim)  # a view with `dim` and the last dimension exchanged
