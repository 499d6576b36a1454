# cython: language_level=3
"""The functions of ``abi.pxd``, implemented by the private modules."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_overrides cimport _dispatch, _packing, _thread


def require(int number, str package not None):
    """Raise ImportError unless ``package`` was built for this version of the interface."""
    if number != OVERRIDES_ABI:
        older = package if number < OVERRIDES_ABI else "flambeau-overrides"
        raise ImportError(f"{package} was built for interface {number} of flambeau-overrides, which has "
                          f"{OVERRIDES_ABI} now: upgrade {older}")


cdef bint type_overrides(PyTypeObject* t) noexcept:
    return _dispatch.type_overrides(t)


cdef bint is_default(PyTypeObject* t) noexcept:
    return _dispatch.is_default(t)


cdef bint collect(list overloaded, object candidate) except -1:
    return _dispatch.collect(overloaded, candidate)


cdef list collect_vector(PyObject* const* objects, Py_ssize_t n):
    return _dispatch.collect_vector(objects, n)


cdef bint overridden(object func, list overloaded) except -1:
    return _dispatch.overridden(func, overloaded)


cdef object dispatch(object func, list overloaded, tuple args, dict kwargs):
    return _dispatch.dispatch(func, overloaded, args, kwargs)


cdef object dispatch_method(object func, object instance, list overloaded, tuple args, dict kwargs):
    return _dispatch.dispatch_method(func, instance, overloaded, args, kwargs)


cdef object dispatch_packed(object func, object packing, list overloaded, PyObject* const* args, Py_ssize_t n,
                            PyObject* kwnames):
    return _packing.dispatch_packed(func, <_packing.Packing?>packing, overloaded, args, n, kwnames)


cdef object dispatch_vectorcall(object func, list overloaded, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    return _dispatch.dispatch_vectorcall(func, overloaded, args, nargsf, kwnames)


cdef int* active_modes_ptr() noexcept nogil:
    return _thread.active_modes_ptr()


cdef bint mode_handles(object func) noexcept:
    return _thread.mode_handles(func)


cdef bint subclass_disabled() noexcept nogil:
    return _thread.subclass_disabled()


cdef int push_disabled() noexcept nogil:
    return _thread.push_disabled()


cdef void pop_disabled() noexcept nogil:
    _thread.pop_disabled()


cdef bint all_disabled() noexcept nogil:
    return _thread.all_disabled()


cdef void push_all_disabled() noexcept nogil:
    _thread.push_all_disabled()


cdef void pop_all_disabled() noexcept nogil:
    _thread.pop_all_disabled()
