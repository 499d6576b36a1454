"""Collectives and messages in shared memory: ``shared_slots.h`` applied to tensors.

A `Segment` is one rank's view of that memory. It accepts contiguous tensors; `flambeau_distributed.shared_memory`
converts others, maps the memory, and manages the peers.
"""
from cpython.object cimport PyObject
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from flambeau_tensor.abi cimport TENSOR_ABI, add_version, is_tensor
from flambeau_tensor.compute cimport COMPUTE_ABI, Array, array_of, itemsize

from time import monotonic

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute

require(TENSOR_ABI, "flambeau-distributed")
require_compute(COMPUTE_ABI, "flambeau-distributed")


cdef extern from "shared_slots.h" nogil:
    enum: FL_DONE, FL_STOPPED, FL_MISMATCH
    ctypedef struct fl_call:
        uint32_t call, kind
        int32_t dtype, op, root
        uint32_t piece
        int64_t count
    ctypedef struct fl_block:
        uint32_t posted
        fl_call calls[2]
        int32_t state, pid
        uint64_t started
        char reason[256]
    ctypedef struct fl_header:
        int64_t nbytes
        int32_t tag, dtype
    ctypedef int (*fl_look)(void* owner, int peer) noexcept
    ctypedef struct fl_group:
        char* base
        int n, me
        uint32_t met, calls
        int64_t slot, ring, spin, patience
        fl_look look
        void* owner
    int64_t fl_size(const fl_group* g)
    fl_block* fl_block_of(const fl_group* g, int rank)
    int fl_meet(fl_group* g, fl_call* call)
    ctypedef struct fl_reduction:
        int dtype, op, itemsize
        double divisor
    ctypedef struct fl_part:
        char* data
        int64_t bytes
    int fl_all_reduce(fl_group* g, const fl_part* parts, int64_t nbytes, const fl_reduction* r, fl_call* call)
    int fl_broadcast(fl_group* g, char* data, int64_t nbytes, fl_call* call)
    int fl_all_gather(fl_group* g, char* out, const char* data, int64_t nbytes, fl_call* call)
    int fl_scatter(fl_group* g, char* out, const char* data, int64_t nbytes, fl_call* call)
    int fl_reduce_scatter(fl_group* g, char* out, const char* data, int64_t nbytes, const fl_reduction* r,
                          fl_call* call)
    int fl_all_to_all(fl_group* g, char* out, const char* data, const int64_t* sends, const int64_t* receives,
                      fl_call* call, int* peer)
    int64_t fl_waiting(fl_group* g, int source)
    int64_t fl_room(fl_group* g, int to)
    int fl_transfer(fl_group* g, int peer, char* data, int64_t n, int sends)
    uint32_t fl_events(fl_group* g)
    int fl_listen(fl_group* g, uint32_t seen, int peer)

ABSENT, PRESENT, LEFT, FAILED = range(4)  # states of a rank
MEETS, SENDS, RECEIVES = range(3)  # what a rank waits for
GAVE_UP = 0xffff  # the kind of call that a failed rank posts
KINDS = (  # the collective that each rank calls
    "the first meeting", "barrier", "all_reduce", "reduce", "broadcast", "all_gather", "gather", "scatter",
    "reduce_scatter", "all_to_all",
)
cdef enum:
    IS_FAILED = 3
    IS_SENT = 1
    FEW = 32  # tensors
cdef enum:  # indices of KINDS
    MEETING, BARRIER, ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, GATHER, SCATTER, REDUCE_SCATTER, ALL_TO_ALL
HEADER_BYTES = sizeof(fl_header)


cdef class Watch:
    """Called every 50 ms by a waiting call: ``check(what, peer, seconds waited)`` raises an error to end the wait."""
    cdef object check, error
    cdef int what
    cdef double began

    def __cinit__(self, check, int what):
        self.check, self.what = check, what


cdef int _look(void* owner, int peer) noexcept with gil:
    cdef Watch watch = <Watch>owner
    try:
        PyErr_CheckSignals()
        now = monotonic()
        if not watch.began:
            watch.began = now - 0.05
        watch.check(watch.what, peer, now - watch.began)
    except BaseException as error:
        watch.error = error
        return 1
    return 0


cdef class Segment:
    """One rank's view of a group's memory.

    Args:
        memory: a writable buffer of `size_of` bytes, all zero at first.
        size, rank: of the group.
        slot, ring: sizes of a buffer and of a ring in bytes.
        spin: nanoseconds to spin before sleeping.
        check: called every 50 ms while waiting, with the kind of wait, the peer and the seconds; raises an error to end
            it.
        explain: returns the error for calls that do not match, given a list of each rank's call.
    """
    cdef fl_group g
    cdef object memory, check, explain
    cdef unsigned char[::1] bytes
    cdef Watch watch
    cdef bint busy
    cdef public object timeout  # in seconds, for `check`

    def __init__(self, memory, int size, int rank, int64_t slot, int64_t ring, int64_t spin, check, explain):
        memset(&self.g, 0, sizeof(fl_group))
        self.g.n, self.g.me, self.g.slot, self.g.ring, self.g.spin, self.g.patience = size, rank, slot, ring, spin, spin
        self.bytes = memory
        if self.bytes.shape[0] < fl_size(&self.g):
            raise ValueError(f"the group needs {fl_size(&self.g)} bytes of memory, not {self.bytes.shape[0]}")
        self.g.base = <char*>&self.bytes[0]
        self.g.look = _look
        self.memory, self.check, self.explain = memory, check, explain
        self.watch = Watch(check, MEETS)
        self.g.owner = <void*>self.watch

    @staticmethod
    def size_of(int size, int64_t slot, int64_t ring):
        """Return the number of bytes that a group needs."""
        cdef fl_group g
        memset(&g, 0, sizeof(fl_group))
        g.n, g.slot, g.ring = size, slot, ring
        return fl_size(&g)

    # --- presence of ranks

    def enter(self, int pid, uint64_t started):
        """Announce that this rank is present, with its process."""
        cdef fl_block* own = fl_block_of(&self.g, self.g.me)
        own.pid, own.started = pid, started
        own.state = PRESENT

    def leave(self, int state, str reason):
        """Announce that this rank leaves the group, and why."""
        cdef fl_block* own = fl_block_of(&self.g, self.g.me)
        cdef bytes text = reason.encode()[:255]
        if own.state in (LEFT, FAILED):
            return
        memcpy(own.reason, <char*>text, len(text))
        own.state = state
        if state == IS_FAILED:  # ranks that arrive at the meeting that this rank has posted compare this
            own.calls[own.posted & 1].kind = GAVE_UP

    def peer(self, int rank):
        """Return (state, process id, start time, reason) of a rank."""
        cdef fl_block* block = fl_block_of(&self.g, rank)
        return block.state, block.pid, block.started, (<bytes>block.reason).decode(errors="replace")

    def lagging(self):
        """Return the ranks that have not arrived at the meeting in which this rank waits."""
        cdef uint32_t number = fl_block_of(&self.g, self.g.me).posted
        return [r for r in range(self.g.n) if <int32_t>(fl_block_of(&self.g, r).posted - number) < 0]

    # --- collectives

    cdef int begin(self, fl_call* call, int kind, int dtype, int op, int root, int64_t count) except -1:
        cdef fl_block* own = fl_block_of(&self.g, self.g.me)
        if own.state == IS_FAILED:
            raise RuntimeError(f"this group of processes cannot go on: {(<bytes>own.reason).decode(errors='replace')}")
        if self.busy:
            raise RuntimeError("two threads call collectives of one group at the same time; make a group for each")
        self.busy = True
        self.g.calls += 1
        memset(call, 0, sizeof(fl_call))
        call.call, call.kind, call.dtype, call.op, call.root, call.count = self.g.calls, kind, dtype, op, root, count
        self.watch.began = 0
        return 0

    cdef int end(self, int status) except -1:
        self.busy = False
        if status == FL_DONE:
            return 0
        if status == FL_MISMATCH:
            raise self.explain([self.called(rank) for rank in range(self.g.n)])
        error, self.watch.error = self.watch.error, None
        self.leave(FAILED, f"rank {self.g.me}: {error or type(error).__name__}")
        raise error

    def called(self, int rank):
        cdef fl_call* call = &fl_block_of(&self.g, rank).calls[self.g.met & 1]
        return call.kind, call.dtype, call.op, call.root, call.count, call.piece, call.call

    def barrier(self, bint first=False):
        cdef fl_call call
        cdef int status
        self.begin(&call, MEETING if first else BARRIER, -1, 0, -1, 0)
        with nogil:
            status = fl_meet(&self.g, &call)
        self.end(status)

    def all_reduce(self, tensors, int op, double divisor=1):
        """Reduce a list of tensors of one dtype in place, as if they were one, and divide floats by a number.

        Return False without any effect if some are not contiguous or the dtypes differ.
        """
        return self.reduce_list(tensors, ALL_REDUCE, -1, op, divisor)

    def reduce(self, tensor, int root, int op):
        """Reduce in place; only the root gets the result."""
        if not self.reduce_list([tensor], REDUCE, root, op, 1):
            raise ValueError("the tensor is not contiguous")

    cdef bint reduce_list(self, list tensors, int kind, int root, int op, double divisor) except -1:
        cdef fl_call call
        cdef fl_reduction r
        cdef fl_part few[FEW]
        cdef fl_part* parts = few
        cdef Array a
        cdef int status, i, n = len(tensors), dtype = -1
        cdef int64_t nbytes = 0
        if n > FEW:
            parts = <fl_part*>malloc(n * sizeof(fl_part))
            if parts == NULL:
                raise MemoryError()
        try:
            for i in range(n):
                if not _array(tensors[i], &a) or i and a.dtype != dtype:
                    return False
                dtype = a.dtype
                parts[i].data, parts[i].bytes = a.data, a.numel * itemsize(dtype)
                nbytes += parts[i].bytes
            _set_reduction(&r, dtype, op, divisor)
            self.begin(&call, kind, r.dtype, op, root, nbytes // r.itemsize)
            with nogil:
                status = fl_all_reduce(&self.g, parts, nbytes, &r, &call)
        finally:
            if parts != few:
                free(parts)
        self.end(status)
        if root < 0 or root == self.g.me:
            for i in range(n):
                add_version(<PyObject*>tensors[i])
        return True

    def broadcast(self, tensor, int root):
        cdef fl_call call
        cdef Array a
        cdef int status
        cdef int64_t nbytes = _bytes(tensor, &a)
        self.begin(&call, BROADCAST, a.dtype, 0, root, a.numel)
        with nogil:
            status = fl_broadcast(&self.g, a.data, nbytes, &call)
        self.end(status)
        if root != self.g.me:
            add_version(<PyObject*>tensor)

    def all_gather(self, out, tensor):
        """Gather the tensors of all ranks into `out`, concatenated."""
        self.gather_rows(out, tensor, ALL_GATHER, -1)

    def gather(self, out, tensor, int root):
        """Gather the tensors of all ranks into the root's `out`, concatenated; on other ranks `out` is None."""
        self.gather_rows(out, tensor, GATHER, root)

    cdef int gather_rows(self, out, tensor, int kind, int root) except -1:
        cdef fl_call call
        cdef Array a, to
        cdef int status
        cdef int64_t nbytes = _bytes(tensor, &a)
        _bytes(out, &to)
        self.begin(&call, kind, a.dtype, 0, root, a.numel)
        with nogil:
            status = fl_all_gather(&self.g, to.data, a.data, nbytes, &call)
        self.end(status)
        if out is not None:
            add_version(<PyObject*>out)
        return 0

    def scatter(self, out, tensor, int root):
        """Copy this rank's row of the root's `tensor`, which is None on other ranks, to `out`."""
        cdef fl_call call
        cdef Array a, to
        cdef int status
        cdef int64_t nbytes = _bytes(out, &to)
        _bytes(tensor, &a)
        self.begin(&call, SCATTER, to.dtype, 0, root, to.numel)
        with nogil:
            status = fl_scatter(&self.g, to.data, a.data, nbytes, &call)
        self.end(status)
        add_version(<PyObject*>out)

    def reduce_scatter(self, out, tensor, int op):
        """Write this rank's row of the reduction of all `tensor` to `out`."""
        cdef fl_call call
        cdef fl_reduction r
        cdef Array a, to
        cdef int status
        cdef int64_t nbytes = _bytes(out, &to)
        _bytes(tensor, &a)
        _set_reduction(&r, to.dtype, op, 1)
        self.begin(&call, REDUCE_SCATTER, r.dtype, op, -1, nbytes // r.itemsize)
        with nogil:
            status = fl_reduce_scatter(&self.g, to.data, a.data, nbytes, &r, &call)
        self.end(status)
        add_version(<PyObject*>out)

    def all_to_all(self, out, tensor, sends, receives):
        """Send `sends[r]` elements of `tensor` to each rank r, and receive `receives[r]` elements of `out` from it."""
        cdef fl_call call
        cdef Array a, to
        cdef int status, peer = -1, rank
        cdef int64_t* sizes
        _bytes(out, &to)
        _bytes(tensor, &a)
        sizes = <int64_t*>malloc(2 * self.g.n * sizeof(int64_t))
        if sizes == NULL:
            raise MemoryError()
        try:
            for rank in range(self.g.n):
                sizes[rank] = <int64_t>sends[rank] * itemsize(a.dtype)
                sizes[self.g.n + rank] = <int64_t>receives[rank] * itemsize(a.dtype)
            self.begin(&call, ALL_TO_ALL, a.dtype, 0, -1, 0)
            with nogil:
                status = fl_all_to_all(&self.g, to.data, a.data, sizes, sizes + self.g.n, &call, &peer)
            if peer >= 0:
                self.busy = False
                raise RuntimeError(f"rank {self.g.me} expects {sizes[self.g.n + peer]} bytes of rank {peer} in "
                                   "all_to_all, which sends another number")
            self.end(status)
        finally:
            free(sizes)
        add_version(<PyObject*>out)

    # --- messages; the caller ensures that each ring has one reader and one writer at a time

    def waiting(self, int source):
        """Return how many bytes of a rank's messages have arrived."""
        return fl_waiting(&self.g, source)

    def room(self, int to):
        """Return how many bytes of a message can be written without waiting."""
        return fl_room(&self.g, to)

    def events(self):
        return fl_events(&self.g)

    def listen(self, uint32_t seen, int peer):
        """Wait until a ring changes after ``seen = events()``."""
        self.wait_for(RECEIVES, peer, seen, NULL, 0)

    cdef int wait_for(self, int what, int peer, uint32_t seen, char* data, int64_t n) except -1:
        """Wait for a change, or until bytes were sent to or received from a peer; each thread has its own watch."""
        cdef Watch watch = Watch(self.check, what)
        cdef fl_group g = self.g
        cdef int status
        g.owner = <void*>watch
        with nogil:
            status = fl_listen(&g, seen, peer) if data == NULL else fl_transfer(&g, peer, data, n, what == IS_SENT)
        if status:
            raise watch.error
        return 0

    def send(self, int to, header, data):
        """Send a message: (nbytes, tag, dtype), and a contiguous tensor or None."""
        cdef fl_header head
        cdef Array a
        head.nbytes, head.tag, head.dtype = header
        self.wait_for(SENDS, to, 0, <char*>&head, sizeof(head))
        if data is not None and head.nbytes:
            array_of(<PyObject*>data, &a)
            self.wait_for(SENDS, to, 0, a.data, head.nbytes)

    def receive_header(self, int source):
        cdef fl_header head
        self.wait_for(RECEIVES, source, 0, <char*>&head, sizeof(head))
        return head.nbytes, head.tag, head.dtype

    def receive(self, int source, tensor, int64_t nbytes):
        """Receive the bytes of a message into a contiguous tensor."""
        cdef Array a
        if nbytes:
            array_of(<PyObject*>tensor, &a)
            self.wait_for(RECEIVES, source, 0, a.data, nbytes)
            add_version(<PyObject*>tensor)


cdef bint _array(object tensor, Array* a):
    if not is_tensor(<PyObject*>tensor):
        return False
    array_of(<PyObject*>tensor, a)
    return a.contiguous and (a.data != NULL or not a.numel)


cdef int64_t _bytes(object tensor, Array* a) except -1:
    """Return the size of a tensor in bytes and set its array; None has no data."""
    if tensor is None:
        a.data = NULL
        return 0
    if not _array(tensor, a):
        raise ValueError("the tensor is not contiguous")
    return a.numel * itemsize(a.dtype)


cdef void _set_reduction(fl_reduction* r, int dtype, int op, double divisor) noexcept:
    r.dtype, r.op, r.itemsize, r.divisor = dtype, op, <int>itemsize(dtype), divisor
    if dtype >= 13:  # complex numbers: twice as many real ones
        r.itemsize //= 2
        r.dtype = 9 if dtype == 13 else dtype - 3
