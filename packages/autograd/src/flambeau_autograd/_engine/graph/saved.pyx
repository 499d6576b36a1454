# cython: language_level=3
"""Tensors saved for backward: checked for in-place changes when they are read, and packed by hooks if some are set.

An input is saved as it is. An output is saved as a detached tensor on the same memory, because the output refers to
the node; if it is read while recording, it gets its history back.
"""
from cpython.object cimport PyObject
from cpython.pythread cimport PyThread_get_thread_ident

from flambeau_tensor.abi cimport (
    TensorInfo, T_DISPATCH, T_FLOATING, T_INFERENCE, T_REQUIRES_GRAD, add_version, dtype_number, flags_of, is_tensor,
    tensor_info,
    set_history, shape_of,
    thread_flags, type_string, version_of,
)

from flambeau_autograd._engine.graph.edges cimport AutogradMeta
from flambeau_autograd._engine.levels.layers cimport all_layers, bare, detached, set_layer
from flambeau_autograd._engine.levels.level cimport inside
from flambeau_autograd._engine.graph.node cimport NODE_LEAF, NODE_OP, Node, Saved
from flambeau_autograd._engine.refs cimport *

cdef dict _hooks = {}  # thread -> list of (pack, unpack), or of a message for the error that forbids them
cdef bint _any_hooks = False  # in any thread


cdef class Packed:
    """The result of a pack hook."""

    cdef object content, unpack_hook
    cdef bint requires_grad


cdef int _push(object hooks) except -1:
    global _any_hooks
    _hooks.setdefault(PyThread_get_thread_ident(), []).append(hooks)
    _any_hooks = True
    return 0


cdef int _pop() except -1:
    global _any_hooks
    key = PyThread_get_thread_ident()
    stack = _hooks[key]
    stack.pop()
    if not stack:
        del _hooks[key]
    _any_hooks = bool(_hooks)
    return 0


def hooks_of_thread():
    """Return this thread's hooks on saved tensors, innermost last."""
    return tuple(_hooks.get(PyThread_get_thread_ident(), ()))


def any_hooks_address():
    """Return the address of a C int that is nonzero while any thread has hooks on saved tensors."""
    return <size_t>&_any_hooks


def take_over(given):
    """Set this thread's hooks to those of another thread."""
    if given:
        _hooks[PyThread_get_thread_ident()] = list(given)
    else:
        _hooks.pop(PyThread_get_thread_ident(), None)


cdef object _innermost():
    """Return the innermost (pack, unpack) or message of this thread, or None."""
    stack = _hooks.get(PyThread_get_thread_ident())
    return stack[len(stack) - 1] if stack else None


def push_hooks(hooks):
    """Add (pack, unpack), or a message for the error that forbids hooks, to this thread's hooks."""
    _push(hooks)


def pop_hooks():
    """Remove this thread's innermost hooks or message, and return it."""
    hooks = _innermost()
    if hooks is None:
        raise RuntimeError("this thread has no hooks on saved tensors")
    _pop()
    return hooks


cdef class SavedHooks:
    """A context in which ``pack_hook`` receives every tensor that this thread saves."""

    cdef public object pack_hook, unpack_hook

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        hooks = _innermost()
        if isinstance(hooks, str):
            raise RuntimeError(hooks)
        _push((self.pack_hook, self.unpack_hook))

    def __exit__(self, *error):
        _pop()


cdef bint _copying = False


cdef class CopyingHooks(SavedHooks):
    """`SavedHooks` that allow only one active block at a time, in any thread; the end of the block drops the copies."""

    cdef public object copies

    def __enter__(self):
        global _copying
        if _copying:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        SavedHooks.__enter__(self)
        _copying = True
        return self

    def __exit__(self, *error):
        global _copying
        _copying = False
        SavedHooks.__exit__(self)
        self.copies = None


cdef class ForbiddenHooks:
    """A context in which entering `SavedHooks` raises an error with a given message."""

    cdef public object error_message

    def __init__(self, error_message):
        self.error_message = error_message

    def __enter__(self):
        message, hooks = self.error_message, _innermost()
        if not isinstance(message, str):
            raise TypeError(f"disable_saved_tensors_hooks(): error_message must be str, not {type(message).__name__}")
        if hooks is not None and not isinstance(hooks, str):
            raise RuntimeError(message)
        _push(message)

    def __exit__(self, *error):
        _pop()


cdef int check_saveable(PyObject* tensor) except -1:
    if flags_of(tensor) & T_INFERENCE and not inside():
        raise RuntimeError("Inference tensors cannot be saved for backward. Please do not use Tensors created in "
                           "inference mode in computation tracked by autograd. To work around this, you can make a "
                           "clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                           "`torch.inference_mode()`.")
    return 0


cdef int save(Saved* place, PyObject* tensor, bint is_output) except -1:
    """Save ``tensor`` in ``place``."""
    check_saveable(tensor)
    place.version = version_of(tensor)
    if _any_hooks:
        hooks = _innermost()
        if hooks is not None and not isinstance(hooks, str):
            return _pack(place, tensor, hooks, is_output)
    if is_output:
        kept = detached(tensor)
        set_layer(<PyObject*>kept, all_layers(tensor))
        tensor = <PyObject*>kept
    incref(tensor)
    place.value = tensor
    return 0


cdef int _pack(Saved* place, PyObject* tensor, tuple hooks, bint is_output) except -1:
    """Save the result of the pack hook for ``tensor`` in ``place``."""
    cdef Packed p = Packed.__new__(Packed)
    cdef Py_ssize_t version = version_of(tensor)
    cdef bint recording = thread_flags().grad_enabled
    given = bare(tensor) if is_output else <object>tensor
    thread_flags().grad_enabled = False
    try:
        p.content = hooks[0](given)
    finally:
        thread_flags().grad_enabled = recording
    if version_of(tensor) != version:
        raise RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
                           "pack hook can not be modified by in-place operations as this can lead to unexpected "
                           "side-effects.")
    p.unpack_hook = hooks[1]
    p.requires_grad = (flags_of(tensor) & T_REQUIRES_GRAD) != 0
    incref(<PyObject*>p)
    place.value = <PyObject*>p
    return 0


cdef int pack_later(Saved* place, tuple hooks, bint is_output) except -1:
    cdef PyObject* t = place.value
    if t == NULL:
        raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. Saved intermediate "
                           "values of the graph are freed when you call .backward() or autograd.grad(). Specify "
                           "retain_graph=True if you need to backward through the graph a second time or if you need "
                           "to access saved variables after calling backward.")
    if not is_tensor(t):
        raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one "
                           "pair of hooks is allowed at a time.")
    given = bare(t)
    _pack(place, <PyObject*>given, hooks, False)
    (<Packed>place.value).requires_grad = flags_of(t) & T_REQUIRES_GRAD or (is_output and dtype_number(t) >= T_FLOATING)
    decref(t)
    return 0


cdef PyObject* unpack(Node node, Saved* place, int edge, int output_nr) except NULL:
    cdef PyObject* t = place.value
    if t == NULL:
        raise RuntimeError("Trying to backward through the graph a second time (or directly access saved tensors after "
                           "they have already been freed). Saved intermediate values of the graph are freed when you "
                           "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
                           "through the graph a second time or if you need to access saved tensors after calling "
                           "backward.")
    if not is_tensor(t):
        if isinstance(<object>t, Packed):
            return _unpack_packed(node, <Packed>t, edge, output_nr)
        incref(t)
        return t
    if version_of(t) != place.version:
        raise RuntimeError(_modified(node, place, edge, output_nr))
    if edge >= 0 and node.edges[edge].node != NULL and node.kind == NODE_OP and not flags_of(t) & T_REQUIRES_GRAD:
        _check_attached(t)
    if thread_flags().grad_enabled:
        return with_history(node, t, edge, output_nr)
    if output_nr >= 0 and (flags_of(t) | thread_flags().dispatching) & T_DISPATCH:
        kept = detached(t)
        set_layer(<PyObject*>kept, all_layers(t))
        t = <PyObject*>kept
    incref(t)
    return t


cdef int _check_attached(PyObject* t) except -1:
    cdef TensorInfo f
    tensor_info(t, &f)
    if f.autograd_meta != NULL and (<AutogradMeta>f.autograd_meta).detached:
        raise RuntimeError("Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
                           "This is not supported, please use out-of-place `.detach()` instead")
    return 0


cdef PyObject* with_history(Node node, PyObject* t, int edge, int output_nr) except NULL:
    cdef TensorInfo f
    cdef PyObject* producer
    cdef int nr
    if output_nr >= 0:
        producer, nr = <PyObject*>node, output_nr
    else:
        if edge < 0 or node.edges[edge].node == NULL:
            incref(t)
            return t
        producer, nr = node.edges[edge].node, node.edges[edge].output_nr
    tensor_info(t, &f)
    if (<Node>producer).kind == NODE_LEAF:
        if t == (<Node>producer).saved[0].value:
            incref(t)
            return t
    elif f.grad_fn == producer and f.output_nr == nr:
        incref(t)
        return t
    kept = bare(t)
    if (<Node>producer).kind == NODE_LEAF:
        # Not the leaf object itself (a hook rebuilt it): record it as an alias of the leaf.
        from flambeau_autograd._engine.graph.edges import stand_in

        kept = stand_in(kept, <object>producer)
    else:
        set_history(<PyObject*>kept, producer, nr)
    incref(<PyObject*>kept)
    return <PyObject*>kept


cdef PyObject* _unpack_packed(Node node, Packed p, int edge, int output_nr) except NULL:
    t = p.unpack_hook(p.content)
    if not is_tensor(<PyObject*>t):
        raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                        f"{type(t).__name__}")
    if p.requires_grad:
        return with_history(node, <PyObject*>t, edge, output_nr)
    incref(<PyObject*>t)
    return <PyObject*>t


cdef str _modified(Node node, Saved* place, int edge, int output_nr):
    from flambeau_autograd.anomaly_mode import is_anomaly_enabled

    cdef TensorInfo f
    tensor_info(place.value, &f)
    which = ""
    if f.grad_fn != NULL:
        which = f", which is output {f.output_nr} of {(<Node>f.grad_fn).name()},"
    elif output_nr >= 0:
        which = f", which is output {output_nr} of {node.name()},"
    elif edge >= 0 and node.edges[edge].node != NULL and (<Node>node.edges[edge].node).kind != NODE_LEAF:
        which = f", which is output {node.edges[edge].output_nr} of {(<Node>node.edges[edge].node).name()},"
    if is_anomaly_enabled():
        hint = ("Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
                "variable in question was changed in there or anywhere later. Good luck!")
    else:
        hint = ("Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
                "torch.autograd.set_detect_anomaly(True).")
    return (f"one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[torch.{type_string(f.dtype)}Tensor {list(shape_of(place.value))}]{which} is at version {f.version}; "
            f"expected version {place.version} instead. {hint}")


def bump_version(tensor):
    """Increment the version of the tensor's storage."""
    if not is_tensor(<PyObject*>tensor):
        raise RuntimeError(f"increment_version expects a Tensor or an iterable of Tensors, got {type(tensor).__name__}")
    add_version(<PyObject*>tensor)
