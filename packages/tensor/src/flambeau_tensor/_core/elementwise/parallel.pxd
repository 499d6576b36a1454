"""Parallel loops on the one thread pool."""

ctypedef void (*task_t)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Call without the GIL. Runs task over [0, n) in ranges of at least `grain` elements, on the pool if that is worthwhile.
cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, task_t task, void* context) noexcept nogil
cdef int num_threads() noexcept nogil
