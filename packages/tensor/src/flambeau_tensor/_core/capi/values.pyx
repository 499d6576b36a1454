# cython: language_level=3
"""Conversion between ``fl_value``, the type of operators' arguments and results in extensions, and Python objects."""
from cpython.bool cimport PyBool_Check
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.complex cimport PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_Check
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from cpython.tuple cimport PyTuple_GET_SIZE
from libc.string cimport memcpy, memset

from flambeau_tensor._core.capi.table cimport *
from flambeau_tensor._core.elementwise.dtype cimport DType, dtype_object
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *

cdef extern from "Python.h":
    PyObject* PyLong_FromLongLong(long long) except NULL
    PyObject* PyFloat_FromDouble(double) except NULL
    PyObject* PyComplex_FromDoubles(double, double) except NULL
    PyObject* PyUnicode_FromString(const char*) except NULL
    const char* PyUnicode_AsUTF8(object) except NULL
    long long PyLong_AsLongLong(object) except? -1
    PyObject* PyTuple_New(Py_ssize_t) except NULL
    void PyTuple_SET_ITEM(PyObject*, Py_ssize_t, PyObject*) noexcept
    ctypedef struct PyTupleObject:
        PyObject** ob_item
    bint _is_tensor "PyObject_TypeCheck"(PyObject*, void*) noexcept

for _i in range(NABI):
    from_abi[_i] = -1
for _i, _code in enumerate((FL_BOOL, FL_UINT8, FL_INT8, FL_INT16, FL_INT32, FL_INT64, FL_UINT16, FL_UINT32,
                            FL_UINT64, FL_FLOAT16, FL_BFLOAT16, FL_FLOAT32, FL_FLOAT64, FL_COMPLEX32, FL_COMPLEX64,
                            FL_COMPLEX128)):
    from_abi[<int>_code] = _i
    to_abi[<int>_i] = _code


cdef int dtype_id(int code) except -1:
    if code < 0 or code >= NABI or from_abi[code] < 0:
        raise RuntimeError(f"{code} is no dtype")
    return from_abi[code]


cdef DType dtype_of_abi(int code):
    return dtype_object(dtype_id(code))


# --- values to objects ----------------------------------------------------------------------------------------------

cdef inline PyObject* _new(object o) noexcept:
    incref(<PyObject*>o)
    return <PyObject*>o


cdef PyObject* new_object(const fl_value* v) except NULL:
    cdef int32_t i, kind = v.kind
    cdef PyObject* o
    if kind == FL_VALUE_NONE:
        return _new(None)
    if kind == FL_VALUE_TENSOR or kind == FL_VALUE_OBJECT:
        o = <PyObject*>v.value.object
        if o == NULL:
            raise RuntimeError("got NULL for a tensor")
        incref(o)
        return o
    if kind == FL_VALUE_INT:
        return PyLong_FromLongLong(v.value.integer)
    if kind == FL_VALUE_DOUBLE:
        return PyFloat_FromDouble(v.value.real)
    if kind == FL_VALUE_BOOL:
        return _new(True if v.value.integer else False)
    if kind == FL_VALUE_COMPLEX:
        return PyComplex_FromDoubles(v.value.re_im[0], v.value.re_im[1])
    if kind == FL_VALUE_DTYPE:
        return _new(dtype_of_abi(<int>v.value.integer))
    if kind == FL_VALUE_STRING:
        return PyUnicode_FromString(v.value.string)
    if kind < FL_VALUE_INTS or kind > FL_VALUE_BOOLS or kind == FL_VALUE_DEFAULT:
        raise RuntimeError(f"{kind} is no kind of fl_value")
    items = PyTuple_New(v.count)
    try:
        for i in range(v.count):
            if kind == FL_VALUE_INTS:
                o = PyLong_FromLongLong(v.value.ints[i])
            elif kind == FL_VALUE_DOUBLES:
                o = PyFloat_FromDouble(v.value.doubles[i])
            elif kind == FL_VALUE_BOOLS:
                o = _new(True if v.value.ints[i] else False)
            else:
                o = <PyObject*>v.value.tensors[i]
                o = _new(None) if o == NULL else _new(<object>o)
            PyTuple_SET_ITEM(items, i, o)
    except BaseException:
        decref(items)
        raise
    return items


# --- objects to results, which the extension owns -------------------------------------------------------------------

cdef int32_t new_list(fl_value* v, int32_t count) except -1:
    memset(v, 0, sizeof(fl_value))
    v.value.object = PyMem_Calloc(count + 1, sizeof(int64_t))
    if v.value.object == NULL:
        raise MemoryError()
    v.kind, v.count = FL_VALUE_TENSORS, count
    return 0


cdef int _store_list(object items, fl_value* v) except -1:
    cdef Py_ssize_t i, n = len(items)
    cdef bint tensors = n > 0, ints = True
    cdef PyObject** to
    for o in items:
        tensors = tensors and isinstance(o, Tensor)
        ints = ints and PyLong_Check(o) and not PyBool_Check(o)
    if not tensors and not ints:
        v.kind, v.value.object = FL_VALUE_OBJECT, _new(items)
        return 0
    new_list(v, <int32_t>n)
    to = <PyObject**>v.value.object
    try:
        if tensors:
            for i in range(n):
                to[i] = _new(items[i])
        else:
            v.kind = FL_VALUE_INTS
            for i in range(n):
                (<int64_t*>to)[i] = PyLong_AsLongLong(items[i])
    except BaseException:
        clear(v)
        raise
    return 0


cdef int store(object o, fl_value* v) except -1:
    cdef bytes text
    memset(v, 0, sizeof(fl_value))
    if isinstance(o, Tensor):
        v.kind, v.value.tensor = FL_VALUE_TENSOR, own(o)
    elif o is None:
        v.kind = FL_VALUE_NONE
    elif isinstance(o, bool):
        v.kind, v.value.integer = FL_VALUE_BOOL, o
    elif isinstance(o, int):
        v.kind, v.value.integer = FL_VALUE_INT, o
    elif isinstance(o, float):
        v.kind, v.value.real = FL_VALUE_DOUBLE, o
    elif isinstance(o, complex):
        v.kind = FL_VALUE_COMPLEX
        v.value.re_im[0], v.value.re_im[1] = PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)
    elif isinstance(o, DType):
        v.kind, v.value.integer = FL_VALUE_DTYPE, to_abi[(<DType>o).id]
    elif isinstance(o, str):
        text = o.encode()
        v.value.object = PyMem_Malloc(len(text) + 1)
        if v.value.object == NULL:
            raise MemoryError()
        memcpy(v.value.object, PyBytes_AS_STRING(text), len(text) + 1)
        v.kind = FL_VALUE_STRING
    elif isinstance(o, (tuple, list)):
        _store_list(o, v)
    else:
        v.kind, v.value.object = FL_VALUE_OBJECT, _new(o)
    return 0


cdef void clear(fl_value* v) noexcept:
    cdef int32_t i
    if v.kind == FL_VALUE_TENSOR or v.kind == FL_VALUE_OBJECT:
        if v.value.object != NULL:
            decref(<PyObject*>v.value.object)
    elif v.kind == FL_VALUE_TENSORS:
        for i in range(v.count):
            if v.value.tensors[i] != NULL:
                decref(<PyObject*>v.value.tensors[i])
        PyMem_Free(v.value.object)
    elif v.kind in (FL_VALUE_INTS, FL_VALUE_DOUBLES, FL_VALUE_BOOLS, FL_VALUE_STRING):
        PyMem_Free(v.value.object)
    memset(v, 0, sizeof(fl_value))


# --- bound arguments to borrowed values -----------------------------------------------------------------------------

cdef int64_t* _words(Arena* arena, Py_ssize_t n) except NULL:
    cdef int64_t* place
    if arena.used + n <= INLINE_WORDS:
        place = &arena.words[arena.used]
        arena.used += <int>n
        return place
    if arena.blocks == NULL:
        arena.blocks = _new([])
    block = PyBytes_FromStringAndSize(NULL, n * sizeof(int64_t))
    (<list>arena.blocks).append(block)
    return <int64_t*>PyBytes_AS_STRING(block)


cdef int _read_tensors(tuple items, fl_value* v, Arena* arena) except -1:
    cdef Py_ssize_t i, n = PyTuple_GET_SIZE(items)
    cdef PyObject** from_ = (<PyTupleObject*>items).ob_item
    cdef PyObject** to
    v.kind, v.count, v.value.tensors = FL_VALUE_TENSORS, <int32_t>n, <fl_tensor*>from_
    for i in range(n):
        if from_[i] == <PyObject*>None:
            break
    else:
        return 0
    to = <PyObject**>_words(arena, n)
    v.value.tensors = <fl_tensor*>to
    for i in range(n):
        to[i] = NULL if from_[i] == <PyObject*>None else from_[i]
    return 0


cdef int _read_numbers(object items, int kind, fl_value* v, Arena* arena) except -1:
    cdef Py_ssize_t i, n = len(items)
    cdef int64_t* to = _words(arena, n)
    v.count = <int32_t>n
    v.value.ints = to
    if kind == K_FLOATS:
        v.kind = FL_VALUE_DOUBLES
        for i in range(n):
            (<double*>to)[i] = items[i]
    else:
        v.kind = FL_VALUE_INTS if kind == K_INTS else FL_VALUE_BOOLS
        for i in range(n):
            to[i] = PyLong_AsLongLong(items[i])
    return 0


cdef int read(PyObject* p, int kind, int size, fl_value* v, Arena* arena) except -1:
    cdef object o = <object>p
    v.name, v.count = NULL, 0
    if kind == K_TENSOR and _is_tensor(p, <void*>Tensor):
        v.kind, v.value.tensor = FL_VALUE_TENSOR, <fl_tensor>p
    elif p == <PyObject*>None:
        v.kind = FL_VALUE_NONE
    elif kind == K_FLOAT:
        v.kind, v.value.real = FL_VALUE_DOUBLE, o
    elif kind == K_INT or kind == K_BOOL or kind == K_SCALAR:
        _read_number(o, v)
    elif kind == K_INTS and PyLong_Check(o):
        _read_numbers((o,) * (size or 1), kind, v, arena)
    elif kind == K_INTS or kind == K_FLOATS or kind == K_BOOLS:
        _read_numbers(o, kind, v, arena)
    elif kind == K_TENSORS:
        _read_tensors(<tuple>o, v, arena)
    elif kind == K_DTYPE:
        v.kind, v.value.integer = FL_VALUE_DTYPE, to_abi[(<DType>o).id]
    elif kind == K_STR:
        v.kind, v.value.string = FL_VALUE_STRING, PyUnicode_AsUTF8(o)
    else:
        v.kind, v.value.object = FL_VALUE_OBJECT, p
    return 0


cdef int _read_number(object o, fl_value* v) except -1:
    if PyFloat_Check(o):
        v.kind, v.value.real = FL_VALUE_DOUBLE, PyFloat_AS_DOUBLE(o)
    elif PyBool_Check(o):
        v.kind, v.value.integer = FL_VALUE_BOOL, <PyObject*>o == Py_True
    elif PyLong_Check(o):
        v.kind, v.value.integer = FL_VALUE_INT, PyLong_AsLongLong(o)
    else:
        v.kind = FL_VALUE_COMPLEX
        v.value.re_im[0], v.value.re_im[1] = PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)
    return 0
