# cython: language_level=3
"""``vmap`` as a level: a call on single examples becomes one on tensors that hold all of them, by a batching rule.

Reverse mode records a call here only where a tensor's history began inside of the batch; the histories of levels
further out go on with the tensors that hold all examples.
"""
from cpython.object cimport PyObject

from importlib import import_module

from flambeau_tensor.abi cimport (
    ABI_MAX_NDIM, TensorInfo, O_INPLACE, O_VIEW, OperatorInfo, as_strided, detach_in_place, is_tensor, tensor_info,
    operator_info,
    offset_of, set_base, thread_flags,
)

from flambeau_autograd._engine.edges cimport requires_grad
from flambeau_autograd._engine.histories cimport history_depth, with_history
from flambeau_autograd._engine.layers cimport BatchLayer, Layer, bare, layer_of, set_layer
from flambeau_autograd._engine.levels cimport Level
from flambeau_autograd._engine.record cimport LevelCall, process_call

cdef list _modules = []  # with batching rules, of packages above
cdef object _rule = None  # (level, op, arguments, dimensions) -> (results, dimensions)


def batching_rules_in(str module not None):
    """Name a module that fills the table of batching rules; it is imported with the table, at the first ``vmap``."""
    _modules.append(module)
    if _rule is not None:
        import_module(module)


cdef int _import_rules() except -1:
    global _rule
    from flambeau_autograd import batching

    _rule = batching.apply
    for module in _modules:
        import_module(module)
    return 0


cdef class BatchLevel(Level):
    """``vmap`` over ``size`` examples; ``randomness`` is ``"error"``, ``"different"`` or ``"same"``."""

    kind = "vmap"

    def __init__(self, Py_ssize_t size, str randomness="error"):
        self.size, self.randomness = size, randomness

    cdef int begin(self) except -1:
        if _rule is None:
            _import_rules()
        thread_flags().transform_depth += 1
        return 0

    cdef int end(self) except -1:
        thread_flags().transform_depth -= 1
        return 0

    def wrap(self, value, int dim):
        """One example's view of ``value``, whose dimension ``dim`` runs over the examples."""
        return wrap_batch(value, dim, self)

    def unwrap(self, tensor):
        """(all examples, the dimension that runs over them) of a tensor; (tensor, None) if the examples share it."""
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
        cdef int i
        cdef _BatchCall call = _BatchCall.__new__(_BatchCall)
        operator_info(op, &o)
        call.op, call.level, call.batch_depth = <object>op, self, batch_depth
        call.args = [<object>slots[i] for i in range(o.nslots)]
        call.inplace, call.view = (o.flags & O_INPLACE) != 0, (o.flags & O_VIEW) != 0
        return process_call(op, &o, slots, call)

    def process_function(self, cls, args, kwargs, int batch_depth):
        from flambeau_autograd.func.custom import batch, differentiated

        if thread_flags().grad_enabled and any([history_depth(<PyObject*>t) > batch_depth
                                                for t in _tensors_of((args, kwargs))]):
            # Differentiated for each example: the node sees single examples.
            return differentiated(cls, args, kwargs)
        return batch(cls, args, kwargs, self)


cdef list _tensors_of(tree):
    from flambeau_autograd.trees import leaves

    return [leaf for leaf in leaves(tree) if is_tensor(<PyObject*>leaf)]


cdef object wrap_batch(object value, int dim, Level level):
    """One example's view of ``value``, whose dimension ``dim`` runs over the examples of ``level``."""
    cdef PyObject* v = <PyObject*>value
    cdef TensorInfo f
    cdef BatchLayer layer = BatchLayer.__new__(BatchLayer)
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
    layer.level, layer.value, layer.dim = level, value, dim
    set_layer(<PyObject*>t, layer)
    return t


cdef class _BatchCall(LevelCall):
    """One call of an operator on examples."""

    cdef object op
    cdef list args
    cdef BatchLevel level
    cdef bint inplace, view

    cdef object run(self):
        cdef list args = [], dims = []
        for a in self.args:
            value, dim = self.examples(a)
            args.append(value)
            dims.append(dim)
        self.level.running += 1
        try:
            result, out_dims = _rule(self.level, self.op, args, dims)
        finally:
            self.level.running -= 1
        if self.inplace:
            return self.args[0]
        return self.wrap(result, out_dims)

    cdef tuple examples(self, object a):
        """(an argument as the levels further out see it, the dimension of its examples or None)"""
        cdef PyObject* p = <PyObject*>a
        cdef Layer layer
        if is_tensor(p):
            layer = layer_of(p)
            if layer is not None and layer.level is self.level:
                return (<BatchLayer>layer).value, (<BatchLayer>layer).dim
            return with_history(bare(p), p, self.batch_depth) if requires_grad(p) else a, None
        if isinstance(a, (tuple, list)):
            pairs = [self.examples(item) for item in a]
            if any([is_tensor(<PyObject*>value) or isinstance(value, tuple) for value, _ in pairs]):
                return tuple([pair[0] for pair in pairs]), tuple([pair[1] for pair in pairs])
        return a, None

    cdef object wrap(self, object result, object dims):
        if isinstance(result, (tuple, list)):
            items = [self.wrap(r, d) for r, d in zip(result, dims, strict=True)]
            if type(result) is tuple or type(result) is list:
                return type(result)(items)
            return type(result)(tuple(items))
        if dims is None or not is_tensor(<PyObject*>result):
            return result
        out = wrap_batch(result, dims, self.level)
        if self.view and (<object>result)._is_view() and is_tensor(<PyObject*>self.args[0]):
            set_base(<PyObject*>out, <PyObject*>self.args[0])
        return out
