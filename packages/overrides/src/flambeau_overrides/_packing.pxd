# How a function that is written in Python hands its arguments to handlers, for compiled libraries.

from cpython.object cimport PyObject

cdef class Packing:
    cdef readonly str text
    cdef tuple names, defaults, asked
    cdef Py_ssize_t positional  # so many go into `args`, the others into `kwargs`
    cdef Py_ssize_t shown  # the first so many are handed on at all
    cdef bint variadic  # the last positional one takes all that follow
    cdef object required

# Asks like `dispatch_vectorcall`, with the arguments as `packing` has them. `overloaded`: who is asked if nobody that
# the packing names overrides.
cdef object dispatch_packed(object func, Packing packing, list overloaded, PyObject* const* args, Py_ssize_t n,
                            PyObject* kwnames)
