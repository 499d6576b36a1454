"""The Operator and its one call path; ``sockets`` has what it calls above."""
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
    OP_COMPOSITE = 8  # a composition of other operators: they record, it does not
    OP_PLAIN_RESULT = 16  # its result is never rewrapped as a subclass
    OP_OUT = 32  # its kernel fills `out` itself
    OP_DATA_DEPENDENT = 64  # hands elements out of tensors, as numbers or memory
    OP_OBJECT_STATE = 128  # about a tensor object and not its elements, though it takes and returns tensors
    OP_LAZY = 256  # its kernel takes conjugate and negative views as they are
    OP_RANDOM = 512  # draws random numbers
    OP_TENSORS = 1024  # its first result is a tensor or a list of them
    OP_RETURNS = 2048  # its schema says that there is a result

cdef enum:  # ArgSpec.flags
    A_OPTIONAL = 1
    A_NUMBER = 2  # a Python number will do for a tensor
    A_SINGLE = 4  # a bare int will do for a list
    A_OUT = 8

cdef struct ArgSpec:
    int kind
    int flags
    PyObject* default  # NULL: required
    PyObject* name

cdef class Kernel:
    """What runs below autograd; `run` gets the bound arguments, every slot filled."""
    cdef kernel_t run
    cdef readonly bint handles_out  # also does in-place

cdef int read_slot(int* slot, str name, dict slots, bint needed=*) except -1

cdef class Operator(Public):
    cdef vectorcallfunc vectorcall
    cdef kernel_t kernel
    cdef readonly int flags
    cdef int nslots, npos, nrequired
    cdef int out_index  # -1: has no `out`
    cdef int device_index  # of a kernel that makes tensors on a device that is an argument; -1: of no such
    cdef ArgSpec[MAX_ARGS] args
    cdef readonly object implementation  # the Kernel or the Python function
    cdef readonly object schema
    cdef readonly str name, namespace
    cdef readonly Operator functional  # of an in-place operator: the one it is made from
    cdef readonly Operator inplace
    cdef readonly Py_ssize_t varargs  # the position from which ints may be given one by one, or -1
    cdef dict index
    cdef readonly object result_type  # the named tuple of several named results, made when first needed
    cdef readonly bint is_method, is_function
    cdef public bint is_overload  # other operators have its name, too
    # What other packages know of the operator; None: nothing.
    cdef public object derivative  # autograd's Rule, or a function that makes the call and records it in its own way
    cdef public dict gradients  # an extension's: names of arguments -> the Operator that computes their gradients
    cdef public object batching  # autograd's rule for vmap
    cdef public object vmap  # the rule for vmap that a user registered, in PyTorch's form
    cdef public object meta  # the function that tells the results' shapes
    cdef public object library  # what torch.library was given for it
    cdef object doc
    cdef object code  # of the Python file that declares it, and where in that: see `declared_at`
    cdef Py_ssize_t place

cdef unsigned int implementations  # how often an operator was given another one

cdef inline bint names_device(Operator op, PyObject** slots) noexcept:
    """Whether results may be on device 'meta', for an argument that says so: `meta` looks."""
    return op.device_index >= 0 and slots[op.device_index] != <PyObject*>None

# The whole path, without keywords. `called` is what the caller called and handlers of `__torch_function__` get: the
# operator, the set of overloads it belongs to, or the method of Tensor.
cdef object call_positional(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* called)
cdef object call_slots(Operator op, PyObject** slots, unsigned int flags)  # steps 3 and 4; `flags`: all `grad_flags`
cdef object call_lazily(Operator op, PyObject** slots)  # step 4 alone, where `grad_flags` may have UNLIKE_MEMORY
cdef object call_again(Operator op, PyObject** slots)  # steps 3 and 4, for bound arguments that have changed since
cdef object call1(Operator op, object a)
cdef object call2(Operator op, object a, object b)
cdef bint bind_positional(Operator op, PyObject* const* args, Py_ssize_t n, Bound* bound) noexcept  # step 1's fast lane
cdef object call_bound(Operator op, Bound* bound)  # what follows it
cdef Kernel make_kernel(kernel_t run, bint handles_out=*)

# --- for the core's other rooms -------------------------------------------------------------------------------------
cdef bint is_ready(const ArgSpec* spec, PyObject* o) noexcept  # in the form that kernels read; not for tensors
cdef bint is_bare_subclass(PyObject* o) noexcept  # a tensor of a subclass that overrides nothing
