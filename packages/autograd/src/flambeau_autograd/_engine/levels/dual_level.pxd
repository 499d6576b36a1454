"""The level of forward mode."""
from flambeau_autograd._engine.levels.level cimport Level

cdef class DualLevel(Level):
    pass
