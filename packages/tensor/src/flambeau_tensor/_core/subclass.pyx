# cython: language_level=3
"""How instances of subclasses die.

Python gives every class that a program defines a destructor that expects anything: slots, a trash can for deep nesting,
bases with destructors of their own. It costs a small tensor more than its addition does. A subclass that adds no fields
needs nothing of that but its finalizer.
"""
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF
from cpython.type cimport PyType_Check

from flambeau_tensor._core.tensor cimport SizeType, TensorType

cdef extern from "Python.h":
    int PyObject_CallFinalizerFromDealloc(PyObject*)
    ctypedef void (*destructor)(PyObject*) noexcept
    ctypedef struct FullType "PyTypeObject":
        destructor tp_dealloc
        destructor tp_finalize
        PyTypeObject* tp_base
        Py_ssize_t tp_basicsize

cdef destructor _dealloc_of_tensor = (<FullType*>TensorType).tp_dealloc
cdef destructor _dealloc_of_classes = (<FullType*>SizeType).tp_dealloc  # of any class that is written in Python


cdef void dealloc_of_subclass(PyObject* o) noexcept:
    cdef PyTypeObject* cls = o.ob_type
    if (<FullType*>cls).tp_finalize != NULL and PyObject_CallFinalizerFromDealloc(o) < 0:
        return  # somebody has it again
    _dealloc_of_tensor(o)
    Py_DECREF(<object>cls)


def shorten_dealloc(cls):
    """Let instances of a new subclass of Tensor die quickly, if it adds no fields and is written in Python, as all its
    bases up to Tensor are."""
    if not PyType_Check(cls):  # not `type cls`, which would refuse the classes of a metaclass
        raise TypeError(f"shorten_dealloc(): argument 'cls' must be a class, not {type(cls).__name__}")
    cdef FullType* t = <FullType*>cls
    if t.tp_dealloc == _dealloc_of_classes and t.tp_basicsize == (<FullType*>TensorType).tp_basicsize and \
            (t.tp_base == TensorType or (<FullType*>t.tp_base).tp_dealloc == dealloc_of_subclass):
        t.tp_dealloc = dealloc_of_subclass
