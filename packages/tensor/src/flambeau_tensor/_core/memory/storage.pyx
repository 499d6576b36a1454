# cython: language_level=3
"""Storage and its caching allocator.

Touching fresh memory causes page faults, which cost far more than the arithmetic. Freed blocks are therefore kept by
size class, up to a limit. The Storage object itself stores small data. The allocator runs only with the GIL held.
"""
import gc
import os

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy, memset

from flambeau_tensor._core.memory.meta_device cimport CLASS_OWNER, META_OWNER, dry_runs, is_dry, no_memory
from flambeau_tensor._core.memory.shells cimport Shells, keep, take
from flambeau_tensor._core.memory.type_slots cimport FullType, destructor, forget_owner
from flambeau_tensor._core.memory.types cimport *

FROZEN_BEFORE = gc.get_freeze_count()  # objects from before the first tensor; CPython 3.12 freezes some itself

cdef extern from * nogil:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    /* Huge pages reduce the thousands of page faults of a large fresh block to a few. */
    static void fl_advise(void* p, size_t n) { madvise(p, n, MADV_HUGEPAGE); }
    /* Zeros that use no memory until they are touched; there may be more of them than memory. */
    static void* fl_reserve(size_t n) {
        void* p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return p == MAP_FAILED ? NULL : p;
    }
    static void fl_give_back(void* p, size_t n) { munmap(p, n); }
    #else
    #include <stdlib.h>
    static void fl_advise(void* p, size_t n) { (void)p; (void)n; }
    static void* fl_reserve(size_t n) { return calloc(n, 1); }
    static void fl_give_back(void* p, size_t n) { (void)n; free(p); }
    #endif
    """
    void fl_advise(void* p, size_t n)
    void* fl_reserve(size_t n)
    void fl_give_back(void* p, size_t n)

cdef extern from "Python.h":
    void PyType_Modified(PyTypeObject*)
    void PyObject_ClearWeakRefs(PyObject*)

cdef enum:
    ALIGN = 64
    HEADER = 128  # before each block: the malloc pointer, the size class, and the link of the free list
    NCLASSES = 192  # for up to 2^54 bytes, more than any address space has
    HUGE = 1 << 22
    SHADES = 3
    SMALL_RESERVE = 1 << 16
    RESERVED = -1  # the class of a block of a dry run

cdef struct Header:
    void* raw
    Header* next
    Py_ssize_t capacity
    int cls

cdef Header* _free[NCLASSES]
cdef Py_ssize_t _cached = 0, _in_use = 0, _peak = 0, _cap = 1 << 30
cdef Py_ssize_t _hits = 0, _misses = 0, _shade = 0


cdef inline int _class_of(Py_ssize_t n, Py_ssize_t* capacity) noexcept nogil:
    # There are four classes per doubling of size, so at most a fifth of a block is wasted.
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
    if dry_runs and is_dry():
        return _reserve(n)
    c = _class_of(n, &capacity)
    h = _free[c]
    align = HUGE if capacity >= 2 * HUGE else ALIGN
    if h != NULL:
        _free[c] = h.next
        _cached -= capacity
        _hits += 1
    else:
        if capacity >= 8 * HUGE:
            # Blocks at the same offset within their huge pages access the same memory banks at the same time.
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


cdef char* _reserve(Py_ssize_t n) except NULL:
    """Allocate zeros for a dry run, in which a kernel may read results that were not computed."""
    cdef Header* h
    cdef char* p
    if n < SMALL_RESERVE:
        p = <char*>PyMem_RawCalloc(1, n + HEADER + ALIGN)
    else:
        p = <char*>fl_reserve(n + HEADER + ALIGN)
    if p == NULL:
        raise _out_of_memory(n)
    h = <Header*>((<uintptr_t>p + ALIGN - 1) & ~<uintptr_t>(ALIGN - 1))
    h.raw, h.capacity, h.cls = p, n, RESERVED
    return <char*>h + HEADER


cdef void _release(char* p) noexcept:
    global _cached, _in_use
    cdef Header* h = <Header*>(p - HEADER)
    if h.cls == RESERVED:
        if h.capacity < SMALL_RESERVE:
            PyMem_RawFree(h.raw)
        else:
            fl_give_back(h.raw, h.capacity + HEADER + ALIGN)
        return
    _in_use -= h.capacity
    if _cached + h.capacity > _cap:
        PyMem_RawFree(h.raw)
        return
    h.next = _free[h.cls]
    _free[h.cls] = h
    _cached += h.capacity


cpdef empty_cache():
    """Return all cached blocks to the system."""
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
    """Keep at most ``nbytes`` of freed memory for reuse (default 1 GiB); 0 disables the cache."""
    global _cap
    if nbytes < 0:
        raise ValueError(f"set_cache_limit(): nbytes must not be negative, got {nbytes}")
    _cap = nbytes
    if _cached > _cap:
        empty_cache()


def memory_stats():
    """Return the bytes in use, their peak and the bytes in the cache, and the numbers of reused and fresh blocks."""
    return {"allocated": _in_use, "peak": _peak, "cached": _cached, "limit": _cap, "reused": _hits, "fresh": _misses}


def reset_peak_memory_stats():
    """Reset the peak to the bytes in use now."""
    global _peak
    _peak = _in_use


@cython.no_gc
@cython.auto_pickle(False)
cdef class Storage:
    """A block of memory that tensors use. Views share it together with its version counter.

    Raises:
        RuntimeError: the argument is neither a size nor a sequence of bytes.

    >>> import flambeau_tensor as ft
    >>> ft.UntypedStorage(4).nbytes()
    4
    """

    def __init__(self, object size_or_sequence=0, *, object device=None):
        cdef Storage made
        if self.data != NULL or self.owner is META_OWNER:
            raise RuntimeError("UntypedStorage(): this storage has its memory already")
        made = _storage_of(size_or_sequence)
        if _is_meta(device):
            self.nbytes, self.owner = made.nbytes, META_OWNER
            return
        self.data, self.nbytes, self.owned = made.data, made.nbytes, made.owned
        if made.owned:
            made.owned = False
        else:
            memcpy(self.inline_block, made.inline_block, INLINE_BYTES)
            self.data = <char*>self.inline_block

    def __len__(self):
        return self.nbytes

    def size(self):
        return self.nbytes

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes

    # --- properties ---

    def data_ptr(self):
        """Return the address of the first byte."""
        if self.owner is CLASS_OWNER:
            raise RuntimeError("Attempted to access the data pointer on an invalid python storage: the tensor's class "
                               "answers for it in __torch_dispatch__, and it has no memory.")
        return <uintptr_t>self.data if self.nbytes else 0  # NULL on device 'meta'

    def element_size(self):
        return 1

    def untyped(self):
        return self

    def type(self):
        return "torch.storage.UntypedStorage"

    @property
    def device(self):
        from flambeau_tensor.options import CPU, META

        return META if self.owner is META_OWNER else CPU

    is_cuda = is_sparse = is_sparse_csr = is_hpu = False

    def is_pinned(self, device="cuda"):
        return False

    def resizable(self):
        """Whether `resize_` can enlarge it; not if another library or a file provides its memory."""
        return self.owner is None or self.owner is META_OWNER

    def is_shared(self):
        """Whether forked processes see each other's writes."""
        owner = _root(self).owner
        return isinstance(owner, Mapping) and owner.shared

    @property
    def filename(self):
        """The file that it is mapped from, or None."""
        owner = _root(self).owner
        return owner.filename if isinstance(owner, Mapping) else None

    @property
    def _cdata(self):
        """A number that is equal for storages with the same memory."""
        cdef Storage root = _root(self)
        return <uintptr_t><void*>root

    @property
    def _version(self):
        return self.version

    # --- bytes ---

    def tolist(self):
        """Return the bytes as a list of ints."""
        if self.owner is META_OWNER:
            raise _no_bytes()
        return list(bytes(self))

    def __getitem__(self, index):
        if self.owner is META_OWNER:
            raise _no_bytes()
        if isinstance(index, slice):
            self.lent = True
            return over_buffer(memoryview(self)[_step_one(index)])
        return memoryview(self)[_checked_index(self, index)]

    def __setitem__(self, index, value):
        place = _step_one(index) if isinstance(index, slice) else _checked_index(self, index)
        bytes_here = _writable(self)[place if isinstance(place, slice) else slice(place, place + 1)]
        if isinstance(value, Storage):
            bytes_here[:] = value
        else:
            bytes_here[:] = bytes((value & 255,)) * len(bytes_here)
        self.version += 1

    def fill_(self, value):
        """Set all bytes to one value."""
        cdef int byte = value & 255
        if self.owner is META_OWNER:
            return self
        _writable(self)
        memset(self.data, byte, self.nbytes)
        self.version += 1
        return self

    def copy_(self, source, non_blocking=None):
        """Copy the bytes of another storage of the same size."""
        source = source.untyped()
        if len(source) != self.nbytes:
            raise RuntimeError(f"size does not match, self was {self.nbytes} bytes but src was {len(source)} bytes")
        if self.owner is META_OWNER:
            return self
        _writable(self)[:] = source
        self.version += 1
        return self

    def clone(self):
        return _without_bytes(self.nbytes) if self.owner is META_OWNER else _restored(self)

    def new(self):
        return _without_bytes(0) if self.owner is META_OWNER else new_storage(0)

    def cpu(self):
        return self.to(device="cpu")

    def to(self, *, device, non_blocking=False):
        if _is_meta(device):
            return self if self.owner is META_OWNER else _without_bytes(self.nbytes)
        if self.owner is META_OWNER:
            raise no_memory()
        return self

    # --- memory ---

    def resize_(self, Py_ssize_t size):
        """Change the size and keep the bytes. If the storage shrinks, tensors keep access to their memory."""
        from flambeau_tensor._core.memory.moved_memory import resize_memory

        resize_memory(self, size)
        return self

    @classmethod
    def _new_shared(cls, size, *, device="cpu"):
        """Create a storage of `size` bytes in memory that processes share."""
        return cls(size, device=device).share_memory_()

    def share_memory_(self):
        """Move the bytes to memory that forked processes, and processes that receive the storage, share.

        All tensors of the storage move, too. Arrays that were made from them keep the old memory."""
        cdef Storage root = _root(self)
        if self.owner is META_OWNER:
            raise RuntimeError("_share_fd_: only available on CPU")
        if not self.is_shared():
            from flambeau_tensor._core.memory.moved_memory import check_movable, tell_moved

            check_movable(root)
            before = <uintptr_t>root.data
            _lie_in(root, _shared_memory(root.nbytes))
            tell_moved(root, before)
        return self

    @staticmethod
    def from_file(filename, shared=False, Py_ssize_t nbytes=0):
        """Map the first `nbytes` bytes of a file as memory.

        Args:
            filename: the path of the file.
            shared: whether writes go to the file, which is created or extended if necessary.
            nbytes: the number of bytes.

        Raises:
            RuntimeError: the file cannot be opened, or is too short.
        """
        return _from_file(filename, shared, nbytes)

    @staticmethod
    def from_buffer(buffer, *, dtype=None, byte_order="native", Py_ssize_t count=-1, Py_ssize_t offset=0):
        """Copy a buffer's bytes; `byte_order` is the byte order of the buffer's elements of type `dtype`."""
        import sys

        data = memoryview(buffer).cast("B")[offset:]
        width = 1 if dtype is None else dtype.itemsize
        cdef Storage copy = _restored(bytes(data if count < 0 else data[:count * width]))
        if byte_order != "native" and byte_order != sys.byteorder and dtype is not None:
            copy.byteswap(dtype)
        return copy

    def byteswap(self, dtype):
        """Reverse the bytes of each element of a dtype."""
        import numpy as np

        width = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        np.frombuffer(_writable(self), f"u{width}").byteswap(inplace=True)
        self.version += 1

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        if self.owner is META_OWNER:
            raise no_memory()
        forget_owner(buffer)
        PyBuffer_FillInfo(buffer, self, self.data, self.nbytes, self.readonly, flags)

    def __reduce_ex__(self, int protocol):  # for processes of this library; pickles use copyreg
        if self.owner is META_OWNER:
            return _on_meta, (self.nbytes,)
        if protocol < 5:
            return _restored, (bytes(self),)
        from pickle import PickleBuffer

        return _restored, (PickleBuffer(self),)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        copy = memo[id(self)] = self.clone()
        return copy

    def __repr__(self):
        if self.owner is META_OWNER:
            return f"...\n[torch.storage.UntypedStorage(device=meta) of size {self.nbytes}]"
        shown = self.tolist() if self.nbytes <= 1000 else [*bytes(self)[:3], "...", *bytes(self)[self.nbytes - 3:]]
        return "".join(f" {n}\n" for n in shown) + f"[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes}]"


UntypedStorage = Storage
cdef destructor _dealloc_fields = (<FullType*>Storage).tp_dealloc


cdef Shells _shells  # storages without memory


cdef void _dealloc(PyObject* o) noexcept:
    """Replaces `__dealloc__`, before which Cython would save the current exception, and Cython's list of free objects,
    which it fills with zeros."""
    if (<Storage>o).owned:
        _release((<Storage>o).data)
        (<Storage>o).owned = False
    (<Storage>o).owner = None
    PyObject_ClearWeakRefs(o)
    if o.ob_type != <PyTypeObject*>Storage or not keep(&_shells, o):
        _dealloc_fields(o)


(<FullType*>Storage).tp_dealloc = _dealloc
# A Python method named `nbytes` would hide the field. Programs see the type under PyTorch's name.
(<dict>(<FullType*>Storage).tp_dict)["nbytes"] = Storage.size
(<FullType*>Storage).tp_name = "flambeau_tensor.UntypedStorage"
PyType_Modified(<PyTypeObject*>Storage)


class Mapping:
    """The owner of a storage's memory that is mapped from a file or shared with processes."""

    __slots__ = ("view", "shared", "filename", "before", "descriptor")

    def __init__(self, buffer, shared=False, filename=None, descriptor=None):
        self.view, self.shared, self.filename, self.before = memoryview(buffer), shared, filename, None
        self.descriptor = descriptor

    def __del__(self, close=os.close):  # nothing can be imported at exit
        if getattr(self, "descriptor", None) is not None:
            close(self.descriptor)


def _shared_memory(Py_ssize_t size):
    """Create memory that processes share, with a descriptor to send if the system supports anonymous files."""
    import mmap

    if not hasattr(os, "memfd_create"):
        return Mapping(mmap.mmap(-1, max(size, 1)), True)
    descriptor = os.memfd_create("flambeau")
    os.truncate(descriptor, max(size, 1))
    return Mapping(mmap.mmap(descriptor, max(size, 1)), True, None, descriptor)


def shared_descriptor(Storage s not None):
    """Return the file descriptor behind a shared storage's memory, or None."""
    owner = _root(s).owner
    return owner.descriptor if isinstance(owner, Mapping) else None


def over_descriptor(int descriptor, Py_ssize_t size):
    """Create a storage on the memory of another process's shared file; it closes the descriptor when it is freed."""
    import mmap

    mapping = Mapping(mmap.mmap(descriptor, max(size, 1)), True, None, descriptor)
    return over_buffer(mapping.view[:size], mapping)


def over_buffer(buffer, object owner=None):
    """Create a storage on the memory of an object with the buffer protocol; `owner` replaces it as the owner."""
    cdef Py_buffer view
    held = memoryview(buffer)  # while it exists, the memory does not move
    PyObject_GetBuffer(held, &view, PyBUF_SIMPLE)
    s = borrow_storage(<char*>view.buf, view.len, held if owner is None else owner, view.readonly)
    PyBuffer_Release(&view)
    return s


cdef Storage _root(Storage s):
    """Return the storage that owns the memory; `x.data` has another storage, which counts its own writes."""
    cdef Storage owner
    while isinstance(s.owner, Storage):
        owner = <Storage>s.owner
        if owner.data != s.data or owner.nbytes != s.nbytes:
            break
        s = owner
    return s


cdef _lie_in(Storage s, mapping):
    """Copy the bytes to the mapping, which becomes the storage's memory."""
    cdef Storage before, target = over_buffer(mapping.view, mapping)
    memcpy(target.data, s.data, s.nbytes)
    if s.owned and s.lent:
        before = borrow_storage(s.data, s.nbytes, None, False)
        before.owned = True
        mapping.before = before
    elif s.owned:
        _release(s.data)
    else:
        mapping.before = s.owner
    s.owned = False
    s.data, s.owner, s.readonly = target.data, mapping, False


cdef _writable(Storage s):
    if s.owner is META_OWNER:
        raise _no_bytes()
    if s.readonly:
        raise RuntimeError("this storage lies in memory that is read-only")
    return memoryview(s)


cdef _step_one(index):
    if index.step not in (None, 1):
        raise RuntimeError(f"Trying to slice with a step of {index.step}, but only a step of 1 is supported")
    return index


cdef _checked_index(Storage s, index):
    cdef Py_ssize_t i
    if not hasattr(index, "__index__"):
        raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
    i = index
    if not -s.nbytes <= i < s.nbytes:
        raise IndexError(f"index {i} out of range for storage of size {s.nbytes}")
    return i + s.nbytes if i < 0 else i


cdef Storage _storage_of(given):
    cdef Py_ssize_t i
    if hasattr(given, "__index__"):
        i = given
        if i < 0:
            raise RuntimeError(f"UntypedStorage(): a size must not be negative, got {i}")
        return new_storage(i)
    try:
        values = list(given)
    except TypeError:
        raise RuntimeError(
            f"torch.UntypedStorage(): Expected a sequence type, but got {type(given).__name__}") from None
    for value in values:
        if not hasattr(value, "__index__"):
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type(given).__name__}), but "
                f"one of the items was of type {type(value).__name__} instead of int")
    return _restored(bytes([value.__index__() & 255 for value in values]))


cdef Storage _from_file(filename, shared, Py_ssize_t size):
    import mmap

    if size < 0:
        raise RuntimeError(f"unable to mmap {size} bytes from file <{filename}>: the size is negative")
    if size == 0:
        return new_storage(0)
    try:
        descriptor = os.open(filename, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
    except OSError as e:
        raise RuntimeError(f"unable to open file <{filename}> in {'read-write' if shared else 'read-only'} mode: "
                           f"{e.strerror} ({e.errno})") from None
    try:
        present = os.fstat(descriptor).st_size
        if present < size:
            if not shared:
                raise RuntimeError(f"file <{filename}> size <{present}> is smaller than the required mapping size "
                                   f"<{size}>")
            os.truncate(descriptor, size)
        mapped = mmap.mmap(descriptor, size, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    finally:
        os.close(descriptor)
    return over_buffer(mapped, Mapping(mapped, bool(shared), os.fspath(filename)))


def _on_meta(Py_ssize_t nbytes):
    """Create a storage on device 'meta'."""
    return _without_bytes(nbytes)


def _restored(const unsigned char[::1] data):
    """Create a storage with a copy of these bytes."""
    cdef Storage s = new_storage(data.shape[0])
    if s.nbytes:
        memcpy(s.data, &data[0], s.nbytes)
    return s


cdef Storage asked_storage(Py_ssize_t nbytes):
    """Create a storage of zeros that take no memory until read; code that bypasses operators sees no other data."""
    cdef Storage s = Storage.__new__(Storage)
    s.nbytes, s.owner, s.data, s.owned = nbytes, CLASS_OWNER, _reserve(nbytes), True
    return s


cdef Storage own_counter(Storage s):
    s.lent = True
    return borrow_storage(s.data, s.nbytes, META_OWNER if s.owner is META_OWNER else s, s.readonly)


cdef Storage new_storage(Py_ssize_t nbytes):
    cdef PyObject* o = take(&_shells)
    cdef Storage s
    if o == NULL:
        s = Storage.__new__(Storage)
    else:
        s = <Storage>o
        Py_DECREF(s)  # the variable owns the new reference
    s.nbytes = nbytes
    s.version = 0
    s.readonly = s.lent = s.owned = False
    if nbytes <= INLINE_BYTES:
        s.data = <char*>s.inline_block
        if dry_runs and is_dry():  # see `_reserve`
            memset(s.data, 0, INLINE_BYTES)
    else:
        s.data = _allocate(nbytes)
        s.owned = True
    return s


cdef Storage _without_bytes(Py_ssize_t nbytes):
    return borrow_storage(NULL, nbytes, META_OWNER, False)


cdef bint _is_meta(device) except -1:
    """Whether a device is 'meta'; raises for devices other than it and the CPU."""
    from flambeau_tensor.options import check_device

    return device is not None and check_device(device).type == "meta"


cdef object _no_bytes():
    return NotImplementedError("Not available for 'meta' device type")


cdef Storage borrow_storage(char* data, Py_ssize_t nbytes, object owner, bint readonly):
    cdef Storage s = Storage.__new__(Storage)
    s.data, s.nbytes, s.owner, s.readonly = data, nbytes, owner, readonly
    s.version = 0
    s.owned = False
    return s


cdef Py_ssize_t _room(Storage s) noexcept:
    """Return the number of bytes that it can have without moving. Tensors never reach beyond, even after it shrank."""
    return (<Header*>(s.data - HEADER)).capacity if s.owned else INLINE_BYTES


cdef int resize_storage(Storage s, Py_ssize_t nbytes) except -1:
    """Change the size and keep the bytes, for `moved_memory.resize_memory`, which then updates all tensors."""
    cdef char* fresh
    if nbytes == s.nbytes:
        return 0
    if nbytes < 0:
        raise RuntimeError(f"resize_(): the size of a storage must not be negative, got {nbytes}")
    if s.owner is META_OWNER:
        s.nbytes = nbytes
        return 0
    if s.owner is not None or s.lent and nbytes > _room(s):
        raise RuntimeError("Trying to resize storage that is not resizable")
    if s.data == NULL:
        s.data = <char*>s.inline_block
    if nbytes > _room(s):
        fresh = _allocate(nbytes)
        memcpy(fresh, s.data, s.nbytes)
        if s.owned:
            _release(s.data)
        s.data = fresh
        s.owned = True
    if nbytes > s.nbytes:
        memset(s.data + s.nbytes, 0, nbytes - s.nbytes)
    s.nbytes = nbytes
    return 0
