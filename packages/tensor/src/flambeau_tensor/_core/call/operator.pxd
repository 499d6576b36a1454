"""The Operator and its one call path. It reaches higher code through ``sockets``."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.call.sequences cimport Bound
from flambeau_tensor._core.call.function_object cimport Public
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *

ctypedef object (*kernel_t)(Operator op, PyObject** slots)
ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*)

cdef enum:  # Operator.flags
    OP_RECORD = 1  # autograd records it
    OP_INPLACE = 2  # writes its first argument and returns it
    OP_VIEW = 4  # its result shares memory with its first argument
    OP_COMPOSITE = 8  # a composition of other operators: they are recorded instead of it
    OP_PLAIN_RESULT = 16  # its result is never converted to a subclass
    OP_OUT = 32  # its kernel fills `out` itself
    OP_DATA_DEPENDENT = 64  # exposes elements of tensors, as numbers or as memory
    OP_OBJECT_STATE = 128  # concerns a tensor object and not its elements, although it takes and returns tensors
    OP_LAZY = 256  # its kernel accepts conjugate and negative views
    OP_RANDOM = 512  # draws random numbers
    OP_TENSORS = 1024  # its first result is a tensor or a list of tensors
    OP_RETURNS = 2048  # its schema has a result
    OP_EXACT_OUT = 4096  # `out` must have the dtype of the result

cdef enum:  # ArgSpec.flags
    A_OPTIONAL = 1
    A_NUMBER = 2  # accepts a Python number instead of a tensor
    A_SINGLE = 4  # accepts a single int instead of a list
    A_OUT = 8

cdef struct ArgSpec:
    int kind
    int flags
    PyObject* default  # NULL if the argument is required
    PyObject* name

cdef class Kernel:
    """The implementation below autograd; `run` receives an array with one entry per argument, all filled in."""
    cdef kernel_t run
    cdef readonly bint handles_out  # also does in-place

cdef int read_slot(int* slot, str name, dict slots, bint needed=*) except -1

cdef class Operator(Public):
    cdef vectorcallfunc vectorcall
    cdef kernel_t kernel
    cdef readonly int flags
    cdef int nslots, npos, nrequired
    cdef int out_index  # -1 if there is no `out`
    cdef int device_index  # the slot of the `device` argument of a factory; -1 if there is none
    cdef ArgSpec[MAX_ARGS] args
    cdef readonly object implementation  # the Kernel or the Python function
    cdef readonly object schema
    cdef readonly str name, namespace
    cdef readonly Operator functional  # of an in-place operator: the operator from which it was made
    cdef readonly Operator inplace
    cdef readonly Py_ssize_t varargs  # the position from which ints may be passed one by one, or -1
    cdef dict index
    cdef readonly object result_type  # the named tuple for several named results, created on first use
    cdef readonly bint is_method, is_function
    cdef public bint is_overload  # other operators have its name, too
    # Information that other packages store about the operator; None if there is none.
    cdef public object derivative  # autograd's Rule, or a function that makes the call and records it itself
    cdef public dict gradients  # an extension's: argument names -> the Operator that computes their gradients
    cdef public object batching  # autograd's rule for vmap
    cdef public object vmap  # a user's rule for vmap, in PyTorch's form
    cdef public object meta  # the function that determines the shapes of the results
    cdef public object library  # registrations through torch.library
    cdef object doc
    cdef object code  # the code object of the declaration and the position in it, for `declared_at`
    cdef Py_ssize_t place

cdef unsigned int implementations  # counts the replacements of implementations

cdef inline bint names_device(Operator op, PyObject** slots) noexcept:
    """Whether the argument `device` is given, so that results may be on device 'meta'; `meta` decides."""
    return op.device_index >= 0 and slots[op.device_index] != <PyObject*>None

# The whole path for a call without keywords. `called` is the object that the caller called, which handlers of
# `__torch_function__` receive: the operator, its overload set, or the method of Tensor.
cdef object call_positional(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* called)
cdef object call_slots(Operator op, PyObject** slots, unsigned int flags)  # steps 3, 4; `flags`: of all tensors
cdef object call_lazily(Operator op, PyObject** slots)  # step 4 alone; `grad_flags` may include UNLIKE_MEMORY
cdef object call_again(Operator op, PyObject** slots)  # steps 3 and 4 with recomputed flags, for changed arguments
cdef object call1(Operator op, object a)
cdef object call2(Operator op, object a, object b)
cdef bint bind_positional(Operator op, PyObject* const* args, Py_ssize_t n, Bound* bound) noexcept  # step 1, fast path
cdef object call_bound(Operator op, Bound* bound)  # the steps after binding
cdef Kernel make_kernel(kernel_t run, bint handles_out=*)

# --- for other parts of the core ------------------------------------------------------------------------------------
cdef bint is_ready(const ArgSpec* spec, PyObject* o) noexcept  # if kernels can read it directly; not for tensors
cdef bint is_bare_subclass(PyObject* o) noexcept  # whether it is a tensor of a subclass that overrides nothing
