"""From which sizes on kernels share their work."""

cdef enum:
    GIL_FREE = 20000  # elements from which the GIL is released
    GRAIN = 16384  # elements a thread should have at least
