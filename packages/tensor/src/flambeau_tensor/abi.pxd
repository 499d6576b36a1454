"""The interface of tensors and operators for other compiled packages: opaque objects and free functions.

A tensor is a ``PyObject*`` here, and so is an operator; no layout and no method table is shared between packages.
Functions are checked by signature when a consumer is imported, structs by ``TENSOR_ABI``. Consumers start with

    from flambeau_tensor.abi import require
    require(TENSOR_ABI, "my_package")

Unless stated otherwise, pointers are borrowed, and functions do not check that they receive tensors; use ``is_tensor``.
"""
from cpython.object cimport PyObject, PyTypeObject

cdef enum:
    TENSOR_ABI = 13  # increases with every change of this file

cdef enum:  # TensorInfo.flags
    T_REQUIRES_GRAD = 1
    T_LAYERED = 2
    T_CONTIGUOUS = 4
    T_INFERENCE = 8
    T_NO_GRAD_VIEW = 16
    T_RETAINS_GRAD = 32
    T_HAS_HOOKS = 64
    T_VIEW = 128
    T_MULTI_VIEW = 256
    T_FUNCTION_VIEW = 512
    T_ODD_VIEW = 16 | 256 | 512
    T_CONJ = 1024  # a conjugate view
    T_NEG = 2048  # a negative view
    T_LAZY = 1024 | 2048
    T_DISPATCH = 4096  # its class has a `__torch_dispatch__`

cdef enum:  # OperatorInfo.flags
    O_RECORD = 1
    O_INPLACE = 2
    O_VIEW = 4
    O_DATA_DEPENDENT = 64
    O_OBJECT_STATE = 128
    O_RANDOM = 512
    O_TENSORS = 1024  # its first result is a tensor or a list of tensors

cdef enum:  # dtypes in order of promotion
    T_FLOATING = 9  # the first floating dtype
    T_COMPLEX = 13  # the first complex dtype

cdef enum:
    ABI_MAX_NDIM = 64

cdef struct TensorInfo:  # pointers are valid until the tensor is changed or freed
    unsigned int flags
    int dtype
    int ndim
    int output_nr
    Py_ssize_t numel
    const Py_ssize_t* sizes
    const Py_ssize_t* strides  # in elements
    Py_ssize_t version  # of the storage
    Py_ssize_t view_version  # of a view: the storage's version when its grad_fn was created
    PyObject* grad_fn  # this and the following: NULL if there is none
    PyObject* base
    PyObject* grad
    PyObject* autograd_meta
    PyObject* accumulator

cdef struct OperatorInfo:
    int flags
    int nslots
    int out_index  # -1 if there is no `out`
    PyObject* derivative  # NULL if there is none
    PyObject* batching  # likewise

cdef struct ThreadFlags:
    bint grad_enabled
    bint inference
    int transform_depth  # the number of active transform and forward-mode levels
    int kernels
    int handlers
    unsigned int dispatching
    PyObject* modes
    PyObject* tracer  # NULL: nothing is recorded

# --- tensors
cdef PyTypeObject* tensor_type() noexcept
cdef bint is_tensor(PyObject* o) noexcept  # including subclasses
cdef void tensor_info(PyObject* tensor, TensorInfo* out) noexcept
cdef unsigned int flags_of(PyObject* tensor) noexcept
cdef int dtype_number(PyObject* tensor) noexcept
cdef bint has_dtype_and_shape(PyObject* tensor, int dtype, int ndim, const Py_ssize_t* sizes) noexcept
cdef Py_ssize_t version_of(PyObject* tensor) noexcept
cdef void add_version(PyObject* tensor) noexcept  # after a write to its memory
cdef Py_ssize_t offset_of(PyObject* tensor) noexcept  # in elements from the start of the storage
cdef void set_flags(PyObject* tensor, unsigned int add, unsigned int remove) noexcept
cdef int set_history(PyObject* tensor, PyObject* node, int output_nr) except -1  # and requires_grad; NULL: clears both
cdef int set_grad(PyObject* tensor, PyObject* grad) except -1  # NULL: None
cdef int set_autograd_meta(PyObject* tensor, object meta) except -1
cdef void set_accumulator(PyObject* tensor, PyObject* node) noexcept  # borrowed, see plug_accumulators
cdef int set_data(PyObject* tensor, PyObject* other) except -1  # use the memory of `other`
cdef int detach_in_place(PyObject* tensor) except -1  # removes the history; no longer a view
cdef int set_base(PyObject* tensor, PyObject* base) except -1  # makes it a view of `base`, or of that tensor's base
cdef object detach(PyObject* tensor)  # the same elements and version counter, no history, not a view
cdef object untracked(PyObject* tensor)  # detached, with a separate version counter
cdef object alias(PyObject* tensor)  # a view with the same geometry
cdef object empty(int dtype, int ndim, const Py_ssize_t* sizes)
cdef object empty_strided(int dtype, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides)
cdef object filled(int dtype, int ndim, const Py_ssize_t* sizes, int value)
cdef object repeated(PyObject* tensor, int ndim, const Py_ssize_t* sizes)  # repeats the first element of `tensor`
cdef object as_strided(PyObject* tensor, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides,
                       Py_ssize_t offset)  # a view; `offset` in elements from the start of the storage
# A tensor on memory that `owner` keeps alive; `offset` in elements.
cdef object over_memory(char* data, Py_ssize_t nbytes, int dtype, int ndim, const Py_ssize_t* sizes,
                        const Py_ssize_t* strides, Py_ssize_t offset, object owner)
cdef int copy_into(PyObject* target, PyObject* source) except -1  # broadcasts and converts; increments the version
cdef object copy_of(PyObject* tensor)  # new memory, the same layout if dense
cdef bint exclusive(PyObject* tensor) noexcept  # dense, and nothing else uses its memory: may be overwritten
cdef object shape_of(PyObject* tensor)  # a torch.Size
cdef object size_of(int ndim, const Py_ssize_t* sizes)
cdef object dtype_of(int dtype)
cdef str type_string(int dtype)  # "Float"

# --- operators
ctypedef object (*kernel_function)(PyObject* op, PyObject** slots)
ctypedef object (*record_function)(PyObject* op, PyObject** slots, unsigned int flags)
ctypedef void (*release_function)(PyObject* accumulator) noexcept

cdef object new_kernel(kernel_function run)  # the implementation for an Operator
cdef void operator_info(PyObject* op, OperatorInfo* out) noexcept
# With all slots filled; below overrides and autograd. `flags` combines those of all tensors among the slots, at least
# T_LAZY.
cdef object run_kernel(PyObject* op, PyObject** slots, unsigned int flags)
cdef object call_bound(PyObject* op, PyObject** slots)  # all slots filled; below overrides only
cdef int plug_autograd(record_function record) except -1  # the function that runs and records a call
cdef int plug_accumulators(release_function release) except -1  # releases the accumulator of a tensor that is freed
cdef ThreadFlags* thread_flags() noexcept
cdef int trace_event(object event) except -1  # recorded by the thread's tracer, if any, in order with operators
