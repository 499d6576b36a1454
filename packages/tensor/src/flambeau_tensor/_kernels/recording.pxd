"""For kernels of compositions, which take a short way where no operator has to be called: whether one has to."""
from flambeau_tensor._core.thread_state cimport thread_state
from flambeau_tensor._core.types cimport *


cdef inline bint recorded(unsigned int flags) noexcept:
    """Whether operators called with tensors of these flags (ORed) would be seen by autograd or a transform, or would
    resolve them first."""
    if flags & (REQUIRES_GRAD | LAYERED | LAZY) == 0 and not thread_state().transforming:
        return False
    return flags & (LAYERED | LAZY) != 0 or thread_state().grad_enabled or thread_state().transforming
