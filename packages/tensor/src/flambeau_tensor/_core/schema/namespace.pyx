# cython: language_level=3
"""Modules with a ``__getattr__`` and fast attribute access.

Python specializes `module.name` only for modules without a ``__getattr__``. For others, it first looks in the class and
then in the dictionary, prepared to catch an exception, which takes a fifth of a small addition's time. Public names are
in the dictionary, so a `Namespace` looks there first.
"""
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_READ_CHAR

import sys
from importlib import import_module
from types import ModuleType

from flambeau_tensor._core.memory.type_slots cimport FullType, getattrofunc

cdef extern from *:
    """
    #if PY_VERSION_HEX < 0x030C0000
    /* The last results, by the address of the name; valid while the dictionary has the same version. */
    static struct { PyObject *name, *found; uint64_t version; } fl_found[512];
    static PyObject *fl_find(PyObject *dict, PyObject *name) {
        size_t i = ((size_t)name >> 4 ^ (size_t)name >> 13) & 511;
        uint64_t version = ((PyDictObject *)dict)->ma_version_tag;
        PyObject *found;
        if (fl_found[i].name == name && fl_found[i].version == version) return fl_found[i].found;
        found = PyDict_GetItemWithError(dict, name);
        if (found && PyUnicode_CHECK_INTERNED(name)) {
            Py_INCREF(name);
            Py_XSETREF(fl_found[i].name, name);
            fl_found[i].found = found; fl_found[i].version = version;
        }
        return found;
    }
    #else
    #define fl_find PyDict_GetItemWithError
    #endif
    """
    PyObject* fl_find(PyObject*, PyObject*) except? NULL
    void PyType_Modified(type)


cdef getattrofunc _ask_python = (<FullType*>ModuleType).tp_getattro
cdef Py_ssize_t _dict_offset = (<FullType*>ModuleType).tp_dictoffset


cdef object _find_name(object module, object name):
    cdef PyObject* found
    if PyUnicode_READ_CHAR(name, 0) != c"_":  # class attributes start with an underscore
        found = fl_find((<PyObject**>(<char*><PyObject*>module + _dict_offset))[0], <PyObject*>name)
        if found != NULL:
            return <object>found
    elif name == "__module__":  # the class has this attribute, for pickles, but a module has none
        raise AttributeError(f"module '{module.__name__}' has no attribute '__module__'")
    return _ask_python(module, name)


class Namespace(ModuleType):
    """A module whose public names are looked up in its dictionary first."""

    def __reduce__(self):
        return import_module, (self.__spec__.name,)


(<FullType*>Namespace).tp_getattro = _find_name
PyType_Modified(Namespace)


def find_quickly(str name not None):
    """Make the imported module of that name a `Namespace`.

    >>> find_quickly("flambeau_tensor.linalg")
    """
    sys.modules[name].__class__ = Namespace
