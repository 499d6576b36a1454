"""What the hot loops of attention and their caller share: scores of a block of queries of one item."""

cdef struct Attended:  # all of the dtype of the loop
    Py_ssize_t rows, columns, width  # queries and keys of the block, size of a value
    Py_ssize_t first  # the first query's number
    double scale
    bint causal
    bint boolean  # whether the mask says by 1 and 0 what is seen, rather than being added
    const void* mask  # of the item, or NULL
    Py_ssize_t mask_row, mask_column  # steps in elements
    void* scores  # rows of columns: products of queries and keys, then weights
    void* factors  # forward: what brings the weights of each query to a sum of one, and so its output
    void* output  # rows of width
    void* sums  # of each query the logarithm of the sum of exponentials, infinite where it sees no key
    void* grads  # backward: gradients by the weights, then by the products

ctypedef void (*attended_t)(const Attended* a) noexcept nogil
