# cython: language_level=3
"""Conjugate and negative views: the flags CONJ and NEG say how a tensor's elements differ from those in memory.

Views inherit the flags, and copies resolve them (``copying.copy_elements``). All other kernels receive resolved copies
of such views; their writes are copied back through the view.
"""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.copying cimport copy_elements, copy_of
from flambeau_tensor._core.elementwise.operands cimport check_writable
from flambeau_tensor._core.call.operator cimport OP_LAZY, OP_OBJECT_STATE, OP_VIEW, Operator
from flambeau_tensor._core.memory.tensor cimport Tensor, resize, same_shape
from flambeau_tensor._core.memory.types cimport *

cdef Tensor _resolved(Operator op, Tensor t, int slot, list written):
    cdef Tensor copy
    for pair in written:
        if pair[0] is t:
            return pair[1]
    copy = copy_of(t)
    if op.schema.arguments[slot].write:
        check_writable(op.name, t)
        written.append((t, copy))
    return copy


cdef object _resolve_and_run(Operator op, PyObject** slots):
    cdef PyObject* bound[MAX_ARGS]
    cdef list keep = [], written = []
    cdef Tensor t, copy
    cdef int i
    for i in range(op.nslots):
        bound[i] = slots[i]
        if op.args[i].kind == K_TENSOR and isinstance(<object>slots[i], Tensor):
            t = <Tensor>slots[i]
            if t.flags & LAZY:
                copy = _resolved(op, t, i, written)
                keep.append(copy)
                bound[i] = <PyObject*>copy
        elif isinstance(<object>slots[i], (tuple, list)) and any(
                [isinstance(o, Tensor) and (<Tensor>o).flags & LAZY for o in <object>slots[i]]):
            several = tuple([_resolved(op, <Tensor>o, i, written) if isinstance(o, Tensor) and (<Tensor>o).flags & LAZY
                             else o for o in <object>slots[i]])
            keep.append(several)
            bound[i] = <PyObject*>several
    result = op.kernel(op, bound)
    for t, copy in written:
        if not same_shape(t, copy):
            resize(t, copy.ndim, copy.sizes)
        copy_elements(t, copy)
        t.storage.version += 1
    return _given(result, written) if written else result


cdef object _given(object result, list written):
    """Return the result with the resolved copies replaced by the original tensors."""
    if isinstance(result, Tensor):
        for t, copy in written:
            if result is copy:
                return t
    elif isinstance(result, (tuple, list)):
        items = [_given(r, written) for r in result]
        return type(result)(items)
    return result


cdef object run_with_memory(Operator op, PyObject** slots, unsigned int flags):
    """Run step 4 on tensors with memory; `flags` are those of all tensors, combined."""
    if flags & LAZY and not op.flags & (OP_LAZY | OP_VIEW | OP_OBJECT_STATE):
        return _resolve_and_run(op, slots)
    return op.kernel(op, slots)
