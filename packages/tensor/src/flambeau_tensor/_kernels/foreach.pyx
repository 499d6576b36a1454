# cython: language_level=3
"""Calls a function for each tensor of a list, with the arguments for that tensor."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM

from flambeau_tensor._core.call.operator cimport Kernel, Operator, kernel_t
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport MAX_ARGS

cdef extern from "Python.h":
    object PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*)


cpdef enum Share:
    """How the tensors of a list share another argument."""
    SAME  # the same value for all
    SAME_TENSOR  # the same 0-d tensor for all
    OWN_TENSOR  # one element each of a list of tensors
    OWN_NUMBER  # one element each of a list of numbers
    PACKED_NUMBER  # one element each of a tensor of numbers


cdef class Each(Kernel):
    """The kernel of a function of lists: calls `function` for each tensor of the first argument.

    `shares` contains a `Share` for each other argument. With `keyword`, the last argument is passed by that name,
    unless it is 1. With `writes`, the results are the tensors of the list.
    """

    cdef object function
    cdef int[MAX_ARGS] shares
    cdef int count
    cdef tuple keyword
    cdef bint writes

    def __init__(self, function, tuple shares not None=(), *, str keyword=None, bint writes=False):
        self.function, self.count, self.writes = function, <int>len(shares), writes
        for j, share in enumerate(shares):
            self.shares[j] = Share(share)
        self.keyword = None if keyword is None else (keyword,)
        self.run = <kernel_t>_each


cdef int _check_length(object others, Py_ssize_t n, str text) except -1:
    if len(others) != n:
        raise RuntimeError(text.format(n, len(others)))
    return 0


cdef object _each(Operator op, PyObject** a):
    cdef Each e = <Each>op.implementation
    cdef int* shares = e.shares
    cdef PyObject* given[MAX_ARGS]
    cdef PyObject* args[MAX_ARGS]
    cdef tuple tensors = <tuple>a[0], results = tensors
    cdef Py_ssize_t n = PyTuple_GET_SIZE(tensors), i
    cdef int j, count = e.count
    cdef Tensor t
    packed = None
    for j in range(count):
        given[j] = a[j + 1]
        if shares[j] == SAME_TENSOR or shares[j] == PACKED_NUMBER:
            t = <Tensor>a[j + 1]
            if shares[j] == SAME_TENSOR and t.ndim:
                raise RuntimeError(f"scalar tensor expected to be 0 dim but it has {t.ndim} dimensions and {t.numel} "
                                   "elements.")
            if shares[j] == PACKED_NUMBER and t.ndim != 1:
                raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {t.ndim} instead.")
    if n == 0:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for j in range(count):
        if shares[j] == OWN_NUMBER:
            _check_length(<object>a[j + 1], n, "Tensor list must have same number of elements as scalar list.")
        elif shares[j] == PACKED_NUMBER:
            _check_length(<object>a[j + 1], n, "Expected length of scalars to match input of length {} but got {} "
                          "instead.")
            packed = tuple((<object>a[j + 1]).tolist())
            given[j] = <PyObject*>packed
    for j in range(count):
        if shares[j] == OWN_TENSOR:
            _check_length(<object>a[j + 1], n, "Tensor lists must have the same number of tensors, got {} and {}")
    if not e.writes:
        results = PyTuple_New(n)
    for i in range(n):
        args[0] = PyTuple_GET_ITEM(tensors, i)
        for j in range(count):
            args[j + 1] = given[j] if shares[j] <= SAME_TENSOR else PyTuple_GET_ITEM(<object>given[j], i)
        if e.keyword is None:
            result = PyObject_Vectorcall(<PyObject*>e.function, args, count + 1, NULL)
        elif type(<object>args[count]) is int and <object>args[count] == 1:
            result = PyObject_Vectorcall(<PyObject*>e.function, args, count, NULL)
        else:
            result = PyObject_Vectorcall(<PyObject*>e.function, args, count, <PyObject*>e.keyword)
        if not e.writes:
            Py_INCREF(result)
            PyTuple_SET_ITEM(results, i, result)
    return results
