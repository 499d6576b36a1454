"""Copying between layouts whose innermost dimensions differ."""

# Of elements of `item` bytes; ptrs and strides (in bytes): source, result. Else False, and nothing is done.
cdef bint copy_transposed(Py_ssize_t item, char** ptrs, int ndim, const Py_ssize_t* sizes, Py_ssize_t** strides) \
    except -1
