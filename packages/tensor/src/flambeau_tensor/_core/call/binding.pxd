"""The slow path of a call; lower code of the core reaches it through sockets."""
from cpython.object cimport PyObject

# Calls the handlers for `called`: those of `overriding`, which may be None, and those of modes. `kwnames` may be NULL.
cdef object hand_over(PyObject* called, list overriding, PyObject* const* args, Py_ssize_t n, PyObject* kwnames)
