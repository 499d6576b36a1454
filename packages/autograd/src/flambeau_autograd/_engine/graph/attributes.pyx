# cython: language_level=3
"""The kernels of the tensor attributes of autograd: ``requires_grad``, ``grad``, ``grad_fn``, hooks, ``detach``."""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    TensorInfo, T_FLOATING, T_HAS_HOOKS, T_INFERENCE, T_REQUIRES_GRAD, T_RETAINS_GRAD, T_LAYERED, T_VIEW, detach,
    detach_in_place, dtype_of, flags_of, is_tensor, tensor_info, new_kernel, set_data, set_flags,
    set_history, shape_of, thread_flags, trace_event, untracked,
)

from flambeau_autograd._engine.graph.edges cimport (
    AutogradMeta, autograd_meta, geometry, put_grad, refresh_view, requires_grad as needs_grad, tell_of_grad,
)
from flambeau_autograd._engine.levels.histories cimport history_depth, is_input
from flambeau_autograd._engine.levels.layers cimport (
    Layer, detach_layers, layer_of, set_layer, without_tangents,
)
from flambeau_autograd._engine.levels.level cimport refuse_inside
from flambeau_autograd._engine.graph.node cimport Extra, Node, describe, extra_of
from flambeau_autograd._engine.refs cimport *

from collections import OrderedDict

from flambeau_tensor import Tensor

cdef PyObject* NONE = <PyObject*>None


# --- requires_grad --------------------------------------------------------------------------------------------------

cdef object _requires_grad(PyObject* op, PyObject** a):
    return needs_grad(a[0])


cdef int _set_requires_grad(PyObject* t, bint on) except -1:
    cdef TensorInfo f
    if thread_flags().tracer != NULL:
        trace_event(("requires_grad", <object>t, bool(needs_grad(t))))
    tensor_info(t, &f)
    if on:
        if f.dtype < T_FLOATING:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if f.flags & T_INFERENCE and not thread_flags().inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if not needs_grad(t):
            set_history(t, NULL, 0)  # drop the history of a transform that has ended
        if f.grad_fn == NULL or not needs_grad(t):
            set_flags(t, T_REQUIRES_GRAD, 0)
    else:
        if f.grad_fn != NULL:
            raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a "
                               "computed variable in a subgraph that doesn't require differentiation use "
                               "var_no_grad = var.detach().")
        set_flags(t, 0, T_REQUIRES_GRAD)
    return 0


cdef object _assign_requires_grad(PyObject* op, PyObject** a):
    if not isinstance(<object>a[1], bool):
        raise RuntimeError("requires_grad must be a bool")
    _set_requires_grad(a[0], a[1] == <PyObject*>(<object>True))


cdef object _requires_grad_(PyObject* op, PyObject** a):
    refuse_inside("requires_grad_")
    _set_requires_grad(a[0], a[1] == <PyObject*>(<object>True))
    return <object>a[0]


# --- grad -----------------------------------------------------------------------------------------------------------

cdef object _grad(PyObject* op, PyObject** a):
    cdef TensorInfo f
    tensor_info(a[0], &f)
    if thread_flags().tracer != NULL:
        tell_of_grad("grad_read", a[0], f.grad)
    if f.grad != NULL:
        return <object>f.grad
    if f.grad_fn != NULL and f.flags & T_REQUIRES_GRAD and not f.flags & T_RETAINS_GRAD:
        from flambeau_autograd.messages import warn_non_leaf_grad

        warn_non_leaf_grad()
    return None


cdef object _assign_grad(PyObject* op, PyObject** a):
    cdef TensorInfo f, g
    if a[1] == NONE:
        put_grad(a[0], NULL)
        return None
    if not is_tensor(a[1]):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type "
                        f"{type(<object>a[1]).__name__}")
    if a[1] == a[0]:
        raise RuntimeError("can't assign Variable as its own grad")
    tensor_info(a[0], &f)
    tensor_info(a[1], &g)
    if f.dtype != g.dtype:
        raise RuntimeError(f"attempting to assign a gradient with dtype '{dtype_of(g.dtype).name}' to a tensor with "
                           f"dtype '{dtype_of(f.dtype).name}'. The gradient must match the tensor's dtype")
    if shape_of(a[0]) != shape_of(a[1]):
        raise RuntimeError(f"attempting to assign a gradient of size '{list(shape_of(a[1]))}' to a tensor of size "
                           f"'{list(shape_of(a[0]))}'. Please ensure that the gradient and the tensor are "
                           "the same size")
    put_grad(a[0], a[1])


cdef object _grad_fn(PyObject* op, PyObject** a):
    cdef TensorInfo f
    tensor_info(a[0], &f)
    if f.flags & T_VIEW and f.base != NULL and f.version != f.view_version and \
            (f.grad_fn != NULL or flags_of(f.base) & T_REQUIRES_GRAD):
        refresh_view(a[0], &f)
    return <object>f.grad_fn if f.grad_fn != NULL and needs_grad(a[0]) else None


cdef object _is_leaf(PyObject* op, PyObject** a):
    if not needs_grad(a[0]):
        return True
    node = _grad_fn(op, a)
    return node is None or is_input(<PyObject*>node)


cdef object _output_nr(PyObject* op, PyObject** a):
    cdef TensorInfo f
    tensor_info(a[0], &f)
    return f.output_nr


cdef object _retains_grad(PyObject* op, PyObject** a):
    return (flags_of(a[0]) & T_RETAINS_GRAD) != 0


cdef object _retain_grad(PyObject* op, PyObject** a):
    cdef TensorInfo f
    cdef Extra extra
    refuse_inside("retain_grad")
    if not needs_grad(a[0]):
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node = _grad_fn(op, a)
    tensor_info(a[0], &f)
    if node is None or f.flags & T_RETAINS_GRAD:
        return None
    import weakref

    extra = extra_of(<Node>node)
    if extra.retained is None:
        extra.retained = {}
    extra.retained[f.output_nr] = weakref.ref(<object>a[0])
    set_flags(a[0], T_RETAINS_GRAD, 0)


# --- hooks ----------------------------------------------------------------------------------------------------------

cdef object _register_hook(PyObject* op, PyObject** a):
    from flambeau_autograd.hooks import add_hook

    cdef AutogradMeta m
    if not needs_grad(a[0]):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node = _grad_fn(op, a)  # if the base of a view was written to, the view gets a new node here, without hooks
    m = autograd_meta(a[0])
    fresh = m.hooks is None
    m.hooks, handle = add_hook(m.hooks, <object>a[1])
    if m.post_hooks is None:
        m.post_hooks = OrderedDict()  # users that watch the hook dicts of a tensor see later post hooks, too
    set_flags(a[0], T_HAS_HOOKS, 0)
    if fresh:
        _add_hooks(a[0], node, m.hooks)
    return handle


cdef int _add_hooks(PyObject* t, object node, object hooks) except -1:
    """Make the node of a tensor call the tensor's dict of hooks; the node of a leaf reads it from the leaf."""
    cdef TensorInfo f
    cdef Extra extra
    if node is None:
        return 0
    tensor_info(t, &f)
    extra = extra_of(<Node>node)
    if extra.tensor_hooks is None:
        extra.tensor_hooks = []
    extra.tensor_hooks.append((f.output_nr, hooks))
    return 0


cdef object _register_post_hook(PyObject* op, PyObject** a):
    from flambeau_autograd.hooks import add_hook

    cdef AutogradMeta m
    if not needs_grad(a[0]):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if _grad_fn(op, a) is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    m = autograd_meta(a[0])
    m.post_hooks, handle = add_hook(m.post_hooks, <object>a[1])
    return handle


cdef object _backward_hooks(PyObject* op, PyObject** a):
    cdef TensorInfo f
    tensor_info(a[0], &f)
    return (<AutogradMeta>f.autograd_meta).hooks if f.autograd_meta != NULL else None


cdef object _assign_backward_hooks(PyObject* op, PyObject** a):
    cdef AutogradMeta m
    if a[1] != NONE and not isinstance(<object>a[1], dict):
        raise TypeError(f"_backward_hooks must be a dict or None, not {type(<object>a[1]).__name__}")
    m = autograd_meta(a[0])
    old, m.hooks = m.hooks, <object>a[1]
    node = _grad_fn(op, a)
    if node is not None and old is not None:
        extra = extra_of(<Node>node)
        extra.tensor_hooks = [pair for pair in extra.tensor_hooks or () if pair[1] is not old]
    if a[1] != NONE:
        set_flags(a[0], T_HAS_HOOKS, 0)
        _add_hooks(a[0], node, m.hooks)


# --- leaving the graph ----------------------------------------------------------------------------------------------

cdef object _detach(PyObject* op, PyObject** a):
    return detach(a[0])


cdef object _data(PyObject* op, PyObject** a):
    if not flags_of(a[0]) & T_LAYERED:
        return untracked(a[0])
    if _innermost_transform(a[0]) == 2:
        raise RuntimeError("accessing `data` under vmap transform is not allowed")
    t = untracked(a[0])
    set_layer(<PyObject*>t, without_tangents(layer_of(a[0])))
    return t


cdef int _innermost_transform(PyObject* tensor) except -1:
    """Return 2 if the innermost transform of the tensor is vmap, 1 if it differentiates, 0 if there is none."""
    cdef Layer layer = layer_of(tensor)
    cdef int depth = history_depth(tensor)
    if layer is not None and layer.many and depth <= layer.level.depth:
        return 2
    return depth > 0 or (layer is not None and layer.level.depth > 0)


cdef object _detach_(PyObject* op, PyObject** a):
    cdef TensorInfo f
    tensor_info(a[0], &f)
    if f.flags & T_VIEW and f.base != NULL:
        raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                           "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
                           "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
                           "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
                           "torch/optim/optimizer.py as the solution.")
    if f.grad_fn != NULL:
        autograd_meta(a[0]).detached = True
    detach_in_place(a[0])
    detach_layers(a[0])
    return <object>a[0]


cdef object _set_data(PyObject* op, PyObject** a):
    cdef TensorInfo f
    if not is_tensor(a[1]):
        raise TypeError(f"Variable data has to be a tensor, but got {type(<object>a[1]).__name__}")
    transform = max(_innermost_transform(a[0]), _innermost_transform(a[1]))
    if transform:
        where = "under vmap transform" if transform == 2 else "inside functorch transform"
        raise RuntimeError(f"mutating directly with `.data` {where} is not allowed.")
    tensor_info(a[1], &f)
    if f.dtype < T_FLOATING and flags_of(a[0]) & T_REQUIRES_GRAD:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    if type(<object>a[1]).layout is not Tensor.layout and (<object>a[1]).layout is not (<object>a[0]).layout:
        raise RuntimeError("Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
                           "incompatible tensor type.")
    set_data(a[0], a[1])
    tensor_info(a[0], &f)
    if f.accumulator != NULL:
        describe((<Node>f.accumulator).metas, &f)


cdef object _is_view(PyObject* op, PyObject** a):
    return (flags_of(a[0]) & T_VIEW) != 0


cdef object _view_func(PyObject* op, PyObject** a):
    from flambeau_autograd.strided import part_of

    cdef TensorInfo f
    tensor_info(a[0], &f)
    if not f.flags & T_VIEW or f.base == NULL:
        return None
    if geometry(f.base) != geometry(a[1]):
        return None
    return part_of(<object>a[1], geometry(f.base), geometry(a[0]))


KERNELS = {
    "requires_grad": new_kernel(_requires_grad), "set_requires_grad": new_kernel(_assign_requires_grad),
    "requires_grad_": new_kernel(_requires_grad_), "grad": new_kernel(_grad), "set_grad": new_kernel(_assign_grad),
    "grad_fn": new_kernel(_grad_fn), "is_leaf": new_kernel(_is_leaf), "output_nr": new_kernel(_output_nr),
    "retains_grad": new_kernel(_retains_grad), "retain_grad": new_kernel(_retain_grad),
    "register_hook": new_kernel(_register_hook), "register_post_accumulate_grad_hook": new_kernel(_register_post_hook),
    "_backward_hooks": new_kernel(_backward_hooks), "set__backward_hooks": new_kernel(_assign_backward_hooks),
    "detach": new_kernel(_detach), "detach_": new_kernel(_detach_),
    "set_data": new_kernel(_set_data), "_is_view": new_kernel(_is_view), "_view_func": new_kernel(_view_func),
    "data": new_kernel(_data),
}
