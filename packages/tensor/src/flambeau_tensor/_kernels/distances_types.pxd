"""Types shared by the hot loops of distances and their caller."""

cdef enum Order:
    ZERO
    ONE
    TWO
    LARGEST
    OTHER

cdef struct Job:
    char* x1
    char* columns  # the rows of `x2`, transposed in each batch
    char* out
    Py_ssize_t n1, n2, m  # rows in a batch, and elements in a row
    int dtype
    bint triangle  # pairs each row with those that follow it; `x2` is `x1`
    Order order
    double p

# Computes the distances of rows `begin` to `end` of `x1`, counted over all batches.
ctypedef void (*distances_t)(const Job* j, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
