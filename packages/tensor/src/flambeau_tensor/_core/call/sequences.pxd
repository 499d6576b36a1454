"""Bound arguments, and the tuples that replace lists among them."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.memory.types cimport MAX_ARGS

cdef enum:
    MAX_PACKED = 4  # the number of lists in one call

cdef struct Bound:
    PyObject* slots[MAX_ARGS]
    unsigned int flags  # of all tensors, combined
    PyTypeObject* cls  # the subclass among the arguments' types, which overrides nothing; or NULL
    int packed  # the number of entries in the following arrays
    PyObject* tuples[MAX_PACKED]  # new references
    PyObject* given[MAX_PACKED]  # the lists that the tuples replace; NULL for ints that were passed one by one

cdef PyObject* pack_list(Bound* bound, PyObject* o) noexcept
cdef PyObject* pack_rest(Bound* bound, PyObject* const* args, Py_ssize_t n) noexcept
cdef object as_given(Bound* bound, object result)
cdef bint release(Bound* bound) noexcept
