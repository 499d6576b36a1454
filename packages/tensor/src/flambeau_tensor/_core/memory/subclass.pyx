# cython: language_level=3
"""Shortcuts for subclasses of Tensor: Python's defaults for user-defined classes cost more than they need.

Operators: if a class inherits `__add__` from Tensor, Python would look the method up at each `+`. The slots of Tensor
    do the same without a lookup.

Destructors: Python's default for user-defined classes handles every case: slots, the trashcan for deep nesting, bases
    with destructors of their own. For a small tensor it costs more than an addition. A subclass that adds no fields
    needs only its finalizer.
"""
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF
from cpython.type cimport PyType_Check

from flambeau_tensor._core.memory.tensor cimport SizeType, TensorType
from flambeau_tensor._core.memory.type_slots cimport FullType, destructor

from numpy import ndarray

cdef extern from "Python.h":
    unsigned long Py_TPFLAGS_IMMUTABLETYPE
    ctypedef struct WrapperDescr "PyWrapperDescrObject":
        void* d_base
        void* d_wrapped
    object PyDescr_NewWrapper(PyTypeObject*, void*, void*)
    void PyType_Modified(PyTypeObject*)
    int PyObject_CallFinalizerFromDealloc(PyObject*)

cdef extern from *:
    """
    #define FL_NUMBER(slot) offsetof(PyHeapTypeObject, as_number) + offsetof(PyNumberMethods, slot)
    #define FL_BINARY(name, slot) {FL_NUMBER(slot), {"__" name "__", "__r" name "__"}}
    #define FL_INPLACE(name, slot) {FL_NUMBER(slot), {"__i" name "__"}}
    static const struct { size_t offset; const char *names[6]; } fl_syntax_slots[] = {
        FL_BINARY("add", nb_add), FL_BINARY("sub", nb_subtract), FL_BINARY("mul", nb_multiply),
        FL_BINARY("truediv", nb_true_divide), FL_BINARY("floordiv", nb_floor_divide), FL_BINARY("mod", nb_remainder),
        FL_BINARY("pow", nb_power), FL_BINARY("matmul", nb_matrix_multiply), FL_BINARY("and", nb_and),
        FL_BINARY("or", nb_or), FL_BINARY("xor", nb_xor), FL_BINARY("lshift", nb_lshift),
        FL_BINARY("rshift", nb_rshift), FL_INPLACE("add", nb_inplace_add), FL_INPLACE("sub", nb_inplace_subtract),
        FL_INPLACE("mul", nb_inplace_multiply), FL_INPLACE("truediv", nb_inplace_true_divide),
        FL_INPLACE("floordiv", nb_inplace_floor_divide), FL_INPLACE("mod", nb_inplace_remainder),
        FL_INPLACE("and", nb_inplace_and), FL_INPLACE("or", nb_inplace_or), FL_INPLACE("xor", nb_inplace_xor),
        FL_INPLACE("lshift", nb_inplace_lshift), FL_INPLACE("rshift", nb_inplace_rshift),
        {FL_NUMBER(nb_negative), {"__neg__"}}, {FL_NUMBER(nb_positive), {"__pos__"}},
        {FL_NUMBER(nb_absolute), {"__abs__"}}, {FL_NUMBER(nb_invert), {"__invert__"}},
        {FL_NUMBER(nb_bool), {"__bool__"}}, {FL_NUMBER(nb_int), {"__int__"}}, {FL_NUMBER(nb_float), {"__float__"}},
        {FL_NUMBER(nb_index), {"__index__"}},
        {offsetof(PyHeapTypeObject, as_mapping) + offsetof(PyMappingMethods, mp_subscript), {"__getitem__"}},
        {offsetof(PyHeapTypeObject, as_mapping) + offsetof(PyMappingMethods, mp_ass_subscript),
         {"__setitem__", "__delitem__"}},
        {offsetof(PyHeapTypeObject, ht_type) + offsetof(PyTypeObject, tp_richcompare),
         {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"}},
    };
    /* The slot of `base`, which is not a heap type, so its tables are separate. */
    static void *fl_slot_of(PyTypeObject *base, size_t offset) {
        char *table = NULL;
        size_t start = 0;
        if (offset >= offsetof(PyHeapTypeObject, as_number)
            && offset < offsetof(PyHeapTypeObject, as_number) + sizeof(PyNumberMethods)) {
            table = (char *)base->tp_as_number; start = offsetof(PyHeapTypeObject, as_number);
        } else if (offset >= offsetof(PyHeapTypeObject, as_mapping)
                   && offset < offsetof(PyHeapTypeObject, as_mapping) + sizeof(PyMappingMethods)) {
            table = (char *)base->tp_as_mapping; start = offsetof(PyHeapTypeObject, as_mapping);
        } else {
            table = (char *)base; start = offsetof(PyHeapTypeObject, ht_type);
        }
        return table ? *(void **)(table + (offset - start)) : NULL;
    }
    static int fl_inherit_syntax(PyTypeObject *cls, PyTypeObject *base) {
        size_t i; int k;
        for (i = 0; i < sizeof(fl_syntax_slots) / sizeof(*fl_syntax_slots); i++) {
            int same = 1;
            void *slot = fl_slot_of(base, fl_syntax_slots[i].offset);
            for (k = 0; same && k < 6 && fl_syntax_slots[i].names[k]; k++) {
                PyObject *name = PyUnicode_InternFromString(fl_syntax_slots[i].names[k]);
                if (!name) return -1;
                same = _PyType_Lookup(cls, name) == _PyType_Lookup(base, name);
                Py_DECREF(name);
            }
            if (same && slot) *(void **)((char *)cls + fl_syntax_slots[i].offset) = slot;
            /* For `+=`, Python tries this slot last and returns its result, even NotImplemented. */
            if (same && fl_syntax_slots[i].offset == FL_NUMBER(nb_inplace_add))
                ((PyHeapTypeObject *)cls)->as_sequence.sq_inplace_concat = NULL;
        }
        return 0;
    }
    """
    int fl_inherit_syntax(PyTypeObject*, PyTypeObject*) except -1

# Programs add methods to the class and replace some in tests, which classes written in Python allow. A static type only
# lacks a new ``__name__``, ``__qualname__`` or ``__bases__``.
(<FullType*>TensorType).tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE


def _put_descriptors():
    """Give Tensor slot wrappers as in Python's own types, through which subclasses inherit the C functions of binary
    operators. Cython replaces them with methods, which every subclass would look up at each call."""
    cdef dict members = <dict>(<FullType*>TensorType).tp_dict
    for name in ("add", "sub", "mul", "mod", "lshift", "rshift", "and", "xor", "or", "floordiv", "truediv", "matmul"):
        model = vars(ndarray)[f"__{name}__"]
        reverse = members[f"__r{name}__"]
        members[f"__{name}__"] = PyDescr_NewWrapper(
            TensorType, (<WrapperDescr*>model).d_base, (<WrapperDescr*>reverse).d_wrapped)
    PyType_Modified(TensorType)


_put_descriptors()
cdef dict _names = {}  # type -> its name, which lives as long as the type


def name_type(type cls, str name):
    """Set the name of a compiled class to ``module.Class``; Python classes use ``__module__`` for this."""
    cdef bytes full = name.encode()
    (<FullType*><PyTypeObject*>cls).tp_name = full
    _names[cls] = full
    PyType_Modified(<PyTypeObject*>cls)


cdef destructor _dealloc_of_tensor = (<FullType*>TensorType).tp_dealloc
cdef destructor _dealloc_of_classes = (<FullType*>SizeType).tp_dealloc  # of all classes written in Python


cdef void dealloc_of_subclass(PyObject* o) noexcept:
    cdef PyTypeObject* cls = o.ob_type
    if (<FullType*>cls).tp_finalize != NULL and PyObject_CallFinalizerFromDealloc(o) < 0:
        return  # resurrected by its finalizer
    _dealloc_of_tensor(o)
    Py_DECREF(<object>cls)


def shorten_dealloc(cls):
    """Give a new subclass of Tensor a fast destructor, if it and all its bases up to Tensor are written in Python
    and add no fields."""
    if not PyType_Check(cls):  # not `type cls`, which would reject classes with a metaclass
        raise TypeError(f"shorten_dealloc(): argument 'cls' must be a class, not {type(cls).__name__}")
    cdef FullType* t = <FullType*>cls
    if t.tp_dealloc == _dealloc_of_classes and t.tp_basicsize == (<FullType*>TensorType).tp_basicsize and \
            (t.tp_base == TensorType or (<FullType*>t.tp_base).tp_dealloc == dealloc_of_subclass):
        t.tp_dealloc = dealloc_of_subclass


def inherit_syntax(cls):
    """Copy Tensor's operator slots to a new subclass, except for operators that it defines itself.

    Python undoes this for a slot if its method is later assigned to the class."""
    fl_inherit_syntax(<PyTypeObject*>cls, TensorType)
