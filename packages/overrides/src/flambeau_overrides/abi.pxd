"""Functions with which compiled libraries make their own functions overridable.

The interface consists of free functions: Cython checks their signatures when a consumer is imported, whereas it does
not check the method table of a cdef class. ``OVERRIDES_ABI`` covers changes that signatures do not show. Consumers
start with

    from flambeau_overrides.abi import require
    require(OVERRIDES_ABI, "my_package")

A consumer's call path:

    overloaded = None
    for each argument whose type is not one of the library's own:
        if type_overrides(type of argument):
            overloaded = [] if it is None
            collect(overloaded, argument)
    if (overloaded is not None or active_modes[0]) and overridden(func, overloaded):
        return dispatch(func, overloaded, args, kwargs)
    ... the function's own implementation
"""
from cpython.object cimport PyObject, PyTypeObject

cdef enum:
    OVERRIDES_ABI = 3  # increases with every change of this file

# --- types

# Whether `__torch_function__` of this type takes part in dispatch: the type defines it, it is not
# `_disabled_torch_function_impl`, and the type is not a registered base itself. Independent of the switches below.
cdef bint type_overrides(PyTypeObject* t) noexcept
# Whether the type inherits `__torch_function__` unchanged from a base that was given to register_base().
cdef bint is_default(PyTypeObject* t) noexcept

# --- which arguments override

# Adds `candidate` in protocol order if its type overrides and is not in the list yet. Adds nothing if
# subclass_disabled(). Returns True if it was added.
cdef bint collect(list overloaded, object candidate) except -1
# Calls collect() for each of the `n` objects, and for the items of lists and tuples among them. Skips NULLs. Creates
# the list when it finds the first overriding argument; None means that there is none.
cdef list collect_vector(PyObject* const* objects, Py_ssize_t n)
# Whether a handler must be called before `func` runs: an argument overrides, or a mode of this thread handles `func`;
# dispatch is not switched off; and the call does not come from redispatch_function(). `overloaded` may be None.
cdef bint overridden(object func, list overloaded) except -1

# --- the call

# Calls the innermost mode that handles `func`, then the handlers of the overloaded arguments in order. Raises TypeError
# if all return NotImplemented; the message names `func` by `func.__torch_name__` ("torch.add"), by its registered name,
# or by module and name. `overloaded` may be None. If `kwargs` is None, handlers are called without it.
cdef object dispatch(object func, list overloaded, tuple args, dict kwargs)
# The same for a method without arguments or an attribute of `instance`. The type of `instance` is among the types even
# if it does not override.
cdef object dispatch_method(object func, object instance, list overloaded, tuple args, dict kwargs)
# The same for a function that users take for a Python function: `packing` arranges the arguments. `overloaded` is asked
# if no argument that the packing marks overrides.
cdef object dispatch_packed(object func, object packing, list overloaded, PyObject* const* args, Py_ssize_t n,
                            PyObject* kwnames)
# The same for a callable with the vectorcall protocol. `kwnames` may be NULL.
cdef object dispatch_vectorcall(object func, list overloaded, PyObject* const* args, size_t nargsf, PyObject* kwnames)

# --- modes

# The number of active modes in all threads together. A consumer keeps the pointer and reads it on every call.
cdef int* active_modes_ptr() noexcept nogil
# Whether a mode of this thread handles `func`. Worth the cost only while modes are active.
cdef bint mode_handles(object func) noexcept

# --- switches of the calling thread; pushes and pops nest

cdef bint subclass_disabled() noexcept nogil
cdef int push_disabled() noexcept nogil  # returns the previous count
cdef void pop_disabled() noexcept nogil
cdef bint all_disabled() noexcept nogil
cdef void push_all_disabled() noexcept nogil
cdef void pop_all_disabled() noexcept nogil
