"""What the calling thread is doing, below everything that asks: kernels, copying, the operators' call path."""

cdef struct ThreadState:
    bint grad_enabled
    bint inference
    int transforming  # how many levels of transforms and forward mode the thread is in
    int kernels  # how many kernels written in Python are running: what they call is not recorded

cdef ThreadState* thread_state() noexcept nogil
