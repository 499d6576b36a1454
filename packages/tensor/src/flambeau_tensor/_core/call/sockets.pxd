"""All calls from lower code to higher code.

A socket is a variable that lower code calls and a higher module fills when it is imported. Each comment names the
module that fills the socket, and the socket's function. To call higher code, add a line here; tests check that
functions are passed downward in no other way, and that the named module fills each socket.
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

cdef general_t call_general  # flambeau_tensor._core.call.binding: the whole path of a call with any arguments
cdef general_t call_overloaded  # flambeau_tensor._core.call.binding: the same for several schemas (an OverloadSet)
cdef for_subclass_t call_for_subclass  # flambeau_tensor._core.call.binding: for a subclass that overrides nothing
cdef run_t resolve_and_run  # flambeau_tensor._core.call.meta: step 4, if kernels cannot read the arguments
cdef run_t decompose  # flambeau_tensor._core.call.dispatching: the operators that `__torch_dispatch__` sees instead
cdef declare_t declare  # flambeau_tensor._core.schema.registry: registers a new operator under its names
cdef find_t find  # flambeau_tensor._core.schema.registry: the operator with a qualified name
cdef syntax_call call_syntax  # flambeau_tensor._core.call.python_syntax: Python's syntax on tensors
cdef record_t record  # flambeau_tensor.abi, for flambeau_autograd: runs the kernel and gives the results a history
cdef release_t release  # flambeau_tensor.abi, for flambeau_autograd: releases the accumulator of a tensor that is freed

# --- functions in Python --------------------------------------------------------------------------------------------
cdef class Sockets:
    cdef public object as_array  # flambeau_tensor._kernels.interop: tensor -> ndarray, for printing
    cdef public object as_buffer  # flambeau_tensor._kernels.interop: tensor -> ndarray, for the buffer protocol
    cdef public object from_operand  # flambeau_tensor._kernels.interop: NumPy's array or number -> tensor or number
    cdef public object construct  # flambeau_tensor.ops.factories: implements torch.Tensor(...)
    cdef public object renormalize  # flambeau_tensor.ops.gathering: (weight, index, max_norm, norm_type), in place
    cdef public object scatter_mean  # flambeau_tensor.ops.gathering: (input, dim, index, src, include_self) -> mean
    cdef public object default_handler  # flambeau_tensor.subclassing: types that inherit it override nothing
    cdef public object forms_of  # flambeau: op -> its forms in torch.ops.aten, see _core.call.dispatching
    cdef public object compile_module  # flambeau: (module, options); calls of the module then run compiled
    cdef public object decompositions  # flambeau: op -> the function that replaces it, or None
    cdef public object become  # flambeau_autograd._engine.graph.inplace: (tensor, view), sets the history; None: no-op
    cdef public object check_read  # flambeau_autograd._engine.levels.dispatch: (tensor, who reads); None: no check
    cdef public object describe_layers  # flambeau_autograd._engine.levels.dispatch: tensor -> (text or None, suffixes)
    cdef public object family_declared  # flambeau_autograd.derivatives: (module of a lazy family) -> its rules; or None
    cdef public object operator_changed  # flambeau_cext.ops: op, which was declared or removed; None: no-op
    cdef readonly dict providers  # flambeau: prefix of operator names -> the module that declares them

cdef Sockets sockets
