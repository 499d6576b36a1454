"""The parts of the factorizations that solving uses."""
from flambeau_tensor._core.memory.tensor cimport Tensor

cdef tuple factor(Tensor a)  # LU, pivots (int64) and infos (int64)
cdef int check_infos(str function, Tensor infos, str text, error=*) except -1
