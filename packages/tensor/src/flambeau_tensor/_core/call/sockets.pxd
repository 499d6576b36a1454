"""Every call from code below to code above it.

A socket is a variable that is called here and filled there: behind each stands the module that fills it when it is
imported, then what is called for. Whoever needs something from above adds a line here; tests hold that nothing else
passes a function downward, and that each is filled where it says.
"""
from cpython.object cimport PyObject, PyTypeObject

# --- functions in C: NULL until they are filled. `op` is an Operator. -----------------------------------------------
ctypedef object (*general_t)(object op, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, PyObject* called)
ctypedef object (*for_subclass_t)(object op, PyTypeObject* cls, PyObject** slots, unsigned int flags)
ctypedef object (*run_t)(object op, PyObject** slots)
ctypedef int (*declare_t)(object op, int variants, tuple syntax) except -1
ctypedef object (*find_t)(str name)
ctypedef object (*syntax_call)(int which, object a, object b)
ctypedef object (*record_t)(object op, PyObject** slots, unsigned int flags)
ctypedef void (*release_t)(PyObject* accumulator) noexcept

cdef general_t call_general  # flambeau_tensor._core.call.binding: the whole path of a call, for any arguments
cdef general_t call_overloaded  # flambeau_tensor._core.call.binding: the same for several schemas (an OverloadSet)
cdef for_subclass_t call_for_subclass  # flambeau_tensor._core.call.binding: a subclass that overrides none
cdef run_t resolve_and_run  # flambeau_tensor._core.call.meta: step 4 on what is not in memory as it is
cdef run_t decompose  # flambeau_tensor._core.call.dispatching: what `__torch_dispatch__` hears of in its place
cdef declare_t declare  # flambeau_tensor._core.schema.registry: a new operator to its places
cdef find_t find  # flambeau_tensor._core.schema.registry: the operator of a qualified name
cdef syntax_call call_syntax  # flambeau_tensor._core.call.python_syntax: what Python's syntax means for tensors
cdef record_t record  # flambeau_tensor.abi, for flambeau_autograd: runs the kernel, and gives the results a history
cdef release_t release  # flambeau_tensor.abi, for flambeau_autograd: what a tensor that goes does with its accumulator

# --- functions in Python --------------------------------------------------------------------------------------------
cdef class Sockets:
    cdef public object as_array  # flambeau_tensor._kernels.interop: tensor -> ndarray, to print it
    cdef public object as_buffer  # flambeau_tensor._kernels.interop: tensor -> ndarray, for the buffer protocol
    cdef public object from_operand  # flambeau_tensor._kernels.interop: NumPy's array or number -> tensor or number
    cdef public object construct  # flambeau_tensor.ops.factories: what torch.Tensor(...) makes
    cdef public object renormalize  # flambeau_tensor.ops.gathering: (weight, index, max_norm, norm_type), in place
    cdef public object scatter_mean  # flambeau_tensor.ops.gathering: (input, dim, index, src, include_self) -> mean
    cdef public object default_handler  # flambeau_tensor.subclassing: types that inherit it override none
    cdef public object forms_of  # flambeau: op -> what it is in torch.ops.aten, see _core.call.dispatching
    cdef public object compile_module  # flambeau: (module, options), whose calls run compiled from then on
    cdef public object decompositions  # flambeau: op -> the function that stands for it, or None
    cdef public object become  # flambeau_autograd._engine.graph.inplace: (tensor, view), its history; None: nothing
    cdef public object check_read  # flambeau_autograd._engine.levels.dispatch: (tensor, who reads); None: all may
    cdef public object describe_layers  # flambeau_autograd._engine.levels.dispatch: tensor -> (text or None, suffixes)
    cdef public object family_declared  # flambeau_autograd.derivatives: (module of a late family) -> its rules; or None
    cdef public object operator_changed  # flambeau_cext.ops: op, which was declared or forgotten; None: nobody listens
    cdef readonly dict providers  # flambeau: prefix of operators' names -> the module that declares them

cdef Sockets sockets
