# cython: language_level=3
"""Histories: the levels on whose tapes a tensor is.

A node stores the levels that it depends on as bits by depth (``Node.levels``); bit 0 stands for recording outside all
transforms. Leaving a level detaches tensors from nodes that belonged only to it.
"""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor.abi cimport TensorInfo, tensor_info, set_history

from flambeau_autograd._engine.graph.edges cimport gradient_edge, requires_grad
from flambeau_autograd._engine.levels.layers cimport Layer, bare, layer_of
from flambeau_autograd._engine.graph.node cimport (
    NODE_OTHER, Node, describe, levels_under_way, make_type, new_node, number, set_outputs,
)
from flambeau_autograd._engine.refs cimport *

cdef enum:
    MAX_DEPTH = 62

cdef PyTypeObject* _Alias = make_type("AliasBackward0", <PyTypeObject*>Node)
cdef PyTypeObject* _Input = make_type("TransformInput", <PyTypeObject*>Node)


cdef Node _producer(PyObject* tensor, int* nr):
    cdef PyObject* node = gradient_edge(tensor, nr)
    return None if node == NULL else <Node>owned(node)


cdef unsigned long long history_levels(PyObject* tensor) except? 0xFFFFFFFFFFFFFFFF:
    """Return the levels on whose tapes the tensor itself is, not the tensors in its layers."""
    cdef TensorInfo f
    cdef Node node
    cdef int nr
    if not requires_grad(tensor):
        return 0
    tensor_info(tensor, &f)
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
    """Return the levels on whose tapes the tensor or a tensor in its layers is."""
    cdef unsigned long long bits = history_levels(tensor)
    cdef Layer layer = layer_of(tensor)
    while layer is not None:
        held = layer.held()
        if held is not None:
            bits |= _all_levels(<PyObject*>held)
        layer = layer.outer
    return bits


def depends_on_others(tensor, Level level not None):
    """Whether the history of a tensor or of its layers contains levels other than ``level``."""
    # After the level has ended, its bit may stand for another level.
    cdef unsigned long long own = <unsigned long long>1 << level.depth if level.alive else 0
    return (_all_levels(<PyObject*>tensor) & ~own) != 0


cdef object with_history(object tensor, PyObject* of, int up_to=MAX_DEPTH):
    """Give ``tensor``, which has no history, the history of ``of`` on the tapes of levels up to a depth."""
    return with_history_of(tensor, of, history_levels(of) & ((<unsigned long long>2 << up_to) - 1))


cdef object with_history_of(object tensor, PyObject* of, unsigned long long levels):
    """Give ``tensor`` the history of ``of`` on the tapes of these levels, a subset of those of ``of``."""
    cdef int nr = 0
    cdef Node node = _producer(of, &nr) if levels else None
    return tensor if node is None else _through(_Alias, tensor, node, nr, levels)


cdef object as_input(object tensor, PyObject* of, Level level):
    """Return ``tensor``, which has no history, as a differentiable input of ``level``; outer levels see ``of``."""
    cdef int nr = 0
    cdef Node node = _producer(of, &nr)
    return _through(_Input, tensor, node, nr,
                    (levels_under_way(node) if node is not None else 0) | <unsigned long long>1 << level.depth)


cdef bint is_input(PyObject* node) noexcept:
    return node != NULL and node.ob_type == _Input


cdef object _through(PyTypeObject* kind, object tensor, Node producer, int nr, unsigned long long levels):
    """Give ``tensor`` a history: a node that passes gradients on to ``producer`` (None: to no node)."""
    cdef Node node = new_node(kind, _hand_on, NODE_OTHER, 1, 0)
    cdef TensorInfo f
    tensor_info(<PyObject*>tensor, &f)
    if producer is not None:
        incref(<PyObject*>producer)
        node.edges[0].node, node.edges[0].output_nr = <PyObject*>producer, nr
    set_outputs(node, 1)
    describe(&node.metas[0], &f)
    number(node)
    node.levels = levels
    set_history(<PyObject*>tensor, <PyObject*>node, 0)
    return tensor


cdef int _hand_on(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    out[0] = grads[0]
    xincref(out[0])
    return 0


def lowered(tensors, int up_to=MAX_DEPTH):
    """Return the tensors with only the history that levels up to a depth record; -1: without history."""
    return [bare(<PyObject*>t) if up_to < 0 else with_history(bare(<PyObject*>t), <PyObject*>t, up_to) for t in tensors]
