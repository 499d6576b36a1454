# cython: language_level=3
"""Levels written in Python, for transforms of other packages."""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport O_INPLACE, OperatorInfo, is_tensor, operator_info

from flambeau_autograd._engine.graph.edges cimport requires_grad
from flambeau_autograd._engine.levels.histories cimport with_history
from flambeau_autograd._engine.levels.layers cimport Layer, bare, layer_of, set_layer
from flambeau_autograd._engine.levels.level cimport Level
from flambeau_autograd._engine.graph.record cimport LevelCall, process_call


cdef class OwnLevel(Level):
    """A level whose Python subclass defines how it processes calls.

    ``add_layer`` gives a tensor a layer of this level, an instance of a subclass of ``Layer``.
    """

    def process_call(self, op, args, layers):
        """Process a call of an operator; the innermost layer of its arguments belongs to this level.

        Args:
            op: the operator.
            args: all arguments of its schema, as outer levels see them.
            layers: for each argument, its layer at this level or None; a list of these for a list.

        Returns:
            The results, with their new layers. The result of an in-place call is ignored.
        """
        raise NotImplementedError

    cdef object process(self, PyObject* op, PyObject** slots, int batch_depth):
        cdef OperatorInfo o
        cdef _OwnCall call = _OwnCall.__new__(_OwnCall)
        operator_info(op, &o)
        call.op, call.info, call.slots, call.level, call.batch_depth = op, &o, slots, self, batch_depth
        return process_call(op, &o, slots, call)


cdef class _OwnCall(LevelCall):
    """One call of an operator. It must not outlive the call's arguments."""

    cdef PyObject* op
    cdef OperatorInfo* info
    cdef PyObject** slots
    cdef OwnLevel level

    cdef object run(self):
        cdef list args = [], layers = []
        cdef int i
        for i in range(self.info.nslots):
            value, layer = self.argument(<object>self.slots[i])
            args.append(value)
            layers.append(layer)
        result = self.level.process_call(<object>self.op, args, layers)
        return <object>self.slots[0] if self.info.flags & O_INPLACE else result

    cdef tuple argument(self, object a):
        cdef PyObject* p = <PyObject*>a
        cdef Layer layer
        if not is_tensor(p):
            if not isinstance(a, (tuple, list)):
                return a, None
            pairs = [self.argument(item) for item in a]
            return tuple([pair[0] for pair in pairs]), [pair[1] for pair in pairs]
        layer = layer_of(p)
        if layer is None or layer.level is not self.level:
            if not requires_grad(p):
                return a, None
            layer = None
            t = bare(p)
        else:
            t = bare(p)
            set_layer(<PyObject*>t, layer.outer)
        if requires_grad(p) and self.batch_depth >= 0:  # histories of outer levels are recorded there
            with_history(t, p, self.batch_depth)
        return t, layer
