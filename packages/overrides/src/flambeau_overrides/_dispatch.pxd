# The dispatcher, for use inside the package. Other packages use abi.pxd, which documents the functions.

from cpython.object cimport PyObject, PyTypeObject

cdef bint type_overrides(PyTypeObject* t) noexcept
cdef bint is_default(PyTypeObject* t) noexcept
cdef bint collect(list overloaded, object candidate) except -1
cdef bint collect_by_hand(list overloaded, object candidate) except -1
cdef list collect_vector(PyObject* const* objects, Py_ssize_t n)
cdef bint overridden(object func, list overloaded) except -1
cdef object dispatch(object func, list overloaded, tuple args, dict kwargs)
cdef object dispatch_method(object func, object instance, list overloaded, tuple args, dict kwargs)
# `asked` comes from collect_by_hand(). If it holds instances of bases only, the items of `overloaded` (which may be
# None) are asked instead.
cdef object dispatch_by_hand(object func, list asked, list overloaded, tuple args, dict kwargs)
cdef object dispatch_vectorcall(object func, list overloaded, PyObject* const* args, size_t nargsf, PyObject* kwnames)
