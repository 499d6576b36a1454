# cython: language_level=3
"""Tables of the casting and copying loops that were built for this processor."""
from libc.string cimport memcpy

from flambeau_tensor._core.elementwise.cpu_levels import hot

_hot = hot("casts", "flambeau_tensor._core.elementwise")
cdef size_t _table = _hot.TABLE
memcpy(&CAST[0][0], <void*>_table, sizeof(CAST))
_table = _hot.COPIES
memcpy(&COPY[0], <void*>_table, sizeof(COPY))
