# cython: language_level=3
"""The functions of ``abi.pxd``, implemented by the private core."""
from cpython.object cimport PyObject, PyTypeObject

from libc.string cimport memcpy

from flambeau_tensor._core.elementwise cimport copying
from flambeau_tensor._core.call cimport operator as core_operator, sockets
from flambeau_tensor._core.memory cimport tensor as core
from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE, dtype_object
from flambeau_tensor._core.memory.meta_device cimport INDIRECT, OF_MEMORY
from flambeau_tensor._core.call.operator cimport Operator, kernel_t, make_kernel
from flambeau_tensor._core.call.sockets cimport record_t, release_t
from flambeau_tensor._core.memory.storage cimport Storage, borrow_storage, own_counter
from flambeau_tensor._core.memory.tensor cimport Tensor, TensorType
from flambeau_tensor._core.call.thread_state cimport ThreadState, thread_state
from flambeau_tensor._core.call.tracing cimport note
from flambeau_tensor._core.memory.types cimport COMPLEX32, CONTIGUOUS, FLOAT16, HAS_HOOKS, INFERENCE, MAX_NDIM
from flambeau_tensor._core.memory.types cimport MULTI_VIEW, NO_GRAD_VIEW, FUNCTION_VIEW, ODD_VIEW, REQUIRES_GRAD
from flambeau_tensor._core.memory.types cimport RETAINS_GRAD, LAYERED, VIEW, CONJ, DISPATCH, LAZY, NEG

from flambeau_tensor._core.elementwise.dtype import type_name

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject*) noexcept


def require(int number, str package not None):
    """Raise ImportError unless ``package`` was built for this version of the interface."""
    if number != TENSOR_ABI:
        older = package if number < TENSOR_ABI else "flambeau-tensor"
        raise ImportError(f"{package} was built for interface {number} of flambeau-tensor, which has {TENSOR_ABI} now: "
                          f"upgrade {older}")


cdef int _same_numbers() except -1:
    shown = (T_REQUIRES_GRAD, T_LAYERED, T_CONTIGUOUS, T_INFERENCE, T_NO_GRAD_VIEW, T_RETAINS_GRAD, T_HAS_HOOKS, T_VIEW,
             T_MULTI_VIEW, T_FUNCTION_VIEW, T_ODD_VIEW, T_CONJ, T_NEG, T_LAZY, T_DISPATCH)
    meant = (REQUIRES_GRAD, LAYERED, CONTIGUOUS, INFERENCE, NO_GRAD_VIEW, RETAINS_GRAD, HAS_HOOKS, VIEW,
             MULTI_VIEW, FUNCTION_VIEW, ODD_VIEW, CONJ, NEG, LAZY, DISPATCH)
    if shown != meant:
        raise ImportError("abi.pxd and types.pxd disagree on flags")
    if (O_RECORD, O_INPLACE, O_VIEW, O_DATA_DEPENDENT, O_OBJECT_STATE, O_RANDOM, O_TENSORS) != (
            core_operator.OP_RECORD, core_operator.OP_INPLACE, core_operator.OP_VIEW, core_operator.OP_DATA_DEPENDENT,
            core_operator.OP_OBJECT_STATE, core_operator.OP_RANDOM, core_operator.OP_TENSORS) or \
            (T_FLOATING, T_COMPLEX, ABI_MAX_NDIM) != (FLOAT16, COMPLEX32, MAX_NDIM):
        raise ImportError("abi.pxd and types.pxd disagree on numbers")
    if sizeof(ThreadFlags) != sizeof(ThreadState):
        raise ImportError("abi.pxd and thread_state.pxd disagree on the thread's flags")
    return 0


_same_numbers()


# --- tensors --------------------------------------------------------------------------------------------------------

cdef PyTypeObject* tensor_type() noexcept:
    return TensorType


cdef bint is_tensor(PyObject* o) noexcept:
    return o.ob_type == TensorType or isinstance(<object>o, Tensor)


cdef inline PyObject* _or_null(void* o) noexcept:
    return NULL if o == <void*>None else <PyObject*>o


cdef void tensor_info(PyObject* tensor, TensorInfo* out) noexcept:
    # Casts in each line, because a variable would count references.
    out.flags = (<Tensor>tensor).flags
    out.dtype = (<Tensor>tensor).dtype
    out.ndim = (<Tensor>tensor).ndim
    out.output_nr = (<Tensor>tensor).output_nr
    out.numel = (<Tensor>tensor).numel
    out.sizes = (<Tensor>tensor).sizes
    out.strides = (<Tensor>tensor).strides
    out.version = (<Tensor>tensor).storage.version
    out.view_version = (<Tensor>tensor).view_version
    out.grad_fn = _or_null(<void*>(<Tensor>tensor).grad_fn)
    out.base = _or_null(<void*>(<Tensor>tensor).base)
    out.grad = _or_null(<void*>(<Tensor>tensor).grad)
    out.autograd_meta = _or_null(<void*>(<Tensor>tensor).meta)
    out.accumulator = (<Tensor>tensor).accumulator


cdef unsigned int flags_of(PyObject* tensor) noexcept:
    return (<Tensor>tensor).flags


cdef int dtype_number(PyObject* tensor) noexcept:
    return (<Tensor>tensor).dtype


cdef bint has_dtype_and_shape(PyObject* tensor, int dtype, int ndim, const Py_ssize_t* sizes) noexcept:
    cdef int i
    if (<Tensor>tensor).dtype != dtype or (<Tensor>tensor).ndim != ndim:
        return False
    for i in range(ndim):
        if (<Tensor>tensor).sizes[i] != sizes[i]:
            return False
    return True


cdef Py_ssize_t version_of(PyObject* tensor) noexcept:
    return (<Tensor>tensor).storage.version


cdef void add_version(PyObject* tensor) noexcept:
    (<Tensor>tensor).storage.version += 1


cdef Py_ssize_t offset_of(PyObject* tensor) noexcept:
    return core.offset_of(<Tensor>tensor)


cdef void set_flags(PyObject* tensor, unsigned int add, unsigned int remove) noexcept:
    (<Tensor>tensor).flags = ((<Tensor>tensor).flags & ~remove) | add


cdef int set_history(PyObject* tensor, PyObject* node, int output_nr) except -1:
    cdef Tensor t = <Tensor>tensor
    t.output_nr = output_nr
    if node == NULL:
        t.grad_fn = None
        t.flags &= ~REQUIRES_GRAD
    else:
        t.grad_fn = <object>node
        t.flags |= REQUIRES_GRAD
    t.view_version = t.storage.version
    return 0


cdef int set_grad(PyObject* tensor, PyObject* grad) except -1:
    (<Tensor>tensor).grad = None if grad == NULL else <object>grad
    return 0


cdef int set_autograd_meta(PyObject* tensor, object meta) except -1:
    (<Tensor>tensor).meta = meta
    return 0


cdef void set_accumulator(PyObject* tensor, PyObject* node) noexcept:
    (<Tensor>tensor).accumulator = node


cdef int set_data(PyObject* tensor, PyObject* other) except -1:
    cdef Tensor t = <Tensor>tensor, s = <Tensor>other
    note(("refuse", "it changes which memory a tensor shows"))
    core.set_geometry(t, s.ndim, s.sizes, s.strides)
    t.dtype = s.dtype
    if t.storage.data != s.storage.data or t.storage.nbytes != s.storage.nbytes:
        t.storage = s.storage  # else its views share its counter
    t.data = s.data
    t.flags = t.flags & ~OF_MEMORY | s.flags & OF_MEMORY
    return 0


cdef int detach_in_place(PyObject* tensor) except -1:
    cdef Tensor t = <Tensor>tensor
    t.grad_fn = None
    t.output_nr = 0
    t.base = None
    t.flags &= ~(REQUIRES_GRAD | VIEW | ODD_VIEW)
    return 0


cdef int set_base(PyObject* tensor, PyObject* base) except -1:
    cdef Tensor t = <Tensor>tensor, b = <Tensor>base
    t.base = b if b.base is None else b.base
    t.view_version = t.storage.version
    t.flags |= VIEW | b.flags & ODD_VIEW
    return 0


cdef object detach(PyObject* tensor):
    return core.detached(<Tensor>tensor)


cdef object untracked(PyObject* tensor):
    cdef Tensor t = core.detached(<Tensor>tensor)
    t.storage = own_counter(t.storage)
    return t


cdef object alias(PyObject* tensor):
    return core.alias_of(<Tensor>tensor)


cdef object empty(int dtype, int ndim, const Py_ssize_t* sizes):
    return core.empty(dtype, ndim, sizes)


cdef object empty_strided(int dtype, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides):
    return core.empty_strided(dtype, ndim, sizes, strides)


cdef object filled(int dtype, int ndim, const Py_ssize_t* sizes, int value):
    cdef Tensor t
    if ndim == 0:
        return core.scalar_tensor(value, dtype)
    t = core.empty(dtype, ndim, sizes)
    copying.fill_elements(t, value)
    return t


cdef object repeated(PyObject* tensor, int ndim, const Py_ssize_t* sizes):
    cdef Tensor source = copying.copy_of(<Tensor>tensor) if (<Tensor>tensor).flags & LAZY else <Tensor>tensor
    cdef Tensor t = core.empty(source.dtype, ndim, sizes)
    cdef Py_ssize_t item = ITEMSIZE[t.dtype], i
    cdef int* narrow = <int*>t.data
    cdef double* wide = <double*>t.data
    if item == 4:
        for i in range(t.numel):
            narrow[i] = (<int*>source.data)[0]
    elif item == 8:
        for i in range(t.numel):
            wide[i] = (<double*>source.data)[0]
    else:
        for i in range(t.numel):
            memcpy(t.data + i * item, source.data, item)
    return t


cdef object as_strided(PyObject* tensor, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides,
                       Py_ssize_t offset):
    cdef Tensor t = <Tensor>tensor
    return core.view_of(t, ndim, sizes, strides, t.data + (offset - core.offset_of(t)) * ITEMSIZE[t.dtype])


cdef object over_memory(char* data, Py_ssize_t nbytes, int dtype, int ndim, const Py_ssize_t* sizes,
                        const Py_ssize_t* strides, Py_ssize_t offset, object owner):
    cdef Tensor t = core.new_tensor()
    core.set_geometry(t, ndim, sizes, strides)
    t.dtype, t.storage = dtype, borrow_storage(data, nbytes, owner, False)
    t.data = data + offset * ITEMSIZE[dtype]
    return t


cdef int copy_into(PyObject* target, PyObject* source) except -1:
    copying.copy_elements(<Tensor>target, <Tensor>source)
    (<Tensor>target).storage.version += 1
    return 0


cdef object copy_of(PyObject* tensor):
    return copying.copy_of(<Tensor>tensor)


cdef bint exclusive(PyObject* tensor) noexcept:
    cdef Tensor t = <Tensor>tensor
    cdef Storage s = t.storage
    # `s` and `t.storage` are two references.
    return Py_REFCNT(<PyObject*>s) <= 2 and s.owner is None and not s.readonly and t.flags & CONTIGUOUS and \
        not t.flags & (INFERENCE | INDIRECT)


cdef object shape_of(PyObject* tensor):
    return core.size_tuple((<Tensor>tensor).ndim, (<Tensor>tensor).sizes)


cdef object size_of(int ndim, const Py_ssize_t* sizes):
    return core.size_tuple(ndim, sizes)


cdef object dtype_of(int dtype):
    return dtype_object(dtype)


cdef str type_string(int dtype):
    return type_name(dtype_object(dtype))


# --- operators ------------------------------------------------------------------------------------------------------

cdef object new_kernel(kernel_function run):
    return make_kernel(<kernel_t><void*>run)


cdef void operator_info(PyObject* op, OperatorInfo* out) noexcept:
    cdef Operator o = <Operator>op
    out.flags = o.flags
    out.nslots = o.nslots
    out.out_index = o.out_index
    out.derivative, out.batching = _or_null(<void*>o.derivative), _or_null(<void*>o.batching)


cdef object run_kernel(PyObject* op, PyObject** slots, unsigned int flags):
    if flags & INDIRECT:
        return core_operator.call_lazily(<Operator>op, slots)
    return (<Operator>op).kernel(<Operator>op, slots)


cdef object call_bound(PyObject* op, PyObject** slots):
    return core_operator.call_again(<Operator>op, slots)


cdef int plug_autograd(record_function record) except -1:
    sockets.record = <record_t><void*>record
    return 0


cdef int plug_accumulators(release_function release) except -1:
    sockets.release = <release_t>release
    return 0


cdef ThreadFlags* thread_flags() noexcept:
    return <ThreadFlags*>thread_state()


cdef int trace_event(object event) except -1:
    return note(event)
