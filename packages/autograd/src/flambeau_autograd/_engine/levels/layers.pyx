# cython: language_level=3
"""Layers: the state of a tensor at each level.

Under ``vmap`` a tensor looks like a single example, and its *layer* holds the batch. Under ``jvp`` it looks like its
value, and its layer holds the tangent. Reverse mode needs no layers: nodes of the graph store the levels that they
depend on, see ``histories.pyx``.
"""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    TensorInfo, T_DISPATCH, T_FLOATING, T_LAYERED, T_LAZY, T_VIEW, copy_of, detach, detach_in_place, dtype_of,
    flags_of, is_tensor, tensor_info, set_base, set_flags, shape_of, thread_flags,
)

from flambeau_autograd._engine.graph.edges cimport AutogradMeta, geometry, same_strides, autograd_meta
from flambeau_autograd._engine.levels.histories cimport with_history
from flambeau_autograd._engine.graph.node cimport T_META
from flambeau_autograd._engine.refs cimport *

from flambeau_autograd._engine.levels.level import VmapUnsupportedError
from flambeau_tensor.extend import find_operator


cdef class Layer:
    """The state of a tensor at one level. Levels written in Python derive their own, see ``own_level.pyx``."""

    def __init__(self, Level level not None):
        self.level = level

    cdef object held(self):
        return None

    cdef Layer holding(self, object held):
        return self

    cdef int refuse_read(self, str what) except -1:
        return 0

    cdef tuple shown(self, PyObject* tensor):
        return None, ()


cdef class BatchLayer(Layer):
    """The layer of a batched tensor."""

    cdef object held(self):
        return self.value

    cdef Layer holding(self, object held):
        return new_batch(self.level, held, self.dim)

    cdef int refuse_read(self, str what) except -1:
        raise VmapUnsupportedError(why_not_one_example(what))

    cdef tuple shown(self, PyObject* tensor):
        return wrapped_text("BatchedTensor", self.level.depth, f"bdim={self.dim}, ", self.value), ()


cdef class DualLayer(Layer):
    """The layer of a tensor with a tangent."""

    cdef object held(self):
        return self.tangent

    cdef Layer holding(self, object held):
        return new_dual(self.level, held, None, None)

    cdef int refuse_read(self, str what) except -1:
        raise RuntimeError(f"Can't call {what}() on a tensor that has a tangent, which would be lost in silence. Use "
                           f"tensor.detach().{what}() instead.")

    cdef tuple shown(self, PyObject* tensor):
        if not self.level.depth:
            return None, (f"tangent={self.tangent!r}",)
        value = detach(tensor)
        set_layer(<PyObject*>value, self.outer)
        return wrapped_text("GradTrackingTensor", self.level.depth, "", with_history(value, tensor)), ()


cdef BatchLayer new_batch(Level level, object value, int dim):
    cdef BatchLayer layer = BatchLayer.__new__(BatchLayer)
    layer.level, layer.value, layer.dim = level, value, dim
    layer.essential = layer.many = True
    return layer


cdef DualLayer new_dual(Level level, object tangent, object origin, Layer outer):
    cdef DualLayer layer = DualLayer.__new__(DualLayer)
    layer.level, layer.tangent, layer.origin, layer.outer, layer.moving = level, tangent, origin, outer, True
    return layer


cdef str wrapped_text(str kind, int depth, str more, object value):
    inside = "\n".join(["    " + line for line in repr(value).split("\n")])
    return f"{kind}(lvl={depth}, {more}value=\n{inside}\n)"


cdef str why_not_one_example(str name):
    if name in ("item", "__int__", "__float__", "__complex__", "__index__"):
        return ("vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on "
                "a Tensor; rewrite it with tensor operations, or use vmap(..., fallback=\"loop\").")
    if name == "is_nonzero":
        return ("vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
                "support that; use torch.where, or vmap(..., fallback=\"loop\").")
    return (f"vmap: {name}() reads numbers out of a tensor that stands for one example of many. Rewrite it with tensor "
            "operations, or use vmap(..., fallback=\"loop\").")


# --- lookup ---------------------------------------------------------------------------------------------------------

cdef Layer layer_of(PyObject* tensor):
    cdef TensorInfo f
    cdef Layer layer
    cdef unsigned int flags = flags_of(tensor)
    if flags & T_VIEW:
        tensor_info(tensor, &f)
        if f.base != NULL and flags_of(f.base) & T_LAYERED and f.dtype >= T_FLOATING and \
                (f.version != f.view_version or f.grad_fn != NULL):  # the view or its history may be outdated
            _read_from_base(tensor, f.base)
            flags = flags_of(tensor)
    if not flags & T_LAYERED:
        return None
    tensor_info(tensor, &f)
    if f.autograd_meta == NULL:
        return None
    layer = <Layer>(<AutogradMeta>f.autograd_meta).layer
    while layer is not None and (layer.level.paused or not layer.level.alive):
        if layer.essential:
            raise RuntimeError("a tensor that stands for one example was used after the vmap that made it had returned")
        layer = layer.outer
    return layer


cdef Layer all_layers(PyObject* tensor):
    cdef TensorInfo f
    tensor_info(tensor, &f)
    return <Layer>(<AutogradMeta>f.autograd_meta).layer if f.autograd_meta != NULL else None


cdef Layer layer_at(PyObject* tensor, Level level):
    cdef Layer layer = all_layers(tensor)
    while layer is not None and layer.level is not level:
        layer = layer.outer
    return layer


cdef Layer innermost_layer(object argument, Layer found, int* batch_depth):
    cdef Layer layer, each
    if is_tensor(<PyObject*>argument):
        layer = layer_of(<PyObject*>argument)
        if layer is None:
            return found
        each = layer
        while each is not None:
            if each.many and each.level.depth > batch_depth[0]:
                batch_depth[0] = each.level.depth
            each = each.outer
        if found is None or layer.level.depth > found.level.depth:
            return layer
        return found
    if isinstance(argument, (tuple, list)):
        for item in argument:
            found = innermost_layer(item, found, batch_depth)
    return found


def innermost(tensors):
    """Return (the innermost level at which a tensor has a layer or None, the depth of the innermost batch or -1)."""
    cdef int batch_depth = -1
    cdef Layer layer = innermost_layer(tensors, None, &batch_depth)
    return None if layer is None else layer.level, batch_depth


def all_examples(tensor):
    """Return the tensor that holds every example of a batched tensor; the tensor itself if it is not batched."""
    cdef Layer layer = layer_of(<PyObject*>tensor)
    while layer is not None:
        if layer.many:
            return all_examples(layer.held())
        layer = layer.outer
    return tensor


def elements_are_hidden(*tensors):
    """Whether a formula must not branch on the elements of the tensors.

    This is so if one of them is batched, or if a ``__torch_dispatch__`` handler sees the calls, to repeat them with
    other values.
    """
    if thread_flags().modes != NULL or innermost(tensors)[1] >= 0:
        return True
    return any([flags_of(<PyObject*>t) & T_DISPATCH for t in tensors])


cdef bint has_tangents(PyObject* tensor, Level but) except -1:
    cdef Layer layer = layer_of(tensor)
    while layer is not None:
        if layer.moving and layer.level.alive and not layer.level.paused and layer.level is not but:
            return True
        layer = layer.outer
    return False


cdef bint holds_examples_of(object tangent, object other) except -1:
    return not _batch_levels(<PyObject*>other) & ~_batch_levels(<PyObject*>tangent)


def holds_examples(tangent, other):
    """Whether ``other`` can be written to ``tangent``: it has no batch dimension that ``tangent`` lacks."""
    return holds_examples_of(tangent, other)


cdef unsigned long long _batch_levels(PyObject* tensor) except? 0xFFFFFFFFFFFFFFFF:
    cdef unsigned long long bits = 0
    cdef Layer layer = layer_of(tensor)
    while layer is not None:
        if layer.many:
            held = layer.held()
            bits |= <unsigned long long>1 << layer.level.depth | _batch_levels(<PyObject*>held)
        layer = layer.outer
    return bits


# --- changes --------------------------------------------------------------------------------------------------------

cdef int set_layer(PyObject* tensor, Layer layer) except -1:
    if layer is None:
        if flags_of(tensor) & T_LAYERED:
            autograd_meta(tensor).layer = None
            set_flags(tensor, 0, T_LAYERED)
        return 0
    autograd_meta(tensor).layer = layer
    set_flags(tensor, T_LAYERED, 0)
    return 0


cdef int detach_layers(PyObject* tensor) except -1:
    cdef Layer layer
    if not flags_of(tensor) & T_LAYERED:
        return 0
    layer = without_tangents(all_layers(tensor))
    held = layer.held() if layer is not None else None
    if held is not None:
        held.detach_()
    return set_layer(tensor, layer)


cdef Layer without_tangents(Layer layer):
    """Return the first of a tensor's layers that is not a tangent."""
    while layer is not None and layer.moving:
        layer = layer.outer
    return layer


cdef object _detach = None


cdef object detached(PyObject* tensor):
    global _detach
    if not (flags_of(tensor) | thread_flags().dispatching) & T_DISPATCH:
        return detach(tensor)
    if _detach is None:
        _detach = find_operator("torch.detach")
    if not flags_of(tensor) & T_LAYERED:
        return _apart(_detach(<object>tensor), tensor)
    layers = all_layers(tensor)  # they, and those of a view's base, would handle the call instead of the class
    cdef unsigned int view = flags_of(tensor) & T_VIEW
    set_layer(tensor, None)
    set_flags(tensor, 0, view)
    try:
        return _apart(_detach(<object>tensor), tensor)
    finally:
        set_flags(tensor, view, 0)
        set_layer(tensor, layers)


cdef object _apart(object answer, PyObject* of):
    """Make the result of a class's `detach` independent of its base, whose layers it would inherit."""
    if not is_tensor(<PyObject*>answer):
        raise RuntimeError(f"Unable to cast {answer!r} to Tensor")
    if <PyObject*>answer != of and flags_of(<PyObject*>answer) & T_VIEW:
        detach_in_place(<PyObject*>answer)
    return answer


cdef object bare(PyObject* tensor):
    t = detached(tensor)
    if flags_of(tensor) & T_LAYERED:
        set_layer(<PyObject*>t, layer_of(tensor))
    return t


def without_history(tensor):
    """Return the tensor detached, with its layers."""
    return bare(<PyObject*>tensor)


cdef object _clone = None


cdef object value_of(PyObject* tensor):
    global _clone
    if not (flags_of(tensor) | thread_flags().dispatching) & (T_LAYERED | T_DISPATCH | T_META):
        return copy_of(tensor)
    if _clone is None:
        _clone = find_operator("torch.clone")
    return _clone(bare(tensor))  # recorded, for the history of its layers


def take_layers(tensor, stand_in):
    """Give ``tensor`` the layers that ``stand_in``, its replacement at an outer level, has received since."""
    cdef Layer inner = None, layer = all_layers(<PyObject*>tensor)
    while layer is not None and layer.level.paused:
        inner, layer = layer, layer.outer
    layer = all_layers(<PyObject*>stand_in)
    if inner is not None:
        inner.outer = layer
    else:
        set_layer(<PyObject*>tensor, layer)


def set_view_of(tensor, base):
    """Make a result a view of an argument at the same level."""
    set_base(<PyObject*>tensor, <PyObject*>base)


def add_layer(tensor, Layer layer not None):
    """Return ``tensor`` with a layer of a newly entered level inside its existing layers."""
    cdef PyObject* t = <PyObject*>tensor
    out = with_history(bare(t), t)
    layer.outer = layer_of(t)
    set_layer(<PyObject*>out, layer)
    return out


def remove_layer(tensor, Level level not None):
    """Remove the innermost layer if it is of ``level``: return (``tensor`` as outer levels see it, layer or None)."""
    cdef PyObject* t = <PyObject*>tensor
    cdef Layer layer = layer_of(t)
    if layer is None or layer.level is not level:
        return tensor, None
    out = with_history(bare(t), t)
    set_layer(<PyObject*>out, layer.outer)
    return out, layer


# --- tangents of views ----------------------------------------------------------------------------------------------

cdef object laid_out(object tangent, PyObject* like, bint copy=False):
    """Return a tangent with the strides of its tensor, so that views of one correspond to views of the other."""
    cdef TensorInfo g
    cdef int i
    if copy:
        tangent = tangent.clone()
    tensor_info(like, &g)
    if same_strides(&g, <PyObject*>tangent) and flags_of(<PyObject*>tangent) & T_LAZY & ~g.flags == 0:
        return tangent
    for i in range(g.ndim):
        if g.sizes[i] > 1 and g.strides[i] == 0:
            return tangent  # an expanded tensor, which cannot be written to
    strides = tuple([g.strides[i] for i in range(g.ndim)])
    return tangent.new_empty_strided(shape_of(like), strides).copy_(tangent)


cdef int _insert(PyObject* tensor, DualLayer new) except -1:
    """Insert a forward-mode layer at its position among a tensor's layers."""
    cdef Layer inner = None, outer = all_layers(tensor)
    while outer is not None and outer.level.depth > new.level.depth:
        inner, outer = outer, outer.outer
    new.outer = outer
    if inner is None:
        return set_layer(tensor, new)
    inner.outer = new
    return 0


cdef int _read_from_base(PyObject* view, PyObject* base) except -1:
    """Update a view's tangents from tangents that its base received after the view was created."""
    cdef Layer layer = all_layers(base)
    cdef DualLayer theirs, own
    cdef TensorInfo b
    tensor_info(base, &b)
    while layer is not None and layer.moving:
        theirs, layer = <DualLayer>layer, layer.outer
        if not theirs.level.alive or theirs.level.paused:
            continue
        own = <DualLayer>layer_at(view, theirs.level)
        if own is None and same_strides(&b, <PyObject*>theirs.tangent):
            own = new_dual(theirs.level, None, None, None)
            _view_tangent(own, theirs.tangent, base, view)
            _insert(view, own)
        elif own is not None and own.origin is not None and own.origin is not own.tangent and \
                own.origin is not theirs.tangent:
            _view_tangent(own, theirs.tangent, base, view)
    return 0


cdef int _view_tangent(DualLayer layer, object of_base, PyObject* base, PyObject* view) except -1:
    from flambeau_autograd.strided import part_of

    layer.tangent, layer.origin = part_of(of_base, geometry(base), geometry(view)), of_base
    return 0


cdef int write_to_base(PyObject* view) except -1:
    cdef TensorInfo f, b
    cdef Layer layer = all_layers(view)
    cdef DualLayer own, theirs
    tensor_info(view, &f)
    if not f.flags & T_VIEW or f.base == NULL:
        return 0
    tensor_info(f.base, &b)
    sizes, strides = geometry(f.base)[:2]
    while layer is not None and layer.moving:
        own, layer = <DualLayer>layer, layer.outer
        theirs = <DualLayer>layer_at(f.base, own.level)
        if not own.level.alive or own.level.paused or own.origin is own.tangent or \
                (theirs is not None and own.origin is theirs.tangent):
            continue
        given = own.tangent
        if theirs is None:
            zeros = given.new_empty_strided(sizes, strides, dtype=dtype_of(b.dtype)).zero_()
            theirs = new_dual(own.level, zeros, None, None)
            _insert(f.base, theirs)
        elif not holds_examples_of(theirs.tangent, given):
            each = theirs.tangent.new_zeros(()) + given.new_zeros(())
            room = each.new_empty_strided(sizes, strides, dtype=dtype_of(b.dtype))
            theirs.tangent = room.copy_(theirs.tangent)
        _view_tangent(own, theirs.tangent, f.base, view)
        own.tangent.copy_(given)
    return 0
