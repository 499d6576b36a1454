# cython: language_level=3
"""The class of a tensor's sizes, torch.Size."""
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.object cimport PyObject, PyTypeObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE

cdef extern from "Python.h":
    object as_index "PyNumber_Index" (object)
    ctypedef struct Mapping "PyMappingMethods":
        object (*mp_subscript)(object, object)
    ctypedef struct Sequence "PySequenceMethods":
        void* sq_item
    ctypedef object (*newfunc)(PyTypeObject*, PyObject*, PyObject*)
    ctypedef struct Slots "PyTypeObject":
        Mapping* tp_as_mapping
        Sequence* tp_as_sequence
        newfunc tp_new
    void PyType_Modified(PyTypeObject*)
    Slots PyTuple_Type


cdef object _size_number(Py_ssize_t i, object size):
    if type(size) is int and -0x8000000000000000 <= size <= 0x7fffffffffffffff:
        return size
    if isinstance(size, float) or not hasattr(size, "__index__"):
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(size).__name__}')")
    try:
        size = as_index(size)
        if not -0x8000000000000000 <= size <= 0x7fffffffffffffff:
            raise ValueError("Overflow when unpacking long long")
        return size
    except TypeError:
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(size).__name__}')") from None


cdef object _size_numbers(object sizes):
    cdef Py_ssize_t i
    cdef int beyond = 0
    cdef bint plain = type(sizes) is tuple
    for i in range(PyTuple_GET_SIZE(sizes) if plain else 0):
        size = <object>PyTuple_GET_ITEM(sizes, i)
        plain = plain and PyLong_CheckExact(size)
        if plain:
            PyLong_AsLongLongAndOverflow(size, &beyond)
            plain = beyond == 0
    return sizes if plain else [_size_number(i, size) for i, size in enumerate(sizes)]


cdef object _made(PyTypeObject* cls, object sizes):
    cdef tuple arguments = (sizes,)
    return PyTuple_Type.tp_new(cls, <PyObject*>arguments, NULL)


class Size(tuple):
    """The sizes of a tensor, a tuple of ints.

    Raises:
        TypeError: a size is not an int.

    >>> size = torch.ones(2, 3).shape
    >>> size, size.numel(), size[1:], size == (2, 3)
    (torch.Size([2, 3]), 6, torch.Size([3]), True)
    """

    __slots__ = ()

    def __new__(cls, sizes=()):
        return _made(<PyTypeObject*>cls, _size_numbers(sizes))

    def numel(self):
        """Return the number of elements of a tensor with these sizes."""
        n = 1
        for s in <tuple>self:
            n *= s
        return n

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __add__(self, other):
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        return Size(tuple(other) + tuple(self))

    def __mul__(self, n):
        return Size(tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __getitem__(self, index):
        item = tuple.__getitem__(self, index)
        return Size(item) if type(index) is slice else item

    def __reduce__(self):
        return Size, (tuple(self),)


# --- the same in C, which avoids the overhead of Python methods -----------------------------------------------------

cdef newfunc _new_in_python = (<Slots*><PyObject*>Size).tp_new


cdef object _new(PyTypeObject* cls, PyObject* args, PyObject* kwargs):
    if kwargs != NULL or PyTuple_GET_SIZE(<object>args) != 1:
        return _new_in_python(cls, args, kwargs)
    return _made(cls, _size_numbers(<object>PyTuple_GET_ITEM(<object>args, 0)))


cdef object _subscript(object size, object index):
    item = PyTuple_Type.tp_as_mapping.mp_subscript(size, index)
    return _made(<PyTypeObject*>Size, item) if type(index) is slice else item


(<Slots*><PyObject*>Size).tp_new = _new
(<Slots*><PyObject*>Size).tp_as_mapping.mp_subscript = _subscript
(<Slots*><PyObject*>Size).tp_as_sequence.sq_item = PyTuple_Type.tp_as_sequence.sq_item
PyType_Modified(<PyTypeObject*>Size)
