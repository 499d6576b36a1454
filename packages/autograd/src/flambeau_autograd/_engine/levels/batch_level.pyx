# cython: language_level=3
"""``vmap`` as a level: a batching rule turns a call on single examples into one on batched tensors.

Reverse mode records a call here only if a tensor's history began inside the batch; the batched tensors carry the
histories of outer levels.
"""
from cpython.object cimport PyObject

from importlib import import_module

from flambeau_tensor.abi cimport (
    ABI_MAX_NDIM, TensorInfo, O_INPLACE, O_VIEW, OperatorInfo, T_VIEW, as_strided, detach_in_place, is_tensor,
    offset_of, operator_info, set_base, tensor_info, thread_flags,
)

from flambeau_autograd._engine.graph.edges cimport requires_grad
from flambeau_autograd._engine.levels.histories cimport history_depth, with_history
from flambeau_autograd._engine.levels.layers cimport BatchLayer, Layer, bare, layer_of, new_batch, set_layer
from flambeau_autograd._engine.levels.level cimport Level
from flambeau_autograd._engine.graph.record cimport LevelCall, process_call
from flambeau_autograd._engine.refs cimport *

from flambeau_autograd._engine.levels.level import VmapUnsupportedError

cdef list _modules = []  # of higher packages, with batching rules
cdef object _rule_of = None  # operator -> its rule


def batching_rules_in(str module not None):
    """Register a module that adds rules to the table of batching rules; it is imported at the first ``vmap``."""
    if module not in _modules:
        _modules.append(module)
    if _rule_of is not None:
        import_module(module)


cdef int _import_rules() except -1:
    global _rule_of
    from flambeau_autograd import batching

    for module in _modules:
        import_module(module)
    _rule_of = batching.rule_of  # packages add no rules later
    return 0


cdef class BatchLevel(Level):
    """``vmap`` over a batch of ``size`` entries; ``randomness`` is ``"error"``, ``"different"`` or ``"same"``."""

    kind = "vmap"

    def __init__(self, Py_ssize_t size, str randomness="error"):
        self.size, self.randomness = size, randomness

    cdef int begin(self) except -1:
        if _rule_of is None:
            _import_rules()
        thread_flags().transform_depth += 1
        return 0

    cdef int end(self) except -1:
        thread_flags().transform_depth -= 1
        return 0

    def wrap(self, value, int dim):
        """Return ``value``, which has batch dimension ``dim``, as a batched tensor that looks like a single example."""
        return wrap_batch(value, dim, self)

    def unwrap(self, tensor):
        """Return (value, batch dimension) of a batched tensor, or (tensor, None) if it is not batched at this level."""
        cdef Layer layer
        if not is_tensor(<PyObject*>tensor):
            return tensor, None
        layer = layer_of(<PyObject*>tensor)
        while layer is not None and layer.level is not self:
            layer = layer.outer
        if layer is None:
            return tensor, None
        return (<BatchLayer>layer).value, (<BatchLayer>layer).dim

    cdef object process(self, PyObject* op, PyObject** slots, int batch_depth):
        cdef OperatorInfo o
        cdef _BatchCall call = _BatchCall.__new__(_BatchCall)
        operator_info(op, &o)
        call.op, call.info, call.slots, call.level, call.batch_depth = op, &o, slots, self, batch_depth
        return process_call(op, &o, slots, call)

    cdef object refusal(self, str text):
        return VmapUnsupportedError(text)

    def process_function(self, cls, args, kwargs, int batch_depth):
        from flambeau_autograd.func.custom import batch, differentiated

        if thread_flags().grad_enabled and any([history_depth(<PyObject*>t) > batch_depth
                                                for t in _tensors_of((args, kwargs))]):
            # Differentiated inside the batch: the node receives single examples.
            return differentiated(cls, args, kwargs)
        return batch(cls, args, kwargs, self)


cdef list _tensors_of(tree):
    from flambeau_autograd.pytree import leaves

    return [leaf for leaf in leaves(tree) if is_tensor(<PyObject*>leaf)]


cdef object wrap_batch(object value, int dim, Level level):
    """Return ``value``, which has batch dimension ``dim``, as a batched tensor that looks like a single example."""
    cdef PyObject* v = <PyObject*>value
    cdef TensorInfo f
    cdef Py_ssize_t sizes[ABI_MAX_NDIM]
    cdef Py_ssize_t strides[ABI_MAX_NDIM]
    cdef int i, k = 0
    tensor_info(v, &f)
    if dim < 0 or dim >= f.ndim:
        raise RuntimeError(f"vmap: no dimension {dim} in a tensor of shape {tuple(value.shape)}")
    for i in range(f.ndim):
        if i != dim:
            sizes[k], strides[k] = f.sizes[i], f.strides[i]
            k += 1
    t = as_strided(v, f.ndim - 1, sizes, strides, offset_of(v))
    detach_in_place(<PyObject*>t)
    set_layer(<PyObject*>t, new_batch(level, value, dim))
    return t


# --- rules ----------------------------------------------------------------------------------------------------------

cdef class BatchRule:
    """Runs operators on batched tensors; callable like a rule in Python, for one call of an operator."""

    cdef object run(self, BatchLevel level, Examples* call):
        raise NotImplementedError

    def __call__(self, BatchLevel level not None, op, args, dims):
        """Return ``(result, dim)`` of one call, given its arguments and their batch dimensions."""
        cdef PyObject* values[MAX_SLOTS]
        cdef PyObject* nested[MAX_SLOTS]
        cdef int where[MAX_SLOTS]
        cdef OperatorInfo o
        cdef Examples call
        cdef int i, n = 0
        operator_info(<PyObject*>op, &o)
        if len(args) != o.nslots or len(dims) != o.nslots:
            raise TypeError(f"a batching rule of {op!r} takes {o.nslots} arguments and dimensions, not {len(args)}")
        call.op, call.info, call.values, call.dims, call.nested, call.at = <PyObject*>op, &o, values, where, nested, 0
        try:
            for i in range(o.nslots):
                value, dim = args[i], dims[i]
                incref(<PyObject*>value)
                values[i], nested[i], where[i] = <PyObject*>value, NULL, SHARED
                n += 1
                if isinstance(dim, tuple):
                    incref(<PyObject*>dim)
                    nested[i], where[i] = <PyObject*>dim, NESTED
                elif dim is not None:
                    where[i] = dim
            result = self.run(level, &call)
        finally:
            _release(&call, n)
        return result, _form(result, call.at)


cdef object _form(object result, int at):
    """Return the batch dimensions of results in the form that rules in Python return."""
    if isinstance(result, (tuple, list)):
        return tuple([_form(r, at) for r in result])
    return at if at >= 0 and is_tensor(<PyObject*>result) else None


cdef void put(Examples* call, int slot, object value) noexcept:
    cdef PyObject* old = call.values[slot]
    incref(<PyObject*>value)
    call.values[slot], call.dims[slot] = <PyObject*>value, 0
    decref(old)


cdef void _release(Examples* call, int n) noexcept:
    cdef int i
    for i in range(n):
        decref(call.values[i])
        xdecref(call.nested[i])


# --- calls of operators ---------------------------------------------------------------------------------------------

cdef class _BatchCall(LevelCall):
    """One call of an operator on batched tensors. It must not outlive the call's arguments."""

    cdef PyObject* op
    cdef OperatorInfo* info
    cdef PyObject** slots
    cdef BatchLevel level

    cdef object run(self):
        cdef PyObject* values[MAX_SLOTS]
        cdef PyObject* nested[MAX_SLOTS]
        cdef int dims[MAX_SLOTS]
        cdef Examples call
        cdef int i, n = 0
        call.op, call.info, call.values, call.dims, call.nested, call.at = self.op, self.info, values, dims, nested, 0
        self.level.running += 1
        try:
            for i in range(self.info.nslots):
                self.look(&call, i)
                n += 1
            if self.info.flags & O_INPLACE and dims[0] == SHARED:
                for i in range(1, n):
                    if dims[i] != SHARED:
                        raise _refused_write((<object>self.op).name)
            rule = <object>self.info.batching if self.info.batching != NULL else _rule_of(<object>self.op)
            if isinstance(rule, BatchRule):
                result = (<BatchRule>rule).run(self.level, &call)
                return <object>self.slots[0] if self.info.flags & O_INPLACE else self.wrap(result, call.at)
            result, at = _run_in_python(rule, self.level, &call)
            return <object>self.slots[0] if self.info.flags & O_INPLACE else self.wrap_each(result, at)
        finally:
            self.level.running -= 1
            _release(&call, n)

    cdef int look(self, Examples* call, int slot) except -1:
        """Fill in one argument."""
        cdef PyObject* p = self.slots[slot]
        cdef Layer layer
        call.nested[slot], call.dims[slot] = NULL, SHARED
        if is_tensor(p):
            layer = layer_of(p)
            if layer is not None and layer.level is self.level:
                call.values[slot], call.dims[slot] = <PyObject*>(<BatchLayer>layer).value, (<BatchLayer>layer).dim
                incref(call.values[slot])
                return 0
            if requires_grad(p):
                value = with_history(bare(p), p, self.batch_depth)
                p = <PyObject*>value
        elif is_tuple(p) or is_list_kind(p):
            value, dim = self.examples(<object>p)
            incref(<PyObject*>value)
            call.values[slot] = <PyObject*>value
            if dim is not None:
                incref(<PyObject*>dim)
                call.nested[slot], call.dims[slot] = <PyObject*>dim, NESTED
            return 0
        incref(p)
        call.values[slot] = p
        return 0

    cdef tuple examples(self, object a):
        """Return (an item of a list as outer levels see it, its batch dimension or None)."""
        cdef PyObject* p = <PyObject*>a
        cdef Layer layer
        if is_tensor(p):
            layer = layer_of(p)
            if layer is not None and layer.level is self.level:
                return (<BatchLayer>layer).value, (<BatchLayer>layer).dim
            return with_history(bare(p), p, self.batch_depth) if requires_grad(p) else a, None
        if isinstance(a, (tuple, list)):
            for item in a:
                if is_tensor(<PyObject*>item) or isinstance(item, tuple):
                    pairs = [self.examples(item) for item in a]
                    return tuple([pair[0] for pair in pairs]), tuple([pair[1] for pair in pairs])
        return a, None

    cdef object wrap(self, object result, int at):
        """Wrap results that all have the same batch dimension."""
        if at < 0:
            return result
        if is_tensor(<PyObject*>result):
            return self.wrap_one(result, at)
        if isinstance(result, (tuple, list)):
            return _like(result, [self.wrap(r, at) for r in result])
        return result

    cdef object wrap_each(self, object result, object dims):
        """Wrap results that have their own batch dimensions."""
        if isinstance(result, (tuple, list)):
            return _like(result, [self.wrap_each(r, d) for r, d in zip(result, dims, strict=True)])
        return result if dims is None or not is_tensor(<PyObject*>result) else self.wrap_one(result, dims)

    cdef object wrap_one(self, object value, int dim):
        cdef TensorInfo f
        out = wrap_batch(value, dim, self.level)
        if self.info.flags & O_VIEW:
            tensor_info(<PyObject*>value, &f)
            if f.flags & T_VIEW and is_tensor(self.slots[0]):
                set_base(<PyObject*>out, self.slots[0])
        return out


cdef object _like(object result, list items):
    """Return a tuple, list or named tuple of the same type with other items."""
    return type(result)(items) if type(result) is tuple or type(result) is list else type(result)(tuple(items))


cdef tuple for_python(Examples* call):
    cdef list args = [], dims = []
    cdef int i
    for i in range(call.info.nslots):
        args.append(<object>call.values[i])
        dims.append(<object>call.nested[i] if call.nested[i] != NULL else None if call.dims[i] < 0 else call.dims[i])
    return args, dims


cdef object _run_in_python(object rule, BatchLevel level, Examples* call):
    cdef list args, dims
    cdef Py_ssize_t i
    args, dims = for_python(call)
    for i, a in enumerate((<object>call.op).schema.arguments):
        if type(args[i]) is int and (a.type == "int[]" or a.type == "Any[]"):  # x.view(6): a list with one number
            args[i] = args[i],
    return rule(level, <object>call.op, args, dims)


cdef object _refused_write(str name):
    return VmapUnsupportedError(
        "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in "
        f"extra_args that has more elements than `self`: {name}() would write many examples into one tensor. Use the "
        "form that is not in place, or make `self` with one example each, such as other.new_zeros(...).")
