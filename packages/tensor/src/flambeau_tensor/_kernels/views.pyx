# cython: language_level=3
"""Views: the same elements with other sizes and strides. No kernel here reads or writes elements."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, DType, ITEMSIZE, complex_of, dtype_object, real_of
from flambeau_tensor._core.elementwise.copying cimport copy_elements
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.storage cimport own_counter
from flambeau_tensor._core.memory.tensor cimport (
    Tensor, alias_of, contiguous_strides, count_bytes, detached, empty, offset_of, read_ints, set_geometry, shape_str,
    view_of, wrap_dim,
)
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.elementwise.dtype import type_name


cdef int infer_sizes(PyObject* obj, Py_ssize_t numel, Py_ssize_t* sizes) except -1:
    """Read sizes and replace a single -1."""
    cdef int n = read_ints(obj, sizes, MAX_NDIM, b"view", b"size"), i, unknown = -1
    cdef Py_ssize_t product = 1
    cdef bint lost = False
    for i in range(n):
        if sizes[i] == -1:
            if unknown >= 0:
                raise RuntimeError("only one dimension can be inferred")
            unknown = i
        elif sizes[i] < 0:
            raise RuntimeError(f"invalid shape dimension {sizes[i]} at index {i} of shape {shape_str(n, sizes)}")
        else:
            if sizes[i] | product > <Py_ssize_t>1 << 31 and numel and sizes[i]:
                lost |= product > numel // sizes[i]
            product = <Py_ssize_t>(<size_t>product * <size_t>sizes[i])  # may wrap; checked when the view is created
    if lost:
        raise RuntimeError(f"shape '{shape_str(n, sizes)}' is invalid for input of size {numel}")
    if unknown >= 0:
        if product == 0:
            raise RuntimeError(f"cannot reshape tensor of {numel} elements into shape {shape_str(n, sizes)} because "
                               "the unspecified dimension size -1 can be any value and is ambiguous")
        if numel % product:
            raise RuntimeError(f"shape '{shape_str(n, sizes)}' is invalid for input of size {numel}")
        sizes[unknown] = numel // product
    elif product != numel:
        raise RuntimeError(f"shape '{shape_str(n, sizes)}' is invalid for input of size {numel}")
    return n


cdef bint view_strides(Tensor t, int ndim, const Py_ssize_t* sizes, Py_ssize_t* strides) noexcept:
    """Compute the strides of a view with other sizes; False if no such view exists without copying."""
    cdef Py_ssize_t old_sizes[MAX_NDIM]
    cdef Py_ssize_t old_strides[MAX_NDIM]
    cdef int i, m = 0, new = ndim - 1
    cdef Py_ssize_t run, taken, base
    if t.flags & CONTIGUOUS or t.numel == 0:
        contiguous_strides(ndim, sizes, strides)
        return True
    for i in range(t.ndim):  # dimensions of size 1 do not matter
        if t.sizes[i] != 1:
            old_sizes[m] = t.sizes[i]
            old_strides[m] = t.strides[i]
            m += 1
    while m > 0:  # new dimensions must exactly cover each run of old dimensions that form one line
        m -= 1
        run, base = old_sizes[m], old_strides[m]
        while m > 0 and old_strides[m - 1] == run * base:
            m -= 1
            run *= old_sizes[m]
        taken = 1
        while new >= 0 and (taken < run or sizes[new] == 1):
            strides[new] = taken * base
            taken *= sizes[new]
            new -= 1
        if taken != run:
            return False
    while new >= 0:
        strides[new] = 1
        new -= 1
    return True


cdef object _view(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int n
    if a[1].ob_type == <PyTypeObject*>DType:
        return _view_dtype(t, (<DType>a[1]).id)
    size = <object>a[1]
    if not isinstance(size, (int, tuple)):
        size = tuple(size)
    n = infer_sizes(<PyObject*>size, t.numel, sizes)
    if not view_strides(t, n, sizes, strides):
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension "
                           "spans across two contiguous subspaces). Use .reshape(...) instead.")
    return view_of(t, n, sizes, strides, t.data)


cdef Tensor _view_dtype(Tensor t, int dtype):
    """Return the same bytes as elements of another dtype."""
    if t.flags & LAZY:
        raise RuntimeError("torch.Tensor.view is not supported for "
                           f"{'conjugate view tensors' if t.flags & CONJ else 'tensors with negative bit set'} "
                           "when converting to a different dtype.")
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int i, last = t.ndim - 1
    cdef Py_ssize_t old = ITEMSIZE[t.dtype], new = ITEMSIZE[dtype]
    cdef Tensor v
    for i in range(t.ndim):
        sizes[i] = t.sizes[i]
        strides[i] = t.strides[i]
    if old != new:
        if t.ndim == 0:
            raise _cannot_view("dim()", "cannot be 0", t, dtype)
        if t.strides[last] != 1:
            raise _cannot_view("stride(-1)", "must be 1", t, dtype, t.strides[last])
        if (t.sizes[last] * old) % new:
            raise _cannot_view("size(-1)", f"must be divisible by {new // old}", t, dtype, t.sizes[last])
        if (t.data - t.storage.data) % new:
            raise _cannot_view("storage_offset()", f"must be divisible by {new // old}", t, dtype, offset_of(t))
        sizes[last] = t.sizes[last] * old // new
        for i in range(last):
            if (strides[i] * old) % new:
                raise _cannot_view(f"stride({i})", f"must be divisible by {new // old}", t, dtype, strides[i])
            strides[i] = strides[i] * old // new
    v = view_of(t, t.ndim, sizes, strides, t.data)
    v.dtype = dtype
    return v


cdef object _cannot_view(str what, str rule, Tensor t, int dtype, object got=None):
    names = f"{type_name(dtype_object(t.dtype))} as {type_name(dtype_object(dtype))}"
    found = "" if got is None else f", but got {got}"
    return RuntimeError(f"self.{what} {rule} to view {names} (different element sizes){found}")


cdef object _reshape(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef int n = infer_sizes(a[1], t.numel, sizes)
    return _reshaped(t, n, sizes)


cdef object _transpose(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef int i = wrap_dim(<object>a[1], t.ndim), j = wrap_dim(<object>a[2], t.ndim)
    return _swapped(t, i, j)


cdef Tensor _swapped(Tensor t, int i, int j):
    cdef Tensor v = alias_of(t)
    if i != j:
        v.sizes[i], v.sizes[j] = v.sizes[j], v.sizes[i]
        v.strides[i], v.strides[j] = v.strides[j], v.strides[i]
        set_geometry(v, v.ndim, v.sizes, v.strides) if v.ndim <= INLINE_NDIM else _reset(v)
    return v


cdef int _reset(Tensor v) except -1:
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int i
    for i in range(v.ndim):
        sizes[i] = v.sizes[i]
        strides[i] = v.strides[i]
    return set_geometry(v, v.ndim, sizes, strides)


cdef object _t(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    if t.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {t.ndim}D")
    return _swapped(t, 0, 1) if t.ndim == 2 else alias_of(t)


cdef object _reversed_dims(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int i
    for i in range(t.ndim):
        sizes[i] = t.sizes[t.ndim - 1 - i]
        strides[i] = t.strides[t.ndim - 1 - i]
    return view_of(t, t.ndim, sizes, strides, t.data)


cdef object _permute(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int n = read_ints(a[1], dims, MAX_NDIM, b"permute", b"dims"), i, d
    cdef unsigned long long seen = 0
    if n != t.ndim:
        raise RuntimeError(f"permute(sparse_coo): number of dimensions in the tensor input does not match the length "
                           f"of the desired ordering of dimensions i.e. input.dim() = {t.ndim} is not equal to "
                           f"len(dims) = {n}")
    for i in range(n):
        d = wrap_dim(dims[i], t.ndim)
        if seen >> d & 1:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        seen |= <unsigned long long>1 << d
        sizes[i] = t.sizes[d]
        strides[i] = t.strides[d]
    return view_of(t, n, sizes, strides, t.data)


cdef object _unsqueeze(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t sizes[MAX_NDIM + 1]
    cdef Py_ssize_t strides[MAX_NDIM + 1]
    cdef int at = wrap_dim(<object>a[1], t.ndim + 1), i
    for i in range(t.ndim + 1):
        if i == at:
            sizes[i] = 1
            strides[i] = t.sizes[i] * t.strides[i] if i < t.ndim else 1
        else:
            sizes[i] = t.sizes[i - (i > at)]
            strides[i] = t.strides[i - (i > at)]
    return view_of(t, t.ndim + 1, sizes, strides, t.data)


cdef object _squeeze(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int i, n = 0, m
    cdef unsigned long long chosen = ~<unsigned long long>0, one
    if a[1] != <PyObject*>None:
        chosen = 0
        m = read_ints(a[1], dims, MAX_NDIM, b"squeeze", b"dim")
        for i in range(m):
            one = <unsigned long long>1 << wrap_dim(dims[i], t.ndim)
            if chosen & one:
                raise RuntimeError(f"dim {wrap_dim(dims[i], t.ndim)} appears multiple times in the list of dims")
            chosen |= one
    for i in range(t.ndim):
        if t.sizes[i] != 1 or not chosen >> i & 1:
            sizes[n] = t.sizes[i]
            strides[n] = t.strides[i]
            n += 1
    return view_of(t, n, sizes, strides, t.data)


cdef object _expand(Operator op, PyObject** a):
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef int n = read_ints(a[1], sizes, MAX_NDIM, b"expand", b"size")
    return expanded(<Tensor>a[0], n, sizes)


cdef Tensor expanded(Tensor t, int n, Py_ssize_t* sizes):
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int i, lead = n - t.ndim
    if lead < 0:
        raise RuntimeError(f"expand(torch.FloatTensor{{{shape_str(t.ndim, t.sizes)}}}, size={shape_str(n, sizes)}): "
                           f"the number of sizes provided ({n}) must be greater or equal to the number of dimensions "
                           f"in the tensor ({t.ndim})")
    for i in range(n):
        if i < lead:
            if sizes[i] == -1:
                raise RuntimeError(f"The expanded size of the tensor ({sizes[i]}) isn't allowed in a leading, "
                                   f"non-existing dimension {i}")
            continue
        strides[i] = t.strides[i - lead]
        if sizes[i] == -1:
            sizes[i] = t.sizes[i - lead]
        elif t.sizes[i - lead] == 1:
            if sizes[i] != 1:
                strides[i] = 0
        elif t.sizes[i - lead] != sizes[i]:
            raise RuntimeError(
                f"The expanded size of the tensor ({sizes[i]}) must match the existing size ({t.sizes[i - lead]}) at "
                f"non-singleton dimension {i}.  Target sizes: {shape_str(n, sizes)}.  Tensor sizes: "
                f"{shape_str(t.ndim, t.sizes)}")
    for i in range(lead - 1, -1, -1):  # as in `unsqueeze`, which adds a dimension of size 1
        strides[i] = 0 if sizes[i] != 1 else 1 if i == n - 1 else sizes[i + 1] * strides[i + 1]
    return view_of(t, n, sizes, strides, t.data)


cdef object _select(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int dim, i
    cdef Py_ssize_t index = <object>a[2], size
    if t.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(<object>a[1], t.ndim)
    size = t.sizes[dim]
    if index < -size or index >= size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {shape_str(t.ndim, t.sizes)} at "
                         f"dimension {dim}")
    if index < 0:
        index += size
    for i in range(t.ndim - 1):
        sizes[i] = t.sizes[i + (i >= dim)]
        strides[i] = t.strides[i + (i >= dim)]
    return view_of(t, t.ndim - 1, sizes, strides, t.data + index * t.strides[dim] * ITEMSIZE[t.dtype])


cdef object _slice(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int dim = wrap_dim(<object>a[1], t.ndim), i
    cdef Py_ssize_t size, start = 0, stop, step = <object>a[4]
    if t.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    size = stop = t.sizes[dim]
    if a[2] != <PyObject*>None:
        start = <object>a[2]
    if a[3] != <PyObject*>None:
        stop = min(<object>a[3], size)
    start = max(start + size, 0) if start < 0 else min(start, size)
    stop = stop + size if stop < 0 else stop
    stop = max(stop, start)
    for i in range(t.ndim):
        sizes[i] = t.sizes[i]
        strides[i] = t.strides[i]
    sizes[dim] = (stop - start - 1) // step + 1 if stop > start else 0
    strides[dim] = t.strides[dim] * step
    return view_of(t, t.ndim, sizes, strides, t.data + start * t.strides[dim] * ITEMSIZE[t.dtype])


cdef object _narrow(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor v
    cdef Py_ssize_t start = <object>a[2], length = <object>a[3], size
    cdef int dim
    if t.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(<object>a[1], t.ndim)
    size = t.sizes[dim]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if start < -size or start > size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    if start < 0:
        start += size
    if start > size - length:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    v = alias_of(t)
    v.sizes[dim] = length
    v.data = t.data + start * t.strides[dim] * ITEMSIZE[t.dtype]
    _reset(v)
    return v


cdef object _unsafe_narrow(Operator op, PyObject** a):
    """Like `narrow`, but the result is not marked as a view, and writes to it do not count as writes to others."""
    cdef Tensor t = detached(_narrow(op, a))
    t.storage = own_counter(t.storage)
    return t


cdef object _as_strided(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int n = read_ints(a[1], sizes, MAX_NDIM, b"as_strided", b"size"), i
    cdef int m = read_ints(a[2], strides, MAX_NDIM, b"as_strided", b"stride")
    cdef Py_ssize_t offset = offset_of(t) if a[3] == <PyObject*>None else <Py_ssize_t>(<object>a[3])
    cdef Py_ssize_t reach
    if n != m:
        raise RuntimeError(f"mismatch in length of strides and shape: {n} sizes, {m} strides")
    for i in range(n):
        if strides[i] < 0:
            raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: "
                               f"{shape_str(n, strides)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    reach = count_bytes(n, sizes, strides, offset, t.dtype)
    if reach > t.storage.nbytes:
        raise RuntimeError(
            f"setStorage: sizes {shape_str(n, sizes)}, strides {shape_str(n, strides)}, storage offset {offset}, and "
            f"itemsize {ITEMSIZE[t.dtype]} requiring a storage size of {reach} are out of bounds for storage of size "
            f"{t.storage.nbytes}")
    return view_of(t, n, sizes, strides, t.storage.data + offset * ITEMSIZE[t.dtype])


cdef object _diagonal(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t offset = <object>a[1], n, shift
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int i = wrap_dim(<object>a[2], t.ndim), j = wrap_dim(<object>a[3], t.ndim), k, m = 0
    if t.ndim < 2:
        raise RuntimeError("diagonal() needs a tensor of at least two dimensions")
    if i == j:
        raise RuntimeError(f"diagonal dimensions cannot be identical {i}, {j}")
    if offset >= 0:
        n = min(t.sizes[i], t.sizes[j] - offset)
        shift = offset * t.strides[j]
    else:
        n = min(t.sizes[i] + offset, t.sizes[j])
        shift = -offset * t.strides[i]
    n = max(n, <Py_ssize_t>0)
    for k in range(t.ndim):
        if k != i and k != j:
            sizes[m] = t.sizes[k]
            strides[m] = t.strides[k]
            m += 1
    sizes[m] = n
    strides[m] = t.strides[i] + t.strides[j]
    return view_of(t, m + 1, sizes, strides, t.data + (shift if n else 0) * ITEMSIZE[t.dtype])


cdef object _unfold(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t size = <object>a[2], step = <object>a[3], length
    cdef Py_ssize_t sizes[MAX_NDIM + 1]
    cdef Py_ssize_t strides[MAX_NDIM + 1]
    cdef int dim = wrap_dim(<object>a[1], t.ndim), i
    length = t.sizes[dim] if t.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    for i in range(t.ndim):
        sizes[i] = t.sizes[i]
        strides[i] = t.strides[i]
    sizes[t.ndim] = size
    strides[t.ndim] = t.strides[dim] if t.ndim else 1
    if t.ndim:
        sizes[dim] = (length - size) // step + 1
        strides[dim] = t.strides[dim] * step
    return view_of(t, t.ndim + 1, sizes, strides, t.data)


cdef object _flatten(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef int start = wrap_dim(<object>a[1], t.ndim), end = wrap_dim(<object>a[2], t.ndim), i, n = 0
    cdef Py_ssize_t product = 1
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if t.ndim == 0:
        sizes[0] = 1
        return _reshaped(t, 1, sizes)
    if start == end:
        return t
    for i in range(start):
        sizes[n] = t.sizes[i]
        n += 1
    for i in range(start, end + 1):
        product *= t.sizes[i]
    sizes[n] = product
    n += 1
    for i in range(end + 1, t.ndim):
        sizes[n] = t.sizes[i]
        n += 1
    return _reshaped(t, n, sizes)


cdef Tensor _reshaped(Tensor t, int n, Py_ssize_t* sizes):
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Tensor out
    if view_strides(t, n, sizes, strides):
        return view_of(t, n, sizes, strides, t.data)
    out = empty(t.dtype, t.ndim, t.sizes)
    copy_elements(out, t)
    contiguous_strides(n, sizes, strides)
    set_geometry(out, n, sizes, strides)
    return out


cdef object _alias(Operator op, PyObject** a):
    return alias_of(<Tensor>a[0])


cdef object _part(Tensor t, int which):
    cdef Tensor v
    cdef int i
    if CATEGORY[t.dtype] != CAT_COMPLEX:
        if which == 0:
            return t
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    v = alias_of(t)
    if v.flags & CONJ:
        v.flags ^= CONJ | (NEG if which else 0)
    v.dtype = real_of(t.dtype)
    for i in range(v.ndim):
        v.strides[i] *= 2
    v.data = t.data + which * ITEMSIZE[v.dtype]
    _reset(v)
    return v


cdef object _real(Operator op, PyObject** a):
    return _part(<Tensor>a[0], 0)


cdef object _imag(Operator op, PyObject** a):
    return _part(<Tensor>a[0], 1)


cdef object _view_as_real(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor v
    cdef Py_ssize_t sizes[MAX_NDIM + 1]
    cdef Py_ssize_t strides[MAX_NDIM + 1]
    cdef int i
    if CATEGORY[t.dtype] != CAT_COMPLEX:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if t.flags & CONJ:
        raise RuntimeError("view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate "
                           "tensor so you can view it as real, use self.resolve_conj(); however, be warned that the "
                           "resulting tensor will NOT alias the original.")
    for i in range(t.ndim):
        sizes[i] = t.sizes[i]
        strides[i] = 2 * t.strides[i]
    sizes[t.ndim] = 2
    strides[t.ndim] = 1
    v = view_of(t, t.ndim + 1, sizes, strides, t.data)
    v.dtype = real_of(t.dtype)
    return v


cdef object _view_as_complex(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor v
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int i, last = t.ndim - 1
    if CATEGORY[t.dtype] != CAT_FLOAT or t.dtype == BFLOAT16:
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, but got a tensor "
                           "of another type")
    if t.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if t.sizes[last] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if t.strides[last] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if offset_of(t) % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    for i in range(last):
        if t.strides[i] % 2 and t.sizes[i] != 1:
            raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
        sizes[i] = t.sizes[i]
        strides[i] = t.strides[i] // 2
    v = view_of(t, last, sizes, strides, t.data)
    v.dtype = complex_of(t.dtype)
    return v


view = make_kernel(_view)
reshape = make_kernel(_reshape)
transpose = make_kernel(_transpose)
t = make_kernel(_t)
reversed_dims = make_kernel(_reversed_dims)
permute = make_kernel(_permute)
unsqueeze = make_kernel(_unsqueeze)
squeeze = make_kernel(_squeeze)
expand = make_kernel(_expand)
select = make_kernel(_select)
slice = make_kernel(_slice)
narrow = make_kernel(_narrow)
unsafe_narrow = make_kernel(_unsafe_narrow)
as_strided = make_kernel(_as_strided)
diagonal = make_kernel(_diagonal)
unfold = make_kernel(_unfold)
flatten = make_kernel(_flatten)
alias = make_kernel(_alias)
real = make_kernel(_real)
imag = make_kernel(_imag)
view_as_real = make_kernel(_view_as_real)
view_as_complex = make_kernel(_view_as_complex)
