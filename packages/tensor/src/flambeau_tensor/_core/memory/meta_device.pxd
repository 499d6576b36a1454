"""Device 'meta' for code below ``meta``, which runs operators on it: the flag, the owner of storages, and dry runs."""
from flambeau_tensor._core.memory.types cimport UNLIKE_MEMORY

cdef enum:  # one more of Tensor.flags
    META = 8192  # on device 'meta': a geometry without memory; META_OWNER owns the storage
    INDIRECT = UNLIKE_MEMORY | META  # kernels cannot read it directly

cdef object META_OWNER  # owns storages that have a size but no bytes

cdef class Asked:
    cdef readonly object layout
    cdef readonly bint device, kind, anything
cdef object no_memory()  # the error for reading elements

cdef int dry_runs  # of all threads
cdef bint is_dry() noexcept nogil  # whether this thread's kernels create results without computing them
cdef void begin_dry() noexcept
cdef void end_dry() noexcept
