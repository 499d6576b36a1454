"""Conversion between ``fl_value``, the type of operators' arguments and results in extensions, and Python objects."""
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t

from flambeau_tensor._core.capi.table cimport fl_tensor, fl_value
from flambeau_tensor._core.elementwise.dtype cimport DType
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport NDTYPES

cdef extern from "Python.h":
    void incref "Py_INCREF"(PyObject*) noexcept
    void decref "Py_DECREF"(PyObject*) noexcept

cdef enum:
    NABI = 30

cdef int[NABI] from_abi  # the header's dtype numbers -> ours; -1 for none
cdef int[NDTYPES] to_abi

cdef int dtype_id(int code) except -1
cdef DType dtype_of_abi(int code)

cdef inline fl_tensor own(Tensor t) noexcept:
    incref(<PyObject*>t)
    return <fl_tensor><PyObject*>t

cdef PyObject* new_object(const fl_value* v) except NULL  # a new reference
cdef int store(object o, fl_value* v) except -1  # `clear` releases it
cdef void clear "fl_slot_clear"(fl_value* v) noexcept
cdef int32_t new_list "fl_slot_new_list"(fl_value* v, int32_t count) except -1

cdef enum:
    INLINE_WORDS = 64

cdef struct Arena:  # holds lists while a kernel reads them
    int used
    int64_t[INLINE_WORDS] words
    PyObject* blocks  # a list that owns longer lists, or NULL

cdef enum:  # kinds of arguments in addition to the schemas': K_SCALARS by the type of its elements
    K_FLOATS = 100
    K_BOOLS = 101

# Borrows from an object that has been bound to an argument of this kind; `size` is the N of int[N].
cdef int read(PyObject* o, int kind, int size, fl_value* v, Arena* arena) except -1
