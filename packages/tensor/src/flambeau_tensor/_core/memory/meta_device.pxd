"""Device 'meta', for code below that which runs operators on it (``meta``): its marks, and dry runs."""
from flambeau_tensor._core.memory.types cimport UNLIKE_MEMORY

cdef enum:  # one more of Tensor.flags
    META = 8192  # on device 'meta': it has a geometry and no memory, and its storage is owned by META_OWNER
    INDIRECT = UNLIKE_MEMORY | META  # kernels do not get it as it is

cdef object META_OWNER  # the owner of what has a size and no bytes

cdef class Asked:
    cdef readonly object layout
    cdef readonly bint device, kind, anything
cdef object no_memory()  # the error where elements are read

cdef int dry_runs  # of all threads
cdef bint is_dry() noexcept nogil  # whether this thread's kernels make results and compute nothing
cdef void begin_dry() noexcept
cdef void end_dry() noexcept
