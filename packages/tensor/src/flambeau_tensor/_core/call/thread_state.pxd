"""What the calling thread is doing, below everything that asks: kernels, copying, the operators' call path."""

from cpython.object cimport PyObject

cdef struct ThreadState:
    bint grad_enabled
    bint inference
    int transform_depth  # how many levels of transforms and forward mode the thread is in
    int kernels  # how many kernels written in Python are running: what they call is not recorded
    int handlers  # how many were when the innermost `__torch_dispatch__` was called: these calls are handed over, too
    unsigned int dispatching  # DISPATCH while a mode hears of calls below autograd, else 0
    PyObject* modes  # a list of these modes, owned; NULL: none
    PyObject* tracer  # the Tracer that writes down what kernels run, owned by who entered it; NULL: none

cdef ThreadState* thread_state() noexcept nogil
