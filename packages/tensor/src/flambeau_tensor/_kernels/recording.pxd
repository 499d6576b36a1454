"""Support for recording in kernels: whether to call operators, and the `requires_grad=` and `out=` of factories."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call cimport sockets
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, dtype_object
from flambeau_tensor._core.memory.meta_device cimport INDIRECT
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.call.thread_state cimport ThreadState, thread_state
from flambeau_tensor._core.memory.types cimport *


cdef inline bint recorded(unsigned int flags) noexcept:
    """Whether operators must be called for tensors with these combined flags.

    That is so if autograd, a transform or a `__torch_dispatch__` would see the calls, or if tensors must be resolved
    first. Otherwise compositions compute directly."""
    cdef ThreadState* state = thread_state()
    flags |= state.dispatching
    if flags & (REQUIRES_GRAD | LAYERED | INDIRECT) == 0 and not state.transform_depth:
        return False
    return flags & (LAYERED | INDIRECT) != 0 or state.grad_enabled or state.transform_depth


cdef inline Tensor finished(Tensor t, PyObject* requires_grad):
    """Apply the `requires_grad=` of a factory to its result."""
    if requires_grad == Py_True:
        if CATEGORY[t.dtype] < CAT_FLOAT:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        if sockets.record == NULL:
            raise RuntimeError("requires_grad=True needs flambeau-autograd: pip install flambeau-autograd, and import "
                               "flambeau_autograd")
        t.flags |= REQUIRES_GRAD
    return t


cdef inline int check_out_dtype(Tensor out, int dtype) except -1:
    """Raise if the `dtype=` of a factory is not that of its `out=`."""
    if out.dtype != dtype:
        from flambeau_tensor._core.elementwise.dtype import type_name

        raise RuntimeError(f"dtype {type_name(dtype_object(dtype))} does not match dtype of out parameter "
                           f"({type_name(dtype_object(out.dtype))})")
    return 0
