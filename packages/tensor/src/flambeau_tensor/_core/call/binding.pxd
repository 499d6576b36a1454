"""The slow path; the rest of the core reaches it through sockets."""
from cpython.object cimport PyObject

# Asks who overrides `called`: `overriding`, which may be None, and modes. `kwnames` may be NULL.
cdef object hand_over(PyObject* called, list overriding, PyObject* const* args, Py_ssize_t n, PyObject* kwnames)
