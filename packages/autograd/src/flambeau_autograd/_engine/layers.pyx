# cython: language_level=3
"""Layers: what a tensor is to the transforms that are under way.

A transform has a *level*, and levels nest: the one entered last is the innermost and deals with a call first. Under
``vmap`` a tensor looks like one example, a tensor with that example's sizes, and its *layer* holds all of them. Under
``jvp`` it looks like its value, and its layer holds the tangent. Reverse mode needs no layer: nodes of the graph know
which levels they depend on (``Node.levels``, bits by depth; bit 0 stands for recording outside of all transforms).
"""
from cpython.object cimport PyObject, PyTypeObject
from cpython.pythread cimport PyThread_get_thread_ident

from flambeau_tensor.abi cimport (
    ABI_MAX_NDIM, Facts, T_FLOATING, T_REQUIRES_GRAD, T_LAYERED, T_VIEW, as_strided, copy_of, detach, detach_in_place,
    dtype_of, flags_of, is_tensor, look, offset_of, set_base, set_flags, set_history, shape_of, thread_flags,
)

from flambeau_tensor._core.tensor import set_layers

from flambeau_autograd._engine.edges cimport TensorMeta, geometry, gradient_edge, lie_alike, meta_of, requires_grad
from flambeau_autograd._engine.node cimport (
    NODE_OTHER, Node, begin_tape, describe, end_tape, levels_under_way, make_type, new_node, number, set_outputs,
)
from flambeau_autograd._engine.refs cimport *

cdef enum:
    MAX_DEPTH = 62

cdef dict _stacks = {}  # thread -> its levels, outermost first
cdef tuple _KINDS = ("vmap", "jvp", "grad")


cdef class Level:
    """One transform under way in one thread."""

    def __repr__(self):
        return f"<{_KINDS[self.kind]} level {self.depth}{'' if self.alive else ', left'}>"


cdef class Layer:
    """What a tensor is at one level."""


cdef Level _new_level(int kind, int depth):
    cdef Level level = Level.__new__(Level)
    level.kind, level.depth, level.alive, level.size, level.randomness = kind, depth, True, -1, "error"
    return level


def enter_level(str kind not None, Py_ssize_t size=-1, str randomness="error", bint internal=False):
    """Begin a transform: ``"vmap"`` (of `size` examples), ``"jvp"`` or ``"grad"``."""
    cdef Level level
    cdef list stack = _stacks.setdefault(PyThread_get_thread_ident(), [])
    if len(stack) == MAX_DEPTH:
        raise RuntimeError(f"more than {MAX_DEPTH} transforms inside each other")
    level = _new_level(_KINDS.index(kind), <int>len(stack) + 1)
    level.size, level.randomness, level.internal = size, randomness, internal
    stack.append(level)
    if level.kind == BATCH:
        thread_flags().transforming += 1
    elif level.kind == TAPE:
        begin_tape(level.depth)
    return level


def leave_level(Level level not None):
    """End the transform that was begun last."""
    cdef list stack = _stacks[PyThread_get_thread_ident()]
    stack.pop()
    level.alive = False
    if level.kind == BATCH:
        thread_flags().transforming -= 1
    elif level.kind == TAPE:
        end_tape(level.depth)
    if not stack:
        del _stacks[PyThread_get_thread_ident()]


cdef bint inside() noexcept:
    if not _stacks:
        return False
    found = _stacks.get(PyThread_get_thread_ident())
    return found is not None and not (<Level>(<list>found)[len(<list>found) - 1]).internal


cdef int refuse_inside(str what) except -1:
    if inside():
        also = "(or perhaps using torch.autograd.functional.* APIs) " if what == "requires_grad_" else ""
        raise RuntimeError(
            f"You are attempting to call Tensor.{what}() {also}inside of "
            "a function being transformed by a functorch transform. This is unsupported, please attempt to use the "
            "functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
            f"{what}() outside of a function being transformed instead.")
    return 0


cdef int refuse_backward() except -1:
    if inside():
        raise RuntimeError("backward() called inside a functorch transform. This is not supported, please use "
                           "functorch.grad or functorch.vjp instead or call backward() outside of functorch "
                           "transforms.")


def levels():
    """The levels of this thread, outermost first."""
    return tuple(_stacks.get(PyThread_get_thread_ident(), ()))


cdef Level _outside = None  # forward_ad's own level; there is one for all threads, as there is in PyTorch


def enter_outer_dual():
    """Begin forward mode outside of all transforms."""
    global _outside
    if _outside is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    # Inside of transforms it is one of them.
    _outside = enter_level("jvp") if levels() else _new_level(DUAL, 0)
    return _outside


def leave_outer_dual():
    """End it: tangents are forgotten."""
    global _outside
    if _outside is None:
        raise RuntimeError("Trying to exit a forward AD level but no level is active")
    if _outside.depth:
        leave_level(_outside)
    _outside.alive = False
    _outside = None


def outer_dual():
    """The level of forward mode outside of all transforms, or None."""
    return _outside


def dual_levels():
    """The levels of forward mode that this thread's operations see."""
    found = [level for level in levels() if (<Level>level).kind == DUAL]
    return found if _outside is None or _outside.depth else [_outside, *found]


# --- layers ---------------------------------------------------------------------------------------------------------

cdef Layer layer_of(PyObject* tensor):
    cdef Facts f
    cdef Layer layer
    cdef unsigned int flags = flags_of(tensor)
    if flags & T_VIEW:
        look(tensor, &f)
        if f.base != NULL and flags_of(f.base) & T_LAYERED and f.dtype >= T_FLOATING and \
                (f.version != f.view_version or f.grad_fn != NULL):  # as old as that, or with a history that may be
            _follow_base(tensor, f.base)
            flags = flags_of(tensor)
    if not flags & T_LAYERED:
        return None
    look(tensor, &f)
    if f.meta == NULL:
        return None
    layer = <Layer>(<TensorMeta>f.meta).layer
    while layer is not None and (layer.level.paused or not layer.level.alive):
        if layer.level.kind == BATCH:
            raise RuntimeError("a tensor that stands for one example was used after the vmap that made it had returned")
        layer = layer.below
    return layer


cdef Layer all_layers(PyObject* tensor):
    cdef Facts f
    look(tensor, &f)
    return <Layer>(<TensorMeta>f.meta).layer if f.meta != NULL else None


cdef Layer layer_at(PyObject* tensor, Level level):
    cdef Layer layer = all_layers(tensor)
    while layer is not None and layer.level is not level:
        layer = layer.below
    return layer


cdef int _insert(PyObject* tensor, Layer new) except -1:
    """Put a layer of forward mode where its level belongs among a tensor's."""
    cdef Layer above = None, below = all_layers(tensor)
    while below is not None and below.level.depth > new.level.depth:
        above, below = below, below.below
    new.below = below
    if above is None:
        return set_layer(tensor, new)
    above.below = new
    return 0


cdef int _follow_base(PyObject* view, PyObject* base) except -1:
    """Give a view the tangents that its base got after the view was made."""
    cdef Layer theirs = all_layers(base), own
    cdef Facts b
    look(base, &b)
    while theirs is not None and theirs.level.kind == DUAL:
        if theirs.level.alive and not theirs.level.paused:
            own = layer_at(view, theirs.level)
            if own is None and lie_alike(&b, <PyObject*>theirs.tangent):
                own = _dual(theirs.level, None, None)
                _view_tangent(own, theirs.tangent, base, view)
                _insert(view, own)
            elif own is not None and own.origin is not None and own.origin is not own.tangent and \
                    own.origin is not theirs.tangent:
                _view_tangent(own, theirs.tangent, base, view)
        theirs = theirs.below
    return 0


cdef int _view_tangent(Layer layer, object whole, PyObject* base, PyObject* view) except -1:
    from flambeau_autograd.strided import part_of

    layer.tangent, layer.origin = part_of(whole, geometry(base), geometry(view)), whole
    return 0


cdef int settle(PyObject* view) except -1:
    cdef Facts f, b
    cdef Layer own = all_layers(view), theirs
    look(view, &f)
    if not f.flags & T_VIEW or f.base == NULL:
        return 0
    look(f.base, &b)
    sizes, strides, _, _ = geometry(f.base)
    while own is not None and own.level.kind == DUAL:
        theirs = layer_at(f.base, own.level)
        if own.level.alive and not own.level.paused and own.origin is not own.tangent and \
                (theirs is None or own.origin is not theirs.tangent):
            given = own.tangent
            if theirs is None:
                whole = given.new_empty_strided(sizes, strides, dtype=dtype_of(b.dtype))
                theirs = _dual(own.level, whole.zero_(), None)
                _insert(f.base, theirs)
            elif not holds_examples_of(theirs.tangent, given):
                each = theirs.tangent.new_zeros(()) + given.new_zeros(())
                whole = each.new_empty_strided(sizes, strides, dtype=dtype_of(b.dtype))
                theirs.tangent = whole.copy_(theirs.tangent)
            _view_tangent(own, theirs.tangent, f.base, view)
            own.tangent.copy_(given)
        own = own.below
    return 0


cdef bint holds_examples_of(object tangent, object other) except -1:
    return not _batch_levels(<PyObject*>other) & ~_batch_levels(<PyObject*>tangent)


cdef unsigned long long _batch_levels(PyObject* tensor) except? 0xFFFFFFFFFFFFFFFF:
    cdef unsigned long long bits = 0
    cdef Layer layer = layer_of(tensor)
    while layer is not None:
        if layer.level.kind == BATCH:
            bits |= <unsigned long long>1 << layer.level.depth
            layer = layer_of(<PyObject*>layer.value)
        else:
            layer = layer.below
    return bits


cdef int set_layer(PyObject* tensor, Layer layer) except -1:
    if layer is None:
        if flags_of(tensor) & T_LAYERED:
            meta_of(tensor).layer = None
            set_flags(tensor, 0, T_LAYERED)
        return 0
    meta_of(tensor).layer = layer
    set_flags(tensor, T_LAYERED, 0)
    return 0


cdef int detach_layers(PyObject* tensor) except -1:
    cdef Layer layer
    if not flags_of(tensor) & T_LAYERED:
        return 0
    layer = all_layers(tensor)
    while layer is not None and layer.level.kind == DUAL:
        layer = layer.below
    if layer is not None:
        layer.value.detach_()
    return set_layer(tensor, layer)


cdef object bare(PyObject* tensor):
    t = detach(tensor)
    if flags_of(tensor) & T_LAYERED:
        set_layer(<PyObject*>t, layer_of(tensor))
    return t


cdef object _clone = None


cdef object value_of(PyObject* tensor):
    global _clone
    if not flags_of(tensor) & T_LAYERED:
        return copy_of(tensor)
    if _clone is None:
        from flambeau_tensor._core.registry import find_operator

        _clone = find_operator("torch.clone")
    return _clone(bare(tensor))  # recorded, for the history that its layers have


cdef Layer _dual(Level level, object tangent, Layer below):
    cdef Layer layer = Layer.__new__(Layer)
    layer.level, layer.tangent, layer.below = level, tangent, below
    layer.dim = -1
    return layer


cdef object wrap_batch(object value, int dim, Level level):
    """One example's view of ``value``, whose dimension ``dim`` runs over the examples of ``level``."""
    cdef PyObject* v = <PyObject*>value
    cdef Facts f
    cdef Layer layer = Layer.__new__(Layer)
    cdef Py_ssize_t sizes[ABI_MAX_NDIM]
    cdef Py_ssize_t strides[ABI_MAX_NDIM]
    cdef int i, k = 0
    look(v, &f)
    if dim < 0 or dim >= f.ndim:
        raise RuntimeError(f"vmap: no dimension {dim} in a tensor of shape {tuple(value.shape)}")
    for i in range(f.ndim):
        if i != dim:
            sizes[k], strides[k] = f.sizes[i], f.strides[i]
            k += 1
    t = as_strided(v, f.ndim - 1, sizes, strides, offset_of(v))
    detach_in_place(<PyObject*>t)
    layer.level, layer.value, layer.dim = level, value, dim
    set_layer(<PyObject*>t, layer)
    return t


# --- histories ------------------------------------------------------------------------------------------------------

cdef Node _producer(PyObject* tensor, int* nr):
    cdef PyObject* node = gradient_edge(tensor, nr)
    return None if node == NULL else <Node>owned(node)


cdef unsigned long long history_levels(PyObject* tensor) except? 0xFFFFFFFFFFFFFFFF:
    """The levels whose tapes a tensor is on, itself, not what its layers hold."""
    cdef Facts f
    cdef Node node
    cdef int nr
    if not requires_grad(tensor):
        return 0
    look(tensor, &f)
    if f.grad_fn == NULL and not f.base != NULL:
        return 1
    node = _producer(tensor, &nr)
    return levels_under_way(node) if node is not None else 0


cdef int history_depth(PyObject* tensor) except -2:
    cdef unsigned long long bits = history_levels(tensor)
    cdef int depth = -1
    while bits:
        bits >>= 1
        depth += 1
    return depth


cdef unsigned long long _all_levels(PyObject* tensor) except? 0xFFFFFFFFFFFFFFFF:
    """Those of its layers, too."""
    cdef unsigned long long bits = history_levels(tensor)
    cdef Layer layer = layer_of(tensor)
    while layer is not None:
        if layer.level.kind == BATCH:
            return bits | _all_levels(<PyObject*>layer.value)
        bits |= _all_levels(<PyObject*>layer.tangent)
        layer = layer.below
    return bits


def depends_on_others(tensor, Level level not None):
    """Whether a tensor's history, or that of its layers, goes beyond ``level``."""
    return (_all_levels(<PyObject*>tensor) & ~_bit(level)) != 0


cdef unsigned long long _bit(Level level) noexcept:
    # When it is over, its bit may stand for another.
    return <unsigned long long>1 << level.depth if level.alive else 0


cdef object with_history(object tensor, PyObject* of, int floor=62):
    """``tensor``, which has none, as if it were ``of`` to reverse mode, on the tapes of the levels up to ``floor``."""
    cdef unsigned long long bits = history_levels(of) & ((<unsigned long long>2 << floor) - 1)
    cdef int nr = 0
    cdef Node node = _producer(of, &nr) if bits else None
    return tensor if node is None else _through(_Alias, tensor, node, nr, bits)


cdef PyTypeObject* _Alias = make_type("AliasBackward0", <PyTypeObject*>Node)
cdef PyTypeObject* _Input = make_type("TransformInput", <PyTypeObject*>Node)


cdef bint is_input(PyObject* node) noexcept:
    return node != NULL and node.ob_type == _Input


cdef int _hand_on(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    out[0] = grads[0]
    xincref(out[0])
    return 0


cdef object _through(PyTypeObject* kind, object tensor, Node producer, int nr, unsigned long long levels):
    """Give ``tensor`` a history: a node that hands gradients on to ``producer`` (None: to nobody)."""
    cdef Node node = new_node(kind, _hand_on, NODE_OTHER, 1, 0)
    cdef Facts f
    look(<PyObject*>tensor, &f)
    if producer is not None:
        incref(<PyObject*>producer)
        node.edges[0].node, node.edges[0].output_nr = <PyObject*>producer, nr
    set_outputs(node, 1)
    describe(&node.metas[0], f.dtype, f.ndim, f.sizes)
    number(node)
    node.levels = levels
    set_history(<PyObject*>tensor, <PyObject*>node, 0)
    return tensor


# --- what transforms are written with ------------------------------------------------------------------------------

def enter_tape(tensor, Level level not None):
    """``tensor`` as an input that ``level`` differentiates by; outer levels still see where it comes from."""
    cdef int nr = 0
    cdef Node node = _producer(<PyObject*>tensor, &nr)
    cdef Facts f
    look(<PyObject*>tensor, &f)
    if f.dtype < T_FLOATING:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    return _through(_Input, bare(<PyObject*>tensor), node, nr,
                    (levels_under_way(node) if node is not None else 0) | <unsigned long long>1 << level.depth)


def leave_tape(tensor, Level level not None, bint keep=True):
    """``tensor`` as seen from outside of ``level``: on the tapes of outer levels only; without ``keep``, on none."""
    cdef PyObject* t = <PyObject*>tensor
    cdef unsigned long long inner = -_bit(level), bits  # its own and those inside of it
    cdef Layer layer, new
    cdef Node node
    cdef int nr = 0
    if not is_tensor(t):
        return tensor
    if not flags_of(t) & (T_LAYERED | T_REQUIRES_GRAD) and not requires_grad(t):
        return tensor
    bits = history_levels(t)
    layer = layer_of(t)
    if layer is not None:
        new = _leave_layers(layer, level, keep)
        if new is not layer or bits & inner:
            out = detach(t)
            set_layer(<PyObject*>out, new)
        else:
            return tensor
    elif bits & inner or (bits and not keep):
        out = detach(t)
    else:
        return tensor
    if keep and bits & ~inner:
        node = _producer(t, &nr)
        _through(_Alias, out, node, nr, bits & ~inner)
    return out


cdef Layer _leave_layers(Layer layer, Level level, bint keep):
    cdef Layer new, below = None
    if layer.level.kind == BATCH:
        value = leave_tape(layer.value, level, keep)
        if value is layer.value:
            return layer
        new = Layer.__new__(Layer)
        new.level, new.value, new.dim = layer.level, value, layer.dim
        return new
    if layer.below is not None:
        below = _leave_layers(layer.below, level, keep)
    tangent = leave_tape(layer.tangent, level, keep)
    if tangent is layer.tangent and below is layer.below:
        return layer
    return _dual(layer.level, tangent, below)


def make_dual(tensor, tangent, Level level not None):
    """``tensor`` with a tangent at ``level``."""
    cdef PyObject* t = <PyObject*>tensor
    cdef Layer below = layer_of(t), new
    if tangent.dtype is not tensor.dtype:
        tangent = tangent.to(tensor.dtype)
    if layer_of(<PyObject*>tangent) is not None and layer_at(<PyObject*>tangent, level) is not None:
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level "
                           f"{level.depth} is not supported.")
    if below is not None and below.level is level:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
                           f"level {level.depth} is not supported.")
    out = with_history(bare(t), t)
    set_base(<PyObject*>out, t)
    new = _dual(level, laid_out(tangent, t), below)
    new.origin = new.tangent
    set_layer(<PyObject*>out, new)
    return out


cdef object laid_out(object tangent, PyObject* like, bint copy=False):
    """A tangent with the strides of what it belongs to, so that views of one go with views of the other."""
    cdef Facts g
    cdef int i
    if copy:
        tangent = tangent.clone()
    look(like, &g)
    if lie_alike(&g, <PyObject*>tangent):
        return tangent
    for i in range(g.ndim):
        if g.sizes[i] > 1 and g.strides[i] == 0:
            return tangent  # of what nobody can write to
    strides = tuple([g.strides[i] for i in range(g.ndim)])
    return tangent.new_empty_strided(shape_of(like), strides).copy_(tangent)


def unpack_dual(tensor, Level level not None):
    """(value, tangent or None) of a tensor at ``level``, which must be the innermost one it has a layer at."""
    cdef PyObject* t = <PyObject*>tensor
    cdef Layer layer = layer_of(t)
    if layer is None or layer.level is not level:
        return tensor, None
    out = detach(t)
    set_layer(<PyObject*>out, layer.below)
    return with_history(out, t), layer.tangent


def batch(value, int dim, Level level not None):
    """One example's view of ``value``, whose dimension ``dim`` runs over the examples of ``level``."""
    return wrap_batch(value, dim, level)


def unbatch(tensor, Level level not None):
    """(all examples, the dimension that runs over them) of a tensor at ``level``; (tensor, None) if it has none."""
    cdef Layer layer
    if not is_tensor(<PyObject*>tensor):
        return tensor, None
    layer = layer_of(<PyObject*>tensor)
    while layer is not None and layer.level is not level:
        layer = layer.below
    if layer is None:
        return tensor, None
    return layer.value, layer.dim


def without_history(tensor):
    """A tensor with its layers, on no tape itself."""
    return bare(<PyObject*>tensor)


def lowered(tensors, bint whole):
    """The arguments of a call as the levels below see them: with ``whole`` histories, or those up to the last batch."""
    cdef int floor = MAX_DEPTH if whole else innermost(tensors)[1]
    return [bare(<PyObject*>t) if floor < 0 else with_history(bare(<PyObject*>t), <PyObject*>t, floor) for t in tensors]


def have_tangents(tensors):
    """Whether one of the tensors has a tangent."""
    return any([has_tangents(<PyObject*>t, None) for t in tensors])


cdef bint has_tangents(PyObject* tensor, Level but) except -1:
    cdef Layer layer = layer_of(tensor)
    while layer is not None:
        if layer.level.kind == DUAL and layer.level.alive and not layer.level.paused and layer.level is not but:
            return True
        layer = layer.below
    return False


def follow(tensor, lowered):
    """Give ``tensor`` the layers that ``lowered``, which stood in for it below, has got since."""
    cdef Layer above = None, layer = all_layers(<PyObject*>tensor)
    while layer is not None and layer.level.paused:
        above, layer = layer, layer.below
    layer = all_layers(<PyObject*>lowered)
    if above is not None:
        above.below = layer
    else:
        set_layer(<PyObject*>tensor, layer)


def holds_examples(tangent, other):
    """Whether ``other`` can be written to ``tangent``: it stands for no more examples."""
    return holds_examples_of(tangent, other)


def set_view_of(tensor, base):
    """Let a result be a view of an argument at the same level."""
    set_base(<PyObject*>tensor, <PyObject*>base)


def innermost(tensors):
    """(the innermost level that one of the tensors has a layer at or None, the depth of the innermost batch or -1)"""
    cdef Layer layer
    cdef Level top = None
    cdef int floor = -1
    for t in tensors:
        layer = layer_of(<PyObject*>t)
        if layer is not None and (top is None or layer.level.depth > top.depth):
            top = layer.level
        while layer is not None:
            if layer.level.kind == BATCH and layer.level.depth > floor:
                floor = layer.level.depth
            layer = layer.below
    return top, floor


def tape_depth(tensor):
    """The depth of the innermost transform whose tape a tensor is on; 0: recorded outside of all, -1: not recorded."""
    return history_depth(<PyObject*>tensor)


def attach_tangent(tensor, tangent, Level level not None):
    """Give a result its tangent; where it has one, that is replaced."""
    cdef Layer layer = layer_of(<PyObject*>tensor)
    if layer is None or layer.level is not level:
        layer = _dual(level, None, layer)
        set_layer(<PyObject*>tensor, layer)
    layer.tangent = layer.origin = tangent


# --- what the tensor package asks ----------------------------------------------------------------------------------

def _check_read(tensor, str what):
    """Raise where memory that stands for one example of many, or has a tangent, is about to be handed out."""
    cdef Layer layer = layer_of(<PyObject*>tensor)
    cdef bint dual = layer is not None
    while layer is not None:
        if layer.level.kind == BATCH:
            raise RuntimeError(f"vmap: {what}() reads numbers out of a tensor that stands for one example of many. "
                               "Rewrite it with tensor operations, or use vmap(..., fallback=\"loop\").")
        layer = layer.below
    if dual:
        raise RuntimeError(f"Can't call {what}() on a tensor that has a tangent, which would be lost in silence. Use "
                           f"tensor.detach().{what}() instead.")


def _describe(tensor):
    """(text with a line for each level or None, what to add to the plain text)"""
    cdef PyObject* t = <PyObject*>tensor
    cdef Layer layer = None
    cdef Facts f
    cdef int depth
    if flags_of(t) & T_LAYERED:
        look(t, &f)
        layer = <Layer>(<TensorMeta>f.meta).layer
        while layer is not None and layer.level.kind != BATCH and not layer.level.alive:
            layer = layer.below
    depth = _tape_under_way(history_depth(t))
    if layer is None and depth < 1:
        return None, ()
    if layer is None or depth > layer.level.depth:
        return _wrapped("GradTrackingTensor", depth, "", _one_tape_less(tensor, depth)), ()
    if layer.level.kind == BATCH:
        return _wrapped("BatchedTensor", layer.level.depth, f"bdim={layer.dim}, ", layer.value), ()
    if layer.level.depth:
        below = detach(t)
        set_layer(<PyObject*>below, layer.below)
        return _wrapped("GradTrackingTensor", layer.level.depth, "", with_history(below, t)), ()
    return None, (f"tangent={layer.tangent!r}",)


cdef int _tape_under_way(int depth) except -2:
    cdef tuple stack = levels()
    if 0 < depth <= len(stack) and (<Level>stack[depth - 1]).kind == TAPE:
        return depth
    return -1


cdef object _one_tape_less(object tensor, int depth):
    cdef unsigned long long bits = history_levels(<PyObject*>tensor) & ~(<unsigned long long>1 << depth)
    cdef int nr = 0
    below = bare(<PyObject*>tensor)
    if bits:
        _through(_Alias, below, _producer(<PyObject*>tensor, &nr), nr, bits)
    return below


cdef str _wrapped(str kind, int depth, str more, object value):
    inside = "\n".join(["    " + line for line in repr(value).split("\n")])
    return f"{kind}(lvl={depth}, {more}value=\n{inside}\n)"


set_layers(_check_read, _describe)
