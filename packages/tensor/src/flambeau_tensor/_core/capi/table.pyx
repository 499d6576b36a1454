# cython: language_level=3
"""Implements ``flambeau/tensor.h``: the table of functions that C and C++ extensions call.

A handle is the tensor's Python object. The header contains the only list of slots. The function `fl_slot_NAME` here, in
`operators` or in `values` implements the slot of that name; if its type differs from the header's, compilation fails.
"""
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.string cimport memcpy, strlen

from flambeau_tensor._core.capi.table cimport *
# The following fills slots by their names in C:
from flambeau_tensor._core.capi.operators cimport call, call_function, define, find_function  # no-cython-lint
from flambeau_tensor._core.capi.operators cimport find_operator, implement, set_backward  # no-cython-lint
from flambeau_tensor._core.capi.values cimport *
from flambeau_tensor._core.capi.values cimport clear, new_list  # no-cython-lint
from flambeau_tensor._core.elementwise.copying cimport copy_elements
from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE, DType, default_dtype, dtype_object, promoted
from flambeau_tensor._core.memory.meta_device cimport INDIRECT, META
from flambeau_tensor._core.elementwise.operands cimport promote
from flambeau_tensor._core.elementwise.parallel cimport num_threads, parallel_for
from flambeau_tensor._core.memory.storage cimport Storage, borrow_storage
from flambeau_tensor._core.memory.tensor cimport Tensor, TensorType, check_read, contiguous_strides, count_bytes
from flambeau_tensor._core.memory.tensor cimport detached, empty, grad_flags, offset_of, set_geometry, shape_str
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.elementwise.dtype import type_name

cdef extern from "Python.h":
    void PyErr_SetObject(object, object) noexcept
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    PyObject* PyErr_Occurred() noexcept
    void PyErr_Clear() noexcept
    int PyErr_WarnEx(PyObject*, const char*, Py_ssize_t) except -1
    int PyObject_TypeCheck(PyObject*, void*) noexcept
    ctypedef struct PyThreadState
    PyThreadState* PyEval_SaveThread() noexcept nogil
    void PyEval_RestoreThread(PyThreadState*) noexcept nogil
    int PyGILState_Check() noexcept nogil
    int PyGILState_Ensure() noexcept nogil
    void PyGILState_Release(int) noexcept nogil
    int Py_AtExit(void (*)() noexcept) noexcept
    void _incref "Py_INCREF"(fl_tensor) noexcept nogil
    void _decref "Py_DECREF"(fl_tensor) noexcept nogil

cdef extern from * nogil:
    """
    /* The sizes of tensors are exposed as int64_t. */
    typedef char fl_sizes_are_64_bits[sizeof(Py_ssize_t) == sizeof(int64_t) ? 1 : -1];

    /* The fl_parallel_for whose body this thread is running. */
    #if defined(_MSC_VER)
    static __declspec(thread) void *fl_current_job = NULL;
    #else
    static __thread void *fl_current_job = NULL;
    #endif

    /* Remove and return the recorded error: an exception with its traceback, or NULL. */
    static PyObject *fl_taken(void) {
    #if PY_VERSION_HEX >= 0x030C0000
        return PyErr_GetRaisedException();
    #else
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        if (!type) return NULL;
        PyErr_NormalizeException(&type, &value, &traceback);
        if (traceback) PyException_SetTraceback(value, traceback);
        Py_XDECREF(type);
        Py_XDECREF(traceback);
        return value;
    #endif
    }

    #if defined(__GNUC__)
    #define FL_SAME_TYPE(result, name, parameters) \
        _Static_assert(__builtin_types_compatible_p(__typeof__(&*fl_slot_##name), result (*) parameters), \
                       "fl_slot_" #name " is not what tensor.h says");
    #else
    #define FL_SAME_TYPE(result, name, parameters)
    #endif
    #define FL_FILL_SLOT(result, name, parameters) \
        { FL_SAME_TYPE(result, name, parameters) result (*slot) parameters = fl_slot_##name; table->name = slot; }
    #define FL_FILL(target) do { fl_api *table = (target); FL_SLOTS(FL_FILL_SLOT) } while (0)

    static void fl_given_back(PyObject *exception) {
    #if PY_VERSION_HEX >= 0x030C0000
        PyErr_SetRaisedException(exception);
    #else
        PyObject *type = (PyObject *)Py_TYPE(exception);
        Py_INCREF(type);
        PyErr_Restore(type, exception, PyException_GetTraceback(exception));
    #endif
    }
    """
    void* fl_current_job
    PyObject* taken "fl_taken"() noexcept
    void given_back "fl_given_back"(PyObject*) noexcept
    void fill "FL_FILL"(fl_api*)  # fills every slot of the header's list with the function of its name

ctypedef void (*deleter_t)(void*) noexcept

cdef struct Job:
    fl_range_body body
    void* context
    PyObject* error  # (type, message) of the first error in the body, owned

cdef char[64] _no_elements  # the address of tensors without elements
cdef dict _exceptions = {  # derived classes come before their bases
    FL_NOT_IMPLEMENTED_ERROR: NotImplementedError, FL_RUNTIME_ERROR: RuntimeError, FL_TYPE_ERROR: TypeError,
    FL_VALUE_ERROR: ValueError, FL_INDEX_ERROR: IndexError, FL_MEMORY_ERROR: MemoryError,
}


# --- errors ---------------------------------------------------------------------------------------------------------

cdef void _error "fl_slot_error"(int32_t code, const char* message) noexcept nogil:
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


cdef void _error_clear "fl_slot_error_clear"() noexcept:
    PyErr_Clear()


cdef int32_t _error_occurred "fl_slot_error_occurred"() noexcept:
    return PyErr_Occurred() != NULL


cdef int32_t _read_exception(object e, char* text, int64_t size):
    cdef bytes said = str(e).encode("utf-8", "replace")
    cdef int64_t n = min(<int64_t>len(said), size - 1)
    if text != NULL and size > 0:
        memcpy(text, <const char*>said, n)
        text[n] = 0
    for code, kind in _exceptions.items():
        if isinstance(e, kind):
            return code
    return FL_OTHER_ERROR


cdef int32_t _error_read "fl_slot_error_read"(fl_exception e, char* text, int64_t size) noexcept nogil:
    cdef PyObject* p = <PyObject*>e
    cdef int32_t code
    with gil:
        if p == NULL:
            p = <PyObject*>_error_take()
            if p == NULL:
                return 0
            code = _read_exception(<object>p, text, size)
            _error_put(<fl_exception>p)
            return code
        return _read_exception(<object>p, text, size)


cdef fl_exception _error_take "fl_slot_error_take"() noexcept nogil:
    cdef Job* job = <Job*>fl_current_job
    cdef PyObject* e = NULL
    with gil:
        if job != NULL and job.error != NULL:
            kind, text = <tuple>job.error
            Py_DECREF(<tuple>job.error)
            job.error = NULL
            exception = kind(text)
            Py_INCREF(exception)
            e = <PyObject*>exception
        else:
            e = taken()
    return <fl_exception>e


cdef void _error_put "fl_slot_error_put"(fl_exception e) noexcept nogil:
    cdef Job* job = <Job*>fl_current_job
    if e == NULL:
        return
    with gil:
        if job == NULL:
            given_back(<PyObject*>e)
            return
        if job.error == NULL:
            exception = <object><PyObject*>e
            first = (type(exception), str(exception))
            Py_INCREF(first)
            job.error = <PyObject*>first
        Py_DECREF(<object><PyObject*>e)


cdef void _error_drop "fl_slot_error_drop"(fl_exception e) noexcept nogil:
    if e != NULL:
        with gil:
            Py_DECREF(<object><PyObject*>e)


cdef int32_t _warn "fl_slot_warn"(const char* message) except -1:
    if PyErr_Occurred() != NULL:
        return -1
    return PyErr_WarnEx(<PyObject*>UserWarning, message, 1)


cdef bint _is_null(fl_tensor t) noexcept nogil:
    """Whether the handle is NULL. If no error is recorded that explains it, records one."""
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

cdef int32_t _dtype "fl_slot_dtype"(fl_tensor t) noexcept nogil:
    return -1 if _is_null(t) else to_abi[(<Tensor>t).dtype]


cdef int32_t _ndim "fl_slot_ndim"(fl_tensor t) noexcept nogil:
    return 0 if _is_null(t) else (<Tensor>t).ndim


cdef int64_t _numel "fl_slot_numel"(fl_tensor t) noexcept nogil:
    return 0 if _is_null(t) else (<Tensor>t).numel


cdef const int64_t* _sizes "fl_slot_sizes"(fl_tensor t) noexcept nogil:
    return <const int64_t*>_no_elements if _is_null(t) else <const int64_t*>(<Tensor>t).sizes


cdef const int64_t* _strides "fl_slot_strides"(fl_tensor t) noexcept nogil:
    return <const int64_t*>_no_elements if _is_null(t) else <const int64_t*>(<Tensor>t).strides


cdef int32_t _is_contiguous "fl_slot_is_contiguous"(fl_tensor t) noexcept nogil:
    return 0 if _is_null(t) else ((<Tensor>t).flags & CONTIGUOUS) != 0


cdef inline bint _layered(fl_tensor t) noexcept nogil:
    """Whether the tensor's memory must not be exposed, and an error was recorded: it is a batched tensor, has a
    tangent, is a conjugate or negative view, or has no memory."""
    return (<Tensor>t).flags & (LAYERED | INDIRECT) and _refused(t)


cdef bint _refused(fl_tensor t) noexcept with gil:  # separate, since `with gil` above would take the lock at each call
    if PyErr_Occurred() != NULL:
        return True
    try:
        check_read(<Tensor>t, "data_ptr")
        if (<Tensor>t).flags & META:
            raise RuntimeError("fl_data: a tensor on device 'meta' has no memory")
        if (<Tensor>t).flags & LAZY:
            raise RuntimeError("fl_data: the memory of a conjugate or negative view does not hold its elements; call "
                               "resolve_conj() or resolve_neg() first")
    except Exception as e:
        _error(FL_RUNTIME_ERROR, str(e).encode())
        return True
    return False


cdef const void* _const_data "fl_slot_const_data"(fl_tensor t) noexcept nogil:
    if _is_null(t):
        return NULL
    _layered(t)  # the error is raised when the extension's function returns; until then, the memory can be read
    return (<Tensor>t).data if (<Tensor>t).data != NULL else &_no_elements[0]


cdef void* _data "fl_slot_data"(fl_tensor t) noexcept nogil:
    cdef PyObject* storage
    if _is_null(t):
        return NULL
    if _layered(t):
        return NULL
    if (<Tensor>t).flags & (REQUIRES_GRAD | VIEW) and thread_state().grad_enabled and fl_current_job == NULL \
            and _is_leaf(t):
        return NULL
    storage = <PyObject*>(<Tensor>t).storage
    if (<Storage>storage).readonly:
        _error(FL_RUNTIME_ERROR, "fl_data: the tensor looks into read-only memory; write to a clone of it")
        return NULL
    (<Storage>storage).version = (<Storage>storage).version + 1
    return (<Tensor>t).data if (<Tensor>t).data != NULL else &_no_elements[0]


cdef bint _is_leaf(fl_tensor handle) noexcept with gil:
    """Whether a write would change a leaf that requires grad, or a view of one; records an error if so."""
    cdef Tensor t = <Tensor>handle
    cdef Tensor base = t if t.base is None else t.base
    if not base.flags & REQUIRES_GRAD or base.grad_fn is not None:
        return False
    _error(FL_RUNTIME_ERROR, b"a leaf Variable that requires grad is being used in an in-place operation." if base is t
           else b"a view of a leaf Variable that requires grad is being used in an in-place operation.")
    return True


cdef int32_t _written "fl_slot_written"(fl_tensor t) noexcept nogil:
    return -1 if _data(t) == NULL else 0


cdef int32_t _flags "fl_slot_flags"(fl_tensor handle) noexcept nogil:
    cdef unsigned int own_flags
    cdef int32_t flags = 0
    if _is_null(handle):
        return 0
    with gil:
        own_flags = grad_flags(<Tensor>handle)
        if own_flags & REQUIRES_GRAD:
            flags |= FL_REQUIRES_GRAD
        if not own_flags & REQUIRES_GRAD:
            flags |= FL_IS_LEAF
        elif (<Tensor>handle).grad_fn is None and (<Tensor>handle).flags & REQUIRES_GRAD:
            flags |= FL_IS_LEAF
        if own_flags & VIEW:
            flags |= FL_IS_VIEW
        if (<Tensor>handle).storage.readonly:
            flags |= FL_IS_READONLY
        if (<Tensor>handle).flags & META:
            flags |= FL_IS_META
    return flags


cdef int64_t _storage_offset "fl_slot_storage_offset"(fl_tensor t) noexcept nogil:
    if _is_null(t):
        return 0
    with gil:
        return offset_of(<Tensor>t)


cdef int64_t _storage_nbytes "fl_slot_storage_nbytes"(fl_tensor t) noexcept nogil:
    return 0 if _is_null(t) else (<Storage><PyObject*>(<Tensor>t).storage).nbytes


cdef int64_t _version "fl_slot_version"(fl_tensor t) noexcept nogil:
    return 0 if _is_null(t) else (<Storage><PyObject*>(<Tensor>t).storage).version


cdef int32_t _check "fl_slot_check"(fl_tensor t, const char* function, const char* argument, int32_t dtype,
                                    int32_t ndim) noexcept nogil:
    if _is_null(t):
        return -1
    if (dtype == FL_ANY or dtype == to_abi[(<Tensor>t).dtype]) and (ndim < 0 or ndim == (<Tensor>t).ndim) and \
            (<Tensor>t).flags & CONTIGUOUS:
        return 0
    _mismatch(t, function, argument, dtype, ndim)
    return -1


cdef void _mismatch(fl_tensor handle, const char* function, const char* argument, int dtype,
                    int ndim) noexcept with gil:
    cdef Tensor t = <Tensor>handle
    where = f"{function.decode()}(): argument '{argument.decode()}'"
    if dtype != FL_ANY and dtype != to_abi[t.dtype]:
        found = f"expected scalar type {type_name(dtype_of_abi(dtype))} but found {type_name(dtype_object(t.dtype))}"
    elif ndim >= 0 and ndim != t.ndim:
        found = f"expected {ndim} dimensions but found {t.ndim}, shape {shape_str(t.ndim, t.sizes)}"
    else:
        found = f"expected a contiguous tensor but found strides {shape_str(t.ndim, t.strides)} for shape " \
                f"{shape_str(t.ndim, t.sizes)}; pass x.contiguous() or take fl_contiguous(x)"
    _error(FL_RUNTIME_ERROR, f"{where}: {found}".encode())


# --- lifetime -------------------------------------------------------------------------------------------------------

cdef fl_tensor _retain "fl_slot_retain"(fl_tensor t) noexcept nogil:
    if _is_null(t):
        return NULL
    if PyGILState_Check():
        _incref(t)
    else:
        with gil:
            _incref(t)
    return t


cdef void _release "fl_slot_release"(fl_tensor t) noexcept nogil:
    if t == NULL:
        return
    if PyGILState_Check():
        _decref(t)
    else:
        with gil:
            _decref(t)


# --- creating tensors -----------------------------------------------------------------------------------------------
# These functions and the operators below run Python code, so they do nothing while an error is recorded; they pass it
# on.

cdef int _check_ndim(int ndim) except -1:
    if ndim < 0 or ndim > MAX_NDIM:
        raise RuntimeError(f"a tensor has 0 to {MAX_NDIM} dimensions, got {ndim}")
    return 0


cdef fl_tensor _empty "fl_slot_empty"(const int64_t* sizes, int32_t ndim, int32_t dtype) except NULL:
    if PyErr_Occurred() != NULL:
        return NULL
    _check_ndim(ndim)
    return own(empty(dtype_id(dtype), ndim, <const Py_ssize_t*>sizes))


cdef fl_tensor _contiguous "fl_slot_contiguous"(fl_tensor t) except NULL:
    cdef Tensor copy
    if PyErr_Occurred() != NULL or _is_null(t):
        return NULL
    if (<Tensor>t).flags & CONTIGUOUS:
        return own(<Tensor>t)
    copy = empty((<Tensor>t).dtype, (<Tensor>t).ndim, (<Tensor>t).sizes)
    copy_elements(copy, <Tensor>t)
    return own(copy)


cdef Tensor _over(Tensor t, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides):
    """Set another geometry on a new tensor; raises for negative numbers."""
    cdef int i
    for i in range(ndim):
        if sizes[i] < 0 or strides[i] < 0:
            raise RuntimeError(f"sizes and strides must not be negative, got sizes {shape_str(ndim, sizes)}, strides "
                               f"{shape_str(ndim, strides)}")
    set_geometry(t, ndim, sizes, strides)
    return t


cdef fl_tensor _as_strided "fl_slot_as_strided"(fl_tensor handle, const int64_t* sizes, const int64_t* strides,
                                                int32_t ndim, int64_t offset) except NULL:
    if PyErr_Occurred() != NULL or _is_null(handle):
        return NULL
    _check_ndim(ndim)
    cdef Tensor t = <Tensor>handle
    cdef Tensor v = _over(detached(t), ndim, <const Py_ssize_t*>sizes, <const Py_ssize_t*>strides)
    cdef Py_ssize_t reach = count_bytes(ndim, v.sizes, v.strides, max(offset, 0), t.dtype)
    if offset < 0 or reach > t.storage.nbytes:
        raise RuntimeError(
            f"fl_as_strided: sizes {shape_str(ndim, v.sizes)} with strides {shape_str(ndim, v.strides)} from element "
            f"{offset} on need {reach} bytes, but the storage has {t.storage.nbytes}")
    v.data = t.storage.data + (offset * ITEMSIZE[t.dtype] if reach else 0)
    return own(v)


cdef class _Foreign:
    """The owner of an extension's memory, which calls the deleter when the last storage on it is freed."""
    cdef deleter_t deleter
    cdef void* context

    def __dealloc__(self):
        if self.deleter != NULL:
            self.deleter(self.context)


cdef fl_tensor _from_blob "fl_slot_from_blob"(void* data, const int64_t* sizes, const int64_t* strides, int32_t ndim,
                                              int32_t dtype, deleter_t deleter, void* context) except NULL:
    cdef Py_ssize_t[MAX_NDIM] dense
    cdef const Py_ssize_t* steps = <const Py_ssize_t*>strides
    cdef _Foreign owner
    if PyErr_Occurred() != NULL:
        return NULL
    _check_ndim(ndim)
    cdef int id = dtype_id(dtype)
    if strides == NULL:
        contiguous_strides(ndim, <const Py_ssize_t*>sizes, dense)
        steps = dense
    cdef Tensor t = _over(empty(id, 0, NULL), ndim, <const Py_ssize_t*>sizes, steps)
    cdef Py_ssize_t nbytes = count_bytes(ndim, t.sizes, t.strides, 0, id)
    if data == NULL and nbytes:
        raise RuntimeError(f"fl_from_blob: data is NULL for shape {shape_str(ndim, t.sizes)}")
    owner = _Foreign.__new__(_Foreign)
    t.storage = borrow_storage(<char*>data if data != NULL else &_no_elements[0], nbytes, owner, False)
    t.data = t.storage.data
    owner.deleter, owner.context = deleter, context
    return own(t)


# --- dtypes ---------------------------------------------------------------------------------------------------------

cdef int32_t _promote_types "fl_slot_promote_types"(int32_t a, int32_t b) except -1:
    return to_abi[promoted(dtype_id(a), dtype_id(b))]


cdef int32_t _result_type "fl_slot_result_type"(const fl_value* operands, int32_t count) except -1:
    cdef PyObject* objects[MAX_ARGS]
    cdef int none_fixed[MAX_ARGS]
    cdef int i
    if PyErr_Occurred() != NULL:
        return -1
    if count < 1 or count > MAX_ARGS:
        raise RuntimeError(f"fl_result_type: 1 to {MAX_ARGS} operands, got {count}")
    keep = []
    for i in range(count):
        objects[i] = new_object(&operands[i])
        operand = <object>objects[i]
        Py_DECREF(operand)
        keep.append(operand)
        none_fixed[i] = -1
        if not isinstance(operand, (Tensor, int, float, complex)):
            raise TypeError(f"fl_result_type: operand {i} is {type(operand).__name__}, neither Tensor nor number")
    return to_abi[promote(count, objects, none_fixed)]


cdef int32_t _default_dtype "fl_slot_default_dtype"() noexcept nogil:
    return to_abi[default_dtype()]


cdef int64_t _describe "fl_slot_describe"(fl_tensor t, char* text, int64_t size) except -1:
    cdef bytes shown
    cdef int64_t n
    if PyErr_Occurred() != NULL or _is_null(t):
        return -1
    shown = repr(<Tensor>t).encode()
    if size > 0:
        n = min(<int64_t>len(shown), size - 1)
        memcpy(text, <const char*>shown, n)
        text[n] = 0
    return len(shown)


# --- threads --------------------------------------------------------------------------------------------------------

cdef int32_t _num_threads "fl_slot_num_threads"() noexcept nogil:
    return num_threads()


cdef void _range(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    global fl_current_job
    cdef Job* job = <Job*>context
    cdef void* outer = fl_current_job
    fl_current_job = job
    job.body(begin, end, job.context)
    fl_current_job = outer


cdef int32_t _parallel_for "fl_slot_parallel_for"(int64_t n, int64_t grain, fl_range_body body,
                                                  void* context) noexcept nogil:
    cdef Job job
    cdef PyThreadState* state
    if n <= 0:
        return 0
    if fl_current_job != NULL:  # in the body of another loop: run on this thread, and record errors for the outer loop
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


cdef void* _gil_release "fl_slot_gil_release"() noexcept nogil:
    return PyEval_SaveThread()


cdef void _gil_acquire "fl_slot_gil_acquire"(void* state) noexcept nogil:
    PyEval_RestoreThread(<PyThreadState*>state)


cdef int32_t _gil_held "fl_slot_gil_held"() noexcept nogil:
    return PyGILState_Check()


cdef int32_t _gil_ensure "fl_slot_gil_ensure"() noexcept nogil:
    return PyGILState_Ensure()


cdef void _gil_drop "fl_slot_gil_drop"(int32_t state) noexcept nogil:
    PyGILState_Release(state)


cdef int32_t _in_parallel "fl_slot_in_parallel"() noexcept nogil:
    return fl_current_job != NULL


cdef int32_t _grad_mode "fl_slot_grad_mode"(int32_t on) noexcept nogil:
    cdef int32_t was = thread_state().grad_enabled
    if on >= 0:
        thread_state().grad_enabled = on != 0
    return was


# --- Python objects -------------------------------------------------------------------------------------------------

cdef fl_tensor _from_python "fl_slot_from_python"(void* o) noexcept:
    if (<PyObject*>o).ob_type == TensorType or PyObject_TypeCheck(<PyObject*>o, TensorType):
        return <fl_tensor>o
    return NULL


cdef void* _to_python "fl_slot_to_python"(fl_tensor t) noexcept:
    return _retain(t)


def abi_number(dtype):
    """Return the number of a dtype in the C interface; None for other objects.

    >>> import flambeau_tensor as torch
    >>> abi_number(torch.float32), abi_number("float32")
    (6, None)
    """
    return to_abi[(<DType>dtype).id] if isinstance(dtype, DType) else None


def abi_dtype(int number):
    """Return the dtype with a number in the C interface.

    >>> abi_dtype(6)
    torch.float32
    """
    return dtype_of_abi(number)


# --- the table ------------------------------------------------------------------------------------------------------

cdef fl_api _api
_api.major, _api.minor, _api.size = FL_ABI_MAJOR, FL_ABI_MINOR, sizeof(fl_api)
cdef bytes _provider = b"flambeau-tensor " + __import__("flambeau_tensor").__version__.encode()
_api.provider = _provider
fill(&_api)


cdef void _leave(fl_tensor t) noexcept nogil:
    pass


cdef void _python_is_gone() noexcept:
    """Make `release` a no-op: static tensors in C++ are released after Python has ended, when they cannot be freed."""
    _api.release = _leave


Py_AtExit(_python_is_gone)
TABLE = PyCapsule_New(&_api, "flambeau_tensor.c_api.API", NULL)
API = PyCapsule_New(&_api, "flambeau_tensor._core.capi.API", NULL)  # for extensions of minor 0 and 1
