# The calling thread's modes and the switches that turn overriding off; other packages find both in abi.pxd.

from cpython.object cimport PyObject

# --- modes

# The number of modes that are pushed in all threads together; a consumer keeps the pointer and reads it on every call.
cdef int* active_modes_ptr() noexcept nogil
cdef bint modes_active() noexcept nogil
# Whether a mode of this thread is to be asked for `func`; worth its price only while modes are active.
cdef bint mode_handles(object func) noexcept

# --- switches of the calling thread; pushes and pops nest

cdef bint subclass_disabled() noexcept nogil
cdef int push_disabled() noexcept nogil  # how often it was pushed before
cdef void pop_disabled() noexcept nogil
cdef bint all_disabled() noexcept nogil
cdef void push_all_disabled() noexcept nogil
cdef void pop_all_disabled() noexcept nogil

# --- for `_dispatch`

# A handler that is running: enough to see that it was entered before with the same arguments, and to put the modes
# back that its caller had.
cdef struct Running:
    PyObject* func
    PyObject* args
    PyObject* kwargs
    PyObject* owner  # the mode, or the type that the handler belongs to
    PyObject* modes  # the modes that are set aside meanwhile, or NULL
    int subclass_disabled
    int all_disabled


cdef class ThreadState:
    cdef list modes
    cdef list handled  # for each mode: the container of the functions that it handles, or None for all
    cdef int counted  # how many of _active_modes are ours
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
cdef PyObject* thread_if_any() noexcept  # NULL while the thread has had nothing to remember; borrowed
cdef bint has_mode() noexcept
# Whether the function that asks is the one that redispatch_function() called; answers so once.
cdef bint take_skip() noexcept
