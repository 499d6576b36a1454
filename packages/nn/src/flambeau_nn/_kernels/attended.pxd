"""What the hot loops of attention and their caller share: scores of a block of queries of several items."""

cdef struct Attended:  # all of the dtype of the loop
    Py_ssize_t items, rows, columns  # queries and keys of the block, of each item
    Py_ssize_t first, length  # the first query's number, and how many an item has
    double scale
    bint causal
    bint boolean  # whether the mask says by 1 and 0 what is seen, rather than being added
    const void* mask  # or NULL
    const Py_ssize_t* places  # where each item's mask begins, in elements
    Py_ssize_t mask_row, mask_column  # steps in elements
    void* scores  # items of rows of columns: products of queries and keys, then weights
    void* sums  # for each query of each item the logarithm of the sum of exponentials, infinite where it sees no key
    void* grads  # backward: gradients by the weights, then by the products

ctypedef void (*attended_t)(const Attended* a, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
