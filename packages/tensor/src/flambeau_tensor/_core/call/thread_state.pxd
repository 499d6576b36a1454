"""The state of the calling thread, below the code that reads it: kernels, copying, the call path of operators."""

from cpython.object cimport PyObject

cdef struct ThreadState:
    bint grad_enabled
    bint inference
    int transform_depth  # the number of active transform and forward-mode levels
    int kernels  # the number of running kernels written in Python; calls inside them are not recorded
    int handlers  # `kernels` when the innermost `__torch_dispatch__` was called; equal: calls are dispatched
    unsigned int dispatching  # DISPATCH while a dispatch mode or a tracer is active, else 0
    PyObject* modes  # the list of dispatch modes, owned; NULL: none
    PyObject* tracer  # the Tracer that records kernels, owned by the code that entered it; NULL: none

cdef ThreadState* thread_state() noexcept nogil
