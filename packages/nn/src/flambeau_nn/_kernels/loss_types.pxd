"""Types shared by the hot loops of losses and their callers: a batch of rows of class scores."""
from libc.stdint cimport int64_t

cdef struct Rows:  # all arrays have the dtype of the loop unless declared otherwise
    Py_ssize_t classes
    Py_ssize_t inner  # the number of interleaved rows, or 1: (samples, classes, inner)
    const void* scores  # rows of `classes` numbers
    const int64_t* labels  # one per row, or NULL if probabilities are given
    const void* probabilities
    const void* weight  # one per class, or NULL
    double total_weight  # of the classes
    int64_t ignored
    double smoothing
    void* losses  # forward: one per row
    void* weights  # forward: the weight of each row's label, or NULL
    const void* grads  # backward: one per row, or one for all
    Py_ssize_t grad_step
    double factor  # backward: multiplies every gradient
    void* result  # backward: same layout as `scores`

ctypedef void (*rows_t)(void* rows, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
# Compute out[i] for n pairs; `sum_t` computes the sum of a block of values in double.
ctypedef void (*pairs_t)(const void* x, const void* y, void* out, Py_ssize_t n, const double* p) noexcept nogil
ctypedef double (*sum_t)(const void* x, Py_ssize_t n) noexcept nogil
