# cython: language_level=3
"""Searching sorted sequences, membership in sets, one-hot encoding, and hashes."""
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from flambeau_tensor._core.elementwise.copying cimport contiguous, copy_elements, fill_elements, to_dtype
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, dtype_object
from flambeau_tensor._core.memory.layout cimport empty_like
from flambeau_tensor._core.elementwise.operands cimport promote
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.elementwise.scalar cimport Scalar, read_scalar, scalar_dtype
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, same_shape, scalar_tensor, view_of
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.reductions cimport dim_mask, mask_t
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

from flambeau_tensor._core.elementwise.dtype import type_name

ctypedef fused number_t:
    int32_t
    int64_t
    uint64_t
    float
    double

cdef struct Search:
    char* edges
    char* values
    int64_t* order  # NULL: the edges themselves are sorted
    int64_t* places
    uint8_t* found  # output instead of places: whether each value is among the edges, inverted by `invert`
    Py_ssize_t n, row  # edges in a row, and values per row of edges
    int dtype
    bint right, shared, invert  # shared: one row of edges for all values


cdef inline bint _below(number_t a, number_t b) noexcept nogil:
    if number_t is float or number_t is double:
        return a < b or (b != b and a == a)  # NaN comes last
    else:
        return a < b


cdef void _find(Search* s, const number_t* edges, const number_t* values, Py_ssize_t begin,
                Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t i, lo, hi, middle, first
    cdef number_t v, e
    for i in range(begin, end):
        v, lo, hi = values[i], 0, s.n
        first = 0 if s.shared else i // s.row * s.n
        while lo < hi:
            middle = (lo + hi) >> 1
            e = edges[first + (middle if s.order == NULL else s.order[first + middle])]
            if (not _below(v, e)) if s.right else _below(e, v):
                lo = middle + 1
            else:
                hi = middle
        if s.found == NULL:
            s.places[i] = lo
        else:
            s.found[i] = (lo < s.n and edges[lo] == v) != s.invert


cdef void _task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Search* s = <Search*>context
    if s.dtype == INT32:
        _find(s, <const int32_t*>s.edges, <const int32_t*>s.values, begin, end)
    elif s.dtype == INT64:
        _find(s, <const int64_t*>s.edges, <const int64_t*>s.values, begin, end)
    elif s.dtype == UINT64:
        _find(s, <const uint64_t*>s.edges, <const uint64_t*>s.values, begin, end)
    elif s.dtype == FLOAT32:
        _find(s, <const float*>s.edges, <const float*>s.values, begin, end)
    else:
        _find(s, <const double*>s.edges, <const double*>s.values, begin, end)


cdef int _compared(int dtype) noexcept:
    """Return the dtype in which elements are compared."""
    if CATEGORY[dtype] == CAT_FLOAT:
        return FLOAT64 if dtype == FLOAT64 else FLOAT32
    return dtype if dtype == INT64 or dtype == UINT64 else INT64 if dtype == UINT32 else INT32


cdef int _search(Search* s, Py_ssize_t n) except -1:
    if 8 * n < GIL_FREE:
        _task(s, 0, n)
    else:
        with nogil:
            parallel_for(n, GRAIN // 8, _task, s)
    return 0


cdef Tensor _places(Tensor edges, object values, Tensor order, bint right):
    """Return the position of each value in its row of sorted edges, as int64."""
    cdef Search s
    cdef PyObject* both[2]
    cdef int[2] free = [-1, -1]
    cdef int dtype
    cdef Tensor found, out
    both[0], both[1] = <PyObject*>edges, <PyObject*>values
    dtype = promote(2, both, free)
    if CATEGORY[dtype] == CAT_COMPLEX:
        raise NotImplementedError(
            f"\"searchsorted_out_cpu\" not implemented for '{type_name(dtype_object(dtype))}'")
    if isinstance(values, Tensor):
        found = to_dtype(<Tensor>values, dtype)
    else:  # a number is converted to a floating dtype, but not to an integer one
        dtype = dtype if CATEGORY[dtype] == CAT_FLOAT else INT64
        found = empty(dtype, 0, NULL)
        fill_elements(found, values)  # raises if the number is too large
    edges = to_dtype(edges, dtype)
    s.dtype = _compared(dtype)
    edges, found = contiguous(edges, s.dtype), contiguous(found, s.dtype)
    out = empty(INT64, found.ndim, found.sizes)
    s.order, s.found = NULL, NULL
    if order is not None:
        order = contiguous(order, INT64)
        s.order = <int64_t*>order.data
    s.edges, s.values, s.places = edges.data, found.data, <int64_t*>out.data
    s.n, s.row = edges.sizes[edges.ndim - 1], found.sizes[found.ndim - 1] if found.ndim else 1
    s.right, s.shared = right, edges.ndim == 1
    _search(&s, found.numel)
    return out


cdef list _sizes(Tensor t):
    return [t.sizes[i] for i in range(t.ndim)]


cdef int _check_order(Tensor order, Tensor edges) except -1:
    cdef Py_ssize_t i
    cdef Tensor dense
    if not same_shape(order, edges):
        raise RuntimeError("torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                           f"{_sizes(edges)} and got sorter tensor {_sizes(order)}")
    if order.dtype != INT64:
        raise RuntimeError("torch.searchsorted(): sorter must be a tensor of long dtype but got dtype "
                           f"{type_name(dtype_object(order.dtype))}")
    dense = contiguous(order, INT64)
    for i in range(dense.numel):
        if not 0 <= (<int64_t*>dense.data)[i] < edges.sizes[edges.ndim - 1]:
            raise RuntimeError("torch.searchsorted(): sorter index out of range")
    return 0


cdef object _searchsorted(Operator op, PyObject** a):
    """Slots: sorted_sequence, self, out_int32, right, side, sorter, out."""
    cdef Tensor edges = <Tensor>a[0]
    cdef Tensor t
    cdef int d
    cdef bint right = a[3] == Py_True, fits
    name, side = "torch.searchsorted()", <object>a[4]
    if side is not None and side != "left" and side != "right":
        raise RuntimeError(f"{name}: side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError(f"{name}: side and right can't be set to opposites, got side of left while right was True")
    if isinstance(<object>a[1], Tensor):
        t = <Tensor>a[1]
        fits = edges.ndim == 1 or (edges.ndim == t.ndim and edges.ndim > 0)
        for d in range(edges.ndim - 1):
            fits = fits and edges.sizes[d] == t.sizes[d]
        if not fits:
            raise RuntimeError(
                f"{name}: boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and "
                f"input value tensor must match, but we got boundaries tensor {_sizes(edges)} and input value tensor "
                f"{_sizes(t)}")
    elif edges.ndim != 1:
        raise RuntimeError(
            f"{name}: input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
            f"tensor dim({edges.ndim}) and input value's dim(0) numel(1)")
    if a[5] != <PyObject*>None:
        _check_order(<Tensor>a[5], edges)
    t = _places(edges, <object>a[1], <object>a[5], right or side == "right")
    return to_dtype(t, INT32) if a[2] == Py_True else t


cdef object _bucketize(Operator op, PyObject** a):
    """Slots: self, boundaries, out_int32, right, out."""
    cdef Tensor edges = <Tensor>a[1]
    cdef Tensor t
    if edges.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({edges.ndim})")
    t = _places(edges, <object>a[0], None, a[3] == Py_True)
    return to_dtype(t, INT32) if a[2] == Py_True else t


# --- membership -----------------------------------------------------------------------------------------------------

cdef Tensor _dense(object given, int dtype):
    """Return the elements without gaps, in their order in memory."""
    cdef Tensor t
    if not isinstance(given, Tensor):
        return scalar_tensor(given, dtype)
    t = <Tensor>given
    if t.dtype == dtype and t.flags & CONTIGUOUS:
        return t
    copy = empty_like(t, dtype)
    copy_elements(copy, t)
    return copy


cdef object _isin(Operator op, PyObject** a):
    """Slots: elements, test_elements, assume_unique, invert, out."""
    cdef Search s
    cdef Scalar number
    cdef int[2] free = [-1, -1]
    cdef int dtype, i
    cdef Tensor values, known, out
    cdef Py_ssize_t one = 1
    for i in range(2):
        if isinstance(<object>a[i], Tensor):
            dtype = (<Tensor>a[i]).dtype
        else:
            read_scalar(a[i], &number)
            dtype = scalar_dtype(number.category)
        if CATEGORY[dtype] == CAT_COMPLEX or dtype == BOOL:
            raise RuntimeError(
                f"Unsupported input type encountered for isin(): {type_name(dtype_object(dtype))}")
    dtype = promote(2, a, free)
    s.dtype = _compared(dtype)
    values, known = (_dense(<object>a[i] if not isinstance(<object>a[i], Tensor) else to_dtype(<Tensor>a[i], dtype),
                            s.dtype) for i in range(2))
    known = view_of(known, 1, &known.numel, &one, known.data)
    if known.numel > 1:
        known = find("torch.sort")(known)[0]
    out = empty_like(values, BOOL)
    s.order, s.found, s.places = NULL, <uint8_t*>out.data, NULL
    s.edges, s.values, s.n = known.data, values.data, known.numel
    s.right, s.shared, s.invert = False, True, a[3] == Py_True
    _search(&s, values.numel)
    return out


cdef object _one_hot(Operator op, PyObject** a):
    """Slots: tensor, num_classes."""
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor out
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t classes = <object>a[1], i
    cdef int64_t most = 0
    cdef bint negative = False
    cdef const int64_t* x
    if t.dtype != INT64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if t.numel == 0 and classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    t = contiguous(t, INT64)
    x = <const int64_t*>t.data
    for i in range(t.numel):
        most = max(most, x[i])
        negative |= x[i] < 0
    if negative:
        raise RuntimeError("Class values must be non-negative.")
    if classes == -1:
        classes = most + 1
    elif t.numel and classes <= most:
        raise RuntimeError("Class values must be smaller than num_classes.")
    for i in range(t.ndim):
        sizes[i] = t.sizes[i]
    sizes[t.ndim] = classes
    out = empty(INT64, t.ndim + 1, sizes)
    fill_elements(out, 0)
    for i in range(t.numel):
        (<int64_t*>out.data)[i * classes + x[i]] = 1
    return out


# --- hashes ---------------------------------------------------------------------------------------------------------

cdef object _hash_tensor(Operator op, PyObject** a):
    """Slots: self, dim, keepdim, mode, out. Moves the reduced dimensions last and combines the bits in order."""
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor out, bits
    cdef Py_ssize_t[MAX_NDIM] sizes, strides, kept
    cdef Py_ssize_t i, j, n = 1
    cdef int64_t hash
    cdef int d, m = 0, k = 0
    cdef mask_t gone
    if <object>a[3] != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {<object>a[3]}")
    if CATEGORY[t.dtype] == CAT_COMPLEX or UINT16 <= t.dtype <= UINT64:
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{type_name(dtype_object(t.dtype))}'")
    if t.numel == 0 and <object>a[1] == ():
        raise RuntimeError("hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the "
                           "reduction dim with the 'dim' argument.")
    gone = dim_mask(a[1], t.ndim, False)
    for d in range(t.ndim - 1, -1, -1):
        if gone >> d & 1 and t.sizes[d] == 0:
            raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
    for d in range(t.ndim):
        if not gone >> d & 1:
            sizes[m], strides[m] = t.sizes[d], t.strides[d]
            m += 1
        if a[2] == Py_True or not gone >> d & 1:
            kept[k] = 1 if gone >> d & 1 else t.sizes[d]
            k += 1
    for d in range(t.ndim):
        if gone >> d & 1:
            sizes[m], strides[m] = t.sizes[d], t.strides[d]
            n *= t.sizes[d]
            m += 1
    bits = contiguous(view_of(t, t.ndim, sizes, strides, t.data), FLOAT64 if CATEGORY[t.dtype] == CAT_FLOAT else INT64)
    out = empty(UINT64, k, kept)
    for i in range(out.numel):
        hash = 0
        for j in range(n):
            hash ^= (<const int64_t*>bits.data)[i * n + j]
        (<int64_t*>out.data)[i] = hash
    return out


isin, one_hot, hash_tensor = make_kernel(_isin), make_kernel(_one_hot), make_kernel(_hash_tensor)
searchsorted, bucketize = make_kernel(_searchsorted), make_kernel(_bucketize)
