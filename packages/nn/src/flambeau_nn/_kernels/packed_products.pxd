"""Products with packed matrices in the dtype of the loop (include/packed_products.h)."""

# Packs rows into panels; element b[p, j] is at b + p * row + j * column.
ctypedef void (*pack_t)(Py_ssize_t n, Py_ssize_t k, const void* b, Py_ssize_t row, Py_ssize_t column,
                        void* packed) noexcept nogil
# Computes c += a @ b, or c = the row `start` + a @ b if `start` is given.
ctypedef void (*packed_t)(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a, Py_ssize_t a_row,
                          const void* packed, const void* start, void* c) noexcept nogil
