"""Finding operators by their qualified names, such as ``torch.add``."""
from flambeau_tensor._core.operator cimport Operator

cdef Operator find(str name)
