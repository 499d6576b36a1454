"""What other compiled packages may use of tensors and operators: an opaque object and free functions.

A tensor is a ``PyObject*`` here and an operator too, so no layout and no method table crosses the border; functions
are checked by signature when a consumer is imported, structs by ``TENSOR_ABI``. Consumers start with

    from flambeau_tensor.abi import require
    require(TENSOR_ABI, "my_package")

Unless stated otherwise pointers are borrowed, and functions do not check that they get tensors: ask ``is_tensor``.
"""
from cpython.object cimport PyObject, PyTypeObject

cdef enum:
    TENSOR_ABI = 13  # rises with every change of this file

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
    T_NEG = 2048  # a negative one
    T_LAZY = 1024 | 2048
    T_DISPATCH = 4096  # its class has a `__torch_dispatch__`

cdef enum:  # OperatorInfo.flags
    O_RECORD = 1
    O_INPLACE = 2
    O_VIEW = 4
    O_DATA_DEPENDENT = 64
    O_OBJECT_STATE = 128
    O_RANDOM = 512
    O_TENSORS = 1024  # its first result is a tensor or a list of them

cdef enum:  # dtypes in order of promotion
    T_FLOATING = 9  # the first floating dtype
    T_COMPLEX = 13  # the first complex one

cdef enum:
    ABI_MAX_NDIM = 64

cdef struct TensorInfo:  # of a tensor; pointers are valid until the tensor is changed or goes
    unsigned int flags
    int dtype
    int ndim
    int output_nr
    Py_ssize_t numel
    const Py_ssize_t* sizes
    const Py_ssize_t* strides  # in elements
    Py_ssize_t version  # of the storage
    Py_ssize_t view_version  # of a view: the storage's version when its grad_fn was made
    PyObject* grad_fn  # this and the following: NULL where there is none
    PyObject* base
    PyObject* grad
    PyObject* autograd_meta
    PyObject* accumulator

cdef struct OperatorInfo:
    int flags
    int nslots
    int out_index  # -1: has no `out`
    PyObject* derivative  # NULL: none
    PyObject* batching  # the same

cdef struct ThreadFlags:
    bint grad_enabled
    bint inference
    int transform_depth  # how many levels of transforms and forward mode
    int kernels
    int handlers
    unsigned int dispatching
    PyObject* modes
    PyObject* tracer  # NULL: nobody writes down what runs

# --- tensors
cdef PyTypeObject* tensor_type() noexcept
cdef bint is_tensor(PyObject* o) noexcept  # subclasses too
cdef void tensor_info(PyObject* tensor, TensorInfo* out) noexcept
cdef unsigned int flags_of(PyObject* tensor) noexcept
cdef int dtype_number(PyObject* tensor) noexcept
cdef bint has_dtype_and_shape(PyObject* tensor, int dtype, int ndim, const Py_ssize_t* sizes) noexcept
cdef Py_ssize_t version_of(PyObject* tensor) noexcept
cdef void add_version(PyObject* tensor) noexcept  # its memory was written to
cdef Py_ssize_t offset_of(PyObject* tensor) noexcept  # in elements from the start of the storage
cdef void set_flags(PyObject* tensor, unsigned int add, unsigned int remove) noexcept
cdef int set_history(PyObject* tensor, PyObject* node, int output_nr) except -1  # and requires grad; NULL: it does not
cdef int set_grad(PyObject* tensor, PyObject* grad) except -1  # NULL: None
cdef int set_autograd_meta(PyObject* tensor, object meta) except -1
cdef void set_accumulator(PyObject* tensor, PyObject* node) noexcept  # borrowed, see plug_accumulators
cdef int set_data(PyObject* tensor, PyObject* other) except -1  # look at the memory of `other` instead
cdef int detach_in_place(PyObject* tensor) except -1  # no history, no longer a view
cdef int set_base(PyObject* tensor, PyObject* base) except -1  # a view of `base`, or of what that is a view of
cdef object detach(PyObject* tensor)  # the same elements and version, no history, not a view
cdef object untracked(PyObject* tensor)  # detached, and with a version counter of its own
cdef object alias(PyObject* tensor)  # a view of all of it
cdef object empty(int dtype, int ndim, const Py_ssize_t* sizes)
cdef object empty_strided(int dtype, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides)
cdef object filled(int dtype, int ndim, const Py_ssize_t* sizes, int value)
cdef object repeated(PyObject* tensor, int ndim, const Py_ssize_t* sizes)  # the first element of `tensor`, written out
cdef object as_strided(PyObject* tensor, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides,
                       Py_ssize_t offset)  # a view; `offset` in elements from the start of the storage
# Over memory that `owner` keeps; `offset` in elements.
cdef object over_memory(char* data, Py_ssize_t nbytes, int dtype, int ndim, const Py_ssize_t* sizes,
                        const Py_ssize_t* strides, Py_ssize_t offset, object owner)
cdef int copy_into(PyObject* target, PyObject* source) except -1  # broadcast, converted; bumps the version
cdef object copy_of(PyObject* tensor)  # fresh memory, same layout where dense
cdef bint exclusive(PyObject* tensor) noexcept  # nobody else holds its memory, it is dense: may be taken over
cdef object shape_of(PyObject* tensor)  # a torch.Size
cdef object size_of(int ndim, const Py_ssize_t* sizes)
cdef object dtype_of(int dtype)
cdef str type_string(int dtype)  # "Float"

# --- operators
ctypedef object (*kernel_function)(PyObject* op, PyObject** slots)
ctypedef object (*record_function)(PyObject* op, PyObject** slots, unsigned int flags)
ctypedef void (*release_function)(PyObject* accumulator) noexcept

cdef object new_kernel(kernel_function run)  # what an Operator takes as its implementation
cdef void operator_info(PyObject* op, OperatorInfo* out) noexcept
# Every slot filled; below overrides and autograd. `flags`: those of all tensors among the slots, T_LAZY at least.
cdef object run_kernel(PyObject* op, PyObject** slots, unsigned int flags)
cdef object call_bound(PyObject* op, PyObject** slots)  # every slot filled; below overrides only
cdef int plug_autograd(record_function record) except -1  # what runs and records a call
cdef int plug_accumulators(release_function release) except -1  # what a tensor that goes does with its accumulator
cdef ThreadFlags* thread_flags() noexcept
cdef int trace_event(object event) except -1  # for the thread's tracer, in order with operators; nothing without one
