"""Function objects with the protocol: `overridable` wraps a library's plain functions in them."""

from cpython.object cimport PyObject, PyTypeObject
from cpython.tuple cimport PyTuple_GET_SIZE

from flambeau_overrides._dispatch cimport collect_vector, dispatch_vectorcall, overridden
from flambeau_overrides._packing cimport Packing, dispatch_packed
from flambeau_overrides._thread cimport active_modes_ptr


cdef extern from *:
    """
    static void flambeau_enable_vectorcall(PyTypeObject *type, Py_ssize_t offset, unsigned long flags) {
        type->tp_vectorcall_offset = offset;
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | flags;
        type->tp_call = PyVectorcall_Call;
        PyType_Modified(type);
    }
    """
    void enable_vectorcall "flambeau_enable_vectorcall"(PyTypeObject*, Py_ssize_t, unsigned long)


cdef extern from "Python.h":
    ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*)
    Py_ssize_t PyVectorcall_NARGS(size_t)
    object PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*)
    object PyMethod_New(object, object)
    const unsigned long Py_TPFLAGS_METHOD_DESCRIPTOR


cdef int* modes = active_modes_ptr()


cdef class OverridableFunction:
    """A plain function with the protocol, created by `overridable`.

    A call looks for modes, and for overriding types among all arguments and among the items of lists and tuples. The
    object is not a descriptor: in a class body it remains a function, like a built-in.
    """

    cdef vectorcallfunc vectorcall
    cdef readonly object __wrapped__
    cdef readonly Packing __packing__  # arranges the arguments for handlers; None: as passed
    cdef dict __dict__
    cdef object __weakref__

    def __init__(self, function, Packing packing=None):
        if not callable(function):
            raise TypeError(f"overridable(): argument 'function' must be callable, not {type(function).__name__}")
        self.__wrapped__, self.__packing__ = function, packing
        self.vectorcall = <vectorcallfunc>_call_overridable
        for key in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
            setattr(self, key, getattr(function, key, None))

    @property
    def __defaults__(self):
        return getattr(self.__wrapped__, "__defaults__", None)

    @property
    def __kwdefaults__(self):
        return getattr(self.__wrapped__, "__kwdefaults__", None)

    def __call__(self, *args, **kwargs):
        return self(*args, **kwargs)  # calls the type's slot, which is the vectorcall function below

    def __repr__(self):
        return f"<overridable function {self.__module__}.{self.__qualname__}>"

    def __reduce__(self):
        return self.__qualname__


cdef class OverridableMethod(OverridableFunction):
    """An overridable function that binds like a method."""

    def __get__(self, instance, owner):
        return self if instance is None else PyMethod_New(self, instance)


cdef object _call_overridable(PyObject* callable, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    cdef Py_ssize_t n = PyVectorcall_NARGS(nargsf)
    cdef list overloaded
    cdef OverridableFunction function = <OverridableFunction>callable
    if kwnames != NULL:
        n += PyTuple_GET_SIZE(<object>kwnames)
    overloaded = collect_vector(args, n)
    if (overloaded is not None or modes[0] != 0) and overridden(<object>callable, overloaded):
        if function.__packing__ is not None:
            return dispatch_packed(function, function.__packing__, overloaded, args, PyVectorcall_NARGS(nargsf),
                                   kwnames)
        return dispatch_vectorcall(<object>callable, overloaded, args, nargsf, kwnames)
    return PyObject_Vectorcall(<PyObject*>function.__wrapped__, args, nargsf, kwnames)


cdef int _enable_vectorcall() except -1:
    cdef OverridableFunction sample = OverridableFunction(len)
    cdef Py_ssize_t offset = <char*>&sample.vectorcall - <char*><PyObject*>sample
    enable_vectorcall(<PyTypeObject*>OverridableFunction, offset, 0)
    enable_vectorcall(<PyTypeObject*>OverridableMethod, offset, Py_TPFLAGS_METHOD_DESCRIPTOR)
    return 0


_enable_vectorcall()
