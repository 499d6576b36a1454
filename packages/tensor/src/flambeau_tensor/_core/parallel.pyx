# cython: language_level=3
"""The thread pool: plain threads that sleep on a lock, take ranges from a shared counter and go back to sleep.

There is one pool in the process. A kernel that finds it taken (by another Python thread) runs by itself.
"""
import os

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
    #else
    #define fl_fetch_add(p, v) __atomic_fetch_add((p), (v), __ATOMIC_ACQ_REL)
    #endif
    #if defined(_M_X64) || defined(__x86_64__)
    #include <immintrin.h>
    #define fl_relax() _mm_pause()
    #else
    #define fl_relax()
    #endif
    """
    void fl_relax()
    long long fl_fetch_add(long long* p, long long v)

cdef enum:
    MOST = 64
    CHUNKS = 8  # pieces of each thread's share; others take those that a late thread has not begun
    SPINS = 4000  # how often a worker looks for the next task before it goes to sleep: about 50 microseconds

cdef struct Worker:
    PyThread_type_lock start
    PyThread_type_lock done

cdef Worker[MOST] _workers
cdef int _started = 0, _threads = 1
cdef PyThread_type_lock _pool = PyThread_allocate_lock()

cdef task_t _task
cdef void* _context
cdef Py_ssize_t _n, _share, _chunk
cdef int _sharers
cdef long long[MOST] _next  # of each thread's share: the first piece that nobody has begun


cdef void _take(int me) noexcept nogil:
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


cdef void _work(void* arg) noexcept nogil:
    cdef Worker* w = <Worker*>arg
    cdef int i
    while True:
        for i in range(SPINS):  # waking up takes as long as adding a hundred thousand numbers
            if PyThread_acquire_lock(w.start, 0):
                break
            fl_relax()
        else:
            PyThread_acquire_lock(w.start, 1)
        _take(<int>(w - _workers) + 1)
        PyThread_release_lock(w.done)


cdef int _start(int wanted) noexcept nogil:
    # Both locks begin taken: `start` is released to wake the worker, `done` by the worker when it has finished.
    global _started
    cdef Worker* w
    while _started < wanted:
        w = &_workers[_started]
        w.start = PyThread_allocate_lock()
        w.done = PyThread_allocate_lock()
        if w.start == NULL or w.done == NULL:
            break
        PyThread_acquire_lock(w.start, 1)
        PyThread_acquire_lock(w.done, 1)
        if PyThread_start_new_thread(_work, w) == PYTHREAD_INVALID_THREAD_ID:
            break
        _started += 1
    return _started


cdef inline Py_ssize_t _whole_lines(Py_ssize_t n) noexcept nogil:
    # Where the pieces are elements, they should begin with a line of the cache; where they are few, they are not.
    return (n + 63) & ~<Py_ssize_t>63 if n >= 4096 else n


cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, task_t task, void* context) noexcept nogil:
    global _task, _context, _n, _share, _chunk, _sharers
    cdef int helpers = _threads - 1, i
    if grain < 1:
        grain = 1
    if helpers > n // grain - 1:
        helpers = <int>(n // grain) - 1
    if helpers < 1 or not PyThread_acquire_lock(_pool, 0):
        task(context, 0, n)
        return
    if _started < helpers:
        helpers = min(helpers, _start(helpers))
    _task, _context, _n, _sharers = task, context, n, helpers + 1
    _share = _whole_lines((n + helpers) // (helpers + 1))
    _chunk = _whole_lines(max(grain, (_share + CHUNKS - 1) // CHUNKS))
    for i in range(_sharers):
        _next[i] = 0
    for i in range(helpers):
        PyThread_release_lock(_workers[i].start)
    _take(0)
    for i in range(helpers):
        PyThread_acquire_lock(_workers[i].done, 1)
    PyThread_release_lock(_pool)


cdef int num_threads() noexcept nogil:
    return _threads


def get_num_threads():
    """How many threads a kernel may use, the calling one included."""
    return _threads


def set_num_threads(int n):
    """Let kernels use ``n`` threads (at most 64); BLAS follows."""
    global _threads
    if n < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    _threads = min(n, MOST)
    for follow in _followers:
        follow(_threads)


_followers = []  # others with threads of their own (BLAS): called with the new number


def _forget_workers():
    # A forked child has none of its parent's threads; a lock that one of them held stays taken, so all are new.
    global _started, _pool
    _started = 0
    _pool = PyThread_allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)
set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
