"""What the loops of bags and their callers share; see bags.pyx."""
from libc.stdint cimport int64_t

cdef enum:  # modes
    SUM = 0
    MEAN = 1
    MAX = 2

cdef struct Bags:
    int mode
    bint by_frequency
    Py_ssize_t bags, count, rows, columns  # bags, indices, and the table
    Py_ssize_t length  # of each bag, where there are no offsets
    const int64_t* indices
    const int64_t* offsets  # where bags begin; as many as there are `ends`, which may be one more than bags
    Py_ssize_t ends
    int64_t padding  # an index that does not count, or -1
    const void* table  # the rows, or, if `picked`, those of all indices in turn
    bint picked
    const void* weights  # one an index, or NULL
    int64_t* size  # of each bag
    int64_t* maximum  # (bags, columns): the row that a maximum is from
    void* out  # (bags, columns)
    const void* grad  # likewise
    void* table_grad
    void* weights_grad
    Py_ssize_t* frequency  # of each row, or NULL
    Py_ssize_t parts

# Sums for bags, gradients of rows for parts of the table, gradients of weights for bags.
ctypedef void (*bags_t)(void* bags, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
