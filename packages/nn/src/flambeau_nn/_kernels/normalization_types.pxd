"""What the hot loops of normalization and their callers share."""

cdef enum:
    PARTS = 16  # in which sums over rows are made, so that they do not depend on the number of threads

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

cdef struct Channels:  # all of the dtype of the loop
    Py_ssize_t samples, channels, positions
    Py_ssize_t groups  # of channels, in each sample; 0: each channel in all samples
    const void* x  # (samples, channels, positions); with channels beside each other (samples, positions, channels)
    const void* weight  # a number for each channel, or NULL
    const void* bias  # likewise
    void* out
    double eps
    double* mean  # of what is normalized together
    double* variance
    const void* grad  # backward: as `x`
    void* grad_x  # backward: as `x`
    double* sums  # backward: for each plane those of grad and of grad * normalized x; channels_last: see `parts`
    Py_ssize_t rows, parts  # channels_last: rows that go together, in so many parts, each with 2 * channels sums
    void* short_sums  # channels_last: the same, of the rows since the last time they were added to `sums`
    void* factors  # channels_last: FACTORS * channels for each `rows`, see the loops

cdef enum:
    FACTORS = 5

ctypedef void (*channels_t)(const Channels* d, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
