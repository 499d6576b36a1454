# cython: language_level=3
"""Find the node that receives a tensor's gradient: its producer, or AccumulateGrad, which adds to ``.grad``.

A leaf and its AccumulateGrad refer to each other: while a graph needs the node, the node holds the leaf; afterwards
the node stays with the leaf for the next graph. A view whose memory was written to after it was created gets a new
history here, derived from its base.
"""
from cpython.object cimport PyObject, PyTypeObject
from cpython.pythread cimport PyThread_get_thread_ident

from flambeau_tensor.abi cimport (
    TensorInfo, T_COMPLEX, T_DISPATCH, T_FLOATING, T_FUNCTION_VIEW, T_HAS_HOOKS, T_LAYERED, T_LAZY, T_MULTI_VIEW,
    T_NO_GRAD_VIEW, T_ODD_VIEW, T_REQUIRES_GRAD, T_RETAINS_GRAD, T_VIEW, copy_into, empty, empty_strided,
    exclusive, flags_of, has_dtype_and_shape, is_tensor, tensor_info, offset_of, set_accumulator, set_flags, set_grad,
    set_history,
    set_autograd_meta, thread_flags, trace_event,
)

from flambeau_autograd._engine.graph.node cimport (
    OutputMeta, NODE_LEAF, NODE_OTHER, NOT_A_TENSOR, T_META, Node, describe, extra_of, hold_leaf, is_over, make_type,
    new_node, number, resurrect, set_outputs,
)
from flambeau_autograd._engine.graph.node_hooks cimport leaf_hooks
from flambeau_autograd._engine.refs cimport *

from flambeau_tensor.extend import find_operator

cdef extern from * nogil:
    """
    #if defined(_WIN32)
    #include <windows.h>
    #define fl_pause() Sleep(0)
    #else
    #include <sched.h>
    #define fl_pause() sched_yield()
    #endif
    """
    void fl_pause()


def _variable(Node node not None):
    """The leaf whose gradient this node accumulates."""
    return <object>node.saved[0].value


cdef PyTypeObject* _AccumulateGrad = make_type("AccumulateGrad", <PyTypeObject*>Node, {"variable": property(_variable)})
cdef PyTypeObject* _AsStrided = make_type("AsStridedBackward0", <PyTypeObject*>Node)
cdef PyTypeObject* _Alias = make_type("AliasBackward0", <PyTypeObject*>Node)
cdef object _add = None, _add_ = None, _clone = None, _copy_ = None


cdef class AutogradMeta:
    pass


cdef AutogradMeta autograd_meta(PyObject* tensor):
    cdef TensorInfo f
    cdef AutogradMeta m
    tensor_info(tensor, &f)
    if f.autograd_meta != NULL:
        return <AutogradMeta>f.autograd_meta
    m = AutogradMeta.__new__(AutogradMeta)
    set_autograd_meta(tensor, m)
    return m


cdef bint base_requires_grad(PyObject* tensor) noexcept:
    cdef TensorInfo f
    tensor_info(tensor, &f)
    return f.base != NULL and f.dtype >= T_FLOATING and flags_of(f.base) & T_REQUIRES_GRAD


cdef bint is_on_tape(PyObject* tensor) noexcept:
    cdef TensorInfo f
    tensor_info(tensor, &f)
    if f.flags & T_VIEW and f.base != NULL and (f.grad_fn == NULL or f.version != f.view_version):
        if f.grad_fn == NULL and f.flags & T_REQUIRES_GRAD:
            return True  # a leaf
        tensor_info(f.base, &f)
    return f.grad_fn == NULL or not is_over(<Node>f.grad_fn)


cdef PyObject* gradient_edge(PyObject* tensor, int* output_nr) except? NULL:
    cdef TensorInfo f
    cdef OutputMeta* meta
    tensor_info(tensor, &f)
    if f.flags & T_VIEW and f.base != NULL:
        if f.version != f.view_version and (f.grad_fn != NULL or flags_of(f.base) & T_REQUIRES_GRAD):
            refresh_view(tensor, &f)
        elif f.grad_fn == NULL and not f.flags & T_REQUIRES_GRAD:
            return NULL  # created without recording: gradients end here, even if the base requires grad
        if f.dtype < T_FLOATING:  # an integer view of a tensor that requires grad
            return NULL
    elif not f.flags & T_REQUIRES_GRAD:
        return NULL
    if f.grad_fn != NULL:
        if is_over(<Node>f.grad_fn):
            return NULL
        output_nr[0] = f.output_nr
        incref(f.grad_fn)
        return f.grad_fn
    output_nr[0] = 0
    if f.accumulator == NULL:
        return _new_accumulator(tensor, &f)
    if refcount(f.accumulator) != 0:
        incref(f.accumulator)
        return f.accumulator
    meta = (<Node>f.accumulator).metas
    if not has_dtype_and_shape(tensor, meta.dtype, meta.ndim, meta.sizes):  # it was resized, for example
        describe(meta, &f)
    resurrect(f.accumulator, tensor)
    return f.accumulator


cdef PyObject* _new_accumulator(PyObject* tensor, TensorInfo* f) except NULL:
    cdef Node node = new_node(_AccumulateGrad, _accumulate, NODE_LEAF, 0, 1)
    set_outputs(node, 1)
    describe(&node.metas[0], f)
    node.saved[0].version = NOT_A_TENSOR
    hold_leaf(node, tensor)
    set_accumulator(tensor, <PyObject*>node)
    incref(<PyObject*>node)
    return <PyObject*>node


# --- leaves ---------------------------------------------------------------------------------------------------------

cdef int _accumulate(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    """Add to the leaf's ``.grad``. Kernels may release the GIL; other threads then wait here."""
    cdef PyObject* t = node.saved[0].value
    cdef TensorInfo f
    cdef unsigned long me
    cdef bint nested
    if grads[0] == NULL:
        return 0
    tensor_info(t, &f)
    if not f.flags & T_REQUIRES_GRAD:  # detached, or requires_grad was set to False, after recording
        return 0
    if f.grad == NULL and not thread_flags().grad_enabled and not thread_flags().dispatching and \
            refcount(grads[0]) == 1 and exclusive(grads[0]) and \
            not flags_of(grads[0]) & (T_VIEW | T_REQUIRES_GRAD) and same_strides(&f, grads[0]):
        # The gradient has the leaf's strides: optimizers iterate over both together.
        set_grad(t, grads[0])
    else:
        me = PyThread_get_thread_ident()
        while node.holder != 0 and node.holder != me:
            with nogil:
                fl_pause()
        nested = node.holder == me
        node.holder = me
        try:
            _add_gradient(t, grads[0])
        finally:
            if not nested:
                node.holder = 0
    if f.autograd_meta != NULL and (<AutogradMeta>f.autograd_meta).post_hooks:
        leaf_hooks((<AutogradMeta>f.autograd_meta).post_hooks, t)
    return 0


cdef int tell_of_grad(str what, PyObject* tensor, PyObject* gradient) except -1:
    return trace_event((what, <object>tensor, <object>gradient if gradient != NULL else None))


cdef int put_grad(PyObject* tensor, PyObject* gradient) except -1:
    set_grad(tensor, gradient)
    if thread_flags().tracer != NULL:
        tell_of_grad("grad_set", tensor, gradient)
    return 0


cdef bint same_strides(TensorInfo* f, PyObject* other) noexcept:
    cdef TensorInfo g
    cdef int i
    tensor_info(other, &g)
    for i in range(f.ndim):
        if f.sizes[i] != 1 and f.strides[i] != g.strides[i]:
            return False
    return True


cdef object _like_its_leaf(TensorInfo* f):
    """Return an empty tensor with the strides of a leaf, if these are dense, otherwise a contiguous one."""
    cdef Py_ssize_t expected = 1
    cdef int i, left = 0, before
    for i in range(f.ndim):
        left += f.sizes[i] != 1
    while left:
        before = left
        for i in range(f.ndim):
            if f.sizes[i] != 1 and f.strides[i] == expected:
                expected *= f.sizes[i]
                left -= 1
                break
        if left == before:
            return empty(f.dtype, f.ndim, f.sizes)
    return empty_strided(f.dtype, f.ndim, f.sizes, f.strides)


cdef int _add_gradient(PyObject* t, PyObject* gradient) except -1:
    global _add, _add_, _clone, _copy_
    cdef TensorInfo f
    cdef PyObject* pair[2]
    if _add is None:
        _add, _clone = find_operator("torch.add"), find_operator("torch.clone")
        _add_, _copy_ = _add.inplace, find_operator("torch.Tensor.copy_")
    tensor_info(t, &f)
    if thread_flags().tracer != NULL:
        tell_of_grad("grad_read", t, f.grad)
    if f.grad == NULL:
        direct = not (f.flags | flags_of(gradient) | thread_flags().dispatching) & (T_LAYERED | T_META | T_DISPATCH)
        if direct and thread_flags().grad_enabled and thread_flags().tracer == NULL:
            new = _copy_(_like_its_leaf(&f), <object>gradient)
        elif thread_flags().grad_enabled or flags_of(gradient) & (T_LAYERED | T_META):
            new = _clone(<object>gradient)
        elif thread_flags().tracer != NULL and not flags_of(gradient) & T_DISPATCH:
            # A tracer holds references, so whether others do is unknown.
            like = _like_its_leaf(&f)
            new = find_operator("torch.empty_strided")(like.shape, like.stride(), dtype=like.dtype)
            _copy_(new, <object>gradient)
        elif (f.flags | flags_of(gradient) | thread_flags().dispatching) & T_DISPATCH:
            new = find_operator("torch.detach")(<object>gradient) if same_strides(&f, gradient) else \
                _clone(<object>gradient)
        else:
            new = _like_its_leaf(&f)
            copy_into(<PyObject*>new, gradient)
        return put_grad(t, <PyObject*>new)
    # A sparse sum that becomes dense needs a new object, and so does a recorded sum.
    if thread_flags().grad_enabled or (flags_of(f.grad) & T_DISPATCH and (<object>f.grad).is_sparse and
                                       not (<object>gradient).is_sparse):
        new = <object>f.grad + <object>gradient
        return put_grad(t, <PyObject*>new)
    pair[0], pair[1] = f.grad, gradient
    owned(vectorcall(<PyObject*>_add_, pair, 2, NULL))
    return 0


def stand_in(object tensor, Node leaf not None):
    """Record ``tensor``, a copy of a leaf's value, as if it were the leaf itself."""
    cdef Node node = new_node(_Alias, _hand_on, NODE_OTHER, 1, 0)
    cdef TensorInfo f
    tensor_info(<PyObject*>tensor, &f)
    incref(<PyObject*>leaf)
    node.edges[0].node = <PyObject*>leaf
    set_outputs(node, 1)
    describe(&node.metas[0], &f)
    number(node)
    set_history(<PyObject*>tensor, <PyObject*>node, 0)
    return tensor


cdef int _hand_on(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    out[0] = grads[0]
    xincref(out[0])
    return 0


# --- views whose memory was written to ------------------------------------------------------------------------------

cdef int refresh_view(PyObject* tensor, TensorInfo* f) except -1:
    """Give a view a history derived from the current history of its base."""
    cdef Node node
    cdef int nr = 0
    cdef PyObject* producer
    if f.dtype < T_FLOATING:
        return 0
    if f.flags & T_ODD_VIEW:
        raise RuntimeError(odd_view(f, "its base or another view of its base has been"))
    producer = gradient_edge(f.base, &nr)
    if producer == NULL and f.grad_fn == NULL:
        set_history(tensor, NULL, 0)
        tensor_info(tensor, f)
        return 0
    node = new_node(_AsStrided, _as_strided_backward, NODE_OTHER, 1, 1)
    node.edges[0].node, node.edges[0].output_nr = producer, nr
    set_outputs(node, 1)
    describe(&node.metas[0], f)
    geometries = geometry(f.base), geometry(tensor)
    incref(<PyObject*>geometries)
    node.saved[0].value, node.saved[0].version = <PyObject*>geometries, NOT_A_TENSOR
    number(node)
    move_hooks(tensor, node)
    set_history(tensor, <PyObject*>node, 0)
    tensor_info(tensor, f)
    return 0


cdef int move_hooks(PyObject* tensor, Node node) except -1:
    cdef TensorInfo f
    tensor_info(tensor, &f)
    if f.flags & T_HAS_HOOKS:
        (<AutogradMeta>f.autograd_meta).hooks = None
        set_flags(tensor, 0, T_HAS_HOOKS)
    return _move_retained(tensor, &f, node)


cdef int _move_retained(PyObject* tensor, TensorInfo* f, Node node) except -1:
    cdef Node old
    if not f.flags & T_RETAINS_GRAD or f.grad_fn == NULL:
        return 0
    old = <Node>f.grad_fn
    if old.extra is not None and old.extra.retained is not None:
        reference = old.extra.retained.pop(f.output_nr, None)
        if reference is not None:
            if extra_of(node).retained is None:
                node.extra.retained = {}
            node.extra.retained[0] = reference
    return 0


cdef tuple geometry(PyObject* tensor):
    """Return (sizes, strides, offset, whether the dtype is complex, flags of conjugate and negative views)."""
    cdef TensorInfo f
    tensor_info(tensor, &f)
    return (tuple([f.sizes[i] for i in range(f.ndim)]), tuple([f.strides[i] for i in range(f.ndim)]),
            offset_of(tensor), f.dtype >= T_COMPLEX, f.flags & T_LAZY)


cdef int _as_strided_backward(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    from flambeau_autograd.strided import as_strided_backward

    if grads[0] == NULL:
        return 0
    base, view = <tuple>node.saved[0].value
    result = as_strided_backward(<object>grads[0], base, view)
    incref(<PyObject*>result)
    out[0] = <PyObject*>result
    return 0


cdef str odd_view(TensorInfo* f, str what):
    """Return the error message for a view that must not be written to while recording."""
    from flambeau_autograd.messages import view_error

    cdef unsigned int kind = f.flags & T_ODD_VIEW
    made = "in inference mode" if kind == T_NO_GRAD_VIEW | T_FUNCTION_VIEW else "in no_grad mode" \
        if kind & T_NO_GRAD_VIEW else "several" if kind & T_MULTI_VIEW else "in a Function"
    return view_error(what, made, f.output_nr, (<Node>f.grad_fn).name() if f.grad_fn != NULL else None)


def edge_of(tensor):
    """Return the (node, output number) that receives the gradient of a tensor, or None."""
    cdef int nr = 0
    cdef PyObject* node
    if not is_tensor(<PyObject*>tensor):
        raise TypeError(f"a Tensor is needed, not {type(tensor).__name__}")
    node = gradient_edge(<PyObject*>tensor, &nr)
    return None if node == NULL else (owned(node), nr)
