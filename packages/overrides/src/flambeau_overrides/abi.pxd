"""What compiled libraries use of the protocol, to make their functions overridable.

Free functions only: they are checked by signature when a consumer is imported, whereas the method table of a cdef class
is not. What a signature does not show is in ``OVERRIDES_ABI``. Consumers start with

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
    OVERRIDES_ABI = 3  # rises with every change of this file

# --- types

# Whether `__torch_function__` of this type takes part in dispatch: defined on the type, neither switched off with
# `_disabled_torch_function_impl` nor the exact type of a registered base. Independent of the switches below.
cdef bint type_overrides(PyTypeObject* t) noexcept
# Whether the type's `__torch_function__` is the one of a base given to register_base(), inherited unchanged.
cdef bint is_default(PyTypeObject* t) noexcept

# --- who answers

# Adds `candidate` in protocol order if its type overrides and is not in the list yet; adds nothing while
# subclass_disabled(). True if it was added.
cdef bint collect(list overloaded, object candidate) except -1
# collect() for each of `n` objects, and for the items of those that are lists or tuples. NULLs are skipped. Makes the
# list when the first is found, so None means that nobody overrides.
cdef list collect_vector(PyObject* const* objects, Py_ssize_t n)
# Whether somebody is to be asked before `func` runs: an overloaded argument or a mode of this thread that handles
# `func`, dispatch is not switched off, and the call does not come from redispatch_function(). `overloaded` may be None.
cdef bint overridden(object func, list overloaded) except -1

# --- the call

# Asks the innermost mode that handles `func`, then the overloaded arguments in order, and raises TypeError when all
# answer NotImplemented. The text names `func` by `func.__torch_name__` ("torch.add"), or by the name under which it is
# registered, or by module and name. `overloaded` may be None; handlers get no `kwargs` if that is None.
cdef object dispatch(object func, list overloaded, tuple args, dict kwargs)
# The same for what has a tensor and no arguments: a method, an attribute. The type of `instance` is among the types
# even if it does not override.
cdef object dispatch_method(object func, object instance, list overloaded, tuple args, dict kwargs)
# The same with the arguments as a `Packing` has them, for what users take for a function in Python. `overloaded`: who
# is asked if nobody that the packing names overrides.
cdef object dispatch_packed(object func, object packing, list overloaded, PyObject* const* args, Py_ssize_t n,
                            PyObject* kwnames)
# The same for a callee of the vectorcall protocol. `kwnames` may be NULL.
cdef object dispatch_vectorcall(object func, list overloaded, PyObject* const* args, size_t nargsf, PyObject* kwnames)

# --- modes

# The number of modes that are pushed in all threads together; a consumer keeps the pointer and reads it on every call.
cdef int* active_modes_ptr() noexcept nogil
# Whether a mode of this thread is to be asked for `func`; worth its price only while modes are active.
cdef bint mode_handles(object func) noexcept

# --- switches of the calling thread; pushes and pops nest

cdef bint subclass_disabled() noexcept nogil
cdef int push_disabled() noexcept nogil  # how often it was pushed before
cdef void pop_disabled() noexcept nogil
cdef bint all_disabled() noexcept nogil
cdef void push_all_disabled() noexcept nogil
cdef void pop_all_disabled() noexcept nogil
