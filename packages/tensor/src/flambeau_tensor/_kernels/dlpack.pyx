# cython: language_level=3
"""DLPack: exchange of tensors with other libraries without copying, by capsules and by a table of C functions.

The exchanged struct contains address, sizes, strides and a deleter; its layout is DLPack's
(https://dmlc.github.io/dlpack). Compiled libraries exchange tensors through the table
``Tensor.__dlpack_c_exchange_api__``, without any Python call.
"""
from cpython.object cimport PyObject
from cpython.pycapsule cimport (
    PyCapsule_GetName, PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName,
)
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport strcmp

from flambeau_tensor._core.call.tracing cimport note_shown
from flambeau_tensor._core.elementwise.copying cimport copy_of
from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE
from flambeau_tensor._core.memory.meta_device cimport META
from flambeau_tensor._core.memory.storage cimport borrow_storage
from flambeau_tensor._core.memory.tensor cimport (
    Tensor, check_read, count_bytes, detached, empty, new_tensor, set_geometry,
)
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.schema.registry import set_attribute

cdef extern from *:
    """
    #include <stdint.h>

    typedef struct { uint32_t major, minor; } DLPackVersion;
    typedef struct { int32_t device_type, device_id; } DLDevice;
    typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
    typedef struct {
        void *data;
        DLDevice device;
        int32_t ndim;
        DLDataType dtype;
        int64_t *shape, *strides;
        uint64_t byte_offset;
    } DLTensor;
    typedef struct DLManagedTensor {
        DLTensor dl_tensor;
        void *manager_ctx;
        void (*deleter)(struct DLManagedTensor *self);
    } DLManagedTensor;
    typedef struct DLManagedTensorVersioned {
        DLPackVersion version;
        void *manager_ctx;
        void (*deleter)(struct DLManagedTensorVersioned *self);
        uint64_t flags;
        DLTensor dl_tensor;
    } DLManagedTensorVersioned;

    typedef struct DLPackExchangeAPIHeader {
        DLPackVersion version;
        struct DLPackExchangeAPIHeader *prev_api;
    } DLPackExchangeAPIHeader;
    typedef struct {
        DLPackExchangeAPIHeader header;
        int (*managed_tensor_allocator)(DLTensor *, DLManagedTensorVersioned **, void *,
                                        void (*)(void *, const char *, const char *));
        int (*managed_tensor_from_py_object_no_sync)(void *, DLManagedTensorVersioned **);
        int (*managed_tensor_to_py_object_no_sync)(DLManagedTensorVersioned *, void **);
        int (*dltensor_from_py_object_no_sync)(void *, DLTensor *);
        int (*current_work_stream)(int32_t, int32_t, void **);
    } DLPackExchangeAPI;
    """
    ctypedef struct DLPackVersion:
        uint32_t major
        uint32_t minor
    ctypedef struct DLDevice:
        int32_t device_type
        int32_t device_id
    ctypedef struct DLDataType:
        uint8_t code
        uint8_t bits
        uint16_t lanes
    ctypedef struct DLTensor:
        void* data
        DLDevice device
        int32_t ndim
        DLDataType dtype
        int64_t* shape
        int64_t* strides
        uint64_t byte_offset
    ctypedef struct DLManagedTensor:
        DLTensor dl_tensor
        void* manager_ctx
        void (*deleter)(DLManagedTensor*) noexcept
    ctypedef struct DLManagedTensorVersioned:
        DLPackVersion version
        void* manager_ctx
        void (*deleter)(DLManagedTensorVersioned*) noexcept
        uint64_t flags
        DLTensor dl_tensor
    ctypedef struct DLPackExchangeAPIHeader:
        DLPackVersion version
        DLPackExchangeAPIHeader* prev_api
    ctypedef struct DLPackExchangeAPI:
        DLPackExchangeAPIHeader header
        void* managed_tensor_allocator
        void* managed_tensor_from_py_object_no_sync
        void* managed_tensor_to_py_object_no_sync
        void* dltensor_from_py_object_no_sync
        void* current_work_stream

cdef extern from "Python.h":
    void* PyMem_RawMalloc(size_t) nogil
    void PyMem_RawFree(void*) nogil
    int Py_IsInitialized() nogil
    void PyErr_Fetch(PyObject**, PyObject**, PyObject**)
    void PyErr_Restore(PyObject*, PyObject*, PyObject*)

ctypedef void (*delete_versioned_t)(DLManagedTensorVersioned*) noexcept
ctypedef void (*delete_unversioned_t)(DLManagedTensor*) noexcept
ctypedef int (*from_py_object_t)(void*, DLManagedTensorVersioned**) except -1
ctypedef void (*set_error_t)(void*, const char*, const char*) noexcept

cdef enum:
    MAJOR = 1
    MINOR = 3
    CPU = 1  # device_type
    READ_ONLY = 1  # flags
    IS_COPIED = 2

cdef enum:  # DLDataType.code
    DL_INT = 0
    DL_UINT = 1
    DL_FLOAT = 2
    DL_BFLOAT = 4
    DL_COMPLEX = 5
    DL_BOOL = 6

cdef uint8_t[NDTYPES] CODES
for _i, _code in enumerate((DL_BOOL, DL_UINT, DL_INT, DL_INT, DL_INT, DL_INT, DL_UINT, DL_UINT, DL_UINT, DL_FLOAT,
                            DL_BFLOAT, DL_FLOAT, DL_FLOAT, DL_COMPLEX, DL_COMPLEX, DL_COMPLEX)):
    CODES[_i] = _code


# --- export ---------------------------------------------------------------------------------------------------------

cdef struct Managed:  # an exported tensor, in the versioned form
    DLManagedTensorVersioned head
    int64_t[2 * MAX_NDIM] dims


cdef struct Unversioned:  # the same in the older form
    DLManagedTensor head
    int64_t[2 * MAX_NDIM] dims


cdef void _fill(DLTensor* d, Tensor t, int64_t* dims) noexcept:
    cdef int i
    d.data = t.data
    d.device.device_type, d.device.device_id = CPU, 0
    d.ndim = t.ndim
    d.dtype.code, d.dtype.bits, d.dtype.lanes = CODES[t.dtype], <uint8_t>(8 * ITEMSIZE[t.dtype]), 1
    for i in range(t.ndim):
        dims[i] = t.sizes[i]
        dims[t.ndim + i] = t.strides[i]
    d.shape, d.strides, d.byte_offset = dims, dims + t.ndim, 0


cdef void _let_go(void* tensor) noexcept nogil:
    """Release a tensor; runs in any thread, perhaps after Python has ended."""
    if tensor != NULL and Py_IsInitialized():
        with gil:
            Py_DECREF(<object>tensor)


cdef void _delete_managed(DLManagedTensorVersioned* m) noexcept nogil:
    _let_go(m.manager_ctx)
    PyMem_RawFree(m)


cdef void _delete_unversioned(DLManagedTensor* m) noexcept nogil:
    _let_go(m.manager_ctx)
    PyMem_RawFree(m)


cdef int _check_out(Tensor t) except -1:
    if t.flags & REQUIRES_GRAD:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if t.flags & META:
        raise BufferError("Cannot pack tensors on meta")
    if t.flags & LAZY:
        kind, cure = ("conjugate", "conj") if t.flags & CONJ else ("negative", "neg")
        raise BufferError(f"Can't export tensors with the {kind} bit set, use tensor.resolve_{cure}()")
    return check_read(t, "__dlpack__")


cdef DLManagedTensorVersioned* _managed(Tensor t, bint copied) except NULL:
    cdef Managed* m
    cdef Tensor kept = detached(t)  # keeps storage and sizes, even if `t` changes
    m = <Managed*>PyMem_RawMalloc(sizeof(Managed))
    if m == NULL:
        raise MemoryError()
    t.storage.lent = True
    note_shown()
    _fill(&m.head.dl_tensor, kept, &m.dims[0])
    m.head.version.major, m.head.version.minor = MAJOR, MINOR
    m.head.flags = (READ_ONLY if t.storage.readonly else 0) | (IS_COPIED if copied else 0)
    Py_INCREF(kept)
    m.head.manager_ctx, m.head.deleter = <void*>kept, <delete_versioned_t>_delete_managed
    return &m.head


cdef void _drop_versioned(object capsule) noexcept:
    """Release a capsule that was not consumed."""
    cdef DLManagedTensorVersioned* m
    cdef PyObject* type
    cdef PyObject* value
    cdef PyObject* traceback
    if PyCapsule_IsValid(capsule, "dltensor_versioned"):
        PyErr_Fetch(&type, &value, &traceback)
        m = <DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, "dltensor_versioned")
        if m.deleter != NULL:
            m.deleter(m)
        PyErr_Restore(type, value, traceback)


cdef void _drop_unversioned(object capsule) noexcept:
    cdef DLManagedTensor* m
    cdef PyObject* type
    cdef PyObject* value
    cdef PyObject* traceback
    if PyCapsule_IsValid(capsule, "dltensor"):
        PyErr_Fetch(&type, &value, &traceback)
        m = <DLManagedTensor*>PyCapsule_GetPointer(capsule, "dltensor")
        if m.deleter != NULL:
            m.deleter(m)
        PyErr_Restore(type, value, traceback)


def to_capsule(Tensor t not None, *, stream=None, max_version=None, dl_device=None, copy=None):
    """Export the tensor's memory as a capsule for another library.

    Args:
        stream: must be None or -1, because the CPU has no streams.
        max_version: the newest version of DLPack, ``(major, minor)``, that the consumer supports.
        dl_device: the device of the memory; only the CPU, ``(1, 0)``, is supported.
        copy: True copies; otherwise memory is shared.

    Raises BufferError for a tensor that requires grad, and for a read-only one if the consumer does not support that
    flag.
    """
    cdef DLManagedTensorVersioned* m
    cdef Unversioned* u
    cdef Tensor kept
    if stream is not None and not isinstance(stream, int):
        raise TypeError("stream must be ``int`` or ``none``")
    if stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    if max_version is not None:
        major, _ = max_version  # raises unless it is a pair
    if dl_device is not None and tuple([int(d) for d in dl_device]) != (CPU, 0):
        raise BufferError(f"cannot put the tensor on device {tuple(dl_device)}: there is only the CPU, (1, 0)")
    _check_out(t)
    if copy:
        t = copy_of(t)
    if max_version is not None and major >= MAJOR:
        m = _managed(t, bool(copy))
        return PyCapsule_New(m, "dltensor_versioned", _drop_versioned)
    if t.storage.readonly:
        raise BufferError("Cannot export readonly array since signalling readonly is unsupported by DLPack (supported "
                          "by newer DLPack version)")
    u = <Unversioned*>PyMem_RawMalloc(sizeof(Unversioned))
    if u == NULL:
        raise MemoryError()
    kept = detached(t)
    t.storage.lent = True
    _fill(&u.head.dl_tensor, kept, &u.dims[0])
    Py_INCREF(kept)
    u.head.manager_ctx, u.head.deleter = <void*>kept, <delete_unversioned_t>_delete_unversioned
    return PyCapsule_New(&u.head, "dltensor", _drop_unversioned)


# --- import ---------------------------------------------------------------------------------------------------------

cdef class _Borrowed:
    """The owner of another library's memory, which calls the deleter when the last storage on it is freed."""

    cdef DLManagedTensorVersioned* versioned
    cdef DLManagedTensor* unversioned

    def __dealloc__(self):
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)
        if self.unversioned != NULL and self.unversioned.deleter != NULL:
            self.unversioned.deleter(self.unversioned)


cdef int _dtype_of(DLTensor* d) except -1:
    cdef int i
    for i in range(NDTYPES):
        if CODES[i] == d.dtype.code and 8 * ITEMSIZE[i] == d.dtype.bits and d.dtype.lanes == 1:
            return i
    raise BufferError(f"there is no dtype for DLPack's type code {d.dtype.code} with {d.dtype.bits} bits and "
                      f"{d.dtype.lanes} lanes")


cdef Tensor _over(DLTensor* d, object owner, bint readonly):
    """Create a tensor on the memory that `d` describes."""
    cdef int i, dtype
    cdef int64_t step = 1
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Tensor t
    if d.device.device_type != CPU:
        raise BufferError(f"the memory is on device ({d.device.device_type}, {d.device.device_id}): there is only the "
                          "CPU, (1, 0)")
    if d.ndim < 0 or d.ndim > MAX_NDIM:
        raise BufferError(f"a tensor has 0 to {MAX_NDIM} dimensions, got {d.ndim}")
    dtype = _dtype_of(d)
    for i in range(d.ndim - 1, -1, -1):
        sizes[i] = d.shape[i]
        strides[i] = d.strides[i] if d.strides != NULL else step
        if strides[i] < 0 and sizes[i] > 1:
            raise BufferError("tensors with negative strides are not supported: copy it first")
        if sizes[i] <= 1:
            strides[i] = max(strides[i], 0)
        step *= max(sizes[i], 1)
    t = new_tensor()
    set_geometry(t, d.ndim, sizes, strides)
    t.dtype = dtype
    t.storage = borrow_storage(<char*>d.data + d.byte_offset, count_bytes(d.ndim, sizes, strides, 0, dtype), owner,
                               readonly)
    t.data = t.storage.data
    return t


cdef Tensor _import(DLManagedTensorVersioned* m):
    """Create a tensor on the memory that `m` describes, and take ownership of `m`."""
    cdef _Borrowed owner
    if m.version.major != MAJOR:
        raise BufferError(f"DLPack {m.version.major}.{m.version.minor} is not understood, only {MAJOR}")
    owner = _Borrowed.__new__(_Borrowed)
    t = _over(&m.dl_tensor, owner, (m.flags & READ_ONLY) != 0)
    owner.versioned = m
    return t


def from_capsule(capsule):
    """Create a tensor on the memory of another library's capsule, which can be consumed once."""
    cdef const char* name
    cdef _Borrowed owner
    cdef DLManagedTensor* u
    name = PyCapsule_GetName(capsule) if type(capsule).__name__ == "PyCapsule" else NULL
    if name != NULL and strcmp(name, "dltensor_versioned") == 0:
        t = _import(<DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, "dltensor_versioned"))
        PyCapsule_SetName(capsule, "used_dltensor_versioned")
        return t
    if name == NULL or strcmp(name, "dltensor") != 0:
        raise RuntimeError("from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only "
                           "once, so you might have already constructed a tensor from it once.")
    u = <DLManagedTensor*>PyCapsule_GetPointer(capsule, "dltensor")
    owner = _Borrowed.__new__(_Borrowed)
    t = _over(&u.dl_tensor, owner, False)
    owner.unversioned = u
    PyCapsule_SetName(capsule, "used_dltensor")
    return t


def from_object(source, copy=None):
    """Create a tensor on the memory of an object from any library that supports DLPack."""
    cdef DLPackExchangeAPI* api
    cdef DLManagedTensorVersioned* m = NULL
    table = getattr(type(source), "__dlpack_c_exchange_api__", None)
    if copy is None and table is not None and PyCapsule_IsValid(table, "dlpack_exchange_api"):
        api = <DLPackExchangeAPI*>PyCapsule_GetPointer(table, "dlpack_exchange_api")
        if api.header.version.major == MAJOR:
            (<from_py_object_t>api.managed_tensor_from_py_object_no_sync)(<void*>source, &m)
            try:
                return _import(m)
            except BaseException:
                if m.deleter != NULL:
                    m.deleter(m)
                raise
    options = {} if copy is None else {"copy": copy}
    try:
        capsule = source.__dlpack__(max_version=(MAJOR, MINOR), **options)
    except TypeError:  # the producer does not support versions
        capsule = source.__dlpack__()
        return copy_of(<Tensor>from_capsule(capsule)) if copy else from_capsule(capsule)
    return from_capsule(capsule)


# --- the table ------------------------------------------------------------------------------------------------------

cdef int _from_py_object(void* o, DLManagedTensorVersioned** out) except -1 with gil:
    cdef Tensor t = <Tensor?>(<object>o)
    _check_out(t)
    out[0] = _managed(t, False)
    return 0


cdef int _to_py_object(DLManagedTensorVersioned* m, void** out) except -1 with gil:
    t = _import(m)
    Py_INCREF(t)
    out[0] = <void*>t
    return 0


cdef int _view_of(void* o, DLTensor* out) except -1 with gil:
    """Describe the tensor itself: the description is valid while the tensor lives and is not changed."""
    cdef Tensor t = <Tensor?>(<object>o)
    _check_out(t)
    out.data = t.data
    out.device.device_type, out.device.device_id = CPU, 0
    out.ndim = t.ndim
    out.dtype.code, out.dtype.bits, out.dtype.lanes = CODES[t.dtype], <uint8_t>(8 * ITEMSIZE[t.dtype]), 1
    out.shape, out.strides, out.byte_offset = <int64_t*>t.sizes, <int64_t*>t.strides, 0
    return 0


cdef int _allocate(DLTensor* like, DLManagedTensorVersioned** out, void* context,
                   set_error_t set_error) noexcept with gil:
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int i
    try:
        if like.device.device_type != CPU:
            raise BufferError("there is only the CPU")
        if like.ndim < 0 or like.ndim > MAX_NDIM:
            raise BufferError(f"a tensor has 0 to {MAX_NDIM} dimensions")
        for i in range(like.ndim):
            sizes[i] = like.shape[i]
        out[0] = _managed(empty(_dtype_of(like), like.ndim, sizes), False)
        return 0
    except BaseException as error:
        kind, text = type(error).__name__.encode(), str(error).encode("utf-8", "replace")
        if set_error != NULL:
            set_error(context, kind, text)
        return -1


cdef int _stream(int32_t device_type, int32_t device_id, void** out) noexcept nogil:
    out[0] = NULL  # the CPU has no streams
    return 0


cdef DLPackExchangeAPI _api
_api.header.version.major, _api.header.version.minor, _api.header.prev_api = MAJOR, MINOR, NULL
_api.managed_tensor_allocator = <void*>_allocate
_api.managed_tensor_from_py_object_no_sync = <void*>_from_py_object
_api.managed_tensor_to_py_object_no_sync = <void*>_to_py_object
_api.dltensor_from_py_object_no_sync = <void*>_view_of
_api.current_work_stream = <void*>_stream

set_attribute("__dlpack_c_exchange_api__", PyCapsule_New(&_api, "dlpack_exchange_api", NULL))
