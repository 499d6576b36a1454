"""Types shared by the loops of bags and their callers; see bags.pyx."""
from libc.stdint cimport int64_t

cdef enum:  # modes
    SUM = 0
    MEAN = 1
    MAX = 2

cdef struct Bags:
    int mode
    bint by_frequency
    Py_ssize_t bags, count, rows, columns  # bags, indices, and the table
    Py_ssize_t length  # of each bag, if there are no offsets
    const int64_t* indices
    const int64_t* offsets  # the start of each bag; `ends` entries, which may be one more than bags
    Py_ssize_t ends
    int64_t padding  # an index to ignore, or -1
    const void* table  # the rows of the table, or, if `picked`, the rows of all indices in order
    bint picked
    const void* weights  # one per index, or NULL
    int64_t* size  # the number of indices in each bag
    int64_t* maximum  # (bags, columns): the row of each maximum
    void* out  # (bags, columns)
    const void* grad  # (bags, columns)
    void* table_grad
    void* weights_grad
    Py_ssize_t* frequency  # the count of each row, or NULL
    Py_ssize_t parts

# Computes sums for bags, gradients of rows for parts of the table, or gradients of weights for bags.
ctypedef void (*bags_t)(void* bags, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
