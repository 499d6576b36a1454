# The calling thread's modes, and the switches that turn overriding off. Other packages access both through abi.pxd.

from cpython.object cimport PyObject

# --- modes

# The number of active modes in all threads together. A consumer keeps the pointer and reads it on every call.
cdef int* active_modes_ptr() noexcept nogil
cdef bint modes_active() noexcept nogil
# Whether a mode of this thread handles `func`. Worth the cost only while modes are active.
cdef bint mode_handles(object func) noexcept

# --- switches of the calling thread; pushes and pops nest

cdef bint subclass_disabled() noexcept nogil
cdef int push_disabled() noexcept nogil  # returns the previous count
cdef void pop_disabled() noexcept nogil
cdef bint all_disabled() noexcept nogil
cdef void push_all_disabled() noexcept nogil
cdef void pop_all_disabled() noexcept nogil

# --- for `_dispatch`

# A running handler. The record suffices to detect that the handler was entered before with the same arguments, and to
# restore its caller's modes.
cdef struct Running:
    PyObject* func
    PyObject* args
    PyObject* kwargs
    PyObject* owner  # the mode, or the type that defines the handler
    PyObject* modes  # the modes that are set aside while it runs, or NULL
    int subclass_disabled
    int all_disabled


cdef class ThreadState:
    cdef list modes
    cdef list handled  # for each mode, the container of the functions that it handles, or None for all functions
    cdef int counted  # this thread's contribution to _active_modes
    cdef PyObject* skip  # the function that redispatch_function() is about to call; borrowed
    # Not a linked list of C frames: coroutine libraries that switch C stacks would leave it dangling.
    cdef Running* running
    cdef Py_ssize_t depth
    cdef Py_ssize_t capacity

    cdef void recount(self) noexcept
    cdef int push(self, object mode) except -1
    cdef object pop(self)
    cdef list cut(self, Py_ssize_t start)
    cdef int extend(self, list modes) except -1
    cdef Py_ssize_t handler_of(self, object func) noexcept
    cdef int enter(self, object func, tuple args, dict kwargs, object owner, list modes) except -1
    cdef void leave(self) noexcept
    cdef Py_ssize_t entered(self, object func, tuple args, dict kwargs, object owner) except -1

cdef ThreadState this_thread()
cdef PyObject* thread_if_any() noexcept  # NULL until the thread needs state; borrowed
cdef bint has_mode() noexcept
# True once after redispatch_function(): the function that asks is then the one that it called.
cdef bint take_skip() noexcept
