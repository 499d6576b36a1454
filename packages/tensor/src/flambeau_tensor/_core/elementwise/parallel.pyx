# cython: language_level=3
"""The thread pool: plain threads that take ranges of work from a shared counter.

After its work, a thread waits actively for a while, because one kernel often follows another, and then sleeps on a
lock; waking it takes about as long as adding a hundred thousand numbers. The caller waits for helpers that are working,
and cancels the work of those that have not started: on a busy machine they may not get a processor for a long time.

A process has one pool. A kernel that finds it in use by another Python thread runs on one thread.
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
    bint fl_change(long long* p, long long before, long long after)  # if the value is `before`
    void fl_pause()
    bint FL_FLUSHES  # whether the processor can treat denormal numbers as zero
    unsigned int fl_float_mode()  # this thread's rounding mode and treatment of denormals
    void fl_set_float_mode(unsigned int mode)

cdef enum:
    DENORMALS_ARE_ZERO = 0x8040  # for operands and results

cdef enum:
    MOST = 64
    CHUNKS = 16  # pieces per share of a thread; other threads take pieces that a late thread has not started
    SPINS = 10000  # number of checks before sleeping: some hundred microseconds

cdef enum:  # states of a worker's order
    NONE = 0
    GIVEN = 1
    TAKEN = 2

cdef struct Worker:
    long long order
    long long sleeping  # 1 if the worker sleeps or is about to; the thread that resets it to 0 releases `wakeup`
    long long awaited  # the same for the caller and `done`
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
cdef long long[MOST] _next  # for each thread's share, the first piece that has not been started


cdef void _run_chunks(int me) noexcept nogil:
    """Run this thread's share, the same in every call and so perhaps in this core's cache; then remaining pieces."""
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
    """Wait until the order has the wanted state: check repeatedly for a while, then sleep on the lock."""
    cdef int _spin
    for _spin in range(SPINS):
        if fl_get(order) == wanted:
            return
        fl_pause()
    fl_set(sleeping, 1)
    # The state may have been set before this thread announced that it would sleep.
    if fl_get(order) == wanted and fl_change(sleeping, 1, 0):
        return
    PyThread_acquire_lock(lock, 1)


cdef void _work(void* arg) noexcept nogil:
    cdef Worker* w = <Worker*>arg
    while True:
        _await(&w.order, GIVEN, &w.sleeping, w.wakeup)
        if fl_change(&w.order, GIVEN, TAKEN):  # else it was canceled
            fl_set_float_mode(_float_mode)
            _run_chunks(<int>(w - _workers) + 1)
            fl_set(&w.order, NONE)
            if fl_change(&w.awaited, 1, 0):
                PyThread_release_lock(w.done)


cdef int _start(int wanted) noexcept nogil:
    # Both locks are created acquired: a thread sleeps by acquiring them again.
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
    # If pieces consist of elements, they should start at cache lines; if there are few pieces, they do not.
    return (n + 63) & ~<Py_ssize_t>63 if n >= 4096 else n


cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, task_t task, void* context) noexcept nogil:
    global _task, _context, _n, _share, _chunk, _sharers, _float_mode
    cdef int helpers = _threads - 1, i
    cdef Py_ssize_t most = n // (grain if grain > 1 else 1) - 1
    cdef Worker* w
    if most < 1:
        task(context, 0, n)
        return
    if is_dry():  # results of a dry run are not used
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
    """Return the number of threads that a kernel may use, including the calling thread.

    >>> torch.get_num_threads() >= 1
    True
    """
    return _threads


def set_num_threads(int n):
    """Let kernels use ``n`` threads (at most 64); BLAS follows.

    Raises:
        RuntimeError: ``n`` is not positive.

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
    """Treat denormal numbers as zero in this thread's computations; they are slow on many processors.

    Returns whether the processor supports this (x86 does).

    Raises:
        RuntimeError: ``mode`` is not a bool.

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
    """Return the number of processors that this process's control groups grant; infinite without a limit."""
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
    """Return the initial number of threads: OMP_NUM_THREADS, else MKL_NUM_THREADS, else the number of processors
    that this process may use, according to its affinity and its control group's share."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        given = os.environ.get(name, "").split(",")[0].strip()  # OpenMP allows one number per nesting level
        if given.isdecimal() and int(given):
            return int(given)
    n = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    share = _cgroup_share()
    return n if share >= n else max(1, math.ceil(share))


_followers = []  # callbacks that receive a new number of threads, for libraries with their own threads (BLAS)


def _forget_workers():
    # A forked child has none of its parent's threads, and a lock that one of them held stays acquired, so all are
    # replaced.
    global _started, _pool
    _started = 0
    _pool = PyThread_allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)
set_num_threads(default_threads())
