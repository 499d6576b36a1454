# cython: language_level=3
"""Patterns of nested arguments: the tensors among them, and whether another call has the same structure."""
import array
import gc

from cpython.object cimport PyObject

from flambeau_tensor.abi cimport TensorInfo, is_tensor, tensor_info, version_of

from flambeau_compile._geometry cimport fl_dict_of

from flambeau_compile.symbols import Symbol

cdef extern from "Python.h":
    bint PyDict_Next(PyObject*, Py_ssize_t*, PyObject**, PyObject**)
    Py_ssize_t PyDict_GET_SIZE(PyObject*)
    bint PyTuple_Check(PyObject*)
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t)

cdef enum:
    P_TENSOR = 0
    P_VALUE = 1  # equal and of the same type
    P_OBJECT = 2  # the same object
    P_TUPLE = 3
    P_LIST = 4
    P_DICT = 5
    P_NUMBER = 6  # any number of the same type; `Numbers` checks it


cdef class Pattern:
    """The structure that an argument must have."""


cdef Pattern pattern_of(object o, list tensors):
    cdef Pattern p = Pattern.__new__(Pattern)
    p.cls = (<PyObject*>o).ob_type
    if is_tensor(<PyObject*>o):
        p.kind = P_TENSOR
        tensors.append(o)
    elif type(o) is Symbol:
        number = o.value
        p.kind, p.cls = P_NUMBER, (<PyObject*>number).ob_type
    elif isinstance(o, tuple):
        p.kind, p.items = P_TUPLE, [pattern_of(each, tensors) for each in <tuple>o]
    elif type(o) is list:
        p.kind, p.items = P_LIST, [pattern_of(each, tensors) for each in <list>o]
    elif type(o) is dict:
        p.kind, p.names = P_DICT, tuple(<dict>o)
        p.items = [pattern_of(each, tensors) for each in (<dict>o).values()]
    else:
        p.kind = P_VALUE if type(o) in (int, float, bool, str, bytes, complex) else P_OBJECT
        p.value = o
    return p


MOST = MOST_TENSORS  # maximum number of tensors among the arguments of a compiled call


def tensors_in(arguments):
    """Return all tensors among nested arguments, in order."""
    found = []
    pattern_of(arguments, found)
    return found


cdef bint matches(Pattern p, PyObject* o, PyObject** tensors, int* n) except -1:
    cdef Py_ssize_t i
    if p.kind == P_TENSOR:
        if o.ob_type != p.cls or n[0] >= MOST_TENSORS:
            return False
        tensors[n[0]] = o
        n[0] += 1
        return True
    if p.kind == P_OBJECT:
        return o == <PyObject*>p.value
    if o.ob_type != p.cls:
        return False
    if p.kind == P_NUMBER:
        return True
    if p.kind == P_VALUE:
        return o == <PyObject*>p.value or (<object>o == p.value and repr(<object>o) == repr(p.value))
    if p.kind == P_DICT:
        return PyDict_GET_SIZE(o) == len(p.items) and _matches_dict(p, o, tensors, n)
    if len(<object>o) != len(p.items):
        return False
    if PyTuple_Check(o):
        for i in range(len(p.items)):
            if not matches(<Pattern>p.items[i], PyTuple_GET_ITEM(o, i), tensors, n):
                return False
        return True
    for i, each in enumerate(<object>o):
        if not matches(<Pattern>p.items[i], <PyObject*>each, tensors, n):
            return False
    return True


cdef bint matches_call(Pattern p, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** tensors,
                       int* n) except -1:
    """Whether arguments of a vectorcall match the pattern of an (args, kwargs)."""
    cdef Pattern given = <Pattern>p.items[0], named = <Pattern>p.items[1]
    cdef Py_ssize_t i, count = 0 if kwnames == NULL else len(<tuple>kwnames)
    if nargs != len(given.items) or count != len(named.items):
        return False
    for i in range(nargs):
        if not matches(<Pattern>given.items[i], args[i], tensors, n):
            return False
    for i in range(count):
        name = <object>PyTuple_GET_ITEM(kwnames, i)
        if name is not named.names[i] and name != named.names[i]:
            return False
        if not matches(<Pattern>named.items[i], args[nargs + i], tensors, n):
            return False
    return True


cdef bint _matches_dict(Pattern p, PyObject* o, PyObject** tensors, int* n) except -1:
    cdef Py_ssize_t at = 0, i = 0
    cdef PyObject* key
    cdef PyObject* value
    while PyDict_Next(o, &at, &key, &value):
        name = <object>PyTuple_GET_ITEM(<PyObject*>p.names, i)
        if key != <PyObject*>name and <object>key != name:
            return False
        if not matches(<Pattern>p.items[i], value, tensors, n):
            return False
        i += 1
    return True


# --- properties of tensors other than their geometry ----------------------------------------------------------------

cdef bytes firsts_of(list tensors):
    """Return for each tensor the first index of the same object."""
    cdef dict found = {}
    return array.array("H", [found.setdefault(id(t), i) for i, t in enumerate(tensors)]).tobytes()


cdef bint alike(const unsigned short* firsts, int n, PyObject** tensors) noexcept:
    """Whether tensors are the same objects exactly where those of `firsts_of` were."""
    cdef int i, j
    for i in range(1, n):
        j = 0
        while tensors[j] != tensors[i]:
            j += 1
        if j != firsts[i]:
            return False
    return True


cdef list regions_of(list tensors):
    """Return the offsets of tensors in their storages, and the sizes of these."""
    return [(t.storage_offset(), t.untyped_storage().nbytes()) for t in tensors]


def versions_of(list read, list tensors):
    """Return the versions of tensors, which are given as tensors or as indices into `tensors`."""
    return [version_of(<PyObject*>o if is_tensor(<PyObject*>o) else <PyObject*>tensors[o]) for o in read]


def attributes_of(tensor):
    """The attributes that a tensor was given; no dict is made for them."""
    cdef PyObject* names = fl_dict_of(<PyObject*>tensor)
    return {} if names == NULL else <object>names


def hooks_of(tensor):
    """Return the dicts of hooks of a tensor."""
    cdef TensorInfo f
    tensor_info(<PyObject*>tensor, &f)
    if f.autograd_meta == NULL:
        return []
    return [o for o in gc.get_referents(<object>f.autograd_meta) if isinstance(o, dict)]
