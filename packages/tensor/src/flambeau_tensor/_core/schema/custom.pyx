# cython: language_level=3
"""Custom operators in Python: users' functions as kernels, with checks that the library's own kernels do not need.

A custom operator is an Operator like any other, in its own namespace (``torch.ops.mylib``). Its function may break the
schema, however: it may return something else, or return an argument.
"""
from cpython.list cimport PyList_CheckExact
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_SIZE

from flambeau_overrides.abi cimport (
    active_modes_ptr, collect_vector, dispatch_vectorcall, overridden, pop_disabled, push_disabled,
)

from flambeau_tensor._core.elementwise.operands cimport check_writable
from flambeau_tensor._core.call.operator cimport (
    OP_COMPOSITE, Kernel, Operator, call_lazily, is_bare_subclass, kernel_t,
)
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.call.thread_state cimport ThreadState, thread_state
from flambeau_tensor._core.memory.type_slots cimport enable_vectorcall
from flambeau_tensor._core.memory.types cimport *

cdef extern from "Python.h":
    object PyObject_Vectorcall(object, PyObject* const*, size_t, PyObject*)
    PyObject* _vectorcall "PyObject_Vectorcall"(object, PyObject* const*, size_t, PyObject*) noexcept
    Py_ssize_t PyVectorcall_NARGS(size_t)
    bint PyErr_ExceptionMatches(object) noexcept
    void decref "Py_DECREF"(PyObject*) noexcept

cdef extern from *:
    """
    static int fl_as_it_is(void) { return -1; }
    """
    int _as_it_is "fl_as_it_is"() except -1  # raises the current exception


cdef enum:
    GIVE_LIST = 1  # functions receive lists, as in PyTorch; kernels of the library receive tuples
    WRITES = 2


cdef class FunctionKernel(Kernel):
    """A Python function as the kernel of a custom operator.

    Args:
        function: receives the schema's arguments, those after ``*`` by keyword, and lists as lists.
        schema: the operator's schema.
        fresh: whether to check that results share no memory with arguments or with each other.
    """

    cdef readonly object function
    cdef readonly bint fresh
    cdef int npos, nargs, nreturns
    cdef tuple keywords
    cdef char[MAX_ARGS] marks
    cdef bint marked
    cdef tuple returns

    def __init__(self, function, schema, *, bint fresh=False):
        cdef int i
        if not callable(function):
            raise TypeError(f"a custom operator's kernel is a function, not {type(function).__name__}")
        self.run = <kernel_t>_run
        self.handles_out = True
        self.function, self.fresh = function, fresh
        self.nargs, self.npos = <int>len(schema.arguments), 0
        for i, a in enumerate(schema.arguments):
            self.marks[i] = (GIVE_LIST if a.is_list else 0) | (WRITES if a.write else 0)
            self.marked = self.marked or self.marks[i] != 0
            if not a.kwarg_only:
                self.npos = i + 1
        self.keywords = tuple([a.name for a in schema.arguments if a.kwarg_only]) or None
        self.returns = tuple([r.kind if r.kind in (K_TENSOR, K_TENSORS) else -1 for r in schema.returns])
        self.nreturns = <int>len(self.returns)

    def __repr__(self):
        return f"<kernel {self.function!r}>"


cdef object _call(FunctionKernel k, PyObject** slots):
    return PyObject_Vectorcall(k.function, slots, k.npos, <PyObject*>k.keywords if k.keywords is not None else NULL)


cdef object _run(Operator op, PyObject** slots):
    """Run the function below autograd and overrides: its calls are neither recorded nor overridden."""
    cdef FunctionKernel k = <FunctionKernel>op.implementation
    cdef ThreadState* state
    cdef PyObject* given[MAX_ARGS]
    cdef list keep
    cdef bint recording
    cdef int i
    if k.marked:
        keep = []
        for i in range(k.nargs):
            given[i] = slots[i]
            if k.marks[i] & WRITES:
                _check_written(op, slots[i])
            if k.marks[i] & GIVE_LIST and PyTuple_CheckExact(<object>slots[i]):
                items = list(<tuple>slots[i])
                keep.append(items)
                given[i] = <PyObject*>items
        slots = given
    if op.flags & OP_COMPOSITE:
        result = _call(k, slots)
    else:
        state = thread_state()
        recording = state.grad_enabled
        state.grad_enabled = False
        state.kernels += 1
        push_disabled()
        try:
            result = _call(k, slots)
        finally:
            pop_disabled()
            state.kernels -= 1
            state.grad_enabled = recording
    if k.marked:
        for i in range(k.nargs):
            if k.marks[i] & WRITES:
                _note_written(slots[i])
    if k.nreturns == 1 and <int>k.returns[0] == K_TENSOR and isinstance(result, Tensor):
        if k.fresh:
            _check_fresh(op, k, slots, result)
        return result
    return _checked(op, k, slots, result)


cdef int _check_written(Operator op, PyObject* o) except -1:
    if isinstance(<object>o, Tensor):
        check_writable(op.name, <Tensor>o)
    elif isinstance(<object>o, (tuple, list)):
        for t in <object>o:
            if isinstance(t, Tensor):
                check_writable(op.name, <Tensor>t)
    return 0


cdef int _note_written(PyObject* o) except -1:
    if isinstance(<object>o, Tensor):
        (<Tensor>o).storage.version += 1
    elif isinstance(<object>o, (tuple, list)):
        for t in <object>o:
            if isinstance(t, Tensor):
                (<Tensor>t).storage.version += 1
    return 0


# --- results --------------------------------------------------------------------------------------------------------

cdef str _qualified(Operator op):
    overload = f".{op.schema.overload}" if op.schema.overload else ""
    return f"{op.namespace.removeprefix('torch.ops.')}::{op.name}{overload}"


cdef object _wrong(Operator op, FunctionKernel k, str what):
    code = getattr(k.function, "__code__", None)
    where = f" ({code.co_filename}:{code.co_firstlineno})" if code is not None else ""
    return RuntimeError(f"{_qualified(op)}: its function{where} returned {what}; the schema is {op.schema}")


cdef object _checked(Operator op, FunctionKernel k, PyObject** slots, object result):
    """Return the results in the form that the schema requires."""
    cdef int i
    cdef tuple many
    if k.nreturns == 0:
        if result is not None:
            raise _wrong(op, k, f"a {type(result).__name__}, not None")
        return None
    if k.nreturns == 1:
        many = (_one(op, k, 0, result),)
    else:
        if not isinstance(result, (tuple, list)) or len(result) != k.nreturns:
            got = f"{len(result)} results" if isinstance(result, (tuple, list)) else f"a {type(result).__name__}"
            raise _wrong(op, k, f"{got}, not {k.nreturns} results")
        many = tuple([_one(op, k, i, r) for i, r in enumerate(result)])
    if k.fresh:
        _check_fresh(op, k, slots, many)
    return many[0] if k.nreturns == 1 else many


cdef object _one(Operator op, FunctionKernel k, int i, object result):
    cdef int kind = <int>k.returns[i]
    cdef str place = f" for result {i}" if k.nreturns > 1 else ""
    if kind == K_TENSOR:
        if not isinstance(result, Tensor) and not (result is None and op.schema.returns[i].optional):
            raise _wrong(op, k, f"a {type(result).__name__}, not a Tensor{place}")
    elif kind == K_TENSORS:
        if not isinstance(result, (tuple, list)) or not all([isinstance(t, Tensor) for t in result]):
            raise _wrong(op, k, f"a {type(result).__name__}, not a list of Tensors{place}")
        return list(result)
    return result


cdef int _check_fresh(Operator op, FunctionKernel k, PyObject** slots, object results) except -1:
    cdef int i
    cdef list seen
    if isinstance(results, Tensor):
        for i in range(k.nargs):
            if _shares(slots[i], <Tensor>results):
                raise _aliasing(op)
        return 0
    seen = []
    for r in _flat(results):
        for i in range(k.nargs):
            if _shares(slots[i], <Tensor>r):
                raise _aliasing(op)
        for other in seen:
            if (<Tensor>other).storage is (<Tensor>r).storage:
                raise _aliasing(op)
        seen.append(r)
    return 0


cdef list _flat(object results):
    found = []
    for r in results:
        if isinstance(r, Tensor):
            found.append(r)
        elif isinstance(r, list):
            found.extend(r)
    return found


cdef bint _shares(PyObject* o, Tensor result) except -1:
    if isinstance(<object>o, Tensor):
        return (<Tensor>o).storage is result.storage
    if PyTuple_CheckExact(<object>o) or PyList_CheckExact(<object>o):
        for t in <object>o:
            if isinstance(t, Tensor) and (<Tensor>t).storage is result.storage:
                return True
    return False


cdef object _aliasing(Operator op):
    return RuntimeError(
        f"{_qualified(op)}: The output of this custom operator (1) must not also be an input to this custom operator "
        "and (2) may not alias any inputs to this custom operator or other returns. The most common way to trigger "
        "this error is if we have y = custom_op(x) and y and x are the same Tensor. Please instead return a clone of "
        "the offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y.")


# --- calling --------------------------------------------------------------------------------------------------------

def run_kernel(Operator op not None, *args):
    """Run an operator's kernel, below overrides and autograd, with all arguments of its schema."""
    cdef PyObject* slots[MAX_ARGS]
    cdef Py_ssize_t i
    if len(args) != op.nslots:
        raise TypeError(f"{op.name}: {op.nslots} arguments, got {len(args)}")
    for i in range(op.nslots):
        slots[i] = <PyObject*>args[i]
    return call_lazily(op, slots)


def share_memory(Tensor a not None, Tensor b not None):
    """Whether two tensors use the same storage."""
    return a.storage is b.storage


cdef int* _modes = active_modes_ptr()

ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*)


cdef class OperatorHandle:
    """A callable name of custom operators: one overload, or all overloads together.

    A call calls the target. Handlers of ``__torch_function__`` receive ``public``, or the handle if that is None. If a
    call raises a TypeError and ``refusal(args, kwargs)`` returns a text that says what is wrong with the arguments, a
    RuntimeError with that text is raised instead, as in PyTorch.
    """

    cdef vectorcallfunc vectorcall
    cdef public object target
    cdef public object public
    cdef object __weakref__

    def __cinit__(self, *args, **kwargs):
        self.vectorcall = <vectorcallfunc>_call_handle

    def __call__(self, *args, **kwargs):
        return self(*args, **kwargs)  # calls the type's slot, which is the vectorcall function below

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def refusal(self, tuple args, dict kwargs):
        return None


cdef object _call_handle(PyObject* callee, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    cdef OperatorHandle handle = <OperatorHandle>callee
    cdef Py_ssize_t n = PyVectorcall_NARGS(nargsf)
    cdef Py_ssize_t total = n + (0 if kwnames == NULL else PyTuple_GET_SIZE(<object>kwnames))
    cdef list overloaded = collect_vector(args, total)
    cdef PyObject* result
    if overloaded is not None or _modes[0] != 0:
        public = handle if handle.public is None else handle.public
        if not _only_bare_subclasses(overloaded) and overridden(public, overloaded):
            return dispatch_vectorcall(public, overloaded, args, nargsf, kwnames)
    result = _vectorcall(handle.target, args, nargsf, kwnames)
    if result != NULL:
        made = <object>result
        decref(result)
        return made
    if PyErr_ExceptionMatches(TypeError):
        _explain(handle, args, n, kwnames)
    _as_it_is()


cdef bint _only_bare_subclasses(list overloaded) except -1:
    """Whether all are instances of Tensor subclasses that override nothing; the target handles these itself."""
    if overloaded is None or _modes[0] != 0:
        return False
    for o in overloaded:
        if not is_bare_subclass(<PyObject*>o):
            return False
    return True


cdef int _explain(OperatorHandle handle, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) except -1:
    cdef Py_ssize_t i
    try:
        _as_it_is()
    except TypeError:
        positional = tuple([<object>args[i] for i in range(n)])
        names = () if kwnames == NULL else <tuple>kwnames
        text = handle.refusal(positional, {name: <object>args[n + i] for i, name in enumerate(names)})
        if text is None:
            raise
    raise RuntimeError(text)


def quick_calls(type cls not None):
    """Give instances of a Python class derived from OperatorHandle its fast vectorcall."""
    cdef OperatorHandle handle = OperatorHandle.__new__(OperatorHandle)
    enable_vectorcall(cls, <char*>&handle.vectorcall - <char*><PyObject*>handle, False)
    return cls


quick_calls(OperatorHandle)
