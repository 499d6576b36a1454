"""Memory: the caching allocator and the Storage that owns a block of it."""
from flambeau_tensor._core.memory.types cimport INLINE_WORDS

cdef class Storage:
    cdef object __weakref__
    cdef char* data
    cdef Py_ssize_t nbytes
    cdef Py_ssize_t version  # incremented by every write; autograd compares it
    cdef object owner  # keeps borrowed memory alive (a NumPy array, a capsule, another Storage)
    cdef bint owned  # the block came from the allocator
    cdef bint readonly
    cdef bint lent  # another Storage borrows its memory, which therefore must not move
    cdef double[INLINE_WORDS] inline_block  # aligned for every dtype

cdef Storage new_storage(Py_ssize_t nbytes)
cdef Storage asked_storage(Py_ssize_t nbytes)
cdef Storage own_counter(Storage s)  # the same memory with a version counter of its own
cdef Storage borrow_storage(char* data, Py_ssize_t nbytes, object owner, bint readonly)
cdef int resize_storage(Storage s, Py_ssize_t nbytes) except -1
