"""Products with packed matrices, of the dtype of the loop (include/packed_products.h)."""

# b[p, j] stands at b + p * row + j * column; packed, rows are in panels.
ctypedef void (*pack_t)(Py_ssize_t n, Py_ssize_t k, const void* b, Py_ssize_t row, Py_ssize_t column,
                        void* packed) noexcept nogil
# c += a @ b, or the row `start` + a @ b where there is one.
ctypedef void (*packed_t)(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a, Py_ssize_t a_row,
                          const void* packed, const void* start, void* c) noexcept nogil
