# cython: language_level=3
"""``__torch_dispatch__``: what stands in the place of a kernel where a mode or an argument's type handles calls below
autograd.

A call comes here when everything above it is done: it is bound, overrides were asked, levels have been peeled off, and
it is or will be recorded. The handler is given the operator as PyTorch has it in ``torch.ops.aten``: a Form says how
the slots become its arguments. What the handler calls starts the whole path anew, but is not recorded.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF

from flambeau_tensor._core.call cimport sockets as sockets_in_c
from flambeau_tensor._core.call.operator cimport OP_INPLACE, OP_VIEW, Operator, call_again
from flambeau_tensor._core.elementwise.scalar cimport is_number
from flambeau_tensor._core.call.sockets cimport run_t, sockets
from flambeau_tensor._core.memory.meta_device cimport Asked
from flambeau_tensor._core.memory.tensor cimport Tensor, grad_flags
from flambeau_tensor._core.call.thread_state cimport ThreadState, thread_state
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.schema.schema import NO_DEFAULT

cdef enum:  # Form.flags, for each argument
    F_KEYWORD = 1
    F_DEFAULT = 2  # may be left out where the value is `values[i]`
    F_OPTIONAL = 4
    F_NUMBER = 8  # a Python number stands for a tensor
    F_FILLED = 16  # `values[i]` stands for None

cdef dict _forms = {}  # Operator -> tuple of Form
cdef dict _decompositions = {}  # Operator -> function or None


cdef class Form:
    """One operator of ``torch.ops.aten`` that a call of ours may be.

    Args:
        op: our operator.
        func: what handlers are given.
        schema: of `func`; each argument gets the value of ours with the same name.
        numbers: a Python number may stand for a tensor.
        names: our names for arguments of `func`, where they differ.
        fixed: values of arguments that ours has not.
        filled: what is passed for None, default or not.
        instead: what stands for None.
        first: handlers return several results, of which ours is the first.
        ignored: our arguments that `func` need not have, whatever their value.
    """
    cdef readonly object func, schema
    cdef int n, nslots
    cdef int[MAX_ARGS] slot, kind, flags, size  # size: what one int for a list stands for
    cdef int[MAX_ARGS] rest  # our slots that have to be at their defaults
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
        """(args, kwargs) as PyTorch's handlers get them: without what is at its default, by keyword what has to be."""
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
        """(args, kwargs) of a call, given its slots; None where it is no call of this form."""
        cdef PyObject* each[MAX_ARGS]
        cdef Py_ssize_t i
        if len(slots) != self.nslots:
            raise TypeError(f"{self.func}: {self.nslots} slots, got {len(slots)}")
        for i in range(self.nslots):
            each[i] = <PyObject*>slots[i]
        return self.arguments(each) if self.takes(each) else None


cdef class Question:
    """What the class of a tensor without memory is asked for an attribute, where it said that it wants to be.

    Args:
        of: what it has to be asked for: "strides", "sizes", "device" or "kind", as `Asked` has them.
        func: the operator that its handler is given.
        answer: makes the attribute of what the handler returns, and of the further arguments of the call.
    """
    cdef readonly str of
    cdef readonly object func, answer

    def __init__(self, str of not None, func, answer):
        self.of, self.func, self.answer = of, func, answer


cdef object _ask(Question question, Operator op, PyObject** slots):
    cdef ThreadState* state = thread_state()
    cdef bint recording = state.grad_enabled
    cdef int kernels = state.kernels, handlers = state.handlers
    cdef Tensor t = <Tensor>slots[0]
    cdef Asked asked = <Asked>t.storage.owner if isinstance(t.storage.owner, Asked) else None
    if asked is None or not asked.anything or not (
            asked.device if question.of == "device" else asked.kind if question.of == "kind"
            else asked.layout == "sizes" or asked.layout == question.of):
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
        raise _unanswered(question.func, None, (type(t),))
    if found is None:  # then what it was made with holds
        return NotImplemented
    return question.answer(found, *[<object>slots[i] for i in range(1, op.nslots)])


cdef object _default(a):
    """The default of an argument: a float's is one, however the schema writes it."""
    return float(a.default) if a.kind == K_FLOAT and isinstance(a.default, int) else a.default


cdef bint _is(PyObject* o, object default) except -1:
    """Whether an argument is at its default."""
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
            return dispatch(op, slots)  # composed of the view and of becoming it, for histories
        return NotImplemented
    if isinstance(stands_for, Operator):  # handlers hear of a composition as one
        if grad_flags(<Tensor>slots[0]) & LAYERED or state.transform_depth:
            return NotImplemented
        return call_again(<Operator>stands_for, slots)
    if isinstance(stands_for, Question):
        return _ask(<Question>stands_for, op, slots)
    return stands_for(*[<object>slots[i] for i in range(op.nslots)])


cdef list _handling(Operator op, PyObject** slots):
    """The arguments whose types handle calls, one for each type, subclasses before their bases."""
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
        raise _unanswered(form.func, mode, types)
    if written is not None:
        if written.storage.version == version:
            written.storage.version += 1
        return written
    if op.out_index >= 0 and slots[op.out_index] != <PyObject*>None:
        return _results(op, <object>slots[op.out_index])
    result = _results(op, result[0] if form.first else result)
    if op.flags & OP_VIEW and isinstance(<object>slots[0], Tensor):
        _view(result, <Tensor>slots[0])
    if form.grad_slot >= 0 and slots[form.grad_slot] == Py_True:
        (<Tensor?>result).flags |= REQUIRES_GRAD
    return result


cdef object _unanswered(func, mode, types):
    asked = ([] if mode is None else [f"  - mode object {mode!r}"]) + [f"  - tensor subclass {t!r}" for t in types]
    return TypeError(f"Multiple dispatch failed for 'torch._ops.{func}'; all __torch_dispatch__ handlers "
                     "returned NotImplemented:\n\n" + "\n".join(asked))


def results(Operator op not None, result):
    """What a function that stands for a kernel returned, in the form in which a kernel returns it."""
    return _results(op, result)


cdef object _results(Operator op, object result):
    """What a handler returned in the form in which a kernel returns it."""
    if isinstance(result, list):
        result = tuple(result)
    if isinstance(result, tuple) and all([r.type.startswith("Tensor") for r in op.schema.returns]):
        for item in result:
            if item is not None and not isinstance(item, Tensor):
                raise RuntimeError(f"Unable to cast {item!r} to Tensor")
    if len(op.schema.returns) > 1 and op.schema.returns[0].name and type(result) is tuple:
        if op.result_type is None:
            from flambeau_tensor.return_types import type_of_results

            op.result_type = type_of_results(op)
        return tuple.__new__(op.result_type, result)
    if isinstance(result, Tensor) or not op.schema.returns or not op.schema.returns[0].type.startswith("Tensor") or \
            isinstance(result, tuple) or result is None:
        return result
    raise RuntimeError(f"Unable to cast {result!r} to Tensor")


cdef int _view(object result, Tensor base) except -1:
    """Let writes to the results be seen in what they are views of."""
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
    """The innermost mode of this thread, taken off."""
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


def push_mode(mode):
    """Let a mode hear of this thread's calls below autograd, before all others."""
    _add_mode(mode)


def pop_mode():
    """Take off the innermost mode, and return it."""
    return _take_mode()


def mode_stack():
    """The modes of this thread, the innermost at the end."""
    cdef ThreadState* state = thread_state()
    return [] if state.modes == NULL else list(<list>state.modes)


cdef class Undispatched:
    """Inside the block this thread's calls are handed over to nobody."""
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
    """Inside the block this thread's calls are handed over, though a kernel of the library makes them."""

    def __enter__(self):
        cdef ThreadState* s = thread_state()
        self.before.append(s.handlers)
        s.handlers = s.kernels
        return self


def renew(op=None):
    """Forget what is known of an operator, or of all."""
    if op is None:
        _forms.clear()
        _decompositions.clear()
    else:
        _forms.pop(op, None)
        _decompositions.pop(op, None)


sockets_in_c.decompose = <run_t>_decompose
