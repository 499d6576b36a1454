# cython: language_level=3
"""Masks: where elements are not zero, and what is where a mask holds."""
from cpython.object cimport PyObject

from flambeau_tensor._core.dtype cimport ITEMSIZE, dtype_object
from flambeau_tensor._core.copying cimport copy_elements
from flambeau_tensor._core.operands cimport broadcast_shape
from flambeau_tensor._core.operator cimport Operator, make_kernel
from flambeau_tensor._core.tensor cimport Tensor, empty, view_of
from flambeau_tensor._core.types cimport *
from flambeau_tensor._kernels.indexed cimport GET, PUT, Rows, run_rows
from flambeau_tensor._kernels.places cimport coordinates, expanded, row_of, true_places

from flambeau_tensor._core.dtype import type_name


cdef object _nonzero(Operator op, PyObject** a):  # (self, *, as_tuple)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor found
    cdef Py_ssize_t one = 1
    if not <object>a[1]:
        return coordinates(t, False)
    if t.ndim == 0:
        t = view_of(t, 1, &one, &one, t.data)
    found = coordinates(t, True)
    return tuple([row_of(found, d) for d in range(t.ndim)])


cdef int _run_places(int mode, Tensor indexed, Tensor plain, Tensor places, int dtype) except -1:
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
    places = true_places(mask, ITEMSIZE[t.dtype])
    out = empty(t.dtype, 1, &places.numel)
    _run_places(GET, t, out, places, t.dtype)
    return out


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
    places = true_places(mask, ITEMSIZE[t.dtype])
    if places.numel > source.numel:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out = empty(t.dtype, ndim, sizes)
    copy_elements(out, t)
    _run_places(PUT, out, expanded(source, source.ndim, source.sizes), places, t.dtype)
    return out


nonzero = make_kernel(_nonzero)
masked_select = make_kernel(_masked_select)
masked_scatter = make_kernel(_masked_scatter)
