# cython: language_level=3
"""The context of a custom Function, which is also its node: it holds the user's attributes and runs backward."""
cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor.abi cimport TensorInfo, T_FLOATING, detach, is_tensor, tensor_info, set_history, thread_flags

from flambeau_autograd._engine.classes cimport class_attribute
from flambeau_autograd._engine.graph.edges cimport gradient_edge, requires_grad
from flambeau_autograd._engine.graph.engine cimport keeps_graph
from flambeau_autograd._engine.graph.gradients cimport zeros_of
from flambeau_autograd._engine.levels.layers cimport layer_at
from flambeau_autograd._engine.function.containers cimport gather, path_to
from flambeau_autograd._engine.graph.node cimport (
    NODE_FUNCTION, NODE_OTHER, NOT_A_TENSOR, Node, describe, discard, make_type, new_node, number,
    release_saved, set_outputs,
)
from flambeau_autograd._engine.graph.node_hooks cimport as_tuple
from flambeau_autograd._engine.graph.call_site cimport note_call_site
from flambeau_autograd._engine.refs cimport *
from flambeau_autograd._engine.graph.saved cimport unpack, with_history
from flambeau_autograd._engine.graph.saved_tensor cimport saved_tensor

from flambeau_autograd.messages import argument_name

cdef extern from "Python.h":
    PyObject** _PyObject_GetDictPtr(PyObject*) noexcept
    ctypedef PyObject* (*newfunc_p)(PyTypeObject*, PyObject*, PyObject*) except NULL
    ctypedef struct FullType "PyTypeObject":
        newfunc_p tp_new

cdef PyObject* NONE = <PyObject*>None
cdef str BACKWARD_CLASS = "_backward_cls", BACKWARD = "backward", VJP = "vjp"
cdef tuple _nothing = ()
cdef str _ERROR = "torch::autograd::Error"
watch = None


def set_watch(watcher):
    """Set an object that checks whether forward and backward of Functions mutate their arguments, or None."""
    global watch
    watch = watcher


cdef class Context(Node):
    """The ``ctx`` of a custom Function, and the node of the graph for its call."""

    def __dealloc__(self):
        cdef PyObject* o
        cdef PyObject** attributes
        if self.layout != NULL and self.layout != self.inline_layout:
            PyMem_Free(self.layout)
        if self.origins != NULL and self.origins != self.inline_origins:
            PyMem_Free(self.origins)
        attributes = _PyObject_GetDictPtr(<PyObject*>self)
        if attributes != NULL and attributes[0] != NULL:
            o = attributes[0]
            attributes[0] = NULL
            discard(o)

    def __call__(self, *grads):
        """Run the user's backward on the gradients of the outputs and return its result."""
        function = _user_backward(self)
        return function(self, list(grads)) if self._forward_cls.boxed_grads_call else function(self, *grads)

    @cython.binding(False)  # called for nearly every node: without binding, the arguments are packed only once
    def save_for_backward(self, *tensors):
        """Save tensors for ``backward``, which reads them from ``ctx.saved_tensors``; inputs or outputs of forward."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Save tensors for ``jvp``."""
        for t in tensors:
            if t is not None and not is_tensor(<PyObject*>t):
                raise AssertionError("save_for_forward expects all arguments to be tensors; you should save "
                                     "non-tensors as attributes on ctx.")
        self.saved_for_forward = tensors

    def replace_saved(self, instead):
        """Replace tensors that are to be saved or are marked, given a dict from ``id`` to the replacement."""
        if self.to_save is not None:
            self.to_save = tuple([instead.get(id(t), t) for t in self.to_save])
        if self.saved_for_forward is not None:
            self.saved_for_forward = tuple([instead.get(id(t), t) for t in self.saved_for_forward])
        if self.non_differentiable is not None:
            self.non_differentiable = tuple([instead.get(id(t), t) for t in self.non_differentiable])

    def mark_dirty(self, *args):
        """Mark inputs that forward has changed in place; forward must return them, too."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Mark outputs that have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Set whether ``backward`` receives zeros (the default) or None for outputs without a gradient."""
        if not isinstance(value, bool):
            raise TypeError(f"set_materialize_grads expects a bool, but got {type(value).__name__}")
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """The tensors from ``save_for_backward``, checked for in-place changes.

        In ``jvp``, the tensors from ``save_for_forward``.
        """
        cdef int i
        if self.in_jvp:
            return self.saved_for_forward or ()
        if not self.finished:
            return self.saved_for_forward or self.to_save or ()
        if self.accessed:
            raise RuntimeError("saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set "
                               f"on the autograd.Function: {self.name()} keeps them no longer. Access them once, or "
                               "set clear_saved_tensors_on_access=False.")
        tensors = tuple([_saved_tensor(self, i) for i in range(self.nsaved)])
        if self._forward_cls.clear_saved_tensors_on_access:
            self.accessed = True
            release_saved(self)
        return tensors

    @property
    def saved_variables(self):
        """Old name of ``saved_tensors``."""
        import warnings

        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def _argument(self, int edge):
        """Return the name of forward's argument whose gradient flows along an edge, with its path in a container."""
        from flambeau_autograd.function import parameter_names

        cdef int i, e = 0
        names = parameter_names(self._forward_cls, self.nargs, self.keywords)
        if self.templates is not None:
            for name, template in zip(names, self.templates):
                path = path_to(template, edge)
                if path is not None:
                    return name + path
        for i in range(self.nargs):
            if self.layout[i] == TENSOR:
                if e == edge:
                    return names[i]
                e += 1

    @property
    def _raw_saved_tensors(self):
        """The saved tensors as objects that accept hooks."""
        cdef int i
        if self.released and self.nsaved:
            self.saved_tensors  # raises the error
        return tuple([saved_tensor(self, i, self.origins[i] < CONSTANT) for i in range(self.nsaved)])

    def maybe_clear_saved_tensors(self):
        """Free the saved tensors now if the current backward does not keep the graph."""
        if not keeps_graph():
            release_saved(self)


cdef object _saved_tensor(Context ctx, int i):
    cdef int origin = ctx.origins[i]
    if ctx.saved[i].version == NOT_A_TENSOR:
        return None
    if origin == INTERMEDIATE:
        tensor = owned(unpack(ctx, &ctx.saved[i], -1, -1))
        if ctx.dual_level is not None and ctx.dual_level.alive and not ctx.dual_level.paused:
            _check_tangent(ctx, tensor, i)
        return _with_unknown_history(ctx, tensor, i) if thread_flags().grad_enabled else tensor
    tensor = owned(unpack(ctx, &ctx.saved[i], origin if origin >= 0 else -1, -2 - origin if origin < -1 else -1))
    if origin < CONSTANT and not requires_grad(<PyObject*>tensor):  # an output: backward may record again
        return owned(with_history(ctx, <PyObject*>tensor, -1, -2 - origin))
    return tensor


cdef int _check_tangent(Context ctx, object tensor, int i) except -1:
    """Raise an error if forward mode needs the unknown tangent of a saved intermediate result."""
    cdef TensorInfo f
    tensor_info(<PyObject*>tensor, &f)
    if f.dtype >= T_FLOATING and layer_at(<PyObject*>tensor, ctx.dual_level) is None:
        raise RuntimeError(_intermediate(ctx, i, "its backward has forward gradients"))
    return 0


cdef str _intermediate(Context ctx, int i, str why):
    return (f"{ctx.name()} saved an intermediate result of its forward (tensor {i} of save_for_backward), and {why}. "
            "How it depends on the inputs was not recorded, so the derivative would be wrong. Save inputs and compute "
            "it in backward, or return it from forward as another output. If it does not depend on the inputs, say so "
            "in forward: ctx.mark_non_differentiable(tensor).")


cdef object _with_unknown_history(Context ctx, object tensor, int i):
    """Return a saved intermediate result for a recorded backward: differentiating through it raises an error."""
    if requires_grad(<PyObject*>tensor):
        return tensor  # it has its own history
    return delayed_error(tensor, _intermediate(ctx, i, "its backward is being differentiated through that"), ctx, ())


cdef Context new_context(PyObject* cls):
    cdef PyTypeObject* t
    backward_class = class_attribute(cls, <PyObject*>BACKWARD_CLASS)
    t = <PyTypeObject*>backward_class
    cdef Context ctx = <Context>owned((<FullType*>t).tp_new(t, <PyObject*>_nothing, NULL))
    ctx.apply = _apply_backward
    ctx.kind = NODE_FUNCTION
    ctx.edges = ctx.inline_edges
    ctx.saved = ctx.inline_saved
    ctx.metas = &ctx.inline_meta
    ctx.pending = &ctx.pending_inline
    ctx.layout = ctx.inline_layout
    ctx.origins = ctx.inline_origins
    ctx.materialize_grads = ctx._materialize_non_diff_grads = True
    ctx.keywords = _nothing
    note_call_site(&ctx.code, &ctx.instruction)
    ctx._forward_cls = <object>cls
    return ctx


# --- backward -------------------------------------------------------------------------------------------------------

cdef int _apply_backward(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    """Call the user's backward and store its results at their edges."""
    if watch is None:
        return _run_backward(<Context>node, grads, out)
    given = watch.snapshot(as_tuple(grads, node.noutputs))
    _run_backward(<Context>node, grads, out)
    given.check_backward(node)
    return 0


cdef int _run_backward(Context ctx, PyObject** grads, PyObject** out) except -1:
    cdef PyObject* inline_args[INLINE_ARGS + 1]
    cdef PyObject** args = inline_args
    cdef int i, n = ctx.noutputs
    cdef list keep = None
    cdef object function = _user_backward(ctx)
    if ctx.output_templates is not None or ctx._forward_cls.boxed_grads_call:
        return _spread(ctx, _call_with_containers(ctx, function, grads), out)
    if n > INLINE_ARGS:
        args = <PyObject**>PyMem_Calloc(n + 1, sizeof(PyObject*))
        if args == NULL:
            raise MemoryError()
    try:
        args[0] = <PyObject*>ctx
        for i in range(n):
            args[i + 1] = grads[i]
            if args[i + 1] == NULL:
                zeros = _missing_gradient(ctx, i)
                args[i + 1] = <PyObject*>zeros
                if zeros is not None:
                    if keep is None:
                        keep = []
                    keep.append(zeros)
        result = owned(vectorcall(<PyObject*>function, args, n + 1, NULL))
    finally:
        if args != inline_args:
            PyMem_Free(args)
    return _spread(ctx, result, out)


cdef object _missing_gradient(Context ctx, int i):
    """Return the value that backward receives for an output without a gradient."""
    if not ctx.materialize_grads or ctx.metas[i].ndim < 0 or \
            (ctx.without_gradient is not None and not ctx._materialize_non_diff_grads and i in ctx.without_gradient):
        return None
    return zeros_of(&ctx.metas[i])


cdef object _call_with_containers(Context ctx, object function, PyObject** grads):
    """Call backward with gradients structured like forward's result; with `boxed_grads_call`, one list owns them."""
    cdef int i
    cdef bint boxed = ctx._forward_cls.boxed_grads_call
    cdef list items = []
    for i in range(ctx.noutputs):
        if grads[i] == NULL:
            items.append(_missing_gradient(ctx, i))
            continue
        items.append(<object>grads[i])
        if boxed and ctx.extra is None:
            decref(grads[i])
            grads[i] = NULL
    if ctx.output_templates is not None:
        items = gather(ctx.output_templates, items)
    return function(ctx, items) if boxed else function(ctx, *items)


cdef object _base_backward = None, _base_vjp = None


def set_base_backward(backward, vjp):
    """Set the functions that mean "not implemented"."""
    global _base_backward, _base_vjp
    _base_backward, _base_vjp = backward, vjp


cdef object _user_backward(Context ctx):
    backward = class_attribute(<PyObject*>ctx._forward_cls, <PyObject*>BACKWARD)
    vjp = class_attribute(<PyObject*>ctx._forward_cls, <PyObject*>VJP)
    if vjp is not _base_vjp:
        if backward is not _base_backward:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                               "should only implement one of them.")
        return vjp
    return backward


cdef int _spread(Context ctx, object result, PyObject** out) except -1:
    cdef int i, e = 0, n
    cdef tuple grads = <tuple>result if isinstance(result, tuple) else (result,)
    cdef PyObject* g
    n = <int>len(grads)
    while n > ctx.nargs and grads[n - 1] is None:
        n -= 1
    if n > ctx.nargs or n < ctx.nrequired:
        if len(grads) != ctx.nargs:
            raise RuntimeError(f"function {ctx.name()} returned an incorrect number of gradients (expected "
                               f"{ctx.nargs}, got {len(grads)})")
    if ctx.templates is not None:
        for i in range(n):
            _spread_nested(ctx, i + 1, ctx.templates[i], grads[i], out)
        return 0
    for i in range(n):
        g = tuple_item(<PyObject*>grads, i)
        if ctx.layout[i] != TENSOR:
            if g != NONE:
                raise RuntimeError(_not_variable(ctx, i + 1))
            continue
        if g != NONE:
            if not is_tensor(g):
                raise _not_a_tensor(ctx, <object>g, e)
            incref(g)
            out[e] = g
        e += 1
    return 0


cdef object _not_a_tensor(Context ctx, object got, int edge):
    return RuntimeError(f"expected Variable or None (got {type(got).__name__}){argument_name(ctx, edge)}")


cdef str _not_variable(Context ctx, int position):
    return (f"function {ctx.name()} returned a gradient different than None at position {position}, but the "
            "corresponding forward input was not a Variable")


cdef int _spread_nested(Context ctx, int position, object template, object gradient, PyObject** out) except -1:
    """Store the gradients of an argument with nested tensors: a container of the same structure, or None for all."""
    cdef PyObject* g = <PyObject*>gradient
    if gradient is None:
        return 0
    if template is None:
        raise RuntimeError(_not_variable(ctx, position))
    if isinstance(template, int):
        if not is_tensor(g):
            raise _not_a_tensor(ctx, gradient, template)
        incref(g)
        xdecref(out[<int>template])
        out[<int>template] = g
    elif isinstance(template, dict):
        if not isinstance(gradient, dict) or not gradient.keys() <= template.keys():
            raise RuntimeError(f"function {ctx.name()} returned {type(gradient).__name__} at position {position}, but "
                               f"the corresponding forward input was a dict with the keys {list(template)}")
        for k in gradient:
            _spread_nested(ctx, position, template[k], gradient[k], out)
    else:
        if not isinstance(gradient, (tuple, list)) or len(gradient) != len(template):
            raise RuntimeError(f"function {ctx.name()} returned {type(gradient).__name__} at position {position}, but "
                               f"the corresponding forward input was a sequence of length {len(template)}")
        for k in range(len(template)):
            _spread_nested(ctx, position, template[k], gradient[k], out)
    return 0


# --- errors that are raised by a second derivative -------------------------------------------------------------------

cdef PyTypeObject* _DelayedError = make_type("Error", <PyTypeObject*>Node, {"name": lambda self: _ERROR})


def delayed_error(object tensor, str message not None, Context ctx not None, tuple grads not None):
    """Return ``tensor`` detached; differentiating it with respect to the inputs of the call raises an error."""
    cdef TensorInfo f
    cdef Node node
    cdef int i, n = ctx.nedges
    out = detach(<PyObject*>tensor)
    tensor_info(<PyObject*>out, &f)
    if f.dtype < T_FLOATING:
        return out
    node = new_node(_DelayedError, _raise_delayed, NODE_OTHER, n + <int>len(grads), 1)
    xdecref(node.code)
    node.code, node.instruction = ctx.code, ctx.instruction  # the error names the call of the Function
    xincref(node.code)
    for i in range(n):
        node.edges[i] = ctx.edges[i]
        xincref(node.edges[i].node)
    for i in range(len(grads)):
        if is_tensor(<PyObject*>grads[i]):
            node.edges[n + i].node = gradient_edge(<PyObject*>grads[i], &node.edges[n + i].output_nr)
    set_outputs(node, 1)
    describe(&node.metas[0], &f)
    incref(<PyObject*>message)
    node.saved[0].value, node.saved[0].version = <PyObject*>message, NOT_A_TENSOR
    number(node)
    set_history(<PyObject*>out, <PyObject*>node, 0)
    return out


cdef int _raise_delayed(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    raise RuntimeError(<object>node.saved[0].value)
