"""The level of forward mode."""
from flambeau_autograd._engine.levels.level cimport Level

cdef class DualLevel(Level):
    cdef bint of_forward_ad  # whether the switch applies; transforms switch forward mode on while they run
    cdef bint was_enabled  # the switch before
