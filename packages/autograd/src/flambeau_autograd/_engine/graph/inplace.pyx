# cython: language_level=3
"""Record in-place writes.

A plain tensor gets the writing node as its history. A write to a view changes its base: the base's new node,
CopySlices, passes the gradient of the view's part through the writing node and leaves the rest unchanged. The view,
and every other view of that base, updates its history when it is next used (``edges.refresh_view``).
"""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor.abi cimport (
    TensorInfo, T_ODD_VIEW, T_REQUIRES_GRAD, T_LAYERED, T_VIEW, tensor_info, set_flags, set_history,
)

from flambeau_autograd._engine.graph.edges cimport geometry, gradient_edge, move_hooks, odd_view
from flambeau_autograd._engine.levels.histories cimport is_input
from flambeau_autograd._engine.levels.layers cimport all_layers, set_layer
from flambeau_autograd._engine.graph.node cimport (
    NODE_COPY, NOT_A_TENSOR, Node, describe, make_type, new_node, number, set_outputs,
)
from flambeau_autograd._engine.refs cimport *

from flambeau_tensor.extend import sockets

cdef PyTypeObject* _CopySlices = make_type("CopySlices", <PyTypeObject*>Node)


cdef int check_write(PyObject* tensor) except -1:
    cdef TensorInfo f, b
    tensor_info(tensor, &f)
    if f.flags & T_VIEW and f.base != NULL:
        if f.flags & T_ODD_VIEW:
            raise RuntimeError(odd_view(&f, "is being"))
        tensor_info(f.base, &b)
        # The view itself may be the leaf, if its base does not require grad.
        if (f.flags | b.flags) & T_REQUIRES_GRAD and (b.grad_fn == NULL or is_input(b.grad_fn)):
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    elif f.flags & T_REQUIRES_GRAD and (f.grad_fn == NULL or is_input(f.grad_fn)):
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    return 0


cdef int rebase(PyObject* tensor, Node node) except -1:
    cdef TensorInfo f, b
    cdef Node copy
    cdef int i
    tensor_info(tensor, &f)
    if not (f.flags & T_VIEW and f.base != NULL):
        move_hooks(tensor, node)
        return set_history(tensor, <PyObject*>node, 0)
    # Edge 0 leads to the base's history; the others are copied from the writing node, which the new node contains.
    tensor_info(f.base, &b)
    base = <object>f.base
    copy = new_node(_CopySlices, _apply_copy_slices, NODE_COPY, node.nedges, 2)
    copy.edges[0].node = gradient_edge(f.base, &copy.edges[0].output_nr)
    for i in range(1, node.nedges):
        copy.edges[i] = node.edges[i]
        xincref(copy.edges[i].node)
    set_outputs(copy, 1)
    describe(&copy.metas[0], &b)
    incref(<PyObject*>node)
    copy.saved[0].value, copy.saved[0].version = <PyObject*>node, NOT_A_TENSOR
    geometries = geometry(f.base), geometry(tensor)
    incref(<PyObject*>geometries)
    copy.saved[1].value, copy.saved[1].version = <PyObject*>geometries, NOT_A_TENSOR
    number(copy)
    move_hooks(<PyObject*>base, copy)
    set_history(<PyObject*>base, <PyObject*>copy, 0)
    # The view updates its history when it is next used, because its version is older than the storage's.
    if not f.flags & T_REQUIRES_GRAD:
        set_flags(tensor, T_REQUIRES_GRAD, 0)
    return 0


def _become(tensor, view):
    """Give a tensor the history and the tangents of ``view``, a view of itself that it becomes."""
    cdef PyObject* t = <PyObject*>tensor
    cdef TensorInfo f, v
    if tensor is view:
        return
    tensor_info(<PyObject*>view, &v)
    if v.grad_fn != NULL:
        check_write(t)
        set_history(t, v.grad_fn, v.output_nr)  # hooks and retain_grad stay with the old history
    tensor_info(t, &f)
    if (f.flags | v.flags) & T_LAYERED:
        set_layer(t, all_layers(<PyObject*>view))


sockets.become = _become


cdef int _apply_copy_slices(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    """Pass the gradient of the view through the writing node, and put the result into the gradient of the base."""
    from flambeau_autograd.strided import embed, slice_of

    cdef Node inner
    cdef PyObject* part[1]
    cdef PyObject* g
    if grads[0] == NULL:
        return 0
    if node.saved[0].value == NULL:
        raise RuntimeError("Trying to backward through the graph a second time (or directly access saved tensors after "
                           "they have already been freed).")
    inner = <Node>node.saved[0].value
    base, view = <tuple>node.saved[1].value
    grad = <object>grads[0]
    piece = slice_of(grad, base, view)
    part[0] = <PyObject*>piece
    inner.apply(inner, needs, part, out)
    if not needs & 1:
        g = out[0]
        out[0] = NULL
        xdecref(g)
        return 0
    changed = owned(out[0]) if out[0] != NULL else None
    out[0] = NULL
    whole = embed(grad, changed, base, view)
    incref(<PyObject*>whole)
    out[0] = <PyObject*>whole
    return 0
