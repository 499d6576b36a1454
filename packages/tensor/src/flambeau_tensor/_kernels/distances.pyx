# cython: language_level=3
"""Distances between the rows of matrices: p-norms of their differences, summed in double precision."""
from cpython.object cimport PyObject
from libc.math cimport INFINITY

from flambeau_tensor._core.elementwise.copying cimport contiguous, to_dtype
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, dtype_object
from flambeau_tensor._core.elementwise.operands cimport broadcast_shape
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, grad_flags, plain_tuple, view_of
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.contraction cimport swapped
from flambeau_tensor._kernels.distances_types cimport *
from flambeau_tensor._kernels.recording cimport recorded
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

from flambeau_tensor._core.elementwise.cpu_levels import hot
from flambeau_tensor._core.elementwise.dtype import type_name

_loops = hot("distances").LOOPS["distances"]
cdef distances_t _rows32 = <distances_t><size_t>_loops["float32"]
cdef distances_t _rows64 = <distances_t><size_t>_loops["float64"]


cdef void _task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* j = <Job*>context
    if j.dtype == FLOAT32:
        _rows32(j, begin, end)
    else:
        _rows64(j, begin, end)


cdef Tensor _between(Tensor x1, Tensor x2, double p, bint triangle, int ndim, const Py_ssize_t* sizes):
    cdef Job j
    cdef Tensor out
    cdef Py_ssize_t rows = 1, each
    cdef int d, compute = FLOAT64 if x1.dtype == FLOAT64 else FLOAT32
    dtype = x1.dtype
    x1, x2 = contiguous(x1, compute), contiguous(swapped(x2, x2.ndim - 2), compute)
    out = empty(compute, ndim, sizes)
    for d in range(x1.ndim - 1):
        rows *= x1.sizes[d]
    j.x1, j.columns, j.out, j.dtype, j.triangle, j.p = x1.data, x2.data, out.data, compute, triangle, p
    j.n1, j.n2, j.m = x1.sizes[x1.ndim - 2], x2.sizes[x2.ndim - 1], x1.sizes[x1.ndim - 1]
    j.order = ZERO if p == 0 else ONE if p == 1 else TWO if p == 2 else LARGEST if p == INFINITY else OTHER
    each = j.n2 * max(j.m, 1) * (16 if j.order == OTHER else 1) + 1
    if out.numel:
        if rows * each < GIL_FREE:
            _task(&j, 0, rows)
        else:
            with nogil:
                parallel_for(rows, GRAIN // each + 1, _task, &j)
    return to_dtype(out, dtype)


cdef object _distances(Operator op, PyObject** a):
    """Slots: x1, x2, p. The batch sizes must be equal."""
    cdef Tensor x1 = <Tensor>a[0]
    cdef Tensor x2 = <Tensor>a[1]
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int d
    cdef bint fits = x1.ndim >= 2 and x2.ndim == x1.ndim and x1.sizes[x1.ndim - 1] == x2.sizes[x1.ndim - 1]
    for d in range(x1.ndim if fits else 0):
        fits = fits and (d >= x1.ndim - 2 or x1.sizes[d] == x2.sizes[d])
        sizes[d] = x1.sizes[d] if d < x1.ndim - 1 else x2.sizes[d - 1]
    if not fits or x1.dtype != x2.dtype or CATEGORY[x1.dtype] != CAT_FLOAT:
        raise RuntimeError("cdist expects batches of the same sizes, and rows of the same length and floating dtype")
    return _between(x1, x2, <object>a[2], False, x1.ndim, sizes)


# --- compositions ---------------------------------------------------------------------------------------------------

cdef double _order(str name, PyObject* p) except? -1:
    if not <object>p >= 0:
        raise RuntimeError(f"{name} only supports non-negative p values")
    return <object>p


cdef int _check_wide(str name, Tensor x) except -1:
    if x.dtype != FLOAT32 and x.dtype != FLOAT64:
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(dtype_object(x.dtype))}'")
    return 0


cdef object _cdist(Operator op, PyObject** a):
    """Slots: x1, x2, p, compute_mode."""
    cdef Tensor x1 = <Tensor>a[0]
    cdef Tensor x2 = <Tensor>a[1]
    cdef Tensor x
    cdef double p
    cdef Py_ssize_t n1, n2, m
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef PyObject* both[2]
    cdef list batches = [None, None]
    cdef bint many
    mode = <object>a[3]
    if mode not in (None, "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
                    "donot_use_mm_for_euclid_dist"):
        raise ValueError(f"{mode} is not a valid value for compute_mode")
    for i, x in enumerate((x1, x2)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{i + 1} got: {x.ndim}D")
    n1, n2, m = x1.sizes[x1.ndim - 2], x2.sizes[x2.ndim - 2], x1.sizes[x1.ndim - 1]
    if m != x2.sizes[x2.ndim - 1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {m} X2: {x2.sizes[x2.ndim - 1]}")
    for i, x in enumerate((x1, x2)):
        if CATEGORY[x.dtype] != CAT_FLOAT:
            raise RuntimeError("cdist only supports floating-point dtypes, "
                               f"X{i + 1} got: {type_name(dtype_object(x.dtype))}")
    p = _order("cdist", a[2])
    if x1.dtype != x2.dtype:
        raise RuntimeError(f"expected scalar type {type_name(dtype_object(x1.dtype))} but found "
                           f"{type_name(dtype_object(x2.dtype))}")
    if x1.ndim > 2 or x2.ndim > 2:
        batches[0] = view_of(x1, x1.ndim - 2, x1.sizes, x1.strides, x1.data)
        batches[1] = view_of(x2, x2.ndim - 2, x2.sizes, x2.strides, x2.data)
        both[0], both[1] = <PyObject*>batches[0], <PyObject*>batches[1]
        batch = plain_tuple(broadcast_shape(2, both, sizes), sizes)
        x1, x2 = x1.expand((*batch, n1, m)), x2.expand((*batch, n2, m))
    many = n1 > 25 or n2 > 25
    if p == 2 and m and (mode == "use_mm_for_euclid_dist" or (many and mode != "donot_use_mm_for_euclid_dist")):
        euclidean = find("torch._ops.euclidean_dist")
        if x1.dtype == FLOAT32 or x1.dtype == FLOAT64:
            return euclidean(x1, x2)
        return euclidean(x1.float(), x2.float()).to(dtype_object(x1.dtype))
    _check_wide("cdist", x1)
    return find("torch._ops.cdist")(x1, x2, p)


cdef object _pdist(Operator op, PyObject** a):
    """Slots: self, p."""
    cdef Tensor x = <Tensor>a[0]
    cdef double p
    cdef Py_ssize_t n, count
    if x.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {x.ndim}D")
    if CATEGORY[x.dtype] != CAT_FLOAT:
        raise RuntimeError("pdist only supports floating-point dtypes")
    p = _order("pdist", a[1])
    _check_wide("pdist", x)
    n = x.sizes[0]
    if not recorded(grad_flags(x)):
        count = n * (n - 1) // 2
        return _between(x, x, p, True, 1, &count)
    first, second = find("torch.triu_indices")(n, n, 1).unbind()
    take = find("torch.index_select")
    first, second = take(x, 0, first).unsqueeze(-2), take(x, 0, second).unsqueeze(-2)
    return find("torch._ops.cdist")(first, second, p).flatten()


distances, cdist, pdist = make_kernel(_distances), make_kernel(_cdist), make_kernel(_pdist)
