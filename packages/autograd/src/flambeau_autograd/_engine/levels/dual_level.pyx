# cython: language_level=3
"""Forward mode as a level: a call on tensors with tangents becomes one on their values, and one of the tangent rule.

In a recorded call, results receive their tangents after they got their history and before they are saved for backward.
"""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    TensorInfo, O_INPLACE, O_VIEW, OperatorInfo, T_DISPATCH, T_FLOATING, T_INFERENCE, T_REQUIRES_GRAD, T_VIEW,
    add_version, call_bound, detach, flags_of, is_tensor, tensor_info, operator_info, set_base, thread_flags,
    version_of,
)

from flambeau_autograd._engine.graph.edges cimport requires_grad
from flambeau_autograd._engine.levels.forward_rules cimport reads_results, tangents_of
from flambeau_autograd._engine.levels.histories cimport history_levels, with_history
from flambeau_autograd._engine.levels.layers cimport (
    DualLayer, Layer, all_layers, bare, detached, has_tangents, holds_examples_of, laid_out, layer_at, layer_of,
    new_dual, set_layer, value_of, write_to_base,
)
from flambeau_autograd._engine.levels.level cimport Level
from flambeau_autograd._engine.graph.record cimport LevelCall, compose, process_call
from flambeau_autograd._engine.refs cimport *
from flambeau_autograd._engine.graph.rule cimport Rule

from flambeau_autograd._engine.levels.level import levels

cdef enum:
    MAX_SLOTS = 32

cdef object _without_layers(PyObject* tensor):
    """Return the tensor without layers; through `detach` of its class if that handles calls."""
    return detached(tensor) if flags_of(tensor) & T_DISPATCH else detach(tensor)


cdef bint _enabled = True


def forward_enabled():
    """Whether forward mode is switched on."""
    return _enabled


def set_forward_enabled(bint enabled):
    """Switch forward mode on or off: while it is off, the tangents of all levels are ignored."""
    global _enabled
    if enabled != _enabled:
        _enabled = enabled
        for level in dual_levels():
            (<Level>level).paused += -1 if enabled else 1


cdef class DualLevel(Level):
    """The level of ``jvp`` or of ``forward_ad``."""

    kind = "jvp"

    def __cinit__(self):
        self.paused = not _enabled

    cdef int begin(self) except -1:
        self.was_enabled = _enabled
        if not self.of_forward_ad:
            set_forward_enabled(True)
        return 0

    cdef int end(self) except -1:
        if not self.of_forward_ad:
            set_forward_enabled(self.was_enabled)
        return 0

    def make_dual(self, tensor, tangent):
        """Return ``tensor`` with a tangent at this level."""
        cdef PyObject* t = <PyObject*>tensor
        cdef Layer outer = layer_of(t)
        if tangent.dtype is not tensor.dtype:
            tangent = tangent.to(tensor.dtype)
        if layer_of(<PyObject*>tangent) is not None and layer_at(<PyObject*>tangent, self) is not None:
            raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level "
                               f"{self.depth} is not supported.")
        if outer is not None and outer.level is self:
            raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
                               f"level {self.depth} is not supported.")
        out = with_history(bare(t), t)
        if not flags_of(t) & T_INFERENCE:  # views of inference tensors are not tracked
            set_base(<PyObject*>out, t)
        tangent = laid_out(tangent, t)
        set_layer(<PyObject*>out, new_dual(self, tangent, tangent, outer))
        return out

    def unpack(self, tensor):
        """Return (value, tangent or None) of a tensor; this level must be the innermost one at which it has a layer."""
        cdef PyObject* t = <PyObject*>tensor
        cdef Layer layer = layer_of(t)
        if layer is None or layer.level is not self:
            return tensor, None
        out = _without_layers(t)
        set_layer(<PyObject*>out, layer.outer)
        return with_history(out, t), (<DualLayer>layer).tangent

    def attach(self, tensor, tangent):
        """Set or replace the tangent of a result."""
        cdef Layer layer = layer_of(<PyObject*>tensor)
        if layer is None or layer.level is not self:
            layer = new_dual(self, None, None, layer)
            set_layer(<PyObject*>tensor, layer)
        (<DualLayer>layer).tangent = (<DualLayer>layer).origin = tangent

    cdef object process(self, PyObject* op, PyObject** slots, int batch_depth):
        cdef OperatorInfo o
        cdef PyObject* values[MAX_SLOTS]
        cdef PyObject* tangents[MAX_SLOTS]
        cdef _DualCall call
        cdef int i
        operator_info(op, &o)
        if o.derivative != NULL and (<Rule>o.derivative).composition is not None:
            return compose(<Rule>o.derivative, slots, o.nslots)
        call = _DualCall.__new__(_DualCall)
        call.op, call.info, call.slots, call.level, call.batch_depth = op, &o, slots, self, batch_depth
        call.values, call.tangents = values, tangents
        call.recording = thread_flags().grad_enabled
        call.inplace, call.view = (o.flags & O_INPLACE) != 0, (o.flags & O_VIEW) != 0
        for i in range(o.nslots if call.recording else 0):
            if _has_tangents(<object>slots[i], self):
                call.all_histories = True
                break
        try:
            return process_call(op, &o, slots, call)
        finally:
            for i in range(call.entered):
                decref(values[i])
                xdecref(tangents[i])

    def process_function(self, cls, args, kwargs, int batch_depth):
        from flambeau_autograd.func.custom import dual

        return dual(cls, args, kwargs, self)


cdef bint _has_tangents(object a, Level but) except -1:
    """Whether an argument contains a tensor with a tangent at a level other than `but`."""
    if is_tensor(<PyObject*>a):
        return has_tangents(<PyObject*>a, but)
    return isinstance(a, (tuple, list)) and any([_has_tangents(item, but) for item in a])


def have_tangents(tensors):
    """Whether any of the tensors has a tangent."""
    return _has_tangents(tensors, None)


# --- forward mode outside all transforms ----------------------------------------------------------------------------

cdef DualLevel _outer = None  # the level of forward_ad; as in PyTorch, all threads share it


def enter_outer_dual():
    """Begin forward mode outside all transforms."""
    global _outer
    if _outer is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    level = DualLevel()
    (<DualLevel>level).of_forward_ad = True
    if levels():  # inside transforms, it nests like the others
        level.__enter__()
    else:
        (<Level>level).alive = True
    _outer = level
    return level


def leave_outer_dual():
    """End forward mode outside all transforms and drop the tangents."""
    global _outer
    if _outer is None:
        raise RuntimeError("Trying to exit a forward AD level but no level is active")
    level, _outer = _outer, None
    if level.depth:
        level.__exit__(None, None, None)
    (<Level>level).alive = False


def outer_dual():
    """Return the level of forward mode outside all transforms, or None."""
    return _outer


def dual_levels():
    """Return the forward-mode levels that apply to this thread's operations."""
    found = [level for level in levels() if isinstance(level, DualLevel)]
    return found if _outer is None or _outer.depth else [_outer, *found]


# --- calls of operators ---------------------------------------------------------------------------------------------

cdef class _DualCall(LevelCall):
    """One call of an operator on tensors with tangents. It must not outlive the call's arguments."""

    cdef PyObject* op
    cdef OperatorInfo* info
    cdef PyObject** slots
    cdef DualLevel level
    cdef bint inplace, view, recording
    cdef bint all_histories  # outer levels have tangents, too, which follow the same histories
    cdef bint moving  # whether an argument has a tangent
    cdef int entered  # the number of filled entries in the following arrays
    cdef PyObject** values  # owned: the arguments one level further out, as the tangent formulas read them
    cdef PyObject** tangents  # owned, or NULL
    cdef object before  # the tangent that an in-place call overwrites, if it may still be needed

    cdef object run(self):
        cdef PyObject* args[MAX_SLOTS]
        cdef Py_ssize_t version = 0
        cdef int i, n = 0
        try:
            for i in range(self.info.nslots):
                self.enter(i, args)
                n += 1
            if self.inplace:
                version = version_of(self.slots[0])
            result = call_bound(self.op, args)
            if self.inplace:
                if version_of(self.slots[0]) == version:  # a class may return a replacement that counts its own writes
                    add_version(self.slots[0])
                return self.written(args[0])
            return self.restored(result, args)
        finally:
            for i in range(n):
                decref(args[i])

    cdef int enter(self, int i, PyObject** args) except -1:
        """Fill in an argument as outer levels see it, and the value that the tangent formulas read."""
        cdef PyObject* p = self.slots[i]
        cdef Layer layer
        cdef bint has_history
        tangent = value = None
        self.tangents[i] = NULL
        if not is_tensor(p):
            if isinstance(<object>p, (tuple, list)):
                argument = tuple([self.argument(item) for item in <object>p])
                value, tangent = self.parts(<object>p)
            else:
                argument = value = <object>p
        else:
            layer = layer_of(p)
            has_history = requires_grad(p)
            if layer is not None and layer.level is self.level:
                tangent = (<DualLayer>layer).tangent
            if not has_history and not flags_of(p) & T_REQUIRES_GRAD:
                argument = value = <object>p if tangent is None else self.one_further_out(p, layer)
            else:
                argument, value = self.argument(<object>p), self.parts(<object>p)[0]
            if i == 0 and self.inplace:  # will be overwritten
                copy = value_of(<PyObject*>value)
                value = with_history(copy, <PyObject*>value) if requires_grad(<PyObject*>value) else copy
                if self.recording and tangent is not None:
                    tangent = self.before = tangent.clone()
        if tangent is not None:
            incref(<PyObject*>tangent)
            self.tangents[i] = <PyObject*>tangent
            self.moving = True
        incref(<PyObject*>value)
        self.values[i] = <PyObject*>value
        self.entered = i + 1
        incref(<PyObject*>argument)
        args[i] = <PyObject*>argument
        return 0

    cdef object one_further_out(self, PyObject* p, Layer layer):
        t = _without_layers(p)
        if layer.outer is not None:
            set_layer(<PyObject*>t, layer.outer)
        return t

    cdef object written(self, PyObject* stand_in):
        """Return the result of an in-place call; the outer call may have given the replacement tangents."""
        cdef PyObject* p = self.slots[0]
        cdef Layer layer
        if p != stand_in:
            layer = layer_of(p)
            if layer is not None and layer.level is self.level:
                layer.outer = all_layers(stand_in)
            else:
                set_layer(p, all_layers(stand_in))
            write_to_base(p)
        return <object>p

    cdef object argument(self, object a):
        """Return an argument as outer levels see it."""
        cdef PyObject* p = <PyObject*>a
        cdef Layer layer
        if not is_tensor(p):
            if isinstance(a, (tuple, list)):
                return tuple([self.argument(item) for item in a])
            return a
        layer = layer_of(p)
        if layer is not None and layer.level is self.level:
            t = self.one_further_out(p, layer)
        elif flags_of(p) & T_REQUIRES_GRAD or requires_grad(p):
            t = bare(p)
        else:
            return a
        # Histories up to the innermost batch are recorded there; the others are recorded here. A tensor may have both.
        if requires_grad(p) and (self.all_histories or self.batch_depth >= 0):
            if self.all_histories:
                with_history(t, p)
            else:
                with_history(t, p, self.batch_depth)
        return t

    cdef object restored(self, object result, PyObject** args):
        """Map arguments that the call returned unchanged, and bases of views, back to the original arguments."""
        cdef TensorInfo f
        cdef int i
        if not is_tensor(<PyObject*>result):
            if not isinstance(result, (tuple, list)):
                return result
            items = [self.restored(r, args) for r in result]
            if type(result) is tuple or type(result) is list:
                return type(result)(items)
            return type(result)(tuple(items))
        for i in range(self.info.nslots):
            if args[i] == <PyObject*>result:
                return <object>self.slots[i]
        if self.view:
            tensor_info(<PyObject*>result, &f)
            if f.base != NULL and is_tensor(self.slots[0]):
                set_base(<PyObject*>result, self.slots[0])
        return result

    # --- tangents

    cdef tuple parts(self, object a):
        """Return (value, tangent or None) of an argument; the value has its history if tangents must follow it."""
        cdef PyObject* p = <PyObject*>a
        cdef Layer layer
        if not is_tensor(p):
            if isinstance(a, (tuple, list)):
                pairs = [self.parts(item) for item in a]
                tangents = tuple([pair[1] for pair in pairs])
                return tuple([pair[0] for pair in pairs]), \
                    tangents if any([t is not None for t in tangents]) else None
            return a, None
        layer = layer_of(p)
        tangent = None
        if layer is not None and layer.level is self.level:
            tangent = (<DualLayer>layer).tangent
            t = self.one_further_out(p, layer)
        elif requires_grad(p):
            t = bare(p)
        else:
            return a, None
        if self.recording and history_levels(p) & ((<unsigned long long>2 << self.level.depth) - 1):
            with_history(t, p)
        return t, tangent

    cdef int finish(self, object result) except -1:
        """Give the results their tangents."""
        cdef Rule rule
        cdef PyObject* op = self.op
        if not self.moving:
            return 0
        if self.inplace:
            functional = (<object>op).functional
            if functional is not None and functional.derivative is not None:
                op = <PyObject*>functional
        rule = <Rule>(<object>op).derivative if op != self.op else <Rule>self.info.derivative
        if is_tensor(<PyObject*>result):
            read = self.parts(result)[0] if reads_results(rule) else result
            return self.attach(result, tangents_of(op, rule, self.values, self.tangents, self.info.nslots, read))
        read = tuple([self.parts(out)[0] for out in result])
        tangents = tangents_of(op, rule, self.values, self.tangents, self.info.nslots, read)
        for out, tangent in zip(result, tangents, strict=True):
            self.attach(out, tangent)
        return 0

    cdef int attach(self, object out, object tangent) except -1:
        cdef PyObject* p = <PyObject*>out
        cdef Layer layer
        cdef DualLayer theirs
        cdef TensorInfo f
        if not is_tensor(p):
            return 0
        tensor_info(p, &f)
        if f.dtype < T_FLOATING:
            return 0
        layer = layer_of(p)
        if layer is not None and layer.level is self.level:
            if self.replace(<DualLayer>layer, tangent, p):
                return 0
        elif tangent is None:
            return 0
        elif not self.view:
            set_layer(p, new_dual(self.level, self.own(tangent, p), None, layer))
        else:
            theirs = <DualLayer>layer_at(f.base, self.level) if f.flags & T_VIEW and f.base != NULL else None
            origin = None
            if f.flags & T_VIEW and f.base != NULL:
                origin = theirs.tangent if theirs is not None else tangent
            set_layer(p, new_dual(self.level, tangent, origin, layer))
        return write_to_base(p) if self.inplace else 0

    cdef bint replace(self, DualLayer layer, object tangent, PyObject* p) except -1:
        """Replace the tangent of a result; return whether tensors that share its memory see the new one, too."""
        if self.view:
            layer.tangent = tangent
            return True
        if tangent is None:
            tangent = layer.tangent * 0
        if tangent is layer.tangent or tangent is self.before:
            return True
        if holds_examples_of(layer.tangent, tangent):  # views of this memory have views of the tangent
            layer.tangent.copy_(tangent)
            return True
        own = layer.origin is layer.tangent
        layer.tangent = self.own(tangent, p)
        layer.origin = layer.tangent if own else None
        return False

    cdef object own(self, object tangent, PyObject* p):
        """Return a tangent that may be modified by writes to `p`."""
        return laid_out(tangent, p, flags_of(<PyObject*>tangent) & T_VIEW or self.is_given(tangent))

    cdef bint is_given(self, object tangent) except -1:
        """Whether a rule returned an argument's own tangent, which writes to the result must not modify."""
        cdef PyObject* t = <PyObject*>tangent
        cdef Py_ssize_t k
        cdef int i
        for i in range(self.info.nslots):
            if self.tangents[i] == t:
                return True
            if self.tangents[i] != NULL and is_tuple(self.tangents[i]):
                for k in range(tuple_size(self.tangents[i])):
                    if tuple_item(self.tangents[i], k) == t:
                        return True
        return False
