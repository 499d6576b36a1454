"""Types shared by the hot loops of normalization and their callers."""

cdef enum:
    PARTS = 16  # parts of sums over rows, so that results do not depend on the number of threads

cdef struct Normalized:  # rows of `n` elements, contiguous, all in the dtype of the loop
    Py_ssize_t n, rows
    const void* x
    const void* weight  # n elements, or NULL
    const void* bias  # n elements, or NULL
    void* out
    double eps
    bint centered  # whether the mean is subtracted
    const void* grad  # backward: same layout as `x`
    void* grad_x  # backward: same layout as `x`
    double* sums  # backward: for each part of the rows, n sums of grad * normalized x and n of grad
    void* short_sums  # the same for the rows since the last flush into `sums`
    Py_ssize_t part  # backward: rows in a part

ctypedef void (*normalized_t)(const Normalized* d, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

cdef struct Channels:  # all arrays have the dtype of the loop
    Py_ssize_t samples, channels, positions
    Py_ssize_t groups  # of channels in each sample; 0: each channel over all samples
    const void* x  # (samples, channels, positions); channels last: (samples, positions, channels)
    const void* weight  # one element per channel, or NULL
    const void* bias  # one element per channel, or NULL
    void* out
    double eps
    double* mean  # one per group of elements that are normalized together
    double* variance
    bint fixed  # backward: mean and variance do not depend on `x`
    const void* grad  # backward: same layout as `x`
    void* grad_x  # backward: same layout as `x`
    double* sums  # backward: for each plane the sums of grad and of grad * normalized x; channels last: see `parts`
    # channels last: rows normalized together, and the number of their parts, each with 2 * channels sums
    Py_ssize_t rows, parts
    void* short_sums  # channels last: the same for the rows since the last flush into `sums`
    void* factors  # channels last: FACTORS * channels for each `rows`, see the loops

cdef enum:
    FACTORS = 5

ctypedef void (*channels_t)(const Channels* d, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
