# cython: language_level=3
"""Masks: indices of nonzero elements, and selecting and writing elements by mask."""
from cpython.object cimport PyObject
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.copying cimport copy_elements, write_out
from flambeau_tensor._core.elementwise.loops cimport loop_t, run_loop
from flambeau_tensor._core.elementwise.operands cimport (
    broadcast_shape, broadcast_strides, check_not_readonly, check_overlap, same_sizes, warn_expanded,
)
from flambeau_tensor._core.call.operator cimport OP_INPLACE, Operator, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, set_geometry, shape_str, view_of
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.index_loops cimport GET, PUT, Rows, run_rows
from flambeau_tensor._kernels.advanced_indexing cimport coordinates, expanded, filling, row_of, nonzero_offsets

from flambeau_tensor._core.elementwise.dtype import type_name

ctypedef double complex pair_t  # 16 bytes


cdef object _nonzero(Operator op, PyObject** a):  # (self, *, as_tuple, out)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor found
    cdef Py_ssize_t one = 1
    if a[2] != <PyObject*>None:
        if <object>a[1]:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        if (<Tensor>a[2]).dtype != INT64:
            raise RuntimeError("nonzero: Expected out tensor to have scalar type Long but got scalar type "
                               f"{type_name(dtype_object((<Tensor>a[2]).dtype))}")
        check_overlap(<Tensor>a[2], t)
        return write_out(op.name, <object>a[2], _as_columns(coordinates(t)))
    if not <object>a[1]:
        return _as_columns(coordinates(t))
    if t.ndim == 0:
        t = view_of(t, 1, &one, &one, t.data)
    found = coordinates(t)
    return tuple([row_of(found, d) for d in range(t.ndim)])


cdef Tensor _as_columns(Tensor rows):
    """Transpose a matrix in place: the result takes over its memory."""
    cdef Py_ssize_t[2] sizes = [rows.sizes[1], rows.sizes[0]]
    cdef Py_ssize_t[2] strides = [1, rows.sizes[1]]
    set_geometry(rows, 2, sizes, strides)
    return rows


cdef int _run_offsets(int mode, Tensor indexed, Tensor plain, Tensor places, int dtype) except -1:
    cdef Rows r
    r.n, r.step, r.offsets = places.numel, ITEMSIZE[dtype], <const Py_ssize_t*>places.data
    r.nouter = r.ninner = 0
    r.plain, r.indexed = plain.data, indexed.data
    return run_rows(&r, mode, dtype)


cdef object _masked_select(Operator op, PyObject** a):  # (self, mask)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor mask = <Tensor>a[1]
    cdef Tensor out, places
    cdef PyObject* both[2]
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int ndim
    if mask.dtype != BOOL:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    both[0], both[1] = a[1], a[0]
    ndim = broadcast_shape(2, both, sizes)
    t, mask = expanded(t, ndim, sizes), expanded(mask, ndim, sizes)
    places = nonzero_offsets(mask, ITEMSIZE[t.dtype])
    out = empty(t.dtype, 1, &places.numel)
    _run_offsets(GET, t, out, places, t.dtype)
    return out


ctypedef fused element_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    pair_t


cdef void _put_where(char** args, const Py_ssize_t* n, const Py_ssize_t* steps, element_t* value) noexcept nogil:
    cdef const char* mask = args[0]
    cdef char* to = args[1]
    cdef Py_ssize_t i
    for i in range(n[0]):
        if mask[i * steps[0]]:
            (<element_t*>(to + i * steps[1]))[0] = value[0]


cdef loop_t _put_loop(Py_ssize_t item) noexcept:
    if item == 1:
        return <loop_t>_put_where[uint8_t]
    if item == 2:
        return <loop_t>_put_where[uint16_t]
    if item == 4:
        return <loop_t>_put_where[uint32_t]
    return <loop_t>_put_where[uint64_t] if item == 8 else <loop_t>_put_where[pair_t]


cdef object _masked_fill(Operator op, PyObject** a):  # (self, mask, value)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor mask = <Tensor>a[1]
    cdef Tensor value
    cdef PyObject* both[2]
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t[2][MAX_NDIM] strides
    cdef Py_ssize_t* stride_ptrs[2]
    cdef char* ptrs[2]
    cdef int[2] types
    cdef int ndim
    if mask.dtype != BOOL:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{dtype_object(mask.dtype).name}")
    value = filling("masked_fill", t, <object>a[2])
    if not op.flags & OP_INPLACE:
        return find("torch.where")(mask, value, t).contiguous()
    both[0], both[1] = a[1], a[0]
    ndim = broadcast_shape(2, both, shape)
    if ndim != t.ndim or not same_sizes(ndim, shape, t.sizes):
        raise RuntimeError(f"output with shape {shape_str(t.ndim, t.sizes)} doesn't match the broadcast shape "
                           f"{shape_str(ndim, shape)}")
    check_not_readonly(op.name, t)
    warn_expanded(op.name, t, "[mask] = scalar")
    check_overlap(t, mask)
    broadcast_strides(mask, ndim, shape, strides[0])
    broadcast_strides(t, ndim, shape, strides[1])
    stride_ptrs[0], stride_ptrs[1] = strides[0], strides[1]
    ptrs[0], ptrs[1] = mask.data, t.data
    types[0], types[1] = BOOL, t.dtype
    run_loop(_put_loop(ITEMSIZE[t.dtype]), value.data, 2, ptrs, types, types, ndim, shape, stride_ptrs)
    t.storage.version += 1
    return t


cdef object _masked_scatter(Operator op, PyObject** a):  # (self, mask, source)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor mask = <Tensor>a[1]
    cdef Tensor source = <Tensor>a[2]
    cdef Tensor out, places
    cdef PyObject* both[2]
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int ndim
    if t.dtype != source.dtype:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes but got "
                           f"{type_name(dtype_object(t.dtype))} and {type_name(dtype_object(source.dtype))}")
    if mask.dtype != BOOL:
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype "
                           f"{dtype_object(mask.dtype).name}")
    both[0], both[1] = a[1], a[0]
    ndim = broadcast_shape(2, both, sizes)
    mask = expanded(mask, ndim, sizes)
    places = nonzero_offsets(mask, ITEMSIZE[t.dtype])
    if places.numel > source.numel:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out = empty(t.dtype, ndim, sizes)
    copy_elements(out, t)
    _run_offsets(PUT, out, expanded(source, source.ndim, source.sizes), places, t.dtype)
    return out


nonzero = make_kernel(_nonzero, True)
masked_select = make_kernel(_masked_select)
masked_fill = make_kernel(_masked_fill, True)
masked_scatter = make_kernel(_masked_scatter)
