# cython: language_level=3
"""The Tracer: a record of the kernels that a thread runs, below overrides, autograd and transforms.

While a thread has a Tracer, the flag DISPATCH is set in ``ThreadState.dispatching``. Every call then takes the path of
calls with a ``__torch_dispatch__`` handler, and autograd uses operators for what it otherwise does in memory. A record
contains the operator, its bound arguments and its result. Tensors are recorded as Windows, because ``resize_``,
``set_`` and ``.data`` change the geometry of a tensor object. Compositions are not recorded, but the operators that
they call are, as are those that an operator with object state calls, such as ``backward``. Calls inside a kernel are
not recorded.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF

from flambeau_tensor._core.elementwise.dtype cimport dtype_object
from flambeau_tensor._core.call.operator cimport Operator
from flambeau_tensor._core.memory.storage cimport Storage
from flambeau_tensor._core.memory.tensor cimport Tensor, offset_of, plain_tuple
from flambeau_tensor._core.call.thread_state cimport ThreadState, thread_state
from flambeau_tensor._core.memory.types cimport *


cdef class Window:
    """The geometry and storage of a tensor at the time of recording.

    ``tensor`` is the object, ``storage`` its memory; ``offset`` (in elements), ``sizes`` and ``strides`` give its
    geometry; ``flags`` are the tensor's flags.
    """
    cdef readonly Tensor tensor
    cdef readonly Storage storage
    cdef readonly object dtype
    cdef readonly Py_ssize_t offset
    cdef readonly tuple sizes, strides
    cdef readonly unsigned int flags

    @property
    def address(self):
        """The address of the storage's memory, as a number."""
        return <size_t>self.storage.data

    @property
    def nbytes(self):
        """The size of the storage in bytes."""
        return self.storage.nbytes

    @property
    def is_lent(self):
        """Whether the memory belongs to another object: an array, a buffer, or another library's tensor."""
        return self.storage.owner is not None

    def __repr__(self):
        return f"<window {self.dtype} {self.sizes} of {id(self.storage):#x}>"


cdef Window window_of(Tensor t):
    cdef Window w = Window.__new__(Window)
    w.tensor, w.storage, w.dtype, w.offset = t, t.storage, dtype_object(t.dtype), offset_of(t)
    w.sizes, w.strides = plain_tuple(t.ndim, t.sizes), plain_tuple(t.ndim, t.strides)
    w.flags = t.flags
    return w


def window(Tensor tensor not None):
    """Return the current Window of a tensor."""
    return window_of(tensor)


cdef object _seen(object o):
    if isinstance(o, Tensor):
        return window_of(<Tensor>o)
    if isinstance(o, (tuple, list)):
        return tuple([_seen(each) for each in o])
    return o


cdef class Tracer:
    """Context manager that records this thread's kernels.

    ``records`` contains ``(operator, arguments, result)`` for each kernel that ran, in order, ``("failed", operator)``
    for each that raised an error, and the events that other code recorded in between. The arguments are in the
    schema's order, all filled in.

    >>> import flambeau_tensor as ft
    >>> with Tracer() as tracer:
    ...     y = ft.ones(2) + 1
    >>> [record[0].name for record in tracer.records]
    ['ones', 'add']
    """
    cdef readonly list records
    cdef PyObject* outer

    def __init__(self):
        self.records = []

    def __enter__(self):
        cdef ThreadState* state = thread_state()
        if state.tracer != NULL:
            raise RuntimeError("a Tracer is at work in this thread")
        Py_INCREF(self)
        state.tracer = <PyObject*>self
        state.dispatching = DISPATCH
        return self

    def __exit__(self, *exc):
        cdef ThreadState* state = thread_state()
        if state.tracer == <PyObject*>self:
            state.tracer = NULL
            state.dispatching = DISPATCH if state.modes != NULL else 0
            Py_DECREF(self)


class untraced:  # noqa: N801
    """Context manager in which this thread's Tracer records nothing."""

    def __enter__(self):
        cdef ThreadState* state = thread_state()
        self.tracer = None if state.tracer == NULL else <object>state.tracer
        if state.tracer != NULL:
            state.tracer, state.dispatching = NULL, DISPATCH if state.modes != NULL else 0

    def __exit__(self, *exc):
        cdef ThreadState* state = thread_state()
        if self.tracer is not None:
            state.tracer, state.dispatching = <PyObject*>self.tracer, DISPATCH


def is_tracing():
    """Whether this thread has a Tracer."""
    return thread_state().tracer != NULL


cdef object begin(Operator op, PyObject** slots):
    cdef ThreadState* state = thread_state()
    cdef Py_ssize_t i
    tracer = <object>state.tracer
    call = tracer, op, tuple([_seen(<object>slots[i]) for i in range(op.nslots)])
    state.tracer = NULL
    return call


cdef Tracer _resumed(object call):
    cdef Tracer tracer = <Tracer>call[0]
    thread_state().tracer = <PyObject*>tracer
    return tracer


cdef int end(object call, object result) except -1:
    _resumed(call).records.append((call[1], call[2], _seen(result)))
    return 0


cdef int failed(object call) except -1:
    _resumed(call).records.append(("failed", call[1]))
    return 0


def trace_event(event):
    """Record an event in this thread's Tracer, in order with the operators; without a Tracer, do nothing."""
    note(event)


cdef int note(object event) except -1:
    cdef ThreadState* state = thread_state()
    if state.tracer != NULL:
        (<Tracer>state.tracer).records.append(event)
    return 0


cdef int note_shown() except -1:
    """Record that code outside of kernels reads a tensor's memory; inside kernels, nothing is recorded."""
    return note(("refuse", "Python code or another library reads the memory of a tensor (printing, NumPy, DLPack)"))
