"""The level of reverse mode."""
from flambeau_autograd._engine.levels.layers cimport Layer
from flambeau_autograd._engine.levels.level cimport Level

cdef class TapeLevel(Level):
    cdef Layer _unwrap_layers(self, Layer layer, bint keep)

cdef TapeLevel outermost  # records outside all transforms
