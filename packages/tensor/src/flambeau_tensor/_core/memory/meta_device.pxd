"""Device 'meta' for code below ``meta``, which runs operators on it: the flag, the owner of storages, and dry runs."""
from flambeau_tensor._core.memory.types cimport LAZY, UNLIKE_MEMORY

cdef enum:  # more of Tensor.flags
    META = 8192  # on device 'meta': a geometry without memory; META_OWNER owns the storage
    INDIRECT = UNLIKE_MEMORY | META  # kernels cannot read it directly
    OF_MEMORY = LAZY | META  # how to read the storage, so they come with it; DISPATCH comes with the class
    ASKS_STRIDES = 16384  # its `__torch_dispatch__` computes this attribute
    ASKS_SIZES = 32768
    ASKS_DEVICE = 65536
    ASKS_LAYOUT = 131072
    ASKS = ASKS_STRIDES | ASKS_SIZES | ASKS_DEVICE | ASKS_LAYOUT

cdef object META_OWNER  # owns storages that have a size but no bytes
cdef object CLASS_OWNER  # owns those of tensors without memory, whose class handles all calls
cdef object no_memory()  # the error for reading elements

cdef int dry_runs  # of all threads
cdef bint is_dry() noexcept nogil  # whether this thread's kernels create results without computing them
cdef void begin_dry() noexcept
cdef void end_dry() noexcept
