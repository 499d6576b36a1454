"""Support for recording in kernels: whether to call operators, and the `requires_grad=` of factories."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call cimport sockets
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY
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
