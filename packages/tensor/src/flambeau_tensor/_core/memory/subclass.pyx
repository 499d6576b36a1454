# cython: language_level=3
"""What Python gives to every class that a program defines, and a subclass of Tensor need not pay for.

Syntax: where a class's `__add__` is found in Tensor, Python would look it up at each `+`, since Tensor has a method
under that name. The slots of Tensor do the same without.

How instances die:

Python gives every class that a program defines a destructor that expects anything: slots, a trash can for deep nesting,
bases with destructors of their own. It costs a small tensor more than its addition does. A subclass that adds no fields
needs nothing of that but its finalizer.
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
    /* The slot of `base`, which is no heap type: its tables are elsewhere. */
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
            /* For `+=` Python asks this one last and returns what it says, even NotImplemented. */
            if (same && fl_syntax_slots[i].offset == FL_NUMBER(nb_inplace_add))
                ((PyHeapTypeObject *)cls)->as_sequence.sq_inplace_concat = NULL;
        }
        return 0;
    }
    """
    int fl_inherit_syntax(PyTypeObject*, PyTypeObject*) except -1

# Programs add methods to the class and replace some for a test, as classes written in Python let them. All that a
# static type has no room for is a new ``__name__``, ``__qualname__`` or ``__bases__``.
(<FullType*>TensorType).tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE


def _put_descriptors():
    """Give Tensor the descriptors of Python's own types, with which subclasses inherit the C functions of binary
    operators. Cython puts methods in their place, and every subclass would look those up at each call."""
    cdef dict members = <dict>(<FullType*>TensorType).tp_dict
    for name in ("add", "sub", "mul", "mod", "lshift", "rshift", "and", "xor", "or", "floordiv", "truediv", "matmul"):
        model = vars(ndarray)[f"__{name}__"]
        reverse = members[f"__r{name}__"]
        members[f"__{name}__"] = PyDescr_NewWrapper(
            TensorType, (<WrapperDescr*>model).d_base, (<WrapperDescr*>reverse).d_wrapped)
    PyType_Modified(TensorType)


_put_descriptors()
cdef dict _names = {}  # type -> what it says, which lives as long as the type


def name_type(type cls, str name):
    """Let a compiled class say that it is ``module.Class``, as a Python class is told by its ``__module__``."""
    cdef bytes full = name.encode()
    (<FullType*><PyTypeObject*>cls).tp_name = full
    _names[cls] = full
    PyType_Modified(<PyTypeObject*>cls)


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


def inherit_syntax(cls):
    """Let Python's operators on instances of a new subclass reach Tensor's directly, where it has none of its own.
    Python undoes that for a slot whose method is assigned to the class later."""
    fl_inherit_syntax(<PyTypeObject*>cls, TensorType)
