# cython: language_level=3
"""The provider of ``flambeau/tensor.h``: the table of functions that extensions in C and C++ call.

A handle is the tensor's Python object. Slots are only ever appended here and in the header, together with
FL_ABI_MINOR; what a slot takes and returns is written in the header.
"""
from cpython.bool cimport PyBool_FromLong
from cpython.complex cimport PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset, strlen

from flambeau_tensor._core.dtype cimport ITEMSIZE, DType, dtype_object
from flambeau_tensor._core.copying cimport copy_elements
from flambeau_tensor._core.operator cimport Operator
from flambeau_tensor._core.registry cimport find
from flambeau_tensor._core.parallel cimport num_threads, parallel_for
from flambeau_tensor._core.storage cimport Storage, borrow_storage
from flambeau_tensor._core.tensor cimport Tensor, TensorType, contiguous_strides, detached, empty, set_geometry, \
    shape_str
from flambeau_tensor._core.types cimport *

from flambeau_tensor._core.dtype import type_name

cdef extern from "Python.h":
    void PyErr_SetObject(object, object) noexcept
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    PyObject* PyErr_Occurred() noexcept
    void PyErr_Clear() noexcept
    int PyObject_TypeCheck(PyObject*, void*) noexcept
    object PyObject_Vectorcall(object, PyObject* const*, size_t, PyObject*)
    ctypedef struct PyThreadState
    PyThreadState* PyEval_SaveThread() noexcept nogil
    void PyEval_RestoreThread(PyThreadState*) noexcept nogil
    int PyGILState_Check() noexcept nogil

cdef extern from "flambeau/tensor.h" nogil:
    ctypedef struct fl_tensor_object
    ctypedef fl_tensor_object* fl_tensor
    ctypedef struct fl_operator_object
    ctypedef fl_operator_object* fl_operator
    ctypedef union fl_value_as "fl_value_as_is_unnamed":
        fl_tensor tensor
        int64_t integer
        double real
        double[2] re_im
        const char* string
        const int64_t* ints
        const fl_tensor* tensors
    ctypedef struct fl_value:
        const char* name
        int32_t kind
        int32_t count
        fl_value_as value "as"
    ctypedef void (*fl_range_body)(int64_t, int64_t, void*) noexcept nogil
    ctypedef struct fl_api:
        uint32_t major
        uint32_t minor
        uint64_t size
        const char* provider
        void* dtype
        void* ndim
        void* numel
        void* sizes
        void* strides
        void* is_contiguous
        void* const_data
        void* data
        void* check
        void* retain
        void* release
        void* empty
        void* contiguous
        void* as_strided
        void* from_blob
        void* error
        void* error_occurred
        void* error_clear
        void* find_operator
        void* call
        void* num_threads
        void* parallel_for
        void* gil_release
        void* gil_acquire
        void* from_python
        void* to_python
    int FL_ABI_MAJOR, FL_ABI_MINOR
    int FL_ANY, FL_BOOL, FL_UINT8, FL_INT8, FL_INT16, FL_INT32, FL_INT64, FL_FLOAT16, FL_BFLOAT16, FL_FLOAT32
    int FL_FLOAT64, FL_COMPLEX64, FL_COMPLEX128
    int FL_RUNTIME_ERROR, FL_TYPE_ERROR, FL_VALUE_ERROR, FL_INDEX_ERROR, FL_NOT_IMPLEMENTED_ERROR, FL_MEMORY_ERROR
    enum:
        FL_VALUE_NONE, FL_VALUE_TENSOR, FL_VALUE_INT, FL_VALUE_DOUBLE, FL_VALUE_BOOL, FL_VALUE_COMPLEX, FL_VALUE_DTYPE
        FL_VALUE_STRING, FL_VALUE_INTS, FL_VALUE_TENSORS

cdef extern from * nogil:
    """
    /* The sizes that tensors keep are handed out as int64_t. */
    typedef char fl_sizes_are_64_bits[sizeof(Py_ssize_t) == sizeof(int64_t) ? 1 : -1];

    /* The fl_parallel_for whose body this thread is running. */
    #if defined(_MSC_VER)
    static __declspec(thread) struct fl_job *fl_current_job = NULL;
    #else
    static __thread void *fl_current_job = NULL;
    #endif
    """
    void* fl_current_job

ctypedef void (*deleter_t)(void*) noexcept

cdef struct Job:
    fl_range_body body
    void* context
    PyObject* error  # (type, message) of the first error in the body, owned

cdef enum:
    NABI = 16

cdef int[NABI] _from_abi
cdef int[NDTYPES] _to_abi
cdef char[64] _nowhere  # the address of no elements
cdef dict _exceptions = {
    FL_RUNTIME_ERROR: RuntimeError, FL_TYPE_ERROR: TypeError, FL_VALUE_ERROR: ValueError, FL_INDEX_ERROR: IndexError,
    FL_NOT_IMPLEMENTED_ERROR: NotImplementedError, FL_MEMORY_ERROR: MemoryError,
}


# --- errors ---------------------------------------------------------------------------------------------------------

cdef void _error(int32_t code, const char* message) noexcept nogil:
    cdef Job* job = <Job*>fl_current_job
    with gil:
        text = PyUnicode_DecodeUTF8(message, strlen(message), "replace")
        kind = _exceptions.get(code, RuntimeError)
        if job == NULL:
            PyErr_SetObject(kind, text)
        elif job.error == NULL:
            first = (kind, text)
            Py_INCREF(first)
            job.error = <PyObject*>first


cdef int32_t _error_occurred() noexcept:
    return PyErr_Occurred() != NULL


cdef bint _absent(fl_tensor t) noexcept nogil:
    """Whether the handle is NULL; a recorded error is then why, or that is the error."""
    if t != NULL:
        return False
    if fl_current_job != NULL:
        _error(FL_RUNTIME_ERROR, "got NULL for a tensor")
    else:
        with gil:
            if PyErr_Occurred() == NULL:
                _error(FL_RUNTIME_ERROR, "got NULL for a tensor")
    return True


# --- geometry and elements ------------------------------------------------------------------------------------------

cdef int32_t _dtype(fl_tensor t) noexcept nogil:
    return -1 if _absent(t) else _to_abi[(<Tensor>t).dtype]


cdef int32_t _ndim(fl_tensor t) noexcept nogil:
    return 0 if _absent(t) else (<Tensor>t).ndim


cdef int64_t _numel(fl_tensor t) noexcept nogil:
    return 0 if _absent(t) else (<Tensor>t).numel


cdef const int64_t* _sizes(fl_tensor t) noexcept nogil:
    return <const int64_t*>_nowhere if _absent(t) else <const int64_t*>(<Tensor>t).sizes


cdef const int64_t* _strides(fl_tensor t) noexcept nogil:
    return <const int64_t*>_nowhere if _absent(t) else <const int64_t*>(<Tensor>t).strides


cdef int32_t _is_contiguous(fl_tensor t) noexcept nogil:
    return 0 if _absent(t) else ((<Tensor>t).flags & CONTIGUOUS) != 0


cdef const void* _const_data(fl_tensor t) noexcept nogil:
    if _absent(t):
        return NULL
    return (<Tensor>t).data if (<Tensor>t).data != NULL else &_nowhere[0]


cdef void* _data(fl_tensor t) noexcept nogil:
    cdef PyObject* storage
    if _absent(t):
        return NULL
    storage = <PyObject*>(<Tensor>t).storage
    if (<Storage>storage).readonly:
        _error(FL_RUNTIME_ERROR, "fl_data: the tensor looks into read-only memory; write to a clone of it")
        return NULL
    (<Storage>storage).version = (<Storage>storage).version + 1
    return (<Tensor>t).data if (<Tensor>t).data != NULL else &_nowhere[0]


cdef int32_t _check(fl_tensor t, const char* function, const char* argument, int32_t dtype,
                    int32_t ndim) noexcept nogil:
    if _absent(t):
        return -1
    if (dtype == FL_ANY or dtype == _to_abi[(<Tensor>t).dtype]) and (ndim < 0 or ndim == (<Tensor>t).ndim) and \
            (<Tensor>t).flags & CONTIGUOUS:
        return 0
    with gil:
        message = _mismatch(<Tensor>t, function, argument, dtype, ndim)
        _error(FL_RUNTIME_ERROR, message)
    return -1


cdef bytes _mismatch(Tensor t, const char* function, const char* argument, int dtype, int ndim):
    where = f"{function.decode()}(): argument '{argument.decode()}'"
    if dtype != FL_ANY and dtype != _to_abi[t.dtype]:
        expected = type_name(_dtype_of_abi(dtype))
        return f"{where}: expected scalar type {expected} but found {type_name(dtype_object(t.dtype))}".encode()
    if ndim >= 0 and ndim != t.ndim:
        return f"{where}: expected {ndim} dimensions but found {t.ndim}, shape {shape_str(t.ndim, t.sizes)}".encode()
    return f"{where}: expected a contiguous tensor but found strides {shape_str(t.ndim, t.strides)} for shape " \
           f"{shape_str(t.ndim, t.sizes)}; pass x.contiguous() or take fl_contiguous(x)".encode()


cdef DType _dtype_of_abi(int code):
    return dtype_object(_dtype_id(code))


cdef int _dtype_id(int code) except -1:
    if code < 0 or code >= NABI or _from_abi[code] < 0:
        raise RuntimeError(f"{code} is no dtype")
    return _from_abi[code]


# --- lifetime -------------------------------------------------------------------------------------------------------

cdef fl_tensor _own(Tensor t) noexcept:
    Py_INCREF(t)
    return <fl_tensor><PyObject*>t


cdef fl_tensor _retain(fl_tensor t) noexcept:
    return NULL if _absent(t) else _own(<Tensor>t)


cdef void _release(fl_tensor t) noexcept:
    if t != NULL:
        Py_DECREF(<Tensor>t)


# --- making tensors -------------------------------------------------------------------------------------------------
# These and the operators below run Python code, so they do nothing while an error is recorded: it is passed on.

cdef int _check_ndim(int ndim) except -1:
    if ndim < 0 or ndim > MAX_NDIM:
        raise RuntimeError(f"a tensor has 0 to {MAX_NDIM} dimensions, got {ndim}")
    return 0


cdef fl_tensor _empty(const int64_t* sizes, int32_t ndim, int32_t dtype) except NULL:
    if PyErr_Occurred() != NULL:
        return NULL
    _check_ndim(ndim)
    return _own(empty(_dtype_id(dtype), ndim, <const Py_ssize_t*>sizes))


cdef fl_tensor _contiguous(fl_tensor t) except NULL:
    cdef Tensor copy
    if PyErr_Occurred() != NULL or _absent(t):
        return NULL
    if (<Tensor>t).flags & CONTIGUOUS:
        return _own(<Tensor>t)
    copy = empty((<Tensor>t).dtype, (<Tensor>t).ndim, (<Tensor>t).sizes)
    copy_elements(copy, <Tensor>t)
    return _own(copy)


cdef Tensor _over(Tensor t, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides):
    """Give a new tensor another geometry, refusing negative numbers."""
    cdef int i
    for i in range(ndim):
        if sizes[i] < 0 or strides[i] < 0:
            raise RuntimeError(f"sizes and strides must not be negative, got sizes {shape_str(ndim, sizes)}, strides "
                               f"{shape_str(ndim, strides)}")
    set_geometry(t, ndim, sizes, strides)
    return t


cdef object _last(int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides):
    """The number of elements from the first to one past the last that a geometry reaches, as it is, however large."""
    cdef int i
    reach = 1
    for i in range(ndim):
        if sizes[i] == 0:
            return 0
        reach += (<object>sizes[i] - 1) * <object>strides[i]
    return reach


cdef fl_tensor _as_strided(fl_tensor handle, const int64_t* sizes, const int64_t* strides, int32_t ndim,
                           int64_t offset) except NULL:
    if PyErr_Occurred() != NULL or _absent(handle):
        return NULL
    _check_ndim(ndim)
    cdef Tensor t = <Tensor>handle
    cdef Tensor v = _over(detached(t), ndim, <const Py_ssize_t*>sizes, <const Py_ssize_t*>strides)
    reach = _last(ndim, v.sizes, v.strides)
    available = t.storage.nbytes // ITEMSIZE[t.dtype]
    if offset < 0 or (reach and offset + reach > available):
        raise RuntimeError(
            f"fl_as_strided: sizes {shape_str(ndim, v.sizes)} with strides {shape_str(ndim, v.strides)} from element "
            f"{offset} on need {offset + reach} elements, but the storage has {available}")
    v.data = t.storage.data + (offset * ITEMSIZE[t.dtype] if reach else 0)
    return _own(v)


cdef class _Foreign:
    """Memory that an extension owns, given back when the last storage on it is gone."""
    cdef deleter_t deleter
    cdef void* context

    def __dealloc__(self):
        if self.deleter != NULL:
            self.deleter(self.context)


cdef fl_tensor _from_blob(void* data, const int64_t* sizes, const int64_t* strides, int32_t ndim, int32_t dtype,
                          deleter_t deleter, void* context) except NULL:
    cdef Py_ssize_t[MAX_NDIM] dense
    cdef const Py_ssize_t* steps = <const Py_ssize_t*>strides
    cdef _Foreign owner
    if PyErr_Occurred() != NULL:
        return NULL
    _check_ndim(ndim)
    cdef int id = _dtype_id(dtype)
    if strides == NULL:
        contiguous_strides(ndim, <const Py_ssize_t*>sizes, dense)
        steps = dense
    cdef Tensor t = _over(empty(id, 0, NULL), ndim, <const Py_ssize_t*>sizes, steps)
    nbytes = _last(ndim, t.sizes, t.strides) * ITEMSIZE[id]
    if data == NULL and nbytes:
        raise RuntimeError(f"fl_from_blob: data is NULL for shape {shape_str(ndim, t.sizes)}")
    owner = _Foreign.__new__(_Foreign)
    t.storage = borrow_storage(<char*>data if data != NULL else &_nowhere[0], nbytes, owner, False)
    t.data = t.storage.data
    owner.deleter, owner.context = deleter, context
    return _own(t)


# --- operators ------------------------------------------------------------------------------------------------------

cdef fl_operator _find_operator(const char* name) except NULL:
    if PyErr_Occurred() != NULL:
        return NULL
    text = name.decode()
    try:
        op = find(text)
    except AttributeError:
        try:
            op = find("torch." + text)
        except AttributeError:
            raise RuntimeError(f"no operator named '{text}'") from None
    return <fl_operator><PyObject*>op


cdef object _object(const fl_value* v):
    cdef int i
    if v.kind == FL_VALUE_NONE:
        return None
    if v.kind == FL_VALUE_TENSOR:
        if v.value.tensor == NULL:
            raise RuntimeError("got NULL for a tensor")
        return <object><PyObject*>v.value.tensor
    if v.kind == FL_VALUE_INT:
        return v.value.integer
    if v.kind == FL_VALUE_DOUBLE:
        return v.value.real
    if v.kind == FL_VALUE_BOOL:
        return PyBool_FromLong(v.value.integer != 0)
    if v.kind == FL_VALUE_COMPLEX:
        return complex(v.value.re_im[0], v.value.re_im[1])
    if v.kind == FL_VALUE_DTYPE:
        return _dtype_of_abi(<int>v.value.integer)
    if v.kind == FL_VALUE_STRING:
        return v.value.string.decode()
    if v.kind == FL_VALUE_INTS:
        return tuple([v.value.ints[i] for i in range(v.count)])
    if v.kind == FL_VALUE_TENSORS:
        for i in range(v.count):
            if v.value.tensors[i] == NULL:
                raise RuntimeError(f"got NULL for tensor {i} of a list")
        return tuple([<object><PyObject*>v.value.tensors[i] for i in range(v.count)])
    raise RuntimeError(f"{v.kind} is no kind of fl_value")


cdef int _store(object o, fl_value* v) except -1:
    memset(v, 0, sizeof(fl_value))
    if isinstance(o, Tensor):
        v.kind = FL_VALUE_TENSOR
        v.value.tensor = _own(o)
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
        v.kind, v.value.integer = FL_VALUE_DTYPE, _to_abi[(<DType>o).id]
    else:
        raise TypeError(f"a result of type {type(o).__name__} has no fl_value")
    return 0


cdef int32_t _call(fl_operator op, const fl_value* args, int32_t nargs, fl_value* results, int32_t nresults) except -1:
    cdef PyObject* objects[MAX_ARGS]
    cdef int i, npositional = 0
    cdef list keep = [], names = []
    if PyErr_Occurred() != NULL:
        return -1
    if op == NULL:
        raise RuntimeError("got NULL for an operator")
    name = (<Operator>op).name
    if nargs > MAX_ARGS:
        raise TypeError(f"{name}() takes at most {MAX_ARGS} arguments, got {nargs}")
    for i in range(nargs):
        argument = _object(&args[i])
        keep.append(argument)
        objects[i] = <PyObject*>argument
        if args[i].name != NULL:
            names.append(args[i].name.decode())
        elif names:
            raise TypeError(f"{name}(): positional argument {i + 1} follows one given by name")
        else:
            npositional += 1
    if names:
        keywords = tuple(names)
        got = PyObject_Vectorcall(<object><PyObject*>op, objects, npositional, <PyObject*>keywords)
    else:
        got = PyObject_Vectorcall(<object><PyObject*>op, objects, npositional, NULL)
    many = got if isinstance(got, (tuple, list)) else (got,)
    if len(many) > nresults:
        raise RuntimeError(f"{name}() has {len(many)} results, but there is room for {nresults}")
    for i in range(len(many)):
        try:
            _store(many[i], &results[i])
        except BaseException:
            while i > 0:
                i -= 1
                if results[i].kind == FL_VALUE_TENSOR:
                    _release(results[i].value.tensor)
            raise
    return len(many)


# --- threads --------------------------------------------------------------------------------------------------------

cdef void _range(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    global fl_current_job
    cdef Job* job = <Job*>context
    cdef void* outer = fl_current_job
    fl_current_job = job
    job.body(begin, end, job.context)
    fl_current_job = outer


cdef int32_t _parallel_for(int64_t n, int64_t grain, fl_range_body body, void* context) noexcept nogil:
    cdef Job job
    cdef PyThreadState* state
    if n <= 0:
        return 0
    if fl_current_job != NULL:  # inside another loop's body: no threads are left, and errors are the outer loop's
        body(0, n, context)
        return -1 if (<Job*>fl_current_job).error != NULL else 0
    job.body, job.context, job.error = body, context, NULL
    if n < 2 * grain:  # one piece
        _range(&job, 0, n)
    else:
        state = PyEval_SaveThread() if PyGILState_Check() else NULL
        parallel_for(n, grain, _range, &job)
        if state != NULL:
            PyEval_RestoreThread(state)
    if job.error == NULL:
        return 0
    with gil:
        kind, text = <tuple>job.error
        Py_DECREF(<tuple>job.error)
        PyErr_SetObject(kind, text)
    return -1


cdef void* _gil_release() noexcept nogil:
    return PyEval_SaveThread()


cdef void _gil_acquire(void* state) noexcept nogil:
    PyEval_RestoreThread(<PyThreadState*>state)


# --- Python objects -------------------------------------------------------------------------------------------------

cdef fl_tensor _from_python(PyObject* o) noexcept:
    if o.ob_type == TensorType or PyObject_TypeCheck(o, TensorType):
        return <fl_tensor>o
    return NULL


cdef void* _to_python(fl_tensor t) noexcept:
    return _retain(t)


# --- the table ------------------------------------------------------------------------------------------------------

cdef fl_api _api
_api.major, _api.minor, _api.size = FL_ABI_MAJOR, FL_ABI_MINOR, sizeof(fl_api)
cdef bytes _provider = b"flambeau-tensor " + __import__("flambeau_tensor").__version__.encode()
_api.provider = _provider
_api.dtype, _api.ndim, _api.numel = <void*>_dtype, <void*>_ndim, <void*>_numel
_api.sizes, _api.strides, _api.is_contiguous = <void*>_sizes, <void*>_strides, <void*>_is_contiguous
_api.const_data, _api.data, _api.check = <void*>_const_data, <void*>_data, <void*>_check
_api.retain, _api.release = <void*>_retain, <void*>_release
_api.empty, _api.contiguous = <void*>_empty, <void*>_contiguous
_api.as_strided, _api.from_blob = <void*>_as_strided, <void*>_from_blob
_api.error, _api.error_occurred, _api.error_clear = <void*>_error, <void*>_error_occurred, <void*>PyErr_Clear
_api.find_operator, _api.call = <void*>_find_operator, <void*>_call
_api.num_threads, _api.parallel_for = <void*>num_threads, <void*>_parallel_for
_api.gil_release, _api.gil_acquire = <void*>_gil_release, <void*>_gil_acquire
_api.from_python, _api.to_python = <void*>_from_python, <void*>_to_python

cdef int _i
for _i in range(NABI):
    _from_abi[_i] = -1
for _i, _code in enumerate((FL_BOOL, FL_UINT8, FL_INT8, FL_INT16, FL_INT32, FL_INT64, FL_FLOAT16, FL_BFLOAT16,
                            FL_FLOAT32, FL_FLOAT64, FL_COMPLEX64, FL_COMPLEX128)):
    _from_abi[_code] = _i
    _to_abi[_i] = _code

API = PyCapsule_New(&_api, "flambeau_tensor._core.capi.API", NULL)
