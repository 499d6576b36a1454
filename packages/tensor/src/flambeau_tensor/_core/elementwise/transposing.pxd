"""Copying between layouts with different innermost dimensions."""

# For elements of `item` bytes; ptrs and strides (in bytes): source, result. Returns False if it does not apply.
cdef bint copy_transposed(Py_ssize_t item, char** ptrs, int ndim, const Py_ssize_t* sizes, Py_ssize_t** strides) \
    except -1
