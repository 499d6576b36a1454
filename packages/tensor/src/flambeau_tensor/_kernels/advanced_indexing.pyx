# cython: language_level=3
"""Advanced indexing: the elements that index tensors and masks select.

The result has the dimensions without an index and, in place of the indexed dimensions, the broadcast dimensions of the
indices. These come first if the indexed dimensions are not adjacent.
"""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.copying cimport copy_elements, fill_elements, to_dtype
from flambeau_tensor._core.memory.layout cimport follow_order
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, empty_strided, shape_str, view_of
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.index_loops cimport ADD, GET, PUT, Rows, add_offsets, run_rows

from flambeau_tensor._core.elementwise.dtype import type_name


cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX


cdef struct Indexed:  # the dimensions of the tensor that have index tensors
    int count
    int groups  # the number of groups of adjacent ones
    bint[MAX_NDIM] taken  # by dimension
    int[MAX_NDIM] dims  # this and the following: by index tensor
    Py_ssize_t[MAX_NDIM] ranges, steps


cdef object prepare_index(AdvancedIndex* p, int dtype, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides,
                          char* data, PyObject** indices, Tensor values=None, int written=-1):
    cdef Rows* r = &p.rows
    cdef Py_ssize_t item = ITEMSIZE[dtype]
    cdef Py_ssize_t[MAX_NDIM] shape  # the broadcast shape of the indices
    cdef Indexed at
    cdef list found = _find(&at, p, ndim, sizes, strides, indices)
    cdef Tensor many = None
    cdef Py_ssize_t n = 1
    cdef int d, k, nb = _broadcast(found, shape)
    cdef long long outside = 0
    for d in range(nb):
        n *= shape[d]
    # Index dimensions keep their place if they are adjacent; otherwise they come first.
    if at.groups != 1:
        p.first = 0
    if nb + ndim > MAX_NDIM:
        raise IndexError(f"the result of indexing would have more than {MAX_NDIM} dimensions")
    p.nbroadcast = nb
    _lay_out(p, &at, item, ndim, sizes, strides, shape)
    if values is not None:
        _check_values(p, values, written)
    r.offsets = p.few
    if n > FEW:
        many = empty(INT64, 1, &n)
        r.offsets = <Py_ssize_t*>many.data
    for k in range(at.count):
        if not add_offsets(<Tensor>found[k], nb, shape, at.ranges[k], at.steps[k] * item, k == 0,
                           <Py_ssize_t*>r.offsets, &outside):
            if at.ranges[k] == 0:
                raise IndexError("index is out of bounds for dimension with size 0")
            raise IndexError(f"index {outside} is out of bounds for dimension {at.dims[k]} with size {at.ranges[k]}")
    r.n = n
    r.indexed = data
    p.ordered = _lie_in_order(p, found)
    if not p.ordered:
        _follow(p, item, found)
    return many


cdef list _find(Indexed* at, AdvancedIndex* p, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides,
                PyObject** indices):
    """Return index tensors as int64, and masks as the indices of their true elements: one index tensor if the mask's
    dimensions form one line in memory, else one per dimension. Sets the first dimension of the last group."""
    cdef list found = []
    cdef Tensor x
    cdef int d = 0, e, width
    cdef bint inside = False
    at.count = at.groups = p.first = 0
    while d < ndim:
        at.taken[d] = indices[d] != NULL
        if not at.taken[d]:
            inside = False
            d += 1
            continue
        if not inside:
            at.groups += 1
            p.first = d
        inside = True
        x = <Tensor>indices[d]
        width = x.ndim if x.dtype == BOOL else 1
        for e in range(d, d + width):
            at.taken[e] = True
        if x.dtype != BOOL:
            found.append(_as_long(x))
            _add(at, d, sizes[d], strides[d])
        elif _in_line(width, sizes + d, strides + d):
            found.append(nonzero_offsets(x, 1))
            _add(at, d, x.numel, strides[d + width - 1])
        else:
            by_dim = coordinates(x)
            for e in range(width):
                found.append(row_of(by_dim, e))
                _add(at, d + e, sizes[d + e], strides[d + e])
        d += width
    return found


cdef inline void _add(Indexed* at, int dim, Py_ssize_t extent, Py_ssize_t step) noexcept:
    at.dims[at.count], at.ranges[at.count], at.steps[at.count] = dim, extent, step
    at.count += 1


cdef int _broadcast(list indices, Py_ssize_t* shape) except -1:
    """Compute the broadcast shape of index tensors; return its number of dimensions."""
    cdef int d, e, nb = 0
    cdef Tensor x
    for x in indices:
        nb = max(nb, x.ndim)
    for d in range(nb):
        shape[d] = 1
    for x in indices:
        for e in range(x.ndim):
            d = nb - x.ndim + e
            if x.sizes[e] != 1 and x.sizes[e] != shape[d]:
                if shape[d] != 1:
                    raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes " +
                                     ", ".join([shape_str((<Tensor>t).ndim, (<Tensor>t).sizes) for t in indices]))
                shape[d] = x.sizes[e]
    return nb


cdef void _lay_out(AdvancedIndex* p, const Indexed* at, Py_ssize_t item, int ndim, const Py_ssize_t* sizes,
                   const Py_ssize_t* strides, const Py_ssize_t* shape) noexcept:
    """Set the result's dimensions: those before the indices, those of the indices, and those after without an index."""
    cdef Rows* r = &p.rows
    cdef int d
    r.nouter = p.first
    r.ninner = p.ndim = 0
    for d in range(p.first):
        r.outer_sizes[d] = sizes[d]
        r.outer_indexed[d] = strides[d] * item
        p.sizes[p.ndim] = sizes[d]
        p.ndim += 1
    for d in range(p.nbroadcast):
        p.sizes[p.ndim] = shape[d]
        p.ndim += 1
    for d in range(p.first, ndim):
        if not at.taken[d]:
            r.inner_sizes[r.ninner] = sizes[d]
            r.inner_indexed[r.ninner] = strides[d] * item
            r.ninner += 1
            p.sizes[p.ndim] = sizes[d]
            p.ndim += 1


cdef bint _lie_in_order(const AdvancedIndex* p, list indices) noexcept:
    """Whether the result is contiguous, given the strides of the indexed tensor and the indices."""
    cdef const Rows* r = &p.rows
    cdef Py_ssize_t before = PY_SSIZE_T_MAX, step
    cdef int d
    for x in indices:
        if not (<Tensor>x).flags & CONTIGUOUS:
            return False
    for d in range(r.nouter + r.ninner):
        step = r.outer_indexed[d] if d < r.nouter else r.inner_indexed[d - r.nouter]
        if step > before or step == 0:
            return False
        before = step
    return True


cdef int _follow(AdvancedIndex* p, Py_ssize_t item, list indices) except -1:
    """Set the result's strides: kept dimensions in the tensor's order, the others in the order of the indices."""
    cdef Py_ssize_t[MAX_OPERANDS][MAX_NDIM] strides
    cdef Py_ssize_t* rows[MAX_OPERANDS]
    cdef int k, d, lead, n = min(<int>len(indices), MAX_OPERANDS - 1)
    cdef Tensor x
    for k in range(n + 1):
        rows[k] = strides[k]
        for d in range(p.ndim):
            strides[k][d] = 0
    for d in range(p.rows.nouter):
        strides[0][d] = p.rows.outer_indexed[d] // item
    for d in range(p.rows.ninner):
        strides[0][p.first + p.nbroadcast + d] = p.rows.inner_indexed[d] // item
    for k in range(n):
        x = <Tensor>indices[k]
        lead = p.first + p.nbroadcast - x.ndim
        for d in range(x.ndim):
            if x.sizes[d] != 1 or p.sizes[lead + d] == 1:
                strides[k + 1][lead + d] = x.strides[d]
    follow_order(n + 1, rows, p.ndim, p.sizes, p.strides)
    return 0


cdef bint _in_line(int n, const Py_ssize_t* sizes, const Py_ssize_t* strides) noexcept:
    cdef int d
    for d in range(n - 1):
        if strides[d] != strides[d + 1] * sizes[d + 1]:
            return False
    return True


cdef Tensor _as_long(Tensor x):
    if x.dtype == INT64:
        return x
    if x.dtype != INT32:
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return to_dtype(x, INT64)


cdef void _set_plain(AdvancedIndex* p, char* data, Py_ssize_t item, const Py_ssize_t* strides,
                     Py_ssize_t step) noexcept:
    """Set the plain side, which has the result's shape; successive indices are `step` elements apart."""
    cdef int d
    cdef Rows* r = &p.rows
    r.plain = data
    r.step = step * item
    for d in range(r.nouter):
        r.outer_plain[d] = strides[d] * item
    for d in range(r.ninner):
        r.inner_plain[d] = strides[p.first + p.nbroadcast + d] * item


cdef Tensor gathered(AdvancedIndex* p, int dtype):
    cdef Tensor out = empty(dtype, p.ndim, p.sizes), ordered
    cdef Py_ssize_t step = 1
    cdef int d
    for d in range(p.first + p.nbroadcast, p.ndim):
        step *= p.sizes[d]
    _set_plain(p, out.data, ITEMSIZE[dtype], out.strides, step)
    run_rows(&p.rows, GET, dtype)
    if p.ordered:
        return out
    ordered = empty_strided(dtype, p.ndim, p.sizes, p.strides)
    copy_elements(ordered, out)
    return ordered


cdef int _check_values(AdvancedIndex* p, Tensor values, int dtype) except -1:
    """Check the shape of values that are written, and that they have the dtype."""
    cdef int d, lead = p.ndim - values.ndim
    for d in range(values.ndim):
        if values.sizes[d] != 1 and (d + lead < 0 or values.sizes[d] != p.sizes[d + lead]):
            raise RuntimeError(f"shape mismatch: value tensor of shape {shape_str(values.ndim, values.sizes)} cannot "
                               f"be broadcast to indexing result of shape {shape_str(p.ndim, p.sizes)}")
    if values.dtype != dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{type_name(dtype_object(dtype))} for the destination and "
                           f"{type_name(dtype_object(values.dtype))} for the source.")
    return 0


cdef int scattered(AdvancedIndex* p, Tensor t, Tensor values, bint accumulate) except -1:
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Py_ssize_t step = 0, expected = 0
    cdef int d, lead = p.ndim - values.ndim
    cdef Tensor full
    cdef bint line = values.storage is not t.storage, first = True
    for d in range(p.ndim):
        strides[d] = values.strides[d - lead] if d >= lead and values.sizes[d - lead] != 1 else 0
    if _count(p.ndim, p.sizes) == 0:
        return 0
    for d in range(p.first + p.nbroadcast - 1, p.first - 1, -1):  # the dimensions of the index must form one line
        if p.sizes[d] == 1:
            continue
        if first:
            step = strides[d]
            first = False
        elif strides[d] != expected:
            line = False
        expected = strides[d] * p.sizes[d]
    if not line:
        full = empty(values.dtype, p.ndim, p.sizes)
        copy_elements(full, values)
        return scattered(p, t, full, accumulate)
    _set_plain(p, values.data, ITEMSIZE[values.dtype], strides, step)
    return run_rows(&p.rows, ADD if accumulate else PUT, t.dtype)


# --- masks ----------------------------------------------------------------------------------------------------------

cdef Tensor row_of(Tensor t, Py_ssize_t i):
    return view_of(t, 1, t.sizes + 1, t.strides + 1, t.data + i * t.strides[0] * ITEMSIZE[t.dtype])


cdef Tensor expanded(Tensor t, int ndim, const Py_ssize_t* sizes):
    cdef Tensor out
    if t.flags & CONTIGUOUS and t.ndim == ndim and t.numel == _count(ndim, sizes):
        return t
    out = empty(t.dtype, ndim, sizes)
    copy_elements(out, t)
    return out


cdef Py_ssize_t _count(int n, const Py_ssize_t* sizes) noexcept:
    cdef Py_ssize_t p = 1
    cdef int d
    for d in range(n):
        p *= sizes[d]
    return p


cdef Tensor coordinates(Tensor t):
    cdef Tensor mask = t
    cdef Tensor out
    cdef Py_ssize_t[2] sizes
    cdef Py_ssize_t[MAX_NDIM] counter
    cdef Py_ssize_t i, j, n = t.numel, count = 0, length
    cdef const unsigned char* m
    cdef long long* to
    cdef int d, ndim = t.ndim, last = t.ndim - 1
    if mask.dtype != BOOL or not mask.flags & CONTIGUOUS:
        mask = empty(BOOL, t.ndim, t.sizes)
        copy_elements(mask, t)
    m = <const unsigned char*>mask.data
    for i in range(n):
        count += m[i] != 0
    sizes[0], sizes[1] = ndim, count
    out = empty(INT64, 2, sizes)
    if ndim == 0 or count == 0:
        return out
    to = <long long*>out.data
    length = t.sizes[last]
    for d in range(ndim):
        counter[d] = 0
    i = 0
    while i < n:
        for j in range(length):
            if m[i + j]:
                for d in range(last):
                    to[d * count] = counter[d]
                to[last * count] = j
                to += 1
        i += length
        for d in range(last - 1, -1, -1):
            counter[d] += 1
            if counter[d] < t.sizes[d]:
                break
            counter[d] = 0
    return out


cdef Tensor nonzero_offsets(Tensor mask, Py_ssize_t step):
    cdef const unsigned char* m
    cdef Py_ssize_t i, count = 0, at = 0, n = mask.numel
    cdef Tensor out
    cdef long long* to
    mask = expanded(mask, mask.ndim, mask.sizes)
    m = <const unsigned char*>mask.data
    for i in range(n):
        count += m[i]
    count += 1  # room for the last write, which is skipped
    out = empty(INT64, 1, &count)
    to = <long long*>out.data
    for i in range(n):
        to[at] = i * step
        at += m[i]
    out.sizes[0] = out.numel = count - 1
    return out


cdef Tensor filling(str name, Tensor t, object value):
    """Return a fill value as a 0-d tensor of the dtype of `t`."""
    cdef Tensor out
    if isinstance(value, Tensor):
        if (<Tensor>value).ndim:
            raise RuntimeError(f"{name}_ only supports a 0-dimensional value tensor, but got tensor with "
                               f"{(<Tensor>value).ndim} dimension(s).")
        if CATEGORY[(<Tensor>value).dtype] == CAT_COMPLEX and CATEGORY[t.dtype] != CAT_COMPLEX:
            raise RuntimeError(f"value cannot be converted to type {dtype_object(t.dtype).name} without overflow")
        return to_dtype(<Tensor>value, t.dtype)
    if type(value) is complex and CATEGORY[t.dtype] != CAT_COMPLEX:
        raise RuntimeError(f"value cannot be converted to type {dtype_object(t.dtype).name} without overflow")
    out = empty(t.dtype, 0, NULL)
    fill_elements(out, value)
    return out
