# cython: language_level=3
"""Calls on tensors that have layers: batches and tangents, one level after the other, the innermost first.

Reverse mode records a call above a batch only where a tensor's history began inside of it (`Below.floor`); the
histories of outer levels go on with the tensors that hold all examples.
"""
from cpython.object cimport PyObject

from importlib import import_module

from flambeau_tensor.abi cimport (
    Facts, O_DATA_DEPENDENT, O_INPLACE, O_OBJECT_STATE, O_RECORD, O_VIEW, OperatorFacts, T_FLOATING,
    T_REQUIRES_GRAD, T_VIEW, call_bound, detach, flags_of, is_tensor, look, look_operator, run_kernel, set_base,
    thread_flags,
)

from flambeau_autograd._engine.edges cimport requires_grad
from flambeau_autograd._engine.layers cimport (
    BATCH, DUAL, Layer, Level, all_layers, bare, has_tangents, history_levels, holds_examples_of, laid_out, layer_at,
    layer_of, set_layer, settle, value_of, with_history, wrap_batch,
)
from flambeau_autograd._engine.record cimport Below, compose, record_above, set_layered
from flambeau_autograd._engine.refs cimport *
from flambeau_autograd._engine.rule cimport Rule

cdef enum:
    MAX_SLOTS = 32

# Set by the modules that hold the rules.
cdef object batch_rule = None  # (level, op, arguments, dimensions) -> (results, dimensions)
cdef object tangent_rule = None  # (op, values, tangents, results) -> tangents of the results
cdef object random_rule = None  # (level, op, arguments) -> results, of operators that draw numbers


def set_rules(batch=None, tangent=None, random=None):
    """Name what deals with a call at one level."""
    global batch_rule, tangent_rule, random_rule
    batch_rule = batch or batch_rule
    tangent_rule = tangent or tangent_rule
    random_rule = random or random_rule


cdef list _more_batch_rules = []


def batching_rules_in(str module not None):
    """Name a module that fills the table of batching rules; it is imported with the table, at the first ``vmap``."""
    _more_batch_rules.append(module)
    if batch_rule is not None:
        import_module(module)


def import_batching_rules():
    """Import all modules so named."""
    for module in _more_batch_rules:
        import_module(module)


cdef class _Call(Below):
    """One call at the innermost level that its arguments have a layer at."""

    cdef object op
    cdef list args
    cdef Level level
    cdef bint inplace, view
    cdef bint nested  # DUAL: the levels below give tangents, too, which follow the same histories
    cdef list values  # DUAL: the arguments at the level below, as what the tangent's formulas read
    cdef list tangents
    cdef object before  # the tangent that a call in place is about to overwrite, where something may keep it

    cdef object run(self):
        if self.level.kind == BATCH:
            return self._run_batch()
        return self._run_dual()

    cdef object _lower(self, object a):
        """An argument as the call below sees it."""
        cdef PyObject* p = <PyObject*>a
        cdef Layer layer
        if not is_tensor(p):
            if isinstance(a, (tuple, list)):
                return tuple([self._lower(item) for item in a])
            return a
        layer = layer_of(p)
        if layer is not None and layer.level is self.level and layer.level.kind == DUAL:
            t = detach(p)
            set_layer(<PyObject*>t, layer.below)
        elif flags_of(p) & T_REQUIRES_GRAD or requires_grad(p):
            t = bare(p)
        else:
            return a
        # Histories up to the floor are recorded further down; others are this recording's. A tensor may have both.
        if self.nested and requires_grad(p):
            with_history(t, p)
        elif self.floor >= 0 and requires_grad(p):
            with_history(t, p, self.floor)
        return t

    cdef object _call(self, object op, list args):
        cdef PyObject* slots[MAX_SLOTS]
        cdef Py_ssize_t i
        for i in range(len(args)):
            slots[i] = <PyObject*>args[i]
        return call_bound(<PyObject*>op, slots)

    # --- batches

    cdef object _run_batch(self):
        cdef list args = [], dims = []
        for a in self.args:
            value, dim = self._examples(a)
            args.append(value)
            dims.append(dim)
        self.level.running += 1
        try:
            result, where = batch_rule(self.level, self.op, args, dims)
        finally:
            self.level.running -= 1
        if self.inplace:
            return self.args[0]
        return self._wrap(result, where)

    cdef tuple _examples(self, object a):
        cdef Layer layer
        if is_tensor(<PyObject*>a):
            layer = layer_of(<PyObject*>a)
            if layer is not None and layer.level is self.level:
                return layer.value, layer.dim
            return self._lower(a), None
        if isinstance(a, (tuple, list)):
            pairs = [self._examples(item) for item in a]
            if any([is_tensor(<PyObject*>p[0]) or isinstance(p[0], tuple) for p in pairs]):
                return tuple([p[0] for p in pairs]), tuple([p[1] for p in pairs])
        return a, None

    cdef object _wrap(self, object result, object where):
        if isinstance(result, (tuple, list)):
            items = [self._wrap(r, w) for r, w in zip(result, where, strict=True)]
            if type(result) is tuple or type(result) is list:
                return type(result)(items)
            return type(result)(tuple(items))
        if where is None or not is_tensor(<PyObject*>result):
            return result
        out = wrap_batch(result, where, self.level)
        if self.view:
            self._base_on_argument(out, (<object>result)._is_view())
        return out

    cdef int _base_on_argument(self, object out, bint is_view) except -1:
        if is_view and is_tensor(<PyObject*>self.args[0]):
            set_base(<PyObject*>out, <PyObject*>self.args[0])
        return 0

    # --- tangents

    cdef object _run_dual(self):
        cdef Layer layer
        cdef list args = [self._lower(a) for a in self.args]
        self._read_tangents()
        result = self._call(self.op, args)
        if not self.inplace:
            return self._restore(result, args)
        written = self.args[0]
        if args[0] is not written:  # its stand-in may have got tangents
            layer = layer_of(<PyObject*>written)
            if layer is not None and layer.level is self.level:
                layer.below = all_layers(<PyObject*>args[0])
            else:
                set_layer(<PyObject*>written, all_layers(<PyObject*>args[0]))
            settle(<PyObject*>written)
        return written

    cdef object _restore(self, object result, list args):
        """Arguments that the call returned as they were, and views whose base is one, in terms of the originals."""
        cdef Facts f
        cdef Py_ssize_t i
        if isinstance(result, (tuple, list)):
            items = [self._restore(r, args) for r in result]
            if type(result) is tuple or type(result) is list:
                return type(result)(items)
            return type(result)(tuple(items))
        if not is_tensor(<PyObject*>result):
            return result
        for i in range(len(args)):
            if args[i] is result:
                return self.args[i]
        if self.view:
            look(<PyObject*>result, &f)
            self._base_on_argument(result, f.base != NULL)
        return result

    cdef int _read_tangents(self) except -1:
        """Note what the tangent's formulas read, before a call in place overwrites it."""
        cdef bint recording = thread_flags().grad_enabled
        cdef Py_ssize_t i
        self.values, self.tangents = [], []
        for i in range(len(self.args)):
            value, tangent = self._dual(self.args[i], recording)
            if i == 0 and self.inplace:
                copy = value_of(<PyObject*>value)
                value = with_history(copy, <PyObject*>value) if requires_grad(<PyObject*>value) else copy
                if recording and tangent is not None:
                    tangent = self.before = tangent.clone()
            self.values.append(value)
            self.tangents.append(tangent)
        return 0

    cdef tuple _dual(self, object a, bint recording):
        """(value, tangent or None) of an argument; the value with its history if tangents must follow that."""
        cdef PyObject* p = <PyObject*>a
        cdef Layer layer
        if not is_tensor(p):
            if isinstance(a, (tuple, list)):
                pairs = [self._dual(item, recording) for item in a]
                tangents = tuple([pair[1] for pair in pairs])
                return tuple([pair[0] for pair in pairs]), \
                    tangents if any([t is not None for t in tangents]) else None
            return a, None
        layer = layer_of(p)
        tangent = None
        if layer is not None and layer.level is self.level:
            tangent = layer.tangent
            t = detach(p)
            set_layer(<PyObject*>t, layer.below)
        elif requires_grad(p):
            t = bare(p)
        else:
            return a, None
        if recording and history_levels(p) & ((<unsigned long long>2 << self.level.depth) - 1):
            with_history(t, p)
        return t, tangent

    cdef int finish(self, object result) except -1:
        """Give the results their tangents."""
        cdef bint recording = thread_flags().grad_enabled
        if self.level.kind == BATCH or not any([t is not None for t in self.tangents]):
            return 0
        if not isinstance(result, (tuple, list)):
            return self._attach(result, tangent_rule(self.op, self.values, self.tangents,
                                                     self._dual(result, recording)[0]))
        plain = [self._dual(out, recording)[0] for out in result]
        tangents = tangent_rule(self.op, self.values, self.tangents,
                                tuple(plain) if type(result) in (tuple, list) else type(result)(tuple(plain)))
        for out, tangent in zip(result, tangents, strict=True):
            self._attach(out, tangent)
        return 0

    cdef int _attach(self, object out, object tangent) except -1:
        cdef PyObject* p = <PyObject*>out
        cdef Layer layer, new, theirs
        cdef Facts f
        if not is_tensor(p):
            return 0
        look(p, &f)
        if f.dtype < T_FLOATING:
            return 0
        layer = layer_of(p)
        if layer is not None and layer.level is self.level:
            if self.view:
                layer.tangent = tangent
                return 0
            if tangent is None:
                tangent = layer.tangent * 0
            if tangent is layer.tangent or tangent is self.before:
                return 0
            if holds_examples_of(layer.tangent, tangent):  # what views this memory views the tangent's
                layer.tangent.copy_(tangent)
                return 0
            own = layer.origin is layer.tangent
            layer.tangent = self._own(tangent, p)
            layer.origin = layer.tangent if own else None
        elif tangent is None:
            return 0
        else:
            new = Layer.__new__(Layer)
            new.level, new.tangent, new.below, new.dim = self.level, tangent, layer, -1
            if not self.view:
                new.tangent = self._own(tangent, p)
            elif f.flags & T_VIEW and f.base != NULL:
                theirs = layer_at(f.base, self.level)
                new.origin = theirs.tangent if theirs is not None else tangent
            set_layer(p, new)
        return settle(p) if self.inplace else 0

    cdef object _own(self, object tangent, PyObject* p):
        """A tangent that writes to `p` may change."""
        return laid_out(tangent, p, flags_of(<PyObject*>tangent) & T_VIEW or self._is_given(tangent))

    cdef bint _is_given(self, object tangent) except -1:
        """Whether a rule handed on an argument's tangent, which writes to the result must not reach."""
        for t in self.tangents:
            if t is tangent or (isinstance(t, tuple) and any([each is tangent for each in <tuple>t])):
                return True
        return False


# --- the entry ------------------------------------------------------------------------------------------------------

cdef Layer _innermost(object a, Layer found, int* floor):
    """The layer at the innermost level among an argument's tensors; `floor`: the depth of the innermost batch."""
    cdef Layer layer, each
    if is_tensor(<PyObject*>a):
        layer = layer_of(<PyObject*>a)
        if layer is None:
            return found
        each = layer
        while each is not None:
            if each.level.kind == BATCH and each.level.depth > floor[0]:
                floor[0] = each.level.depth
            each = each.below
        if found is None or layer.level.depth > found.level.depth:
            return layer
        return found
    if isinstance(a, (tuple, list)):
        for item in a:
            found = _innermost(item, found, floor)
    return found


cdef bint _has_tangents_below(object a, Level level) except -1:
    """Whether a tensor among an argument's has a tangent at another level than ``level``."""
    if is_tensor(<PyObject*>a):
        return has_tangents(<PyObject*>a, level)
    return isinstance(a, (tuple, list)) and any([_has_tangents_below(item, level) for item in a])


cdef object _layered(PyObject* op, PyObject** slots):
    cdef OperatorFacts o
    cdef Layer top = None
    cdef int floor = -1, i
    cdef _Call call
    cdef list args = []
    look_operator(op, &o)
    for i in range(o.nslots):
        a = <object>slots[i]
        args.append(a)
        top = _innermost(a, top, &floor)
    operator = <object>op
    if top is None:
        if thread_flags().transforming and random_rule is not None:
            result = random_rule(operator, args)
            if result is not NotImplemented:
                return result
        if o.rule != NULL and thread_flags().grad_enabled:
            return record_above(op, slots, None)
        return run_kernel(op, slots)
    if o.flags & O_OBJECT_STATE:
        return run_kernel(op, slots)
    if not operator.schema.returns or "Tensor" not in operator.schema.returns[0].type:
        if floor >= 0 and o.flags & O_DATA_DEPENDENT:
            raise RuntimeError(_reads(operator.name))
        return run_kernel(op, slots)
    if o.out_index >= 0 and slots[o.out_index] != <PyObject*>None and not o.flags & O_INPLACE:
        raise (RuntimeError if top.level.kind == BATCH else NotImplementedError)(
            f"{operator.name}(): out=... is not supported under vmap or forward mode")
    if top.level.kind == DUAL and o.rule != NULL and (<Rule>o.rule).composition is not None:
        return compose(<Rule>o.rule, slots, o.nslots)
    call = _Call.__new__(_Call)
    call.op, call.args, call.level, call.floor = operator, args, top.level, floor
    call.nested = top.level.kind == DUAL and thread_flags().grad_enabled and _has_tangents_below(args, top.level)
    call.inplace, call.view = (o.flags & O_INPLACE) != 0, (o.flags & O_VIEW) != 0
    if o.rule != NULL and thread_flags().grad_enabled:
        return record_above(op, slots, call)
    if o.flags & O_RECORD and o.rule == NULL:
        raise NotImplementedError(f"the derivative for '{operator.name}' is not implemented.")
    result = call.run()
    if o.rule != NULL:
        call.finish(result)
    return result


cdef str _reads(str name):
    if name in ("item", "__int__", "__float__", "__complex__", "__index__"):
        return ("vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on "
                "a Tensor; rewrite it with tensor operations, or use vmap(..., fallback=\"loop\").")
    if name == "is_nonzero":
        return ("vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
                "support that; use torch.where, or vmap(..., fallback=\"loop\").")
    return (f"vmap: {name}() reads numbers out of a tensor that stands for one example of many. Rewrite it with tensor "
            "operations, or use vmap(..., fallback=\"loop\").")


def call(op, *args):
    """Call an operator with every argument of its schema in place, past overrides."""
    cdef PyObject* slots[MAX_SLOTS]
    cdef Py_ssize_t i
    for i in range(len(args)):
        slots[i] = <PyObject*>args[i]
    return call_bound(<PyObject*>op, slots)


def kernel(op, *args):
    """Run an operator's kernel, with every argument of its schema in place, past all levels."""
    cdef PyObject* slots[MAX_SLOTS]
    cdef Py_ssize_t i
    for i in range(len(args)):
        slots[i] = <PyObject*>args[i]
    return run_kernel(<PyObject*>op, slots)


set_layered(_layered)
