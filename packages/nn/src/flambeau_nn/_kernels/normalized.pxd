"""What the hot loops of normalization and their callers share."""

cdef struct Normalized:  # rows of `n` numbers, contiguous, all of the dtype of the loop
    Py_ssize_t n, rows
    const void* x
    const void* weight  # n numbers, or NULL
    const void* bias  # likewise
    void* out
    double eps
    const void* grad  # backward: as `x`
    void* grad_x  # backward: as `x`
    double* sums  # backward: for each part of the rows, n sums of grad * normalized x and n of grad
    void* short_sums  # the same, of the rows since the last time they were added to `sums`
    Py_ssize_t part  # backward: rows in a part

ctypedef void (*normalized_t)(const Normalized* d, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
