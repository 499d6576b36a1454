# cython: language_level=3
"""Add gradients of parts of a tensor to the waiting gradient of the whole tensor.

By its formula, the gradient of ``x[i]`` is a tensor of the size of ``x`` with zeros outside one part. A loop over the
rows of ``x`` would create and add one such tensor per row. From the second gradient on, only the part is touched.
"""
from cpython.object cimport PyObject

from flambeau_overrides.abi cimport pop_all_disabled, push_all_disabled
from flambeau_tensor.abi cimport TensorInfo, T_DISPATCH, T_LAYERED, T_VIEW, exclusive, tensor_info, thread_flags

from flambeau_autograd._engine.graph.node cimport Node
from flambeau_autograd._engine.refs cimport *
from flambeau_autograd._engine.graph.rule cimport MAX_PARTS, Rule

from flambeau_tensor.extend import find_operator

cdef object _add_ = find_operator("torch.add").inplace


cdef bint add_to_part(Node node, PyObject* gradient, PyObject* whole) except -1:
    cdef Rule rule = <Rule>node.rule
    cdef PyObject* args[MAX_PARTS + 1]
    cdef PyObject* pair[2]
    cdef PyObject* done = NULL
    cdef TensorInfo a, b
    cdef int i
    if node.released or thread_flags().grad_enabled or thread_flags().dispatching or refcount(whole) != 1 or \
            gradient.ob_type != whole.ob_type:
        return False
    tensor_info(whole, &a)
    tensor_info(gradient, &b)
    if a.dtype != b.dtype or (a.flags | b.flags) & (T_LAYERED | T_DISPATCH) or a.flags & T_VIEW or \
            not exclusive(whole):
        return False
    args[0] = whole
    for i in range(rule.nparts):
        args[i + 1] = node.saved[rule.parts[i]].value
        if args[i + 1] == NULL:
            return False
    pair[0], pair[1] = NULL, gradient
    push_all_disabled()
    try:
        pair[0] = vectorcall(<PyObject*>rule.op, args, rule.nparts + 1, NULL)
        done = vectorcall(<PyObject*>_add_, pair, 2, NULL)
    finally:
        pop_all_disabled()
        xdecref(done)
        xdecref(pair[0])
    return True
