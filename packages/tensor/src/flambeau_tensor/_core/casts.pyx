# cython: language_level=3
"""The table of casting loops, of the build for this processor."""
from libc.string cimport memcpy

from flambeau_tensor._core.levels import hot

cdef size_t _table = hot("casts", "flambeau_tensor._core").TABLE
memcpy(&CAST[0][0], <void*>_table, sizeof(CAST))
