# cython: language_level=3
"""The entry point of compiled programs: a Compiled is called by users. It tries its entries, and calls Python if none
matches."""
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_XDECREF

from flambeau_overrides.abi cimport OVERRIDES_ABI, active_modes_ptr
from flambeau_tensor.abi cimport ThreadFlags, thread_flags
from flambeau_tensor.compute cimport default_float

from flambeau_compile._arguments cimport MOST_TENSORS
from flambeau_compile._entry cimport INFERENCE_STATE, Call, Entry, whole_of

from flambeau_autograd.extend import anomaly_address, any_hooks_address, hooks_of_thread
from flambeau_overrides.abi import require as require_overrides

from flambeau_compile._entry import BUSY, OTHER

require_overrides(OVERRIDES_ABI, "flambeau-compile")

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)
    PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    void PyType_Modified(PyTypeObject*)
    unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    object vectorcall_tp_call "PyVectorcall_Call"(object, object, object)
    ctypedef struct FullType "PyTypeObject":
        unsigned long tp_flags
        Py_ssize_t tp_vectorcall_offset
        object (*tp_call)(object, object, object)

cdef int* _modes = active_modes_ptr()
cdef int* _anomaly = <int*><size_t>anomaly_address()
cdef int* _saved_hooks = <int*><size_t>any_hooks_address()
cdef object _BUSY = BUSY, _OTHER = OTHER


# --- the thread -----------------------------------------------------------------------------------------------------

cdef bint _packs_saved_tensors() noexcept:
    """Whether this thread has hooks on saved tensors; a program saves other tensors than the function."""
    return any([not isinstance(hooks, str) for hooks in hooks_of_thread()])


cdef inline unsigned long long _word() noexcept:
    """Return the thread state that programs depend on as a word; 0 if compiled programs must not run."""
    cdef ThreadFlags* state = thread_flags()
    if state.transform_depth or state.dispatching or state.kernels or _modes[0] or \
            _anomaly[0] or (_saved_hooks[0] and _packs_saved_tensors()):
        return 0
    return 1 | <unsigned long long>(state.grad_enabled != 0) << 1 | (INFERENCE_STATE if state.inference else 0) | \
        <unsigned long long>default_float() << 8


def thread_word():
    """Return the thread state that programs depend on: grad mode, inference mode, default dtype.

    It is 0 inside transforms, modes, kernels and hooks on saved tensors, where compiled programs do not run.
    """
    return _word()


ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*)


cdef class Compiled:
    """A callable that replaces a function.

    Args:
        function: the original function.
        miss: called with (args, kwargs) if no entry matches.
    """
    cdef vectorcallfunc vectorcall
    cdef public object function, miss
    cdef public object about  # information for Python code
    cdef public list entries
    cdef public bint disabled
    cdef public long resting  # number of next calls that run eagerly if no entry is valid, without a call of `miss`
    cdef dict __dict__
    cdef object __weakref__

    def __init__(self, function, miss):
        self.vectorcall = <vectorcallfunc>_call
        self.function, self.miss, self.entries = function, miss, []

    def __reduce_ex__(self, protocol):
        return self.about.reduced()

    def __copy__(self):
        return self

    def __deepcopy__(self, memory):
        return self.about.copied(memory)

    def __get__(self, instance, owner):
        if instance is None:
            return self
        from types import MethodType

        return MethodType(self, instance)


cdef object _call(Compiled self, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    cdef Call call
    call.args, call.n, call.kwnames = args, PyVectorcall_NARGS(nargsf), kwnames
    call.whole = call.numbers = NULL
    try:
        if not self.disabled:
            result = _run_entry(self, &call)
            if result is not _BUSY:
                return result
        result = <object>PyObject_Vectorcall(<PyObject*>self.function, args, nargsf, kwnames)
        Py_XDECREF(<PyObject*>result)  # a new reference, in addition to the one of the variable
        return result
    finally:
        Py_XDECREF(call.whole)
        Py_XDECREF(call.numbers)


cdef object _run_entry(Compiled self, Call* call):
    """Run the first entry that matches, otherwise `miss`; BUSY means that the function itself must be called."""
    cdef PyObject* tensors[MOST_TENSORS]
    cdef unsigned long long word = _word()
    cdef Entry e
    cdef int i
    if word == 0:
        return _BUSY
    for e in self.entries:
        if e.state != word or not e.fits(call, tensors) or not e.holds(tensors):
            continue
        if e.eager:
            e.hits += 1
            return _BUSY
        if e.joint is None:
            result = e.run(tensors)
        else:
            args, kwargs = whole_of(call)
            result = e.joint.call(e, [<object>tensors[i] for i in range(e.nargs)], args, kwargs)
        if result is not _OTHER:
            e.hits += 1
            return result
    if self.resting > 0:
        self.resting -= 1
        return _BUSY
    args, kwargs = whole_of(call)
    return self.miss(args, kwargs)


def _prepare():
    cdef Compiled c = Compiled.__new__(Compiled)
    cdef FullType* t = <FullType*><PyObject*>Compiled
    t.tp_vectorcall_offset = <char*>&c.vectorcall - <char*><PyObject*>c
    t.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
    t.tp_call = vectorcall_tp_call
    PyType_Modified(<PyTypeObject*>Compiled)


_prepare()
