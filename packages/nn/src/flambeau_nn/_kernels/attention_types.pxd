"""Types shared by the hot loops of attention and their caller: scores of a block of queries of one item."""

cdef struct Attended:  # all arrays have the dtype of the loop
    Py_ssize_t rows, columns, width  # queries and keys of the block, size of a value vector
    Py_ssize_t first  # the index of the first query
    double scale
    bint causal
    bint boolean  # a mask of 1 (attend) and 0, instead of one that is added
    const void* mask  # of the item, or NULL
    Py_ssize_t mask_row, mask_column  # strides in elements
    void* scores  # (rows, columns): products of queries and keys, then weights
    void* factors  # forward: the factor that normalizes each query's weights to a sum of one
    void* output  # (rows, width)
    void* sums  # for each query the logarithm of the sum of exponentials, infinite if it attends to no key
    void* grads  # backward: gradients of the weights, then of the products

ctypedef void (*attended_t)(const Attended* a) noexcept nogil
