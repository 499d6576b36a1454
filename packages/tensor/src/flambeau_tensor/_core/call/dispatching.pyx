# cython: language_level=3
"""``__torch_dispatch__``: a mode, or an argument's type, handles a call in place of the kernel, below autograd.

When a call arrives here, everything above is done: arguments are bound, overrides were called, transform levels are
processed, and recording is arranged. The handler receives an operator of ``torch.ops.aten``; a Form maps the slots to
its arguments. Calls in the handler take the whole path again, but are not recorded.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF

from flambeau_tensor._core.call cimport sockets as sockets_in_c
from flambeau_tensor._core.call.operator cimport OP_INPLACE, OP_VIEW, Operator, call_again
from flambeau_tensor._core.elementwise.scalar cimport is_number
from flambeau_tensor._core.call.sockets cimport run_t, sockets
from flambeau_tensor._core.memory.meta_device cimport ASKS_DEVICE, ASKS_LAYOUT, ASKS_SIZES, ASKS_STRIDES
from flambeau_tensor._core.memory.tensor cimport Tensor, grad_flags
from flambeau_tensor._core.call.thread_state cimport ThreadState, thread_state
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.schema.schema import NO_DEFAULT

# Handlers in each other. Each takes about ten kilobytes of the stack, and Python 3.12 and 3.13 count calls, not bytes.
cdef enum:
    MOST_HANDLERS = 300

cdef enum:  # Form.flags, for each argument
    F_KEYWORD = 1
    F_DEFAULT = 2  # may be omitted if the value is `values[i]`
    F_OPTIONAL = 4
    F_NUMBER = 8  # a Python number is accepted instead of a tensor
    F_FILLED = 16  # `values[i]` replaces None

cdef dict _forms = {}  # Operator -> tuple of Form
cdef dict _decompositions = {}  # Operator -> function or None


cdef class Form:
    """The correspondence between one of our operators and an operator of ``torch.ops.aten``.

    Args:
        op: our operator.
        func: the operator that handlers receive.
        schema: the schema of `func`; each argument gets the value of our argument with the same name.
        numbers: Python numbers are accepted instead of tensors.
        names: maps arguments of `func` to our names, if they differ.
        fixed: values of arguments that our operator does not have.
        filled: values that replace None and are passed even if they are defaults.
        instead: values that replace None.
        first: handlers return several results, and our result is the first of them.
        ignored: our arguments that `func` may lack, whatever their value.
    """
    cdef readonly object func, schema
    cdef int n, nslots
    cdef int[MAX_ARGS] slot, kind, flags, size  # size: the length of the list that a single int stands for
    cdef int[MAX_ARGS] rest  # our slots that must have their default values
    cdef int nrest, grad_slot
    cdef bint first
    cdef list values
    cdef tuple names, defaults

    def __init__(self, Operator op not None, func, schema, *, bint numbers=False, dict names=None, dict fixed=None,
                 dict filled=None, dict instead=None, ignored=(), bint first=False):
        cdef int i, at
        names, fixed, filled, instead = names or {}, fixed or {}, filled or {}, instead or {}
        self.first = first
        order = [a.name for a in op.schema.arguments]
        self.func, self.schema, self.n, self.nslots = func, schema, len(schema.arguments), op.nslots
        self.values, taken = [], set()
        self.names = tuple([a.name for a in schema.arguments])
        for i, a in enumerate(schema.arguments):
            ours = names.get(a.name, a.name)
            at = order.index(ours) if ours in order and a.name not in fixed else -1
            if at < 0 and a.name not in fixed and not a.has_default:
                raise TypeError(f"{func}: {op!r} has no argument '{a.name}'")
            taken.add(at)
            self.slot[i], self.kind[i], self.size[i] = at, a.kind, a.size or 1
            self.flags[i] = (F_KEYWORD if a.kwarg_only else 0) | (F_OPTIONAL if a.optional else 0) | \
                (F_DEFAULT if a.has_default else 0) | (F_NUMBER if numbers else 0)
            if a.name in filled:
                self.flags[i] = self.flags[i] & ~F_DEFAULT | F_FILLED
            if a.name in instead:
                self.flags[i] |= F_FILLED
            known = [d[a.name] for d in (filled, instead, fixed) if a.name in d]
            self.values.append(known[0] if known else _default(a) if a.has_default else None)
        self.grad_slot = order.index("requires_grad") if "requires_grad" in order else -1
        taken.add(self.grad_slot)
        self.nrest = 0
        for i, name in enumerate(order):
            if i not in taken and name not in ignored:
                self.rest[self.nrest] = i
                self.nrest += 1
        self.defaults = tuple([_default(a) if a.has_default else NO_DEFAULT for a in op.schema.arguments])

    def __repr__(self):
        return f"<form {self.func}>"

    cdef bint takes(self, PyObject** slots) except -1:
        cdef int i, kind, flags
        cdef PyObject* o
        for i in range(self.nrest):
            if not _is(slots[self.rest[i]], self.defaults[self.rest[i]]):
                return False
        for i in range(self.n):
            if self.slot[i] < 0:
                continue
            o, kind, flags = slots[self.slot[i]], self.kind[i], self.flags[i]
            if o == <PyObject*>None:
                if not flags & (F_OPTIONAL | F_FILLED | F_DEFAULT):
                    return False
            elif kind == K_TENSOR:
                if not isinstance(<object>o, Tensor) and not (flags & F_NUMBER and is_number(o)):
                    return False
            elif isinstance(<object>o, Tensor) and kind != K_ANY:
                return False
            elif kind == K_INT and isinstance(<object>o, tuple):
                return False
        return True

    cdef tuple arguments(self, PyObject** slots):
        """Return (args, kwargs) as PyTorch's handlers receive them, without arguments that have their defaults."""
        cdef list args = []
        cdef dict kwargs = {}
        cdef int i, last = 0
        cdef PyObject* o
        for i in range(self.n):
            o = NULL if self.slot[i] < 0 else slots[self.slot[i]]
            if o == NULL or (o == <PyObject*>None and (
                    self.flags[i] & F_FILLED or self.flags[i] & (F_OPTIONAL | F_DEFAULT) == F_DEFAULT)):
                o = <PyObject*>self.values[i]
            if not self.flags[i] & F_KEYWORD:
                args.append(_value(self.kind[i], self.size[i], o))
                if not (self.flags[i] & F_DEFAULT and _is(o, self.values[i])):
                    last = len(args)
            elif not (self.flags[i] & F_DEFAULT and _is(o, self.values[i])):
                kwargs[self.names[i]] = _value(self.kind[i], self.size[i], o)
        if last < len(args):
            del args[last:]
        return tuple(args), kwargs

    def given(self, *slots):
        """Return (args, kwargs) of a call with these slots; None if the call does not match this form."""
        cdef PyObject* each[MAX_ARGS]
        cdef Py_ssize_t i
        if len(slots) != self.nslots:
            raise TypeError(f"{self.func}: {self.nslots} slots, got {len(slots)}")
        for i in range(self.nslots):
            each[i] = <PyObject*>slots[i]
        return self.arguments(each) if self.takes(each) else None


cdef dict _ASKS = {"strides": ASKS_STRIDES, "sizes": ASKS_SIZES, "device": ASKS_DEVICE, "layout": ASKS_LAYOUT}


cdef class Question:
    """An attribute of a tensor that its class may compute, if the tensor has the flag for it.

    Args:
        of: the kind of attribute: "strides", "sizes", "device" or "layout".
        func: the operator that the handler receives.
        answer: converts the handler's result, and the further arguments of the call, to the attribute.
    """
    cdef unsigned int flag
    cdef readonly object func, answer

    def __init__(self, str of not None, func, answer):
        self.flag, self.func, self.answer = _ASKS[of], func, answer


cdef object _ask(Question question, Operator op, PyObject** slots):
    cdef ThreadState* state = thread_state()
    cdef bint recording = state.grad_enabled
    cdef int kernels = state.kernels, handlers = state.handlers
    cdef Tensor t = <Tensor>slots[0]
    if not t.flags & question.flag:
        return NotImplemented
    state.grad_enabled = False
    state.kernels += 1
    state.handlers = state.kernels
    try:
        found = type(t).__torch_dispatch__(question.func, (type(t),), (t,), {})
    finally:
        state.kernels, state.handlers = kernels, handlers
        state.grad_enabled = recording
    if found is NotImplemented:
        raise _unanswered(f"torch.ops.{str(question.func).rpartition('.')[0]}", None, (type(t),))
    if found is None:  # the value with which the tensor was created applies
        return NotImplemented
    return question.answer(found, *[<object>slots[i] for i in range(1, op.nslots)])


cdef object _default(a):
    """Return the default of an argument; that of a float argument as a float, even if the schema has an int."""
    return float(a.default) if a.kind == K_FLOAT and isinstance(a.default, int) else a.default


cdef bint _is(PyObject* o, object default) except -1:
    """Whether an argument has its default value."""
    if o == <PyObject*>default:
        return True
    if isinstance(<object>o, Tensor):
        return False
    if isinstance(<object>o, tuple) and isinstance(default, tuple):
        return <object>o == default
    alike = o.ob_type == (<PyObject*>default).ob_type or (type(default) is float and type(<object>o) is int)
    return alike and <object>o == default


cdef inline object _value(int kind, int size, PyObject* o):
    if isinstance(<object>o, tuple):
        return list(<tuple>o) if kind in (K_INTS, K_TENSORS, K_SCALARS, K_ANY) else <object>o
    if kind == K_INTS and o != <PyObject*>None and not isinstance(<object>o, list):
        return [<object>o] * size
    return float(<object>o) if kind == K_FLOAT and isinstance(<object>o, int) else <object>o


# --- the call -------------------------------------------------------------------------------------------------------

cdef tuple _forms_of(Operator op):
    forms = _forms.get(op)
    if forms is None:
        if sockets.forms_of is None:
            raise RuntimeError("__torch_dispatch__ needs flambeau and flambeau-cext: pip install flambeau")
        forms = sockets.forms_of(op)
        _forms[op] = forms
    return forms


cdef object _decompose(object operator, PyObject** slots):
    cdef Operator op = operator
    cdef ThreadState* state = thread_state()
    cdef int i
    if state.kernels != state.handlers or not (state.modes != NULL or _handling(op, slots)):
        return NotImplemented
    if op not in _decompositions:
        _decompositions[op] = None if sockets.decompositions is None else sockets.decompositions(op)
    stands_for = _decompositions[op]
    if stands_for is None:
        if op.flags & OP_INPLACE and op.functional is not None and op.functional.flags & OP_VIEW and not (
                grad_flags(<Tensor>slots[0]) & (REQUIRES_GRAD | LAYERED) and state.grad_enabled):
            return dispatch(op, slots)  # composed of the view and an operation that sets it, so that histories are kept
        return NotImplemented
    if isinstance(stands_for, Operator):  # handlers see the composition as one operator
        if grad_flags(<Tensor>slots[0]) & LAYERED or state.transform_depth:
            return NotImplemented
        return call_again(<Operator>stands_for, slots)
    if isinstance(stands_for, Question):
        return _ask(<Question>stands_for, op, slots)
    return stands_for(*[<object>slots[i] for i in range(op.nslots)])


cdef list _handling(Operator op, PyObject** slots):
    """Return the arguments whose types have handlers, one for each type, subclasses before their bases."""
    cdef list found = []
    cdef int i
    for i in range(op.nslots):
        if isinstance(<object>slots[i], Tensor):
            if (<Tensor>slots[i]).flags & DISPATCH:
                _insert(found, <object>slots[i])
        elif isinstance(<object>slots[i], (tuple, list)):
            for o in <object>slots[i]:
                if isinstance(o, Tensor) and (<Tensor>o).flags & DISPATCH:
                    _insert(found, o)
    return found


cdef int _insert(list found, object o) except -1:
    cdef Py_ssize_t i
    for other in found:
        if type(other) is type(o):
            return 0
    for i in range(len(found)):
        if issubclass(type(o), type(found[i])):
            found.insert(i, o)
            return 0
    found.append(o)
    return 0


cdef object dispatch(Operator op, PyObject** slots):
    cdef Form form
    cdef ThreadState* state = thread_state()
    cdef bint recording = state.grad_enabled
    cdef int kernels = state.kernels, handlers = state.handlers
    if kernels != handlers:
        return NotImplemented
    cdef list handling = _handling(op, slots)
    if not (state.modes != NULL or handling) or not _forms_of(op):
        return NotImplemented
    cdef Tensor written = <Tensor>slots[0] if op.flags & OP_INPLACE and isinstance(<object>slots[0], Tensor) else None
    cdef Py_ssize_t version = -1 if written is None else written.storage.version
    for form in _forms_of(op):
        if form.takes(slots):
            break
    else:
        raise NotImplementedError(f"{op.__torch_name__}: no operator of torch.ops.aten takes these arguments, so "
                                  "__torch_dispatch__ cannot be asked")
    args, kwargs = form.arguments(slots)
    types = tuple([type(o) for o in handling])
    result = NotImplemented
    mode = None
    if state.kernels >= MOST_HANDLERS:
        raise RecursionError("maximum recursion depth exceeded in __torch_dispatch__")
    state.grad_enabled = False
    state.kernels += 1
    state.handlers = state.kernels
    try:
        if state.modes != NULL:
            mode = _take_mode()
            try:
                result = mode.__torch_dispatch__(form.func, types, args, kwargs)
            finally:
                _add_mode(mode)
        if result is NotImplemented:
            for o in handling:
                result = type(o).__torch_dispatch__(form.func, types, args, kwargs)
                if result is not NotImplemented:
                    break
    finally:
        state.kernels, state.handlers = kernels, handlers
        state.grad_enabled = recording
    if result is NotImplemented:
        raise _unanswered(f"torch._ops.{form.func}", mode, types)
    if written is not None:
        if written.storage.version == version:
            written.storage.version += 1
        return written
    if op.out_index >= 0 and slots[op.out_index] != <PyObject*>None:
        return _results(op, <object>slots[op.out_index])
    result = _results(op, result[0] if form.first and isinstance(result, (tuple, list)) else result)
    if op.flags & OP_VIEW and isinstance(<object>slots[0], Tensor):
        if result is <object>slots[0] and op.name not in ("detach", "lift_fresh") and \
                not (<Tensor>result).flags & INFERENCE:
            raise RuntimeError(f"View operation returned a tensor that is the same as the input base tensor: the "
                               f"handler of {form.func} must return a new tensor (for example .detach() of its input)")
        _view(result, <Tensor>slots[0])
    if form.grad_slot >= 0 and slots[form.grad_slot] == Py_True:
        (<Tensor?>result).flags |= REQUIRES_GRAD
    return result


cdef object _unanswered(str name, mode, types):
    asked = ([] if mode is None else [f"  - mode object {mode!r}"]) + [f"  - tensor subclass {t!r}" for t in types]
    return TypeError(f"Multiple dispatch failed for '{name}'; all __torch_dispatch__ handlers "
                     "returned NotImplemented:\n\n" + "\n".join(asked))


def results(Operator op not None, result):
    """Convert the result of a function that replaces a kernel to the form in which a kernel returns it."""
    return _results(op, result)


cdef object _results(Operator op, object result):
    """Convert the result of a handler to the form in which a kernel returns it."""
    cdef int n = len(op.schema.returns)
    cdef bint several = n > 1 or n == 1 and op.schema.returns[0].is_list
    cdef bint tensors
    if result is None or isinstance(result, Tensor) and not several:
        return result
    if isinstance(result, list):
        result = tuple(result)
    tensors = all([r.type.startswith("Tensor") for r in op.schema.returns])
    if tensors and isinstance(result, tuple):
        for item in result:
            if item is not None and not isinstance(item, Tensor):
                raise RuntimeError(f"Unable to cast {item!r} to Tensor")
    if tensors and several and (not isinstance(result, tuple) or n > 1 and len(result) < n):
        wanted = f"{n} tensors" if n > 1 else "a list of tensors"
        raise RuntimeError(f"a handler of {op.name} must return {wanted}, and returned an object of type "
                           f"'{type(result).__name__}'" + (f" of {len(result)}" if isinstance(result, tuple) else ""))
    if n > 1 and op.schema.returns[0].name and type(result) is tuple:
        if op.result_type is None:
            from flambeau_tensor.return_types import type_of_results

            op.result_type = type_of_results(op)
        return tuple.__new__(op.result_type, result)
    if isinstance(result, Tensor) or n == 0 or not op.schema.returns[0].type.startswith("Tensor") or \
            several and isinstance(result, tuple):
        return result
    raise RuntimeError(f"Unable to cast {result!r} to Tensor")


cdef int _view(object result, Tensor base) except -1:
    """Make the results views of `base`, so that writes to them are visible in it."""
    cdef Tensor t
    if isinstance(result, (tuple, list)):
        for o in result:
            _view(o, base)
    elif isinstance(result, Tensor):
        t = <Tensor>result
        if t.base is None and t is not base and (t.flags | base.flags) & DISPATCH and t.grad_fn is None and \
                not t.flags & REQUIRES_GRAD:
            t.base = base if base.base is None else base.base
            t.view_version = t.storage.version
            t.flags |= VIEW | base.flags & ODD_VIEW
    return 0


# --- modes ----------------------------------------------------------------------------------------------------------

cdef object _take_mode():
    """Remove the innermost mode of this thread and return it."""
    cdef ThreadState* state = thread_state()
    if state.modes == NULL:
        raise RuntimeError("there is no TorchDispatchMode in this thread")
    stack = <list>state.modes
    mode = stack.pop()
    if not stack:
        state.modes, state.dispatching = NULL, DISPATCH if state.tracer != NULL else 0
        Py_DECREF(stack)
    return mode


cdef int _add_mode(object mode) except -1:
    cdef ThreadState* state = thread_state()
    cdef list stack
    if state.modes == NULL:
        stack = []
        Py_INCREF(stack)
        state.modes, state.dispatching = <PyObject*>stack, DISPATCH
    (<list>state.modes).append(mode)
    return 0


# A mode's block begins and ends in one compiled step: an interrupt may come at any call and any line of Python.

def enter_mode(self):
    """`__enter__` of modes."""
    if getattr(self.__torch_dispatch__, "__self__", self) is not self:
        raise RuntimeError("Defining your mode's `__torch_dispatch__` as a classmethod is not supported, please make "
                           "it a plain method")
    _add_mode(self)
    return self


def leave_mode(self, *error):
    """`__exit__` of modes."""
    _take_mode()


def push_mode(mode):
    """Make `mode` the innermost dispatch mode of this thread."""
    _add_mode(mode)


def pop_mode():
    """Remove the innermost mode and return it."""
    return _take_mode()


def mode_stack():
    """Return the modes of this thread, innermost last."""
    cdef ThreadState* state = thread_state()
    return [] if state.modes == NULL else list(<list>state.modes)


cdef class Undispatched:
    """Context manager in which this thread's calls are not dispatched to handlers."""
    cdef list before

    def __cinit__(self):
        self.before = []

    def __enter__(self):
        cdef ThreadState* s = thread_state()
        self.before.append(s.handlers)
        s.handlers = -1
        return self

    def __exit__(self, *error):
        thread_state().handlers = self.before.pop()


cdef class Dispatched(Undispatched):
    """Context manager in which this thread's calls are dispatched, although a kernel of the library makes them."""

    def __enter__(self):
        cdef ThreadState* s = thread_state()
        self.before.append(s.handlers)
        s.handlers = s.kernels
        return self


def renew(op=None):
    """Clear the cached forms and decompositions of an operator, or of all operators."""
    if op is None:
        _forms.clear()
        _decompositions.clear()
    else:
        _forms.pop(op, None)
        _decompositions.pop(op, None)


sockets_in_c.decompose = <run_t>_decompose
