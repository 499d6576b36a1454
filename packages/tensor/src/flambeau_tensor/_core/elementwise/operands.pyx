# cython: language_level=3
"""Checks of the operands of one computation: shapes, dtypes, and memory that may be written."""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, complex_of, dtype_object, promoted, type_name
from flambeau_tensor._core.memory.layout cimport FORMAT_CHANNELS_LAST, follow_order, format_strides, is_channels_last
from flambeau_tensor._core.memory.meta_device cimport META
from flambeau_tensor._core.elementwise.scalar cimport Scalar, read_scalar, scalar_dtype
from flambeau_tensor._core.memory.tensor cimport Tensor, is_dense, resize, same_shape, shape_str, wrap_dim
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.memory.types cimport *

from warnings import warn


# --- shape ----------------------------------------------------------------------------------------------------------

cdef int broadcast_shape(int n, PyObject** tensors, Py_ssize_t* shape) except -1:
    """Compute the common shape of tensors, skipping NULL entries; returns its length."""
    cdef int ndim = 0, i, k, d
    cdef Py_ssize_t a
    cdef Tensor t
    for k in range(n):
        if tensors[k] != NULL and (<Tensor>tensors[k]).ndim > ndim:
            ndim = (<Tensor>tensors[k]).ndim
    for d in range(ndim):
        shape[d] = 1
    for k in range(n):
        if tensors[k] == NULL:
            continue
        t = <Tensor>tensors[k]
        for i in range(t.ndim - 1, -1, -1):
            d = ndim - t.ndim + i
            a = t.sizes[i]
            if a == shape[d] or a == 1:
                continue
            if shape[d] != 1:
                raise RuntimeError(
                    f"The size of tensor a ({shape[d]}) must match the size of tensor b ({a}) at non-singleton "
                    f"dimension {d}")
            shape[d] = a
    return ndim


cdef void broadcast_strides(Tensor t, int ndim, const Py_ssize_t* shape, Py_ssize_t* out) noexcept:
    cdef int d, lead = ndim - t.ndim
    cdef Py_ssize_t item = ITEMSIZE[t.dtype]
    for d in range(ndim):
        if d < lead or (t.sizes[d - lead] == 1 and shape[d] != 1):
            out[d] = 0
        else:
            out[d] = t.strides[d - lead] * item


cdef bint same_sizes(int ndim, const Py_ssize_t* a, const Py_ssize_t* b) noexcept:
    cdef int d
    for d in range(ndim):
        if a[d] != b[d]:
            return False
    return True


cdef bint result_strides(int n, PyObject** tensors, int ndim, const Py_ssize_t* shape, Py_ssize_t* out) noexcept:
    """Compute the strides of a new result of an elementwise computation; a NULL entry is a number.

    Returns False if the result is contiguous.
    """
    cdef Py_ssize_t[MAX_OPERANDS][MAX_NDIM] strides
    cdef Py_ssize_t* rows[MAX_OPERANDS]
    cdef bint same = True, contiguous = True, channels = True, alike = True
    cdef Tensor t, first = None
    cdef int k, m = 0, d
    for k in range(n):
        if tensors[k] == NULL:
            same = same and ndim == 0
            continue
        t = <Tensor>tensors[k]
        same = same and t.ndim == ndim and same_sizes(ndim, t.sizes, shape)
        contiguous = contiguous and (t.flags & CONTIGUOUS) != 0
    if same and contiguous:
        return False
    for k in range(n):
        if tensors[k] == NULL:
            continue
        t = <Tensor>tensors[k]
        channels = channels and ndim == 4 and is_channels_last(t.ndim, t.sizes, t.strides)
        if first is None:
            first = t
            alike = is_dense(t)
        else:
            for d in range(ndim if alike and same else 0):
                alike = alike and t.strides[d] == first.strides[d]
        rows[m] = strides[m]
        broadcast_strides(t, ndim, shape, rows[m])
        m += 1
    if same and channels:
        format_strides(FORMAT_CHANNELS_LAST, ndim, shape, out)
    elif same and alike:
        for d in range(ndim):
            out[d] = first.strides[d]
    else:
        follow_order(m, rows, ndim, shape, out)
    return True


# --- dtype ----------------------------------------------------------------------------------------------------------

cdef int promote(int n, PyObject** slots, const int* fixed) except -1:
    """Return the dtype of the computation: tensors with dimensions outrank 0-d tensors, and those outrank numbers."""
    cdef int dims = -1, zero = -1, number = -1, k, d
    cdef Scalar s
    cdef Tensor t
    for k in range(n):
        if fixed[k] >= 0:
            continue
        if isinstance(<object>slots[k], Tensor):
            t = <Tensor>slots[k]
            d = t.dtype
            if t.ndim:
                dims = d if dims < 0 else promoted(dims, d)
            else:
                zero = d if zero < 0 else promoted(zero, d)
        else:
            read_scalar(slots[k], &s)
            d = scalar_dtype(s.category)
            number = d if number < 0 else promoted(number, d)
    return _combine(dims, _combine(zero, number))


cdef int _combine(int strong, int weak) noexcept:
    # The weaker group counts only if it has a higher category.
    if strong < 0:
        return weak
    if weak < 0 or CATEGORY[strong] >= CATEGORY[weak]:
        return strong
    if CATEGORY[weak] == CAT_COMPLEX and CATEGORY[strong] == CAT_FLOAT:
        return complex_of(strong)
    return weak


cdef int check_cast(int source, int target) except -1:
    if CATEGORY[source] > CATEGORY[target]:
        raise RuntimeError(f"result type {type_name(dtype_object(source))} can't be cast to the desired output type "
                           f"{type_name(dtype_object(target))}")
    return 0


cdef int check_same_dtype(int source, int target) except -1:
    if source != target:
        raise RuntimeError(f"Found dtype {type_name(dtype_object(target))} but expected "
                           f"{type_name(dtype_object(source))}")
    return 0


# --- memory ---------------------------------------------------------------------------------------------------------

cdef int check_not_readonly(str func, Tensor t) except -1:
    """The only check for writing a single value, since then elements may share memory."""
    if t.storage.readonly:
        raise RuntimeError(f"{func}(): cannot write to a tensor that shares memory with a read-only array; clone() it")
    return 0


cdef bint _is_expanded(Tensor t) noexcept:
    cdef int d
    for d in range(t.ndim):
        if t.strides[d] == 0 and t.sizes[d] > 1 and t.numel:
            return True
    return False


cdef int check_writable(str func, Tensor t) except -1:
    check_not_readonly(func, t)
    if _is_expanded(t):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation.")
    return 0


cdef int warn_expanded(str func, Tensor t, str example) except -1:
    """Warn where a function writes to an expanded tensor, with an example of an assignment that calls it."""
    if _is_expanded(t):
        warn(f"Use of {func} on expanded tensors is deprecated. Please clone() the tensor before performing this "
             f"operation. This also applies to advanced indexing e.g. tensor{example}", UserWarning)
    return 0


cdef void _extent(Tensor t, char** lo, char** hi) noexcept:
    cdef int d
    lo[0] = t.data
    hi[0] = t.data + ITEMSIZE[t.dtype]
    for d in range(t.ndim):
        hi[0] += (t.sizes[d] - 1) * t.strides[d] * ITEMSIZE[t.dtype]


cdef bint lie_apart(Tensor a, Tensor b) noexcept:
    """Whether two tensors obviously share no memory, judged without their extents."""
    return a.storage is not b.storage and (a.storage.owner is None and b.storage.owner is None or
                                           (a.flags | b.flags) & META)


cdef int check_overlap(Tensor out, Tensor t) except -1:
    """Raise if an input partly overlaps the result. It may be the result itself, or share no memory with it."""
    if out is t or lie_apart(out, t):
        return 0
    if out.dtype == t.dtype and _same_places(out, t):
        return 0
    return check_apart(out, t)


cdef bint _same_places(Tensor out, Tensor t) noexcept:
    """Whether corresponding elements have the same addresses."""
    cdef int i
    if out.data != t.data or not same_shape(out, t):
        return False
    for i in range(out.ndim):
        if out.strides[i] != t.strides[i] and out.sizes[i] > 1:
            return False
    return True


cdef int check_apart(Tensor out, Tensor t) except -1:
    """Raise if an input shares memory with the result. Layouts that may interleave are accepted."""
    cdef char* a
    cdef char* b
    cdef char* c
    cdef char* d
    if lie_apart(out, t) or out.numel == 0 or t.numel == 0:
        return 0
    _extent(out, &a, &b)
    _extent(t, &c, &d)
    if a < d and c < b and is_dense(out) and is_dense(t):
        raise _one_location()
    return 0


cdef object _one_location():
    return RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
        "memory location. Please clone() the tensor before performing the operation.")


cdef int check_apart_wholly(Tensor out, Tensor t) except -1:
    """The same for kernels that must not read anything after writing: interleaved layouts raise, too."""
    cdef char* a
    cdef char* b
    cdef char* c
    cdef char* d
    if out.storage is t.storage and out.numel and t.numel:
        _extent(out, &a, &b)
        _extent(t, &c, &d)
        if a < d and c < b:
            raise _one_location()
    return 0


cdef int check_out_overlap(object out, int n, PyObject** slots) except -1:
    """Check all inputs of an operator against `out`, or against the members of `out`."""
    cdef int i
    if isinstance(out, (tuple, list)):
        for one in out:
            check_out_overlap(one, n, slots)
        return 0
    if not isinstance(out, Tensor):
        return 0
    for i in range(n):
        if isinstance(<object>slots[i], Tensor):
            check_overlap(<Tensor>out, <Tensor>slots[i])
        elif isinstance(<object>slots[i], (tuple, list)):
            for one in <object>slots[i]:
                if isinstance(one, Tensor):
                    check_overlap(<Tensor>out, <Tensor>one)
    return 0


cdef bint interleaves(Tensor out, Tensor t) noexcept:
    # Layouts that may interleave (strided windows on one block) are copied before they are read.
    cdef char* a
    cdef char* b
    cdef char* c
    cdef char* d
    if out is t or out.storage is not t.storage:
        return False
    if is_dense(out) and is_dense(t):
        return False
    if _same_places(out, t):
        return False
    _extent(out, &a, &b)
    _extent(t, &c, &d)
    return a < d and c < b


cdef Tensor out_tensor(str func, object out, int dtype, int ndim, const Py_ssize_t* shape):
    cdef Tensor t = <Tensor>out
    if t.flags & REQUIRES_GRAD and thread_state().grad_enabled:
        raise RuntimeError(f"{func}(): functions with out=... arguments don't support automatic differentiation, but "
                           "one of the arguments requires grad.")
    check_cast(dtype, t.dtype)
    if t.ndim != ndim or not same_sizes(ndim, t.sizes, shape):
        if t.numel:
            import warnings

            warnings.warn(
                f"An output with one or more elements was resized since it had shape {shape_str(t.ndim, t.sizes)}, "
                f"which does not match the required output shape {shape_str(ndim, shape)}. This behavior is "
                "deprecated, and in a future PyTorch release outputs will not be resized unless they have zero "
                "elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
                "t.resize_(0).", UserWarning, stacklevel=2)
        resize(t, ndim, shape)
    check_writable(func, t)
    return t


def wrapped_dim(Py_ssize_t dim, int ndim, bint scalar=True):
    """Return a nonnegative ``dim``. A 0-dimensional tensor counts as having one dimension unless ``scalar`` is False.

    >>> wrapped_dim(-1, 3)
    2
    """
    if ndim == 0 and not scalar:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, ndim)
