"""For kernels that take a short way where nobody watches: whether somebody does."""
from flambeau_tensor._core.thread_state cimport thread_state
from flambeau_tensor._core.types cimport *


cdef inline bint recorded(unsigned int flags) noexcept:
    """Whether operators called with tensors of these flags (ORed) would be seen by autograd or a transform."""
    if flags & (REQUIRES_GRAD | LAYERED) == 0 and not thread_state().transforming:
        return False
    return flags & LAYERED != 0 or thread_state().grad_enabled or thread_state().transforming
