# cython: language_level=3
"""Gradients: zeros and constants, checks, sums."""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    TensorInfo, T_LAYERED, T_VIEW, dtype_of, exclusive, filled, has_dtype_and_shape, tensor_info, size_of, thread_flags,
)

from flambeau_autograd._engine.graph.node cimport Edge, OutputMeta, NODE_FUNCTION, Node
from flambeau_autograd._engine.refs cimport *

from flambeau_tensor.extend import find_operator

cdef enum:
    LARGE = 1 << 12  # elements

cdef object _add = find_operator("torch.add")
cdef object _add_ = _add.inplace


cdef object zeros_of(OutputMeta* meta):
    return constant(meta.dtype, meta.ndim, meta.sizes, meta.on_meta, 0)


cdef object constant(int dtype, int ndim, const Py_ssize_t* sizes, bint on_meta, int value):
    if on_meta:
        return find_operator("torch.full")(size_of(ndim, sizes), value, dtype=dtype_of(dtype), device="meta")
    return filled(dtype, ndim, sizes, value)


cdef int validate(Node node, PyObject** out) except -1:
    """Convert the gradients that a node returned to the shapes and dtypes of its inputs, or raise."""
    cdef int i
    cdef Edge* edge
    cdef PyObject* o
    cdef OutputMeta* meta
    for i in range(node.nedges):
        if out[i] == NULL:
            continue
        edge = &node.edges[i]
        if edge.node == NULL:
            o = out[i]
            out[i] = NULL
            decref(o)
            continue
        meta = &(<Node>edge.node).metas[edge.output_nr]
        if not has_dtype_and_shape(out[i], meta.dtype, meta.ndim, meta.sizes):
            fitted = _unbroadcast(<object>out[i], meta, node, i)
            decref(out[i])
            out[i] = <PyObject*>fitted
            incref(out[i])
    return 0


cdef object _unbroadcast(object gradient, OutputMeta* meta, Node node, int index):
    from flambeau_autograd.unbroadcast import unbroadcast

    return unbroadcast(gradient, tuple([meta.sizes[i] for i in range(meta.ndim)]), dtype_of(meta.dtype), node, index,
                       node.kind == NODE_FUNCTION)


cdef int add_up(PyObject** place, PyObject* gradient) except -1:
    cdef PyObject* pair[2]
    cdef PyObject* total
    cdef TensorInfo a
    pair[0], pair[1] = place[0], gradient
    try:
        tensor_info(place[0], &a)
        # In place if that saves memory traffic and no other reference exists.
        if a.numel > LARGE and not thread_flags().grad_enabled and refcount(place[0]) == 1 and \
                not a.flags & (T_VIEW | T_LAYERED) and has_dtype_and_shape(gradient, a.dtype, a.ndim, a.sizes) and \
                exclusive(place[0]):
            total = vectorcall(<PyObject*>_add_, pair, 2, NULL)
        else:
            total = vectorcall(<PyObject*>_add, pair, 2, NULL)
    finally:
        decref(gradient)
    decref(place[0])
    place[0] = total
    return 0
