# Rules for how a function written in Python passes its arguments to handlers; for compiled libraries.

from cpython.object cimport PyObject

cdef class Packing:
    cdef readonly str text
    cdef tuple names, defaults, asked
    cdef Py_ssize_t positional  # the number of parameters that go into `args`; the others go into `kwargs`
    cdef Py_ssize_t shown  # only the parameters before this index are passed on
    cdef bint variadic  # the last positional parameter takes all further arguments
    cdef object required

# Dispatches like `dispatch_vectorcall`, with the arguments arranged by `packing`. `overloaded` is asked if no argument
# that the packing marks overrides.
cdef object dispatch_packed(object func, Packing packing, list overloaded, PyObject* const* args, Py_ssize_t n,
                            PyObject* kwnames)
