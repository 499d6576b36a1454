# cython: language_level=3
"""Turn recording on and off, with contexts and decorators.

The contexts only write to the thread's flags, so entering and leaving one costs about as much as the ``with`` statement
itself. Each use as a decorator enters a new context; a suspended generator function is outside its context.
"""
from cpython.object cimport PyObject, newfunc

from flambeau_tensor.abi cimport ThreadFlags, thread_flags

from flambeau_autograd._engine.levels.level cimport inside
from flambeau_autograd._engine.refs cimport tuple_item, tuple_size

import numpy as np

cdef extern from "Python.h":
    ctypedef struct FullType "PyTypeObject":
        newfunc tp_new
        void* tp_vectorcall


cdef bint _recorded(bint grad, bint inference) except -1:
    """Whether to record: inference mode disables recording, except in a transform that differentiates inside it."""
    return grad and (not inference or inside())


cdef class GradMode:
    """Base class of the contexts, which stores the state to restore."""

    cdef bint previous, previous_inference
    cdef object stack  # saved states, if one object is entered again before it is left
    cdef bint entered

    def __call__(self, function):
        """Use as a decorator."""
        from flambeau_autograd.grad_mode import decorate

        return decorate(self, function)

    cdef int enter(self, bint grad, bint inference) except -1:
        cdef ThreadFlags* t = thread_flags()
        if self.entered:
            if self.stack is None:
                self.stack = []
            self.stack.append((self.previous, self.previous_inference))
        self.entered = True
        self.previous, self.previous_inference = t.grad_enabled, t.inference
        t.grad_enabled, t.inference = _recorded(grad, inference), inference
        return 0

    cdef int leave(self) except -1:
        cdef ThreadFlags* t = thread_flags()
        t.grad_enabled, t.inference = self.previous, self.previous_inference
        if self.stack:
            self.previous, self.previous_inference = self.stack.pop()
        else:
            self.entered = False
        return 0

    def __exit__(self, kind, value, traceback):
        self.leave()


cdef class no_grad(GradMode):
    """Turn recording off: results do not require grad, even if inputs do.

    Works as a context and as a decorator, and affects the calling thread.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __enter__(self):
        self.enter(False, thread_flags().inference)

    def clone(self):
        return no_grad()


cdef class enable_grad(GradMode):
    """Turn recording on, for example inside ``no_grad``. Works as a context and as a decorator.

    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     print((2 * x).requires_grad)
    True
    """

    def __enter__(self):
        self.enter(True, thread_flags().inference)

    def clone(self):
        return enable_grad()


cdef class set_grad_enabled(GradMode):
    """Turn recording on or off: immediately if called as a function, until the end of the block as a context.

    Raises:
        TypeError: the mode is not a bool.

    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.set_grad_enabled(False):
    ...     print((2 * x).requires_grad)
    False
    """

    cdef public bint mode

    def __init__(self, mode):
        if not isinstance(mode, (bool, np.bool_)):
            raise TypeError("set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                            f"{type(mode).__name__}")
        self.mode = mode
        self.enter(self.mode, thread_flags().inference)

    def __call__(self, function):
        self.leave()
        return GradMode.__call__(self, function)

    def __enter__(self):
        if not self.entered:
            self.enter(self.mode, thread_flags().inference)

    def clone(self):
        return _Recording(self.mode)

    def __repr__(self):
        return f"set_grad_enabled(mode={bool(self.mode)})"


cdef class _Recording(GradMode):
    cdef bint mode

    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        self.enter(self.mode, thread_flags().inference)


cdef class inference_mode(GradMode):
    """Like ``no_grad``; in addition, tensors created inside can never be part of a recorded computation.

    >>> with torch.inference_mode():
    ...     y = torch.ones(1) * 2
    >>> y.is_inference(), y.requires_grad
    (True, False)
    """

    cdef public bint mode

    def __init__(self, mode=True):
        self.mode = mode

    def __enter__(self):
        self.enter(not self.mode, self.mode)

    def clone(self):
        return inference_mode(self.mode)


def switches(state=None):
    """Return this thread's (grad mode, inference mode, transform depth, kernel count), set to ``state`` if given."""
    cdef ThreadFlags* t = thread_flags()
    if state is not None:
        t.grad_enabled, t.inference, t.transform_depth, t.kernels = state
    return t.grad_enabled, t.inference, t.transform_depth, t.kernels


def is_grad_enabled():
    """Whether this thread records.

    >>> with torch.no_grad():
    ...     print(torch.is_grad_enabled())
    False
    """
    return thread_flags().grad_enabled != 0


def is_inference_mode_enabled():
    """Whether this thread is in inference mode.

    >>> torch.is_inference_mode_enabled()
    False
    """
    return thread_flags().inference != 0


def _set_grad_enabled(bint mode):
    thread_flags().grad_enabled = _recorded(mode, thread_flags().inference)


# `@no_grad` without parentheses: a call of the class with a function decorates the function.

cdef newfunc _make_no_grad = (<FullType*>no_grad).tp_new
cdef newfunc _make_enable_grad = (<FullType*>enable_grad).tp_new
cdef newfunc _make_inference_mode = (<FullType*>inference_mode).tp_new
cdef tuple _nothing = ()


cdef object _construct(type cls, PyObject* args, PyObject* kwargs):
    cdef newfunc make = _make_no_grad
    if cls is inference_mode:
        make = _make_inference_mode
    elif cls is enable_grad:
        make = _make_enable_grad
    function = None
    if tuple_size(args) == 1 and kwargs == NULL:
        function = <object>tuple_item(args, 0)
    elif kwargs != NULL and tuple_size(args) == 0 and cls is inference_mode and len(<dict>kwargs) == 1:
        function = (<dict>kwargs).get("mode")
    if callable(function) and not isinstance(function, (bool, int)):
        return (<GradMode>cls())(function)
    return make(cls, args, kwargs)


for _cls in (no_grad, enable_grad, inference_mode):
    (<FullType*>_cls).tp_new = <newfunc><void*>_construct
    (<FullType*>_cls).tp_vectorcall = NULL  # would create an instance without calling tp_new
