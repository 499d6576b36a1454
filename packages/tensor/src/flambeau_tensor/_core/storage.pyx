# cython: language_level=3
"""Storage and the caching allocator under it.

Fresh memory costs page faults (far more than the arithmetic on it), so freed blocks are kept, by size class, up to a
cap. Tiny storages live in the Storage object itself. The allocator is only entered with the GIL held.
"""
cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy, memset

from flambeau_tensor._core.types cimport *

cdef extern from * nogil:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    /* Huge pages turn the thousands of faults of a fresh large block into a few. */
    static void fl_advise(void* p, size_t n) { madvise(p, n, MADV_HUGEPAGE); }
    #else
    static void fl_advise(void* p, size_t n) { (void)p; (void)n; }
    #endif
    """
    void fl_advise(void* p, size_t n)

cdef enum:
    ALIGN = 64
    HEADER = 128  # in front of each block: the malloc pointer, the class, the link of the free list
    NCLASSES = 192  # for up to 2^54 bytes, more than any address space has
    HUGE = 1 << 22
    SHADES = 3

cdef struct Header:
    void* raw
    Header* next
    Py_ssize_t capacity
    int cls

cdef Header* _free[NCLASSES]
cdef Py_ssize_t _cached = 0, _in_use = 0, _peak = 0, _cap = 1 << 30
cdef Py_ssize_t _hits = 0, _misses = 0
cdef Py_ssize_t _shade = 0


cdef inline int _class_of(Py_ssize_t n, Py_ssize_t* capacity) noexcept nogil:
    # Four classes to each doubling, so at most a fifth of a block is wasted.
    cdef int e = 7
    cdef Py_ssize_t step
    if n <= 128:
        capacity[0] = 128
        return 0
    while (<Py_ssize_t>2 << e) < n:
        e += 1
    step = (<Py_ssize_t>1 << e) >> 2  # n is in (2^e, 2^(e+1)]
    cdef Py_ssize_t k = (n - (<Py_ssize_t>1 << e) + step - 1) // step
    capacity[0] = (<Py_ssize_t>1 << e) + k * step
    return (e - 7) * 4 + <int>k


cdef object _out_of_memory(Py_ssize_t n):
    return RuntimeError(f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {n} bytes.")


cdef char* _allocate(Py_ssize_t n) except NULL:
    global _cached, _in_use, _peak, _hits, _misses, _shade
    cdef Py_ssize_t capacity, align, shift = 0
    cdef int c
    cdef Header* h
    cdef char* p
    cdef void* raw
    if n > <Py_ssize_t>1 << (NCLASSES // 4 + 6):
        raise _out_of_memory(n)
    c = _class_of(n, &capacity)
    h = _free[c]
    align = HUGE if capacity >= 2 * HUGE else ALIGN
    if h != NULL:
        _free[c] = h.next
        _cached -= capacity
        _hits += 1
    else:
        if capacity >= 8 * HUGE:
            # Blocks that lie at the same place of their huge pages ask the same banks of the memory at the same time.
            _shade = (_shade + 1) % SHADES
            shift = _shade * (HUGE // SHADES // ALIGN * ALIGN)
        raw = PyMem_RawMalloc(capacity + HEADER + align + shift)
        if raw == NULL and _cached:
            empty_cache()
            raw = PyMem_RawMalloc(capacity + HEADER + align + shift)
        if raw == NULL:
            raise _out_of_memory(n)
        p = <char*>((<uintptr_t>raw + HEADER + align - 1) & ~<uintptr_t>(align - 1))
        if align == HUGE:
            fl_advise(p, capacity + shift)
            p += shift
        h = <Header*>(p - HEADER)
        h.raw, h.capacity, h.cls = raw, capacity, c
        _misses += 1
    _in_use += capacity
    if _in_use > _peak:
        _peak = _in_use
    return <char*>h + HEADER


cdef void _release(char* p) noexcept:
    global _cached, _in_use
    cdef Header* h = <Header*>(p - HEADER)
    _in_use -= h.capacity
    if _cached + h.capacity > _cap:
        PyMem_RawFree(h.raw)
        return
    h.next = _free[h.cls]
    _free[h.cls] = h
    _cached += h.capacity


cpdef empty_cache():
    """Give every block that the allocator keeps back to the system."""
    global _cached
    cdef Header* h
    cdef Header* following
    cdef int c
    for c in range(NCLASSES):
        h = _free[c]
        _free[c] = NULL
        while h != NULL:
            following = h.next
            PyMem_RawFree(h.raw)
            h = following
    _cached = 0


def set_cache_limit(Py_ssize_t nbytes):
    """Keep at most ``nbytes`` of freed memory for reuse (default 1 GiB); 0 turns caching off."""
    global _cap
    if nbytes < 0:
        raise ValueError(f"set_cache_limit(): nbytes must not be negative, got {nbytes}")
    _cap = nbytes
    if _cached > _cap:
        empty_cache()


def memory_stats():
    """Bytes in use, at the peak and kept for reuse, and how many requests reuse served."""
    return {"allocated": _in_use, "peak": _peak, "cached": _cached, "limit": _cap, "reused": _hits, "fresh": _misses}


def reset_peak_memory_stats():
    """Start the peak anew from what is in use now."""
    global _peak
    _peak = _in_use


@cython.freelist(256)
@cython.no_gc
@cython.auto_pickle(False)
cdef class Storage:
    """A block of memory that tensors look into. Views share it, and with it its version counter."""

    def __dealloc__(self):
        if self.owned:
            _release(self.data)

    def __init__(self):
        raise TypeError("a Storage comes from a tensor: use tensor.untyped_storage()")

    def __len__(self):
        return self.nbytes

    def size(self):
        return self.nbytes

    def data_ptr(self):
        """The address of the first byte."""
        return <uintptr_t>self.data

    @property
    def _version(self):
        return self.version

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.data, self.nbytes, self.readonly, flags)

    def __reduce_ex__(self, int protocol):
        if protocol < 5:
            return _restored, (bytes(self),)
        from pickle import PickleBuffer

        return _restored, (PickleBuffer(self),)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        copy = memo[id(self)] = _restored(self)
        return copy

    def __repr__(self):
        return f"<flambeau storage of {self.nbytes} bytes at 0x{<uintptr_t>self.data:x}>"


def _restored(const unsigned char[::1] data):
    """A storage with a copy of these bytes."""
    cdef Storage s = new_storage(data.shape[0])
    if s.nbytes:
        memcpy(s.data, &data[0], s.nbytes)
    return s


cdef Storage new_storage(Py_ssize_t nbytes):
    cdef Storage s = Storage.__new__(Storage)
    s.nbytes = nbytes
    s.version = 0
    s.readonly = False
    if nbytes <= INLINE_BYTES:
        s.owned = False
        s.data = <char*>s.inline_block
    else:
        s.owned = False
        s.data = _allocate(nbytes)
        s.owned = True
    return s


cdef Storage borrow_storage(char* data, Py_ssize_t nbytes, object owner, bint readonly):
    cdef Storage s = Storage.__new__(Storage)
    s.data, s.nbytes, s.owner, s.readonly = data, nbytes, owner, readonly
    s.version = 0
    s.owned = False
    return s


cdef int resize_storage(Storage s, Py_ssize_t nbytes) except -1:
    """Grow, keeping the bytes, for `tensor.resize`, which tells all tensors the new address."""
    cdef char* fresh
    if nbytes <= s.nbytes:
        return 0
    if s.owner is not None or s.lent:
        raise RuntimeError("Trying to resize storage that is not resizable")
    if nbytes > INLINE_BYTES:
        fresh = _allocate(nbytes)
        memcpy(fresh, s.data, s.nbytes)
        memset(fresh + s.nbytes, 0, nbytes - s.nbytes)
        if s.owned:
            _release(s.data)
        s.data = fresh
        s.owned = True
    s.nbytes = nbytes
    return 0
