"""Forward mode."""
from flambeau_autograd._engine.levels cimport Level

cdef class DualLevel(Level):
    pass
