"""State of a thread: its modes, its running handlers, and the switches that turn overriding off."""

cimport cython
from cpython.exc cimport PyErr_Clear
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF

from flambeau_overrides.registry import display_name


cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define FLAMBEAU_THREAD_LOCAL __declspec(thread)
    #elif defined(__GLIBC__)  /* glibc reserves a few bytes for every library: a load instead of a call */
    #define FLAMBEAU_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
    #else
    #define FLAMBEAU_THREAD_LOCAL _Thread_local
    #endif

    static FLAMBEAU_THREAD_LOCAL int flambeau_subclass_disabled = 0;
    static FLAMBEAU_THREAD_LOCAL int flambeau_all_disabled = 0;
    static FLAMBEAU_THREAD_LOCAL PyObject *flambeau_thread = NULL;
    """
    int tls_subclass_disabled "flambeau_subclass_disabled"
    int tls_all_disabled "flambeau_all_disabled"
    PyObject* tls_thread "flambeau_thread"


cdef extern from "Python.h":
    PyObject* _PyType_Lookup(PyTypeObject*, PyObject*)
    PyTypeObject* Py_TYPE(PyObject*)
    PyObject* PyThreadState_GetDict()
    int PySequence_Contains(PyObject*, PyObject*) noexcept  # -1 if it raised


cdef int _active_modes = 0


# --- state of a thread -----------------------------------------------------------------------------------------------

@cython.final
cdef class ThreadState:
    """The modes and running handlers of one thread, stored in the interpreter's dictionary of the thread."""

    def __cinit__(self):
        self.modes = []
        self.handled = []

    def __dealloc__(self):
        global _active_modes, tls_thread
        _active_modes -= self.counted
        if tls_thread == <PyObject*>self:
            tls_thread = NULL
        while self.depth > 0:
            self.leave()
        PyMem_Free(self.running)

    cdef void recount(self) noexcept:
        global _active_modes
        _active_modes += <int>PyList_GET_SIZE(self.modes) - self.counted
        self.counted = <int>PyList_GET_SIZE(self.modes)

    cdef int push(self, object mode) except -1:
        handled = getattr(mode, "__torch_function_handles__", None)
        self.modes.append(mode)
        self.handled.append(handled)
        self.recount()
        return 0

    cdef object pop(self):
        mode = self.modes.pop()
        self.handled.pop()
        self.recount()
        return mode

    cdef list cut(self, Py_ssize_t start):
        cdef list removed = self.modes[start:]
        del self.modes[start:]
        del self.handled[start:]
        self.recount()
        return removed

    cdef int extend(self, list modes) except -1:
        for mode in modes:
            self.push(mode)
        return 0

    cdef Py_ssize_t handler_of(self, object func) noexcept:
        """Return the index of the innermost mode that handles func, or -1."""
        cdef Py_ssize_t i = PyList_GET_SIZE(self.modes)
        cdef PyObject* handled
        cdef int found
        if tls_all_disabled:
            return -1
        while i > 0:
            i -= 1
            handled = PyList_GET_ITEM(self.handled, i)
            if handled == <PyObject*>None:
                return i
            found = PySequence_Contains(handled, <PyObject*>func)
            if found < 0:  # func is unhashable, or the container raises: call the mode and let it decide
                PyErr_Clear()
            if found != 0:
                return i
        return -1

    cdef int enter(self, object func, tuple args, dict kwargs, object owner, list modes) except -1:
        cdef Running* frame
        if self.depth == self.capacity:
            frame = <Running*>PyMem_Realloc(self.running, (2 * self.capacity + 8) * sizeof(Running))
            if frame == NULL:
                raise MemoryError
            self.running = frame
            self.capacity = 2 * self.capacity + 8
        # Infinite recursion is checked at every eighth level only: a handler may legitimately call its function again
        # once or twice (guarded by a flag, for example), and shallow calls should not pay for the check.
        if self.depth > 0 and self.depth % 8 == 0 and self.entered(func, args, kwargs, owner) >= 4:
            _raise_self_call(func, owner)
        frame = &self.running[self.depth]
        frame.func, frame.args, frame.kwargs, frame.owner = (
            <PyObject*>func, <PyObject*>args, <PyObject*>kwargs, <PyObject*>owner)
        frame.modes = NULL if modes is None else <PyObject*>modes
        frame.subclass_disabled, frame.all_disabled = tls_subclass_disabled, tls_all_disabled
        Py_INCREF(func)
        Py_INCREF(args)
        Py_INCREF(kwargs)
        Py_INCREF(owner)
        if modes is not None:
            Py_INCREF(modes)
        self.depth += 1
        return 0

    cdef void leave(self) noexcept:
        cdef Running frame
        self.depth -= 1
        frame = self.running[self.depth]
        Py_XDECREF(frame.func)
        Py_XDECREF(frame.args)
        Py_XDECREF(frame.kwargs)
        Py_XDECREF(frame.owner)
        Py_XDECREF(frame.modes)

    cdef Py_ssize_t entered(self, object func, tuple args, dict kwargs, object owner) except -1:
        """Count the entries of the same handler with the same arguments among the last 64 running handlers."""
        cdef Py_ssize_t i, count = 0
        cdef Running* frame
        for i in range(max(0, self.depth - 64), self.depth):
            frame = &self.running[i]
            if (frame.func == <PyObject*>func and frame.owner == <PyObject*>owner
                    and _same(args, <object>frame.args, 1) and _same(kwargs, <object>frame.kwargs, 1)):
                count += 1
        return count


cdef bint _same(object a, object b, int nested) except -1:
    """Whether a and b are the same object, or containers of the same objects down to `nested` levels."""
    cdef Py_ssize_t i
    if a is b:
        return True
    if type(a) is not type(b) or nested < 0:
        return False
    if type(a) is dict:
        if len(a) != len(b):
            return False
        for key, value in (<dict>a).items():
            if key not in <dict>b or not _same(value, (<dict>b)[key], nested - 1):
                return False
        return True
    if type(a) is tuple or type(a) is list:
        if len(a) != len(b):
            return False
        for i in range(len(a)):
            if not _same(a[i], b[i], nested - 1):
                return False
        return True
    return False


cdef int _raise_self_call(object func, object owner) except -1:
    if isinstance(owner, type):
        advice = ("call super().__torch_function__(func, types, args, kwargs) if the class inherits one, or convert "
                  "the arguments before you call it")
    else:
        owner = type(owner)
        advice = "call it outside of `with self`"
    raise RecursionError(f"{owner.__name__}.__torch_function__ calls '{display_name(func)}' again on the arguments "
                         f"that it was given, which leads straight back to it: {advice}")


cdef ThreadState this_thread():
    global tls_thread
    cdef ThreadState state
    cdef PyObject* threads_own
    if tls_thread != NULL:
        return <ThreadState>tls_thread
    threads_own = PyThreadState_GetDict()
    if threads_own == NULL:
        raise RuntimeError("flambeau_overrides needs a Python thread")
    state = ThreadState()
    (<dict>threads_own)["flambeau_overrides"] = state
    tls_thread = <PyObject*>state
    return state


cdef PyObject* thread_if_any() noexcept:
    return tls_thread


# --- modes and switches ----------------------------------------------------------------------------------------------

cdef int* active_modes_ptr() noexcept nogil:
    return &_active_modes


cdef bint modes_active() noexcept nogil:
    return _active_modes != 0


cdef bint mode_handles(object func) noexcept:
    return tls_thread != NULL and (<ThreadState>tls_thread).handler_of(func) >= 0


cdef bint subclass_disabled() noexcept nogil:
    return tls_subclass_disabled != 0


cdef int push_disabled() noexcept nogil:
    global tls_subclass_disabled
    tls_subclass_disabled += 1
    return tls_subclass_disabled - 1


cdef void pop_disabled() noexcept nogil:
    global tls_subclass_disabled
    tls_subclass_disabled -= 1


cdef bint all_disabled() noexcept nogil:
    return tls_all_disabled != 0


cdef void push_all_disabled() noexcept nogil:
    # Increments both counters, so that the hot path tests one of them.
    global tls_subclass_disabled, tls_all_disabled
    tls_subclass_disabled += 1
    tls_all_disabled += 1


cdef void pop_all_disabled() noexcept nogil:
    global tls_subclass_disabled, tls_all_disabled
    tls_subclass_disabled -= 1
    tls_all_disabled -= 1


cdef class DisableTorchFunctionSubclass:
    """Context manager in which no type's `__torch_function__` is called in this thread; modes still are.

    >>> from flambeau_overrides import DisableTorchFunctionSubclass, overridable
    >>> class Other:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return "Other"
    >>> @overridable
    ... def kind(x):
    ...     return type(x).__name__ + ", not overridden"
    >>> with DisableTorchFunctionSubclass():
    ...     print(kind(Other()))
    Other, not overridden
    """

    cdef int entered

    def __enter__(self):
        self.entered += 1
        push_disabled()

    def __exit__(self, *exc_info):
        if self.entered:
            self.entered -= 1
            pop_disabled()


cdef class DisableTorchFunction:
    """Context manager in which neither types nor modes override anything in this thread.

    >>> from flambeau_overrides import DisableTorchFunction, overridable
    >>> class Other:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return "Other"
    >>> @overridable
    ... def kind(x):
    ...     return type(x).__name__ + ", not overridden"
    >>> with DisableTorchFunction():
    ...     print(kind(Other()))
    Other, not overridden
    """

    cdef int entered

    def __enter__(self):
        self.entered += 1
        push_all_disabled()

    def __exit__(self, *exc_info):
        if self.entered:
            self.entered -= 1
            pop_all_disabled()


def push_mode(mode):
    """Make `mode` the innermost mode of this thread.

    Raises TypeError for an object whose type has no `__torch_function__`, RuntimeError for one that defines it as a
    class method.
    """
    cdef PyObject* found = _PyType_Lookup(Py_TYPE(<PyObject*>mode), <PyObject*>"__torch_function__")
    if found == NULL:
        raise TypeError(f"a mode must define __torch_function__, and {type(mode).__name__} does not")
    if isinstance(<object>found, classmethod):
        raise RuntimeError("Defining your mode's `__torch_function__` as a classmethod is not supported, "
                           "please make it a plain method")
    this_thread().push(mode)


def pop_mode():
    """Remove the innermost mode of this thread and return it."""
    cdef ThreadState state = this_thread()
    if not state.modes:
        raise RuntimeError("trying to pop from empty mode stack")
    return state.pop()


def remove_mode(mode):
    """Remove the innermost occurrence of `mode` from the modes of this thread.

    It may not be the innermost mode: blocks of generators and coroutines can end in another order than they began.
    """
    cdef ThreadState state = this_thread()
    cdef Py_ssize_t i = len(state.modes)
    while i > 0:
        i -= 1
        if state.modes[i] is mode:
            del state.modes[i]
            del state.handled[i]
            state.recount()
            return
    raise RuntimeError(f"{type(mode).__name__} is not among the active modes of this thread")


def mode_stack():
    """The modes of this thread, outermost first."""
    return [] if tls_thread == NULL else list((<ThreadState>tls_thread).modes)


def is_enabled():
    """Whether types may override in this thread."""
    return not subclass_disabled()


def switches(state=None):
    """Return the counters behind the two Disable classes as a pair; an argument replaces them."""
    global tls_subclass_disabled, tls_all_disabled
    before = (tls_subclass_disabled, tls_all_disabled)
    if state is not None:
        tls_subclass_disabled, tls_all_disabled = state
    return before


# A mode's block begins and ends in one compiled step: an interrupt may come at any call and any line of Python.

def enter_mode(self):
    """`__enter__` of modes."""
    push_mode(self)
    return self


def leave_mode(self, exc_type, exc_value, traceback):
    """`__exit__` of modes."""
    remove_mode(self)


def block_of(make):
    """Return `__enter__` and `__exit__` for objects whose block runs in a mode, which ``make(self)`` creates.

    The end of a block leaves the innermost mode. Interrupts come before or after these functions, which are compiled.
    """
    def enter(self):
        push_mode(make(self))
        return self

    def leave(self, kind=None, value=None, traceback=None):
        pop_mode()

    return enter, leave


class Guarded:
    """A block that `_enter()` begins, which returns what `_leave(state)` needs to end it.

    An interrupt in `_leave`, which may be repeated, comes after the block has ended.
    """

    def __enter__(self):
        self._entered.append(self._enter())
        return self

    def __exit__(self, kind, value, traceback):
        state = self._entered.pop()
        try:
            self._leave(state)
        except BaseException:
            self._leave(state)
            raise
        return False


cdef class Reentered:
    """Context manager that restores the modes and switches with which the running handler's function was called."""

    cdef object before

    def __enter__(self):
        global tls_subclass_disabled, tls_all_disabled
        cdef ThreadState state = this_thread()
        cdef Running* frame
        if state.depth == 0:
            raise RuntimeError("Accessing torch dispatch state outside of '__torch_function__' is not allowed.")
        self.before = (list(state.modes), tls_subclass_disabled, tls_all_disabled)
        frame = &state.running[state.depth - 1]
        if frame.modes != NULL:
            state.extend(<list>frame.modes)
        tls_subclass_disabled, tls_all_disabled = frame.subclass_disabled, frame.all_disabled

    def __exit__(self, *exc_info):
        global tls_subclass_disabled, tls_all_disabled
        cdef ThreadState state = this_thread()
        modes, tls_subclass_disabled, tls_all_disabled = self.before
        state.cut(0)
        state.extend(modes)


cdef class Enabled:
    """Context manager that undoes the `Disable` classes."""

    cdef object before

    def __enter__(self):
        self.before = switches((0, 0))

    def __exit__(self, *exc_info):
        switches(self.before)


cdef class SetAside:
    """Context manager that sets the innermost mode aside; its variable is the mode."""

    cdef object mode

    def __enter__(self):
        self.mode = pop_mode()
        return self.mode

    def __exit__(self, *exc_info):
        push_mode(self.mode)


# --- what functions written in Python ask ----------------------------------------------------------------------------

cdef bint take_skip() noexcept:
    # A function written in Python calls has_torch_function() first, which does not know the function.
    if tls_thread == NULL or (<ThreadState>tls_thread).skip == NULL:
        return False
    (<ThreadState>tls_thread).skip = NULL
    return True


cdef bint has_mode() noexcept:
    return (_active_modes != 0 and tls_thread != NULL and not tls_all_disabled
            and PyList_GET_SIZE((<ThreadState>tls_thread).modes) != 0)
