# cython: language_level=3
"""Reverse mode as a level: calls are recorded in the graph, whose nodes store the levels that they belong to.

The level has no layers, so it receives a call if no argument has a layer. If there are layers, their level records the
call for the tapes inside it, see ``record.process_call``.
"""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    TensorInfo, OperatorInfo, T_FLOATING, T_LAYERED, T_REQUIRES_GRAD, detach, flags_of, is_tensor, tensor_info,
    operator_info,
)

from flambeau_autograd._engine.graph.edges cimport requires_grad
from flambeau_autograd._engine.function.apply import apply_in, context_of
from flambeau_autograd._engine.levels.histories cimport as_input, history_levels, with_history_of
from flambeau_autograd._engine.levels.layers cimport Layer, bare, layer_of, set_layer
from flambeau_autograd._engine.levels.level cimport Level
from flambeau_autograd._engine.graph.node cimport begin_tape, end_tape
from flambeau_autograd._engine.graph.record cimport process_call

cdef TapeLevel outermost = TapeLevel()


cdef class TapeLevel(Level):
    """The level of ``grad`` and ``vjp``; ``internal``: it serves a call of the engine."""

    kind = "grad"

    def __init__(self, bint internal=False):
        self.internal, self.tapes = internal, True

    cdef int begin(self) except -1:
        begin_tape(self.depth)
        return 0

    cdef int end(self) except -1:
        end_tape(self.depth)
        return 0

    def wrap(self, tensor):
        """Return ``tensor`` as an input to differentiate with respect to; outer levels keep its history."""
        cdef PyObject* t = <PyObject*>tensor
        cdef TensorInfo f
        tensor_info(t, &f)
        if f.dtype < T_FLOATING:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        return as_input(bare(t), t, self)

    def unwrap(self, tensor, bint keep=True):
        """Return ``tensor`` as seen outside: only on the tapes of outer levels, or without ``keep`` on none."""
        cdef PyObject* t = <PyObject*>tensor
        cdef unsigned long long inner, bits  # inner: the bits of this level and of those inside it
        cdef Layer layer, left
        if not is_tensor(t):
            return tensor
        if not flags_of(t) & (T_LAYERED | T_REQUIRES_GRAD) and not requires_grad(t):
            return tensor
        inner = -(<unsigned long long>1 << self.depth if self.alive else 0)
        bits = history_levels(t)
        layer = layer_of(t)
        left = self._unwrap_layers(layer, keep)
        if left is layer and not bits & inner and (layer is not None or keep or not bits):
            return tensor
        out = detach(t)
        set_layer(<PyObject*>out, left)
        return with_history_of(out, t, bits & ~inner) if keep else out

    cdef Layer _unwrap_layers(self, Layer layer, bint keep):
        cdef Layer outer, left
        if layer is None:
            return None
        outer = self._unwrap_layers(layer.outer, keep)
        held = layer.held()
        inside = self.unwrap(held, keep)
        if inside is held and outer is layer.outer:
            return layer
        left = layer.holding(inside)
        left.outer = outer
        return left

    cdef object process(self, PyObject* op, PyObject** slots, int batch_depth):
        cdef OperatorInfo o
        operator_info(op, &o)
        return process_call(op, &o, slots, None)

    def process_function(self, cls, args, kwargs, int batch_depth):
        return apply_in(context_of(cls), None, *args, **kwargs)
