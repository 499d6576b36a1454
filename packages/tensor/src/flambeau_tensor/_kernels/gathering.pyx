# cython: language_level=3
"""Gathering and scattering along a dimension: whole slices for a vector of indices, or element by element."""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.copying cimport copy_elements, copy_of, to_dtype
from flambeau_tensor._core.elementwise.operands cimport (
    check_apart, check_not_readonly, check_writable, warn_expanded,
)
from flambeau_tensor._core.call.operator cimport OP_INPLACE, Operator, call2, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.call.sockets cimport sockets
from flambeau_tensor._core.memory.tensor cimport Tensor, contiguous_strides, empty, shape_str, view_of, wrap_dim
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.index_loops cimport (
    ADD, GET, GREATEST, LEAST, MULTIPLY, PUT, Along, Rows, add_offsets, long_index, run_along, run_rows, supports,
    within,
)
from flambeau_tensor._kernels.advanced_indexing cimport filling

from flambeau_tensor._core.elementwise.dtype import type_name


cdef str _name(Tensor t):
    return type_name(dtype_object(t.dtype))


cdef object _out_of_bounds(long long index, int dim, Py_ssize_t size):
    return f"index {index} is out of bounds for dimension {dim} with size {size}"


cdef Tensor _written(Operator op, Tensor t, Tensor index, Tensor source, bint in_order=True):
    """Return the tensor that a scattering kernel writes to: `t` in place, else a copy (contiguous unless `in_order`
    is False). Call it after all checks."""
    cdef Tensor out
    if not op.flags & OP_INPLACE:
        if not in_order:
            return copy_of(t)
        out = empty(t.dtype, t.ndim, t.sizes)
        copy_elements(out, t)
        return out
    if source is None:
        check_not_readonly(op.name, t)
        warn_expanded(op.name, t, "[mask] = scalar")
    else:
        check_writable(op.name, t)
        check_apart(t, source)
    check_apart(t, index)
    return t


cdef object _done(Operator op, Tensor t):
    if op.flags & OP_INPLACE:
        t.storage.version += 1
    return t


# --- slices by a vector of indices ----------------------------------------------------------------------------------

cdef Tensor _offsets(Tensor index, Py_ssize_t size, Py_ssize_t step):
    """Return the offsets of checked indices."""
    cdef Tensor offsets = empty(INT64, 1, &index.numel)
    cdef long long outside
    add_offsets(index, index.ndim, index.sizes, size, step, True, <Py_ssize_t*>offsets.data, &outside)
    return offsets


cdef int _rows(int mode, Tensor t, int dim, Tensor index, Tensor plain, const Py_ssize_t* plain_strides,
               int width) except -1:
    """Gather or scatter slices of `t` along `dim`; the index occupies `width` dimensions of `plain`, which form one
    line.

    Plain strides are in elements: dimensions before `dim`, of the index, and after. A 0-d `t` has size 1.
    """
    cdef Rows r
    cdef int d
    cdef Py_ssize_t item = ITEMSIZE[t.dtype]
    cdef Py_ssize_t size = t.sizes[dim] if t.ndim else 1
    cdef Tensor offsets = _offsets(index, size, (t.strides[dim] if t.ndim else 1) * item)
    r.n = index.numel
    r.offsets = <const Py_ssize_t*>offsets.data
    r.plain, r.indexed = plain.data, t.data
    r.step = plain_strides[dim + width - 1] * item if width else 0
    r.nouter, r.ninner = dim, max(t.ndim - dim - 1, 0)
    for d in range(dim):
        r.outer_sizes[d] = t.sizes[d]
        r.outer_indexed[d] = t.strides[d] * item
        r.outer_plain[d] = plain_strides[d] * item
    for d in range(r.ninner):
        r.inner_sizes[d] = t.sizes[dim + 1 + d]
        r.inner_indexed[d] = t.strides[dim + 1 + d] * item
        r.inner_plain[d] = plain_strides[dim + width + d] * item
    return run_rows(&r, mode, t.dtype)


cdef object _index_select(Operator op, PyObject** a):  # (self, dim, index)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor index = <Tensor>a[2]
    cdef Tensor out
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int d, dim = wrap_dim(<object>a[1], t.ndim)
    cdef long long outside
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype != INT64 and index.dtype != INT32:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if t.ndim == 0 and index.numel != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.numel} value(s)")
    index = long_index(index)
    if not within(index, 0, t.sizes[dim] if t.ndim else 1, &outside):
        # PyTorch has a separate kernel for the second dimension, with other errors.
        if t.ndim > 1 and t.sizes[dim] == 0:
            raise RuntimeError("index_select(): self indexing axis dim should be positive")
        if dim == 1:
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={outside} axis_dim={t.sizes[dim]}")
        raise IndexError("index out of range in self")
    for d in range(t.ndim):
        sizes[d] = t.sizes[d]
    if t.ndim:
        sizes[dim] = index.numel
    out = empty(t.dtype, t.ndim, sizes)
    _rows(GET, t, dim, index, out, out.strides, 1 if t.ndim else 0)
    return out


cdef object _embedding(Operator op, PyObject** a):  # (input, weight, padding_idx, max_norm, norm_type, scale, sparse)
    cdef Tensor index = <Tensor>a[0]
    cdef Tensor weight = <Tensor>a[1]
    cdef Tensor out
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int d
    cdef long long outside
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if a[2] != <PyObject*>None and not -weight.sizes[0] <= <object>a[2] < weight.sizes[0]:
        raise AssertionError("Padding_idx must be within num_embeddings")
    if index.dtype != INT64 and index.dtype != INT32:
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
                           f"Int; but got torch.{_name(index)}Tensor instead (while checking arguments for embedding)")
    index = long_index(index)
    if not within(index, 0, weight.sizes[0], &outside):
        raise IndexError("index out of range in self")
    if a[3] != <PyObject*>None:
        sockets.renormalize(weight, index, <object>a[3], <object>a[4])
    for d in range(index.ndim):
        sizes[d] = index.sizes[d]
    sizes[index.ndim] = weight.sizes[1]
    out = empty(weight.dtype, index.ndim + 1, sizes)
    _rows(GET, weight, 0, index, out, out.strides, index.ndim)
    return out


cdef int _check_vector(str name, Tensor index) except -1:
    if index.ndim > 1:
        raise IndexError(f"{name}_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
                         f"{_name(index)} and size: {shape_str(index.ndim, index.sizes)}")
    if index.dtype != INT64 and index.dtype != INT32:
        raise RuntimeError(f"{name}_(): Expected dtype int32/int64 for index but got: {_name(index)}")
    return 0


cdef int _accumulate(int mode, Tensor t, int dim, Tensor index, Tensor source) except -1:
    """Combine slices of `source` with those of `t`; 16-bit types are combined as wider types."""
    cdef Tensor wide
    if not supports(mode, t.dtype):
        if UINT16 <= t.dtype <= UINT64:
            raise NotImplementedError(f'"index_func_" not implemented for \'{_name(t)}\'')
        wide = to_dtype(t, COMPLEX64 if t.dtype == COMPLEX32 else FLOAT32)
        source = to_dtype(source, wide.dtype)
        _rows(mode, wide, dim, index, source, source.strides, 1 if t.ndim else 0)
        return copy_elements(t, wide)
    return _rows(mode, t, dim, index, source, source.strides, 1 if t.ndim else 0)


cdef object _index_add(Operator op, PyObject** a):  # (self, dim, index, source, *, alpha)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor index = <Tensor>a[2]
    cdef Tensor source = <Tensor>a[3]
    cdef int d, dim = wrap_dim(<object>a[1], t.ndim)
    cdef long long outside
    alpha = <object>a[4]
    _check_vector("index_add", index)
    if t.dtype != source.dtype:
        raise RuntimeError(f"index_add_(): self ({_name(t)}) and source ({_name(source)}) must have the same scalar "
                           "type")
    if t.ndim != source.ndim:
        raise _source_shape(t, source)
    for d in range(t.ndim):
        if d != dim and t.sizes[d] != source.sizes[d]:
            raise _source_shape(t, source)
    if index.numel != (source.sizes[dim] if source.ndim else 1):
        raise RuntimeError(f"index_add_(): Number of indices ({index.numel}) should be equal to source.size(dim): "
                           f"({source.sizes[dim] if source.ndim else 1}), for dim: {dim}")
    index = long_index(index)
    if not within(index, 0, t.sizes[dim] if t.ndim else 1, &outside):
        raise RuntimeError(_out_of_bounds(outside, dim, t.sizes[dim] if t.ndim else 1))
    if CATEGORY[t.dtype] <= CAT_INT:
        alpha = bool(alpha) if t.dtype == BOOL else int(alpha)
    if alpha != 1:
        source = call2(find("torch.mul"), source, alpha)
    t = _written(op, t, index, source)
    _accumulate(ADD, t, dim, index, source)
    return _done(op, t)


cdef object _source_shape(Tensor t, Tensor source):
    return RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                        f"self.shape = {shape_str(t.ndim, t.sizes)} source.shape = "
                        f"{shape_str(source.ndim, source.sizes)}")


cdef object _index_copy(Operator op, PyObject** a):  # (self, dim, index, source)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor index = <Tensor>a[2]
    cdef Tensor source = <Tensor>a[3]
    cdef int d, dim = wrap_dim(<object>a[1], t.ndim)
    cdef Py_ssize_t one = 1, size = t.sizes[dim] if t.ndim else 1
    cdef long long outside
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if index.dtype != INT64 and index.dtype != INT32:
        raise IndexError("index_copy_(): Expected a long tensor for index, but got " + _name(index))
    if t.dtype != source.dtype:
        raise RuntimeError(f"index_copy_(): self and source expected to have the same dtype, but got (self) {_name(t)} "
                           f"and (source) {_name(source)}")
    if source.ndim == 0 and index.numel != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {index.numel})")
    if source.ndim != t.ndim and source.ndim and t.ndim:
        raise IndexError("index_copy_(): When source and destination are not scalars, their dimensionality must match. "
                         f"Source dimensionality ({source.ndim}), destination dimensionality ({t.ndim})")
    for d in range(min(t.ndim, source.ndim)):
        if d != dim and t.sizes[d] != source.sizes[d]:
            raise RuntimeError(
                "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
                f"{_slice_shape(t, dim)} at dimension {dim} and source slice shape: {_slice_shape(source, dim)} at "
                f"dimension {dim}.")
    if source.ndim and index.numel != source.sizes[dim]:
        raise IndexError(f"index_copy_(): Number of indices ({index.numel}) should be equal to source.size(dim) "
                         f"({source.sizes[dim]})")
    index = long_index(index)
    if not within(index, 0, size, &outside):
        raise IndexError("index_copy_(): " + _out_of_bounds(outside, dim, size))
    t = _written(op, t, index, source)
    if source.ndim == 0 and t.ndim == 1:
        source = view_of(source, 1, &one, &one, source.data)
    elif t.ndim == 0:
        source = view_of(source, 0, NULL, NULL, source.data)
    _rows(PUT, t, dim, index, source, source.strides, 1 if t.ndim else 0)
    return _done(op, t)


cdef str _slice_shape(Tensor t, int dim):
    return " ".join([str(t.sizes[d]) for d in range(t.ndim) if d != dim])


cdef object _index_fill(Operator op, PyObject** a):  # (self, dim, index, value)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor index = <Tensor>a[2]
    cdef Tensor value
    cdef int d, dim
    cdef Py_ssize_t[MAX_NDIM] still
    cdef Py_ssize_t size
    cdef long long outside
    if isinstance(<object>a[3], Tensor) and (<Tensor>a[3]).ndim:
        filling("index_fill", t, <object>a[3])  # raises before any other check
    dim = wrap_dim(<object>a[1], t.ndim)
    size = t.sizes[dim] if t.ndim else 1
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if index.dtype != INT64 and index.dtype != INT32:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if type(<object>a[3]) is complex and CATEGORY[t.dtype] != CAT_COMPLEX:
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    value = filling("index_fill", t, <object>a[3])
    index = long_index(index)
    if not within(index, -size, size, &outside):
        raise IndexError(_out_of_bounds(outside, dim, size))
    for d in range(max(t.ndim, 1)):
        still[d] = 0
    t = _written(op, t, index, None, False)
    _rows(PUT, t, dim, index, value, still, 1 if t.ndim else 0)
    return _done(op, t)


# --- indices into the flattened tensor ------------------------------------------------------------------------------

cdef Tensor _flat(Tensor t):
    """Return the elements in order as a contiguous vector."""
    cdef Tensor c = t
    cdef Py_ssize_t n = t.numel, one = 1
    if not t.flags & CONTIGUOUS:
        c = empty(t.dtype, t.ndim, t.sizes)
        copy_elements(c, t)
    return view_of(c, 1, &n, &one, c.data)


cdef Tensor _checked_index(str name, Tensor t, Tensor index):
    cdef long long outside
    if index.dtype != INT64:
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {_name(index)}")
    if t.numel == 0 and index.numel:
        raise IndexError("take(): tried to take from an empty tensor" if name == "take" else
                         "put_(): tried to put elements into an empty tensor")
    index = long_index(index)
    if not within(index, -t.numel, t.numel, &outside):
        raise IndexError(f"out of range: tried to access index {outside} on a tensor of {t.numel} elements.")
    return index


cdef object _take(Operator op, PyObject** a):  # (self, index)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor index = <Tensor>a[1]
    cdef Tensor out
    cdef Py_ssize_t one = 1
    index = _checked_index("take", t, index)
    out = empty(t.dtype, index.ndim, index.sizes)
    _rows(GET, _flat(t), 0, index, out, &one, 1)
    return out


cdef object _put(Operator op, PyObject** a):  # (self, index, source, accumulate)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor index = <Tensor>a[1]
    cdef Tensor source = <Tensor>a[2]
    cdef Tensor flat
    cdef Py_ssize_t[MAX_NDIM] strides
    if source.dtype != t.dtype:
        raise RuntimeError("put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{_name(t)} and source.dtype = {_name(source)}")
    if source.numel != index.numel:
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got "
                         f"source.numel() = {source.numel}, index.numel() = {index.numel}")
    index = _checked_index("put_", t, index)
    t = _written(op, t, index, source, False)
    source = _flat(source)
    flat = _flat(t)
    _accumulate(ADD if <object>a[3] else PUT, flat, 0, index, source)
    if flat.storage is not t.storage:
        contiguous_strides(t.ndim, t.sizes, strides)
        copy_elements(t, view_of(flat, t.ndim, t.sizes, strides, flat.data))
    return _done(op, t)


# --- element by element ---------------------------------------------------------------------------------------------

cdef Tensor _lines(Tensor index, int dim):
    """The indices that count, as contiguous int64: one line along `dim` if others repeat it, or all."""
    cdef int d
    cdef bint repeated = index.ndim > 1 and index.numel > 3 * index.sizes[dim]
    for d in range(index.ndim):
        repeated = repeated and (d == dim or index.sizes[d] == 1 or index.strides[d] == 0)
    if repeated:
        index = view_of(index, 1, &index.sizes[dim], &index.strides[dim], index.data)
    return long_index(index)


cdef int _prepare(Along* g, Tensor t, int dim, Tensor index, Tensor lines) except -1:
    """Set the index and the indexed side; 0-d tensors count as vectors with one element."""
    cdef Py_ssize_t item = ITEMSIZE[t.dtype]
    cdef int d
    g.ndim = max(t.ndim, index.ndim)
    g.dim = dim
    g.index = <const long long*>lines.data
    g.indexed = t.data
    g.size = t.sizes[dim] if t.ndim else 1
    g.dim_stride = t.strides[dim] * item if t.ndim else item
    for d in range(g.ndim):
        g.sizes[d] = index.sizes[d] if index.ndim else 1
        g.indexed_strides[d] = t.strides[d] * item if t.ndim else 0
    return 0


cdef void _set_plain(Along* g, Tensor t) noexcept:
    cdef int d
    g.plain = t.data
    for d in range(g.ndim):
        g.plain_strides[d] = t.strides[d] * ITEMSIZE[t.dtype] if t.ndim else 0


cdef int _run(Along* g, Tensor t, Tensor lines, Tensor plain, int mode) except -1:
    """Process all elements, as slices of the part of `t` that the index reaches if one line counts for all."""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d
    if lines.ndim == g.ndim or lines.ndim == 0:
        return run_along(g, mode, t.dtype)
    for d in range(g.ndim):
        sizes[d], strides[d] = g.sizes[d], g.plain_strides[d] // ITEMSIZE[t.dtype]
    sizes[g.dim] = g.size
    return _rows(mode, view_of(t, g.ndim, sizes, t.strides, t.data), g.dim, lines, plain, strides, 1)


cdef inline Py_ssize_t _size(Tensor t, int d) noexcept:
    return t.sizes[d] if t.ndim else 1


cdef object _gather(Operator op, PyObject** a):  # (self, dim, index, *, sparse_grad)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor index = <Tensor>a[2]
    cdef Tensor out, lines
    cdef Along g
    cdef int d, dim = wrap_dim(<object>a[1], t.ndim)
    cdef long long outside
    if index.numel and index.dtype != INT64 and index.dtype != INT32:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if index.numel == 0:
        return empty(t.dtype, index.ndim, index.sizes)
    if max(index.ndim, 1) != max(t.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d in range(max(t.ndim, 1)):
        if d != dim and _size(index, d) > _size(t, d):
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {shape_str(index.ndim, index.sizes)} to be no "
                f"larger than self {shape_str(t.ndim, t.sizes)} apart from dimension {dim}")
    lines = _lines(index, dim)
    if not within(lines, 0, _size(t, dim), &outside):
        raise RuntimeError(_out_of_bounds(outside, dim, _size(t, dim)))
    out = empty(t.dtype, index.ndim, index.sizes)
    _prepare(&g, t, dim, index, lines)
    _set_plain(&g, out)
    _run(&g, t, lines, out, GET)
    return out


cdef Tensor _scatter_to(Operator op, Tensor t, object dimension, Tensor index, object src, int mode, object initial):
    """Check and scatter; `initial` (a number or None) is written to the selected elements first."""
    cdef Tensor source
    cdef Tensor wide, lines
    cdef Along g
    cdef int d, dim = wrap_dim(dimension, t.ndim)
    cdef long long outside
    cdef bint fill = not isinstance(src, Tensor)
    cdef bint fits = True
    if index.numel and index.dtype != INT64 and index.dtype != INT32:
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    source = filling("scatter", t, src) if fill else <Tensor>src
    if source.dtype != t.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.numel:
        if max(index.ndim, 1) != max(t.ndim, 1):
            raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
        if not fill and max(index.ndim, 1) != max(source.ndim, 1):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        for d in range(max(t.ndim, 1)):
            if (d != dim and _size(index, d) > _size(t, d)) or (not fill and _size(index, d) > _size(source, d)):
                fits = False
        if not fits:
            also = "" if fill else f" and to be no larger size than src {shape_str(source.ndim, source.sizes)}"
            raise RuntimeError(f"Expected index {shape_str(index.ndim, index.sizes)} to be no larger than self "
                               f"{shape_str(t.ndim, t.sizes)} apart from dimension {dim}{also}")
        lines = _lines(index, dim)
        if not within(lines, 0, _size(t, dim), &outside):
            raise RuntimeError(_out_of_bounds(outside, dim, _size(t, dim)))
    if not (supports(mode, t.dtype) or t.dtype == FLOAT16 or t.dtype == BFLOAT16):
        raise NotImplementedError(f'"scatter_reduce" not implemented for \'{_name(t)}\'')
    t = _written(op, t, index, source)
    if index.numel == 0:
        return t
    wide = t
    if not supports(mode, t.dtype):
        wide, source = to_dtype(t, FLOAT32), to_dtype(source, FLOAT32)
    _prepare(&g, wide, dim, index, lines)
    if initial is not None:
        first = filling("scatter", wide, initial)
        _set_plain(&g, first)
        _run(&g, wide, lines, first, PUT)
    _set_plain(&g, source)
    if fill:
        for d in range(g.ndim):
            g.plain_strides[d] = 0
    _run(&g, wide, lines, source, mode)
    if wide is not t:
        copy_elements(t, wide)
    return t


cdef object _scatter(Operator op, PyObject** a):  # (self, dim, index, src, *, value, reduce)
    cdef int mode = PUT
    if a[5] != <PyObject*>None:
        if <object>a[5] == "add":
            mode = ADD
        elif <object>a[5] == "multiply":
            mode = MULTIPLY
        else:
            raise RuntimeError("reduce argument must be either add or multiply.")
    src = <object>a[3] if a[3] != <PyObject*>None else <object>a[4]
    if src is None or (a[3] != <PyObject*>None and a[4] != <PyObject*>None):
        raise TypeError("scatter() takes either 'src' or 'value'")
    return _done(op, _scatter_to(op, <Tensor>a[0], <object>a[1], <Tensor>a[2], src, mode, None))


cdef object _scatter_add(Operator op, PyObject** a):  # (self, dim, index, src)
    return _done(op, _scatter_to(op, <Tensor>a[0], <object>a[1], <Tensor>a[2], <object>a[3], ADD, None))


cdef object _scatter_reduce(Operator op, PyObject** a):  # (self, dim, index, src, reduce, *, include_self)
    cdef Tensor t = <Tensor>a[0]
    cdef str reduce = <object>a[4]
    cdef bint whole = <object>a[5]
    cdef int mode
    if reduce == "sum":
        mode, initial = ADD, 0
    elif reduce == "prod":
        mode, initial = MULTIPLY, 1
    elif reduce == "amax" or reduce == "amin":
        mode = GREATEST if reduce == "amax" else LEAST
        initial = None if whole else _extreme(t.dtype, reduce == "amin")
    elif reduce == "mean":
        result = sockets.scatter_mean(t, <object>a[1], <object>a[2], <object>a[3], whole)
        if op.flags & OP_INPLACE == 0:
            return result
        check_writable(op.name, t)
        copy_elements(t, <Tensor>result)
        return _done(op, t)
    else:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return _done(op, _scatter_to(op, t, <object>a[1], <Tensor>a[2], <object>a[3], mode, None if whole else initial))


cdef object _extreme(int dtype, bint most):
    """Return the initial value for a minimum (`most`) or maximum, which every other value replaces."""
    if CATEGORY[dtype] == CAT_FLOAT:
        return float("inf") if most else float("-inf")
    if dtype == BOOL:
        return most
    bits = 8 * ITEMSIZE[dtype]
    if dtype == UINT8:
        return 255 if most else 0
    return (1 << (bits - 1)) - 1 if most else -(1 << (bits - 1))


index_select = make_kernel(_index_select)
embedding = make_kernel(_embedding)
index_add = make_kernel(_index_add, True)
index_copy = make_kernel(_index_copy, True)
index_fill = make_kernel(_index_fill, True)
take = make_kernel(_take)
put = make_kernel(_put, True)
gather = make_kernel(_gather)
scatter = make_kernel(_scatter, True)
scatter_add = make_kernel(_scatter_add, True)
scatter_reduce = make_kernel(_scatter_reduce, True)
