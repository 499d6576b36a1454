# cython: language_level=3
"""Run the hooks of a node and of its output tensors."""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport TensorInfo, tensor_info

from flambeau_autograd._engine.graph.edges cimport AutogradMeta, put_grad
from flambeau_autograd._engine.graph.node cimport Extra, NODE_LEAF, Node
from flambeau_autograd._engine.refs cimport *


cdef int tensor_hooks(Node node, PyObject** grads) except -1:
    """Call the hooks of this node's output tensors, then store gradients for retain_grad."""
    cdef TensorInfo f
    cdef Extra extra
    if node.kind == NODE_LEAF:
        tensor_info(node.saved[0].value, &f)
        return _call(&grads[0], (<AutogradMeta>f.autograd_meta).hooks) if f.autograd_meta != NULL else 0
    extra = node.extra
    if extra.tensor_hooks is not None:
        for nr, hooks in extra.tensor_hooks:
            _call(&grads[<int>nr], hooks)
    if extra.retained is not None:
        for nr, reference in extra.retained.items():
            tensor = reference()
            if tensor is not None and grads[<int>nr] != NULL:
                tensor_info(<PyObject*>tensor, &f)
                gradient = <object>grads[<int>nr]
                gradient = gradient.clone() if f.grad == NULL else <object>f.grad + gradient
                put_grad(<PyObject*>tensor, <PyObject*>gradient)
    return 0


cdef int _call(PyObject** place, object hooks) except -1:
    """Call each hook with the gradient in ``place``, or None, and store a replacement that it returns."""
    cdef PyObject* old
    if hooks is None:
        return 0
    for hook in list(hooks.values()):
        gradient = None if place[0] == NULL else <object>place[0]
        new = hook(gradient)
        if new is not None:
            from flambeau_autograd.hooks import checked

            new = checked(hook, new, gradient)
            old = place[0]
            incref(<PyObject*>new)
            place[0] = <PyObject*>new
            xdecref(old)
    return 0


cdef int leaf_hooks(object hooks, PyObject* leaf) except -1:
    """Run the post-accumulate hooks of a leaf; raise an error if one returns a value."""
    cdef PyObject* value = leaf
    incref(leaf)
    try:
        _call(&value, hooks)
        if value != leaf:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    finally:
        decref(value)
    return 0


cdef tuple as_tuple(PyObject** grads, int n):
    return tuple([<object>grads[i] if grads[i] != NULL else None for i in range(n)])


cdef int pre_hooks(Node node, PyObject** grads) except -1:
    for hook in list(node.extra.pre_hooks.values()):
        before = as_tuple(grads, node.noutputs)
        _replace(grads, hook, hook(before), before)
    return 0


cdef int post_hooks(Node node, PyObject** out, PyObject** grads) except -1:
    for hook in list(node.extra.post_hooks.values()):
        before = as_tuple(out, node.nedges)
        _replace(out, hook, hook(before, as_tuple(grads, node.noutputs)), before)
    return 0


cdef int _replace(PyObject** places, hook, after, tuple before) except -1:
    """Replace the gradients with those that a hook returned, if any."""
    cdef Py_ssize_t i
    cdef tuple gradients
    if after is None:
        return 0
    from flambeau_autograd.hooks import checked_all

    gradients = checked_all(hook, after, before)
    for i in range(len(gradients)):
        xdecref(places[i])
        places[i] = NULL if gradients[i] is None else <PyObject*>gradients[i]
        xincref(places[i])
    return 0
