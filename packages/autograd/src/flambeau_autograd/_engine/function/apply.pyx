# cython: language_level=3
"""Custom Functions: ``apply``, and the node that is also the context.

``Square.apply(x)`` creates a ``SquareBackward``, a node with the user's attributes, passes it to ``forward`` as
``ctx``, and makes it the ``grad_fn`` of the results.
"""
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor.abi cimport (
    TensorInfo, T_FLOATING, T_FUNCTION_VIEW, T_MULTI_VIEW, T_NO_GRAD_VIEW, T_ODD_VIEW, T_REQUIRES_GRAD,
    T_LAYERED, T_VIEW,
    ThreadFlags,
    add_version, alias, detach_in_place, flags_of, is_tensor, tensor_info, set_flags, set_history, tensor_type,
    thread_flags,
)

from flambeau_autograd._engine.classes cimport class_attribute
from flambeau_autograd._engine.function.context cimport (
    CONSTANT, INLINE_ARGS, INTERMEDIATE, CONTAINER, PLAIN, TENSOR, Context, new_context, watch,
)
from flambeau_autograd._engine.graph.edges cimport gradient_edge, requires_grad
from flambeau_autograd._engine.graph.inplace cimport check_write, rebase
from flambeau_autograd._engine.levels.layers cimport bare, layer_of, set_layer
from flambeau_autograd._engine.function.containers cimport fill, may_hold_tensors, numbers_in, template_of
from flambeau_autograd._engine.graph.node cimport (
    INLINE_EDGES, INLINE_SAVED, NOT_A_TENSOR, Edge, Saved, describe, number, set_outputs,
)
from flambeau_autograd._engine.refs cimport *
from flambeau_autograd._engine.graph.saved cimport save

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t) noexcept
    ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    ctypedef struct FullType "PyTypeObject":
        Py_ssize_t tp_vectorcall_offset
        unsigned long tp_flags
        object (*tp_call)(object, object, object)
    unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    object vectorcall_tp_call "PyVectorcall_Call"(object, object, object)
    void PyType_Modified(PyTypeObject*)

cdef PyObject* NONE = <PyObject*>None
cdef PyObject* TRUE = <PyObject*>(<object>True)
cdef PyObject* FALSE = <PyObject*>(<object>False)
cdef str FORWARD = "forward", SETUP_CONTEXT = "setup_context"
cdef enum:
    SMALL = 4  # number of arguments up to which tuples of flags are cached
    NFLAGS = 32
cdef PyObject* _FLAGS[NFLAGS]  # at 1 << n | bits


# --- apply ----------------------------------------------------------------------------------------------------------

cdef object _base_setup_context = None  # Function.setup_context, which means that a class defines none


def set_base(function_class):
    """Set the base class of all Functions."""
    global _base_setup_context
    _base_setup_context = function_class.setup_context


cdef object _apply(PyObject* cls, PyObject* const* args, Py_ssize_t n, PyObject* kwnames):
    cdef Py_ssize_t i
    cdef bint layered = thread_flags().transform_depth, nested = False
    for i in range(n + (tuple_size(kwnames) if kwnames != NULL else 0)):
        if is_tensor(args[i]):
            layered = layered or flags_of(args[i]) & T_LAYERED
        elif may_hold_tensors(args[i]):
            nested = True
            layered = layered or _holds_layers(<object>args[i])
    if layered:
        from flambeau_autograd._engine.levels.dispatch import dispatch_function

        return dispatch_function(<object>cls, tuple([<object>args[i] for i in range(n)]), _keywords(args, n, kwnames))
    return _apply_in(new_context(cls), cls, args, n, kwnames, nested)


cdef dict _keywords(PyObject* const* args, Py_ssize_t n, PyObject* kwnames):
    cdef Py_ssize_t i
    return {<object>tuple_item(kwnames, i): <object>args[n + i] for i in range(tuple_size(kwnames))} \
        if kwnames != NULL else {}


cdef bint _holds_layers(object value) except -1:
    """Whether a container holds tensors with layers."""
    cdef list tensors = []
    template_of(value, tensors)
    for t in tensors:
        if flags_of(<PyObject*>t) & T_LAYERED:
            return True
    return False


def apply_in(Context ctx not None, on_outputs, *args, **kwargs):
    """Run ``apply`` of the context's class with that context, bypassing all levels.

    ``on_outputs``, if any, receives the results as a flat tuple, after they got their history and before they are
    saved, and a list that says which of them ``forward`` marked as non-differentiable.
    """
    cdef object names = tuple(kwargs)
    cdef list values = list(args) + list(kwargs.values())
    cdef PyObject** items = <PyObject**>PyMem_Calloc(len(values) + 1, sizeof(PyObject*))
    cdef Py_ssize_t i
    if items == NULL:
        raise MemoryError()
    ctx.on_outputs = on_outputs
    try:
        for i in range(len(values)):
            items[i] = <PyObject*>values[i]
        return _apply_in(ctx, <PyObject*>ctx._forward_cls, items, len(args), <PyObject*>names if kwargs else NULL, True)
    finally:
        ctx.on_outputs = None
        PyMem_Free(items)


def context_of(function_class):
    """Return a new context for a call of a Function."""
    return new_context(<PyObject*>function_class)


cdef object _apply_in(Context ctx, PyObject* cls, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, bint nested):
    """Run a call with a given context. ``nested``: containers among the arguments may hold tensors."""
    cdef object forward, setup
    cdef dict keywords = None
    cdef tuple bound
    forward = class_attribute(cls, <PyObject*>FORWARD)
    setup = class_attribute(cls, <PyObject*>SETUP_CONTEXT)
    if setup is _base_setup_context:
        setup = None
    if kwnames != NULL or setup is not None:
        from flambeau_autograd.function import bind

        positional = tuple([<object>args[i] for i in range(n)])
        keywords = _keywords(args, n, kwnames)
        required = n
        bound, keywords = bind(forward, setup is None, positional, keywords)
        return _run(ctx, forward, setup, bound, keywords, required)
    if nested:
        return _run(ctx, forward, None, tuple([<object>args[i] for i in range(n)]), {}, n)
    return _run_plain(ctx, forward, args, n)


cdef bint _read_inputs(Context ctx, PyObject* const* args, Py_ssize_t n) except -1:
    """Note the types of the arguments and the nodes of their gradients; return whether to record the call."""
    cdef Py_ssize_t i
    cdef int e = 0
    cdef unsigned int bits = 0
    cdef bint any_needs = False, needs
    cdef PyObject* flags = NULL
    ctx.nargs = ctx.nrequired = <int>n
    if n > INLINE_ARGS:
        ctx.layout = <char*>PyMem_Calloc(n, 1)
        if ctx.layout == NULL:
            raise MemoryError()
    if n > INLINE_EDGES:
        ctx.edges = <Edge*>PyMem_Calloc(n, sizeof(Edge))
        if ctx.edges == NULL:
            raise MemoryError()
    needs_input_grad = owned(new_tuple(n)) if n > SMALL else None
    for i in range(n):
        needs = False
        if is_tensor(args[i]):
            ctx.layout[i] = TENSOR
            needs = requires_grad(args[i])
            e += 1
        else:
            ctx.layout[i] = PLAIN
        any_needs = any_needs or needs
        if n > SMALL:
            flags = TRUE if needs else FALSE
            incref(flags)
            set_tuple_item(<PyObject*>needs_input_grad, i, flags)
        else:
            bits |= <unsigned int>needs << i
    if n <= SMALL:
        needs_input_grad = <object>_FLAGS[(<unsigned int>1 << n) | bits]
    ctx.nedges = e
    ctx.needs_input_grad = needs_input_grad
    if not (any_needs and thread_flags().grad_enabled):
        return False
    for i in range(n - 1, -1, -1):  # as in record(), the first argument's leaf gets the highest number
        if ctx.layout[i] == TENSOR:
            e -= 1
            ctx.edges[e].node = gradient_edge(args[i], &ctx.edges[e].output_nr)
    return True


cdef object _run_plain(Context ctx, object forward, PyObject* const* args, Py_ssize_t n):
    """Run the common case: ``forward(ctx, ...)`` with positional arguments."""
    cdef PyObject* inline_args[INLINE_ARGS + 1]
    cdef PyObject** given = inline_args
    cdef ThreadFlags* thread = thread_flags()
    cdef bint recording = thread.grad_enabled, record
    cdef Py_ssize_t i
    record = _read_inputs(ctx, args, n)
    if n > INLINE_ARGS:
        given = <PyObject**>PyMem_Calloc(n + 1, sizeof(PyObject*))
        if given == NULL:
            raise MemoryError()
    given[0] = <PyObject*>ctx
    for i in range(n):
        given[i + 1] = args[i]
    before = _snapshot(args, n) if watch is not None else None
    thread.grad_enabled = False
    try:
        result = owned(vectorcall(<PyObject*>forward, given, n + 1, NULL))
    finally:
        thread.grad_enabled = recording
        if given != inline_args:
            PyMem_Free(given)
    if before is not None:
        before.check_forward(ctx)
    return _finish(ctx, args, n, result, record)


cdef object _snapshot(PyObject* const* args, Py_ssize_t n):
    """Return a snapshot of the tensors among the arguments."""
    return watch.snapshot(tuple([<object>args[i] for i in range(n) if is_tensor(args[i])]))


cdef object _run(Context ctx, object forward, object setup, tuple bound, dict keywords, Py_ssize_t required):
    """Run any other call: with a separate setup_context, keywords, or tensors in containers."""
    cdef bint recording = thread_flags().grad_enabled, record
    cdef list flat, values = list(bound) + list(keywords.values())
    cdef PyObject** items
    cdef Py_ssize_t i, n
    ctx.keywords = tuple(keywords)
    flat = []
    templates = []
    for value in values:
        templates.append(template_of(value, flat))
    n = len(flat)
    items = <PyObject**>PyMem_Calloc(n + 1, sizeof(PyObject*))
    if items == NULL:
        raise MemoryError()
    try:
        for i in range(n):
            items[i] = <PyObject*>flat[i]
        record = _read_inputs(ctx, items, n)
        _describe_arguments(ctx, templates, required)
        before = _snapshot(items, n) if watch is not None else None
        thread_flags().grad_enabled = False
        try:
            if setup is None:
                result = forward(ctx, *bound, **keywords)
            else:
                result = forward(*bound, **keywords)
                if keywords:
                    setup(ctx, bound, keywords, result)
                else:
                    setup(ctx, bound, result)
        finally:
            thread_flags().grad_enabled = recording
        if before is not None:
            before.check_forward(ctx)
        return _finish(ctx, items, n, result, record)
    finally:
        PyMem_Free(items)


cdef int _describe_arguments(Context ctx, list templates, Py_ssize_t required) except -1:
    """Replace the layout of single tensors from _read_inputs with the layout of the arguments that contain them."""
    cdef int i, n = <int>len(templates)
    cdef char* layout
    tensors = ctx.needs_input_grad
    if n > INLINE_ARGS:
        layout = <char*>PyMem_Calloc(n, 1)
        if layout == NULL:
            raise MemoryError()
    else:
        layout = ctx.inline_layout
    if ctx.layout != ctx.inline_layout:
        PyMem_Free(ctx.layout)
    ctx.layout = layout
    needs = []
    for i in range(n):
        template = templates[i]
        if template is None:
            layout[i] = PLAIN
            needs.append(False)
        elif isinstance(template, int):
            layout[i] = TENSOR
            needs.append(tensors[template])
        else:
            layout[i] = CONTAINER
            needs.append(any([tensors[k] for k in numbers_in(template)]))
    ctx.templates = templates
    ctx.nargs = n
    ctx.nrequired = <int>min(required, n)
    ctx.needs_input_grad = tuple(needs)
    return 0


cdef object _finish(Context ctx, PyObject* const* args, Py_ssize_t n, object result, bint record):
    """Attach the outputs in ``result`` to the node, and save the tensors for backward."""
    cdef PyObject* only = <PyObject*>result
    cdef bint single = not isinstance(result, tuple)
    cdef bint nested = not single and type(result) is not tuple
    cdef tuple outputs, attached
    cdef list flat, templates
    if is_tensor(only):
        attached = _attach(ctx, args, n, &only, 1, record)
        return result if attached is None else attached[0]
    outputs = (result,) if single else <tuple>result
    for out in outputs:
        if not is_tensor(<PyObject*>out) and may_hold_tensors(<PyObject*>out):
            nested = True
    if nested:
        flat = []
        templates = [template_of(out, flat) for out in outputs]
        if any([template is not None and not isinstance(template, int) for template in templates]):
            flat = list(_attached(ctx, args, n, tuple(flat), record))
            ctx.output_templates = templates
            return fill(templates[0] if single else tuple(templates), result, flat)
    attached = _attached(ctx, args, n, outputs, record)
    if single:
        return attached[0]
    return attached if attached is outputs or not nested else fill(tuple(range(len(outputs))), result, list(attached))


cdef tuple _attached(Context ctx, PyObject* const* args, Py_ssize_t n, tuple outputs, bint record):
    """Return the outputs with their history: the same tuple, or a new one if some outputs were replaced."""
    cdef tuple changed = _attach(ctx, args, n, tuple_items(<PyObject*>outputs), len(outputs), record)
    return outputs if changed is None else changed


cdef tuple _attach(Context ctx, PyObject* const* args, Py_ssize_t n, PyObject* const* outputs, Py_ssize_t count,
                   bint record):
    """Give the outputs their history; return None, or all outputs if some were replaced."""
    cdef Py_ssize_t i
    cdef tuple changed = None
    if ctx.dirty_tensors is not None:
        _check_dirty(ctx, args, n, outputs, count, record)
    if ctx.non_differentiable is not None:
        for t in ctx.non_differentiable:
            if not is_tensor(<PyObject*>t):
                raise RuntimeError(f"mark_non_differentiable only accepts variable arguments, but got "
                                   f"{type(t).__name__}")
    marked = None
    if ctx.on_outputs is not None:
        marked = [_among(ctx.non_differentiable, outputs[i]) for i in range(count)]
    if record:
        set_outputs(ctx, <int>count)
        number(ctx)
    for i in range(count):
        if record:
            ctx.metas[i].ndim = -1
        if is_tensor(outputs[i]):
            new = _wrap(ctx, args, n, <object>outputs[i], <int>i, record, count > 1)
            if <PyObject*>new != outputs[i]:
                changed = _with(outputs, count, i, new)
                outputs = tuple_items(<PyObject*>changed)
    if ctx.on_outputs is not None:
        ctx.on_outputs(tuple([<object>outputs[i] for i in range(count)]), marked)
    if ctx.to_save is not None:
        _check_saved(ctx.to_save)
        if record:
            _save(ctx, args, n, outputs, count)
        ctx.to_save = None
    if ctx.dirty_tensors is not None or ctx.non_differentiable is not None:
        ctx.dirty_tensors = ctx.non_differentiable = None  # a dirty tensor refers to the node
    ctx.finished = True
    return changed


cdef tuple _with(PyObject* const* items, Py_ssize_t count, Py_ssize_t i, object item):
    """Return a tuple of the items with item ``i`` replaced."""
    cdef PyObject* made = new_tuple(count)
    cdef PyObject* o
    cdef Py_ssize_t k
    for k in range(count):
        o = <PyObject*>item if k == i else items[k]
        incref(o)
        set_tuple_item(made, k, o)
    return <tuple>owned(made)


cdef inline bint _among(tuple items, PyObject* t) noexcept:
    return items is not None and _is_one_of(t, tuple_items(<PyObject*>items), tuple_size(<PyObject*>items))


cdef inline bint _is_one_of(PyObject* t, PyObject* const* items, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        if items[i] == t:
            return True
    return False


cdef int _check_dirty(Context ctx, PyObject* const* args, Py_ssize_t n, PyObject* const* outputs, Py_ssize_t count,
                      bint record) except -1:
    for t in ctx.dirty_tensors:
        if not is_tensor(<PyObject*>t):
            raise RuntimeError(f"mark_dirty can only accept variables, but argument {ctx.dirty_tensors.index(t)} is of "
                               f"type {type(t).__name__}")
        if not ctx._forward_cls._is_lifted:
            add_version(<PyObject*>t)  # it may have been written to without operators
        if not _is_one_of(<PyObject*>t, args, n):
            if flags_of(<PyObject*>t) & T_VIEW and record:
                raise RuntimeError("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that "
                                   "have been mutated should be passed to ctx.mark_dirty().")
            import warnings

            warnings.warn("ctx.mark_dirty() received a tensor that was not an input: mark input tensors only, those "
                          "that forward has written to.", UserWarning, stacklevel=2)
        if not _is_one_of(<PyObject*>t, outputs, count):
            raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. "
                               "The inputs that are modified inplace must all be outputs of the Function.")
    return 0


cdef object _wrap(Context ctx, PyObject* const* args, Py_ssize_t n, object out, int nr, bint record, bint several):
    """Return an output tensor with its history; a new tensor if the output is an input."""
    cdef PyObject* t = <PyObject*>out
    cdef TensorInfo f
    cdef bint is_input = _is_one_of(t, args, n), dirty = _among(ctx.dirty_tensors, t)
    tensor_info(t, &f)
    if record:
        describe(&ctx.metas[nr], &f)
    if f.dtype < T_FLOATING or _among(ctx.non_differentiable, t):
        if ctx.without_gradient is None:
            ctx.without_gradient = set()
        ctx.without_gradient.add(nr)
        if is_input and not dirty:
            return _as_it_was(t)
        if not is_input and f.flags & T_REQUIRES_GRAD:
            detach_in_place(t)
        return out
    if not record:
        if is_input and not dirty:
            out = _as_it_was(t)
        if not dirty and flags_of(<PyObject*>out) & T_ODD_VIEW == T_NO_GRAD_VIEW:
            set_flags(<PyObject*>out, T_MULTI_VIEW if several else T_FUNCTION_VIEW, T_NO_GRAD_VIEW)
        return out
    if dirty and is_input:
        if f.flags & T_REQUIRES_GRAD and f.grad_fn == NULL:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        check_write(t)
        if several and f.flags & T_VIEW:
            raise RuntimeError("If your Function modifies inplace an input that is a view of another Tensor, your "
                               "Function cannot return more than one Tensor: clone the input first, or split the "
                               "Function into one that writes and one that does the rest.")
        rebase(t, ctx)
        return out
    if is_input:
        out = _view_of_itself(t)
        t = <PyObject*>out
        tensor_info(t, &f)
    set_history(t, <PyObject*>ctx, nr)
    if f.flags & T_VIEW and f.base != NULL:
        set_flags(t, T_MULTI_VIEW if several else T_FUNCTION_VIEW, T_NO_GRAD_VIEW)
    return out


cdef object _view_of_itself(PyObject* argument):
    """Return a new tensor for an argument that is also an output; for a subclass, the result of its ``view_as``."""
    if argument.ob_type == tensor_type():
        return alias(argument)
    tensor = <object>argument
    recording = thread_flags().grad_enabled
    thread_flags().grad_enabled = False
    try:
        return tensor.view_as(tensor)
    finally:
        thread_flags().grad_enabled = recording


cdef object _as_it_was(PyObject* argument):
    """Return a new tensor for an argument that is an output without history: a view, unless history must be dropped."""
    if requires_grad(argument) or thread_flags().inference:
        return bare(argument)
    out = _view_of_itself(argument)
    set_flags(<PyObject*>out, T_NO_GRAD_VIEW, 0)
    set_layer(<PyObject*>out, layer_of(argument))
    return out


cdef int _check_saved(tuple tensors) except -1:
    cdef PyObject* t
    cdef Py_ssize_t i
    for i in range(tuple_size(<PyObject*>tensors)):
        t = tuple_item(<PyObject*>tensors, i)
        if t != NONE and not is_tensor(t):
            raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type "
                            f"{type(<object>t).__name__}")
    return 0


cdef int _save(Context ctx, PyObject* const* args, Py_ssize_t n, PyObject* const* outputs,
               Py_ssize_t noutputs) except -1:
    cdef tuple tensors = ctx.to_save
    cdef Py_ssize_t i, k, count = tuple_size(<PyObject*>tensors)
    cdef int e
    cdef PyObject* t
    if count > INLINE_SAVED:
        ctx.saved = <Saved*>PyMem_Calloc(count, sizeof(Saved))
        ctx.origins = <int*>PyMem_Calloc(count, sizeof(int))
        if ctx.saved == NULL or ctx.origins == NULL:
            raise MemoryError()
    ctx.nsaved = <int>count
    for i in range(count):
        t = tuple_item(<PyObject*>tensors, i)
        ctx.origins[i] = INTERMEDIATE
        if t == NONE:
            ctx.saved[i].version = NOT_A_TENSOR
            continue
        for k in range(noutputs):
            if outputs[k] == t:
                ctx.origins[i] = <int>(-2 - k) if requires_grad(t) else CONSTANT
                break
        if ctx.origins[i] == INTERMEDIATE:
            e = 0
            for k in range(n):
                if args[k] == t:
                    ctx.origins[i] = e
                    break
                if is_tensor(args[k]):
                    e += 1
        if ctx.origins[i] == INTERMEDIATE and _among(ctx.non_differentiable, t):
            ctx.origins[i] = CONSTANT
        save(&ctx.saved[i], t, ctx.origins[i] < -1)
    return 0


# --- the method -----------------------------------------------------------------------------------------------------

cdef class Apply:
    """The ``apply`` method of one class. Each class has its own, so that looking it up allocates nothing; that of
    ``Function`` has no owner.
    """

    cdef vectorcallfunc vectorcall
    cdef readonly object __self__  # the class

    def __cinit__(self, owner=None):
        self.vectorcall = _apply_vectorcall
        self.__self__ = owner

    def __get__(self, instance, owner):
        return self if self.__self__ is owner else Apply(owner)

    def __repr__(self):
        return f"<bound method {self.__qualname__} of {self.__self__!r}>"

    def __eq__(self, other):
        return isinstance(other, Apply) and self.__self__ is (<Apply>other).__self__

    def __hash__(self):
        return hash(self.__self__)

    def __reduce__(self):
        return getattr, (self.__self__, "apply")

    @property
    def __name__(self):
        return "apply"

    @property
    def __qualname__(self):
        return f"{self.__self__.__qualname__}.apply"

    @property
    def __module__(self):
        return self.__self__.__module__


cdef PyObject* _apply_vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf,
                                 PyObject* kwnames) except NULL:
    result = _apply(<PyObject*>(<Apply>callable).__self__, args, PyVectorcall_NARGS(nargsf), kwnames)
    incref(<PyObject*>result)
    return <PyObject*>result


def _prepare():
    cdef int n, bits
    for n in range(SMALL + 1):
        for bits in range(1 << n):
            flags = tuple([bool(bits & (1 << i)) for i in range(n)])
            incref(<PyObject*>flags)
            _FLAGS[(1 << n) | bits] = <PyObject*>flags
    cdef Apply c = Apply.__new__(Apply)
    cdef FullType* t = <FullType*>Apply
    t.tp_vectorcall_offset = <char*>&c.vectorcall - <char*><PyObject*>c
    t.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
    t.tp_call = vectorcall_tp_call
    PyType_Modified(<PyTypeObject*>Apply)


_prepare()
