"""What the hot loops of losses and their callers share: a batch of rows of class scores."""
from libc.stdint cimport int64_t

cdef struct Rows:  # all of the dtype of the loop unless another is named
    Py_ssize_t classes
    Py_ssize_t inner  # rows are beside each other so many at a time, or 1: (samples, classes, inner)
    const void* scores  # rows of `classes` numbers
    const int64_t* labels  # one a row, or NULL: probabilities are given
    const void* probabilities
    const void* weight  # one a class, or NULL
    double total_weight  # of the classes
    int64_t ignored
    double smoothing
    void* losses  # forward: one a row
    void* weights  # forward: the weight of each row's label, or NULL
    const void* grads  # backward: one a row, or one for all
    Py_ssize_t grad_step
    double factor  # backward: on every gradient
    void* result  # backward: as `scores`

ctypedef void (*rows_t)(void* rows, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
# out[i] of n pairs; the sum of `block` values is wanted in double.
ctypedef void (*pairs_t)(const void* x, const void* y, void* out, Py_ssize_t n, const double* p) noexcept nogil
ctypedef double (*sum_t)(const void* x, Py_ssize_t n) noexcept nogil
