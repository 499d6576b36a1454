"""Arguments as they are bound, and the tuples that stand for lists among them."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.memory.types cimport MAX_ARGS

cdef enum:
    MAX_PACKED = 4  # lists in one call

cdef struct Bound:
    PyObject* slots[MAX_ARGS]
    unsigned int flags  # of all tensors
    PyTypeObject* cls  # the subclass among them that overrides nothing
    int packed  # so many of what follows
    PyObject* tuples[MAX_PACKED]  # new references
    PyObject* given[MAX_PACKED]  # the lists that they stand for; NULL: arguments one by one

cdef PyObject* pack_list(Bound* bound, PyObject* o) noexcept
cdef PyObject* pack_rest(Bound* bound, PyObject* const* args, Py_ssize_t n) noexcept
cdef object as_given(Bound* bound, object result)
cdef bint release(Bound* bound) noexcept
