# cython: language_level=3
"""Calls on tensors that have layers: the innermost level at which an argument has a layer processes them.

The level repeats the call on the arguments as outer levels see them. This recurses here until no layers are left.
"""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    O_DATA_DEPENDENT, O_INPLACE, O_OBJECT_STATE, O_RANDOM, O_TENSORS, OperatorInfo, T_LAYERED, T_LAZY, call_bound,
    flags_of, operator_info, run_kernel, thread_flags,
)

from flambeau_autograd._engine.levels cimport tape_level
from flambeau_autograd._engine.levels.histories cimport history_depth, history_levels, with_history_of
from flambeau_autograd._engine.levels.layers cimport (
    Layer, all_layers, bare, innermost_layer, layer_of, why_not_one_example, wrapped_text,
)
from flambeau_autograd._engine.levels.level cimport Level
from flambeau_autograd._engine.graph.record cimport set_dispatcher

from flambeau_tensor.extend import sockets

from flambeau_autograd._engine.levels.layers import innermost
from flambeau_autograd._engine.levels.level import VmapUnsupportedError as VmapUnsupportedError, levels

cdef enum:
    MAX_SLOTS = 32


cdef object _dispatch(PyObject* op, PyObject** slots):
    cdef OperatorInfo o
    cdef Layer found = None
    cdef int batch_depth = -1, i
    operator_info(op, &o)
    for i in range(o.nslots):
        found = innermost_layer(<object>slots[i], found, &batch_depth)
    if found is None:
        if o.flags & O_RANDOM and thread_flags().transform_depth:
            result = _draw(<object>op, [<object>slots[i] for i in range(o.nslots)])
            if result is not NotImplemented:
                return result
        return tape_level.outermost.process(op, slots, batch_depth)
    if o.flags & O_OBJECT_STATE:
        return run_kernel(op, slots, T_LAZY)
    if not o.flags & O_TENSORS:
        if batch_depth >= 0 and o.flags & O_DATA_DEPENDENT:
            raise VmapUnsupportedError(why_not_one_example((<object>op).name))
        return run_kernel(op, slots, T_LAZY)
    if o.out_index >= 0 and slots[o.out_index] != <PyObject*>None and not o.flags & O_INPLACE:
        raise found.level.refusal(
            f"Trying to use forward AD with {(<object>op).name}_out that does not support it because it is an out= "
            "function" if found.level.kind == "jvp" else f"{(<object>op).name}(): out=... is not supported under vmap")
    return found.level.process(op, slots, batch_depth)


cdef object _drawing_rule = None


cdef object _draw(object op, list args):
    """Draw random numbers for a batch if no argument is batched; NotImplemented if all examples share them."""
    global _drawing_rule
    if _drawing_rule is None:
        from flambeau_autograd.batching.random import made

        _drawing_rule = made
    return _drawing_rule(op, args)


def dispatch_function(cls, args, kwargs):
    """Run ``cls.apply(*args, **kwargs)`` if an argument has a layer or a transform is active."""
    from flambeau_autograd.pytree import leaves

    level, batch_depth = innermost(leaves((args, kwargs)))
    return (tape_level.outermost if level is None else level).process_function(cls, args, kwargs, batch_depth)


def call(op, *args):
    """Call an operator with all arguments of its schema, bypassing overrides."""
    cdef PyObject* slots[MAX_SLOTS]
    cdef Py_ssize_t i
    for i in range(len(args)):
        slots[i] = <PyObject*>args[i]
    return call_bound(<PyObject*>op, slots)


def kernel(op, *args):
    """Run an operator's kernel with all arguments of its schema, bypassing all levels."""
    cdef PyObject* slots[MAX_SLOTS]
    cdef Py_ssize_t i, n = len(op.schema.arguments)
    if len(args) != n:
        raise TypeError(f"the kernel of {op!r} takes {n} arguments, not {len(args)}: {op.schema}")
    for i in range(n):
        slots[i] = <PyObject*>args[i]
    return run_kernel(<PyObject*>op, slots, T_LAZY)


# --- functions for the tensor package -------------------------------------------------------------------------------

def _check_read(tensor, str what):
    """Raise an error before the memory of a batched tensor, or of one with a tangent, is exposed."""
    cdef Layer layer = layer_of(<PyObject*>tensor)
    if layer is None:
        return
    while layer.outer is not None:
        layer = layer.outer
    layer.refuse_read(what)


def _describe(tensor):
    """Return (text with a line for each level or None, additions to the plain text)."""
    cdef PyObject* t = <PyObject*>tensor
    cdef Layer layer = all_layers(t) if flags_of(t) & T_LAYERED else None
    cdef int depth
    while layer is not None and not layer.essential and not layer.level.alive:
        layer = layer.outer
    try:
        depth = _tape_under_way(history_depth(t))
    except RuntimeError:  # a view whose history is invalid after a write to its base
        depth = -1
    if depth >= 1 and (layer is None or depth > layer.level.depth):
        return wrapped_text("GradTrackingTensor", depth, "", _one_tape_less(tensor, depth)), ()
    return (None, ()) if layer is None else layer.shown(t)


cdef int _tape_under_way(int depth) except -2:
    cdef tuple stack = levels()
    if 0 < depth <= len(stack) and (<Level>stack[depth - 1]).tapes:
        return depth
    return -1


cdef object _one_tape_less(object tensor, int depth):
    cdef unsigned long long bits = history_levels(<PyObject*>tensor) & ~(<unsigned long long>1 << depth)
    return with_history_of(bare(<PyObject*>tensor), <PyObject*>tensor, bits)


set_dispatcher(_dispatch)
sockets.check_read, sockets.describe_layers = _check_read, _describe
