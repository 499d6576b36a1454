# cython: language_level=3
"""The thread pool: plain threads that take ranges from a shared counter.

After its work a thread looks out for more for a while, as one kernel is often followed by the next, and then sleeps on
a lock; waking it takes about as long as adding a hundred thousand numbers. Whoever called waits for helpers that are at
work, and calls off those that have not begun: on a busy machine they may not get a processor for long.

There is one pool in the process. A kernel that finds it taken (by another Python thread) runs by itself.
"""
import math
import os

from flambeau_tensor._core.memory.meta_device cimport is_dry

cdef extern from "pythread.h" nogil:
    ctypedef void* PyThread_type_lock
    PyThread_type_lock PyThread_allocate_lock()
    int PyThread_acquire_lock(PyThread_type_lock, int)
    void PyThread_release_lock(PyThread_type_lock)
    unsigned long PyThread_start_new_thread(void (*)(void*) noexcept nogil, void*)
    unsigned long PYTHREAD_INVALID_THREAD_ID

cdef extern from * nogil:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define fl_fetch_add(p, v) _InterlockedExchangeAdd64((volatile __int64*)(p), (v))
    #define fl_get(p) _InterlockedOr64((volatile __int64*)(p), 0)
    #define fl_set(p, v) ((void)_InterlockedExchange64((volatile __int64*)(p), (v)))
    #define fl_change(p, from, to) (_InterlockedCompareExchange64((volatile __int64*)(p), (to), (from)) == (from))
    #else
    #define fl_fetch_add(p, v) __atomic_fetch_add((p), (v), __ATOMIC_ACQ_REL)
    #define fl_get(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
    #define fl_set(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
    static inline int fl_change(long long* p, long long from, long long to) {
        return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    #endif
    #if defined(__x86_64__) || defined(_M_X64) || defined(__i386__)
    #include <immintrin.h>
    #define fl_pause() _mm_pause()
    #define FL_FLUSHES 1
    #define fl_float_mode() _mm_getcsr()
    #define fl_set_float_mode(mode) _mm_setcsr(mode)
    #else
    #define FL_FLUSHES 0
    #define fl_float_mode() 0
    #define fl_set_float_mode(mode) ((void)(mode))
    #endif
    #if FL_FLUSHES
    #elif defined(__aarch64__) && !defined(_MSC_VER)
    #define fl_pause() __asm__ __volatile__("isb")
    #else
    #define fl_pause() ((void)0)
    #endif
    """
    long long fl_fetch_add(long long* p, long long v)
    long long fl_get(long long* p)
    void fl_set(long long* p, long long v)
    bint fl_change(long long* p, long long before, long long after)  # if it was `before`
    void fl_pause()
    bint FL_FLUSHES  # whether the processor can be told to take denormal numbers for zero
    unsigned int fl_float_mode()  # how this thread rounds and what it takes for zero
    void fl_set_float_mode(unsigned int mode)

cdef enum:
    DENORMALS_ARE_ZERO = 0x8040  # as operands and as results

cdef enum:
    MOST = 64
    CHUNKS = 16  # pieces of each thread's share; others take those that a late thread has not begun
    SPINS = 10000  # how often to look before sleeping: some hundred microseconds

cdef enum:  # what a worker's order may be
    NONE = 0
    GIVEN = 1
    TAKEN = 2

cdef struct Worker:
    long long order
    long long sleeping  # the worker is, or is about to be: whoever changes this back to 0 releases `wakeup`
    long long awaited  # the same of the caller and `done`
    PyThread_type_lock wakeup
    PyThread_type_lock done

cdef Worker[MOST] _workers
cdef int _started = 0, _threads = 1
cdef PyThread_type_lock _pool = PyThread_allocate_lock()

cdef task_t _task
cdef void* _context
cdef Py_ssize_t _n, _share, _chunk
cdef int _sharers
cdef unsigned int _float_mode
cdef long long[MOST] _next  # of each thread's share: the first piece that nobody has begun


cdef void _run_chunks(int me) noexcept nogil:
    """One's own share first, which is the same in every call and so may lie in this core's cache; then what is left."""
    cdef Py_ssize_t begin, end
    cdef int k, whose
    for k in range(_sharers):
        whose = (me + k) % _sharers
        while True:
            begin = whose * _share + <Py_ssize_t>fl_fetch_add(&_next[whose], 1) * _chunk
            end = min((whose + 1) * _share, _n)
            if begin >= end:
                break
            _task(_context, begin, min(begin + _chunk, end))


cdef void _await(long long* order, long long wanted, long long* sleeping, PyThread_type_lock lock) noexcept nogil:
    """Until the order is (GIVEN) or is no longer there (NONE): look out for a while, then sleep on the lock."""
    cdef int _spin
    for _spin in range(SPINS):
        if fl_get(order) == wanted:
            return
        fl_pause()
    fl_set(sleeping, 1)
    # What is wanted may have come before it could be seen that this thread is going to sleep.
    if fl_get(order) == wanted and fl_change(sleeping, 1, 0):
        return
    PyThread_acquire_lock(lock, 1)


cdef void _work(void* arg) noexcept nogil:
    cdef Worker* w = <Worker*>arg
    while True:
        _await(&w.order, GIVEN, &w.sleeping, w.wakeup)
        if fl_change(&w.order, GIVEN, TAKEN):  # else it has been called off
            fl_set_float_mode(_float_mode)
            _run_chunks(<int>(w - _workers) + 1)
            fl_set(&w.order, NONE)
            if fl_change(&w.awaited, 1, 0):
                PyThread_release_lock(w.done)


cdef int _start(int wanted) noexcept nogil:
    # Both locks begin taken: what sleeps on them acquires them.
    global _started
    cdef Worker* w
    while _started < wanted:
        w = &_workers[_started]
        w.order, w.sleeping, w.awaited = NONE, 0, 0
        w.wakeup = PyThread_allocate_lock()
        w.done = PyThread_allocate_lock()
        if w.wakeup == NULL or w.done == NULL:
            break
        PyThread_acquire_lock(w.wakeup, 1)
        PyThread_acquire_lock(w.done, 1)
        if PyThread_start_new_thread(_work, w) == PYTHREAD_INVALID_THREAD_ID:
            break
        _started += 1
    return _started


cdef inline Py_ssize_t _whole_lines(Py_ssize_t n) noexcept nogil:
    # Where the pieces are elements, they should begin with a line of the cache; where they are few, they are not.
    return (n + 63) & ~<Py_ssize_t>63 if n >= 4096 else n


cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, task_t task, void* context) noexcept nogil:
    global _task, _context, _n, _share, _chunk, _sharers, _float_mode
    cdef int helpers = _threads - 1, i
    cdef Py_ssize_t most = n // (grain if grain > 1 else 1) - 1
    cdef Worker* w
    if most < 1:
        task(context, 0, n)
        return
    if is_dry():  # nobody looks at what would be computed
        return
    if helpers > most:
        helpers = <int>most
    if helpers < 1 or not PyThread_acquire_lock(_pool, 0):
        task(context, 0, n)
        return
    if _started < helpers:
        helpers = min(helpers, _start(helpers))
    _task, _context, _n, _sharers = task, context, n, helpers + 1
    _float_mode = fl_float_mode()
    _share = _whole_lines((n + helpers) // (helpers + 1))
    _chunk = _whole_lines(max(grain, (_share + CHUNKS - 1) // CHUNKS))
    for i in range(_sharers):
        _next[i] = 0
    for i in range(helpers):
        w = &_workers[i]
        fl_set(&w.order, GIVEN)
        if fl_change(&w.sleeping, 1, 0):
            PyThread_release_lock(w.wakeup)
    _run_chunks(0)
    for i in range(helpers):
        w = &_workers[i]
        if not fl_change(&w.order, GIVEN, NONE):
            _await(&w.order, NONE, &w.awaited, w.done)
    PyThread_release_lock(_pool)


cdef int num_threads() noexcept nogil:
    return _threads


def get_num_threads():
    """How many threads a kernel may use, the calling one included.

    >>> torch.get_num_threads() >= 1
    True
    """
    return _threads


def set_num_threads(int n):
    """Let kernels use ``n`` threads (at most 64); BLAS follows.

    Raises:
        RuntimeError: the number is not positive.

    >>> before = torch.get_num_threads()
    >>> torch.set_num_threads(1)
    >>> torch.get_num_threads()
    1
    >>> torch.set_num_threads(before)
    """
    global _threads
    if n < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    _threads = min(n, MOST)
    for follow in _followers:
        follow(_threads)


def set_flush_denormal(mode):
    """Let numbers that are too small for full precision count as zero, in what this thread computes: they are slow on
    many processors. Returns whether the processor can (x86 can).

    Raises:
        RuntimeError: the mode is no bool.

    >>> import flambeau_tensor as ft
    >>> ft.set_flush_denormal(True)
    True
    >>> ft.tensor([1e-323], dtype=ft.float64) * 1
    tensor([0.], dtype=torch.float64)
    >>> ft.set_flush_denormal(False)
    True
    """
    if type(mode) is not bool:
        raise RuntimeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    before = fl_float_mode()
    fl_set_float_mode(before | DENORMALS_ARE_ZERO if mode else before & ~<unsigned int>DENORMALS_ARE_ZERO)
    return bool(FL_FLUSHES)


def _cgroup_share() -> float:
    """How many processors the control groups of this process grant it; infinite without a limit."""
    share = float("inf")
    try:
        with open("/proc/self/cgroup") as f:
            groups = [line.rstrip("\n").split(":", 2) for line in f]
        for _, controllers, path in groups:
            root = "/sys/fs/cgroup" if not controllers else f"/sys/fs/cgroup/{controllers}"
            if controllers and "cpu" not in controllers.split(","):
                continue
            parts = [part for part in path.split("/") if part]
            for n in range(len(parts) + 1):
                share = min(share, _quota("/".join([root, *parts[:n]])))
    except OSError:
        pass
    return share


def _quota(folder: str) -> float:
    try:
        if os.path.exists(f"{folder}/cpu.max"):
            with open(f"{folder}/cpu.max") as f:
                quota, period = f.read().split()
        else:
            with open(f"{folder}/cpu.cfs_quota_us") as f, open(f"{folder}/cpu.cfs_period_us") as g:
                quota, period = f.read().strip(), g.read().strip()
        return float("inf") if quota in ("max", "-1") else int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return float("inf")


def default_threads() -> int:
    """The number of threads to begin with: OMP_NUM_THREADS, else MKL_NUM_THREADS, else the processors that this process
    may use, by its affinity and by its control group's share."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        given = os.environ.get(name, "").split(",")[0].strip()  # OpenMP: one number for each level of nesting
        if given.isdecimal() and int(given):
            return int(given)
    n = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    share = _cgroup_share()
    return n if share >= n else max(1, math.ceil(share))


_followers = []  # others with threads of their own (BLAS): called with the new number


def _forget_workers():
    # A forked child has none of its parent's threads; a lock that one of them held stays taken, so all are new.
    global _started, _pool
    _started = 0
    _pool = PyThread_allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)
set_num_threads(default_threads())
