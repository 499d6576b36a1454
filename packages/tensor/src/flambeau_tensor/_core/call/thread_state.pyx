# cython: language_level=3
"""The state of each thread; functions that read several fields fetch its address once."""

cdef extern from * nogil:
    """
    #if defined(_MSC_VER)
    #define FL_THREAD __declspec(thread)
    #elif defined(__GLIBC__)
    /* Every call of an operator reads it: without this model, each read would call a function of the loader. glibc
       reserves little space for such variables, and this one is small. */
    #define FL_THREAD __thread __attribute__((tls_model("initial-exec")))
    #else
    #define FL_THREAD __thread
    #endif
    typedef struct {
        int grad_enabled, inference, transform_depth, kernels, handlers;
        unsigned int dispatching;
        void *modes, *tracer;
    } fl_thread_state;
    static FL_THREAD fl_thread_state fl_state = {1, 0, 0, 0, 0, 0, NULL, NULL};
    """
    ctypedef struct fl_thread_state:
        pass
    fl_thread_state fl_state


cdef ThreadState* thread_state() noexcept nogil:
    return <ThreadState*>&fl_state


def is_inference_mode():
    """Whether this thread is in inference mode, whose results can never take part in recording."""
    return thread_state().inference != 0


def is_grad_enabled():
    """Whether this thread records."""
    return thread_state().grad_enabled != 0


def set_grad_mode(bint on):
    """Switch recording in this thread on or off; return the previous setting."""
    cdef ThreadState* state = thread_state()
    was = state.grad_enabled != 0
    state.grad_enabled = on
    return was
