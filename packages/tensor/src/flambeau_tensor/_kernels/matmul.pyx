# cython: language_level=3
"""Matrix products of tensors: checks, layouts, batches and folding; the arithmetic is in ``blas.pyx``.

BLAS reads operands in place, even if they are transposed or have gaps between rows; other layouts are copied first.
float16 is multiplied as float32, and so is bfloat16 if the processor has no instructions for it; sums are float32.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.copying cimport copy_elements, fill_elements, to_dtype
from flambeau_tensor._core.call.operator cimport Operator, call1, call2, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.elementwise.scalar cimport Scalar, load_scalar, read_scalar, store_scalar
from flambeau_tensor._core.memory.tensor cimport (
    Tensor, contiguous_strides, empty, grad_flags, plain_tuple, set_geometry, shape_str, view_of,
)
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.blas cimport Products, fits, has_brain, has_factors, multiply
from flambeau_tensor._kernels.recording cimport recorded

from flambeau_tensor._core.elementwise.dtype import c_type_name, type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim


cdef str _type_name(Tensor t):
    return type_name(dtype_object(t.dtype))


# --- operands -------------------------------------------------------------------------------------------------------

cdef Tensor _contiguous(Tensor t):
    cdef Tensor out = empty(t.dtype, t.ndim, t.sizes)
    copy_elements(out, t)
    return out


cdef Tensor _set_a(Products* p, Tensor t, bint row):
    """Set the left factor: the last two dimensions of `t`, or a row. Returns the tensor to keep alive."""
    cdef int d = t.ndim - 1
    p.k = t.sizes[d]
    p.a_col = t.strides[d]
    p.m = 1 if row else t.sizes[d - 1]
    p.a_row = p.k if row else t.strides[d - 1]
    if not fits(p.m, p.k, &p.a_row, &p.a_col):
        return _set_a(p, _contiguous(t), row)
    p.a = t.data
    p.brain = t.dtype == BFLOAT16
    return t


cdef Tensor _set_b(Products* p, Tensor t, bint column, bint transposed):
    """Set the right factor: the last two dimensions of `t`, optionally transposed, or a column."""
    cdef int d = t.ndim - 1, r = t.ndim - 2
    cdef Py_ssize_t k
    if column:
        k = t.sizes[d]
        p.n = p.b_col = 1
        p.b_row = t.strides[d]
    else:
        if transposed:
            d, r = r, d
        k = t.sizes[r]
        p.n = t.sizes[d]
        p.b_row = t.strides[r]
        p.b_col = t.strides[d]
    if not fits(k, p.n, &p.b_row, &p.b_col):
        return _set_b(p, _contiguous(t), column, transposed)
    p.b = t.data
    return t


cdef inline void _set_c(Products* p, Tensor out) noexcept:
    p.dtype = out.dtype
    p.c = out.data
    p.c_row = p.n
    p.nbatch = 0
    p.alpha[0], p.alpha[1], p.beta[0], p.beta[1] = 1, 0, 0, 0


cdef int _run(Products* p, Tensor out) except -1:
    if p.k == 0:
        if p.beta[0] == 0 and p.beta[1] == 0:
            memset(out.data, 0, out.numel * ITEMSIZE[out.dtype])
        return 0
    return multiply(p)


cdef int _check_dtype(str name, int dtype) except -1:
    if dtype == BOOL or UINT16 <= dtype <= UINT64 or dtype == COMPLEX32:
        raise NotImplementedError(f'"{name}" not implemented for \'{type_name(dtype_object(dtype))}\'')
    return 0


# --- the products ---------------------------------------------------------------------------------------------------

cdef inline Tensor _computable(Tensor t, bint brain):
    """Return a factor in a dtype that can be multiplied; with `brain`, bfloat16 is such a dtype."""
    if t.dtype == FLOAT16 or t.dtype == BFLOAT16 and not brain:
        return to_dtype(t, FLOAT32)
    return t


cdef inline bint _brain(Tensor a, bint row, Tensor b, bint column, bint transposed) noexcept:
    """Return True if the factors are multiplied as bfloat16."""
    cdef int last = b.ndim - (2 if transposed else 1)
    if a.dtype != BFLOAT16 or row or column:
        return False
    return has_brain(a.sizes[a.ndim - 2], b.sizes[last], a.sizes[a.ndim - 1])


cdef inline int _sums(Tensor a) noexcept:
    """Return the dtype in which products of `a` are summed."""
    return FLOAT32 if a.dtype == BFLOAT16 else a.dtype


cdef Tensor _product(Tensor a, bint row, Tensor b, bint column):
    """Return a @ b for a matrix (or row) and a matrix (or column) with the same dtype and matching sizes."""
    cdef Products p
    cdef int ndim = 0, dtype = a.dtype
    cdef Py_ssize_t[2] sizes
    cdef Tensor out
    cdef bint brain = _brain(a, row, b, column, False)
    a, b = _set_a(&p, _computable(a, brain), row), _set_b(&p, _computable(b, brain), column, False)
    if not row:
        sizes[ndim] = p.m
        ndim += 1
    if not column:
        sizes[ndim] = p.n
        ndim += 1
    out = empty(_sums(a), ndim, sizes)
    _set_c(&p, out)
    _run(&p, out)
    return out if out.dtype == dtype else to_dtype(out, dtype)


cdef object _mm_error(Tensor a, Tensor b):
    if a.ndim != 2:
        return RuntimeError("self must be a matrix")
    if b.ndim != 2:
        return RuntimeError("mat2 must be a matrix")
    if a.sizes[1] != b.sizes[0]:
        return _shapes(a.sizes[0], a.sizes[1], b.sizes[0], b.sizes[1])
    return _dtypes(a, b)


cdef object _shapes(Py_ssize_t m, Py_ssize_t k, Py_ssize_t l, Py_ssize_t n):
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {l}x{n})")


cdef object _dtypes(Tensor a, Tensor b):
    return RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_type_name(a.dtype)} != "
                        f"{c_type_name(b.dtype)}")


cdef Tensor _mm_of(Tensor a, Tensor b):
    if a.ndim != 2 or b.ndim != 2 or a.sizes[1] != b.sizes[0] or a.dtype != b.dtype:
        raise _mm_error(a, b)
    _check_dtype("addmm_impl_cpu_", a.dtype)
    return _product(a, False, b, False)


cdef object _mm(Operator op, PyObject** a):
    return _mm_of(<Tensor>a[0], <Tensor>a[1])


cdef Tensor _mv_of(Tensor a, Tensor b):
    if a.ndim == 0:
        wrapped_dim(0, 0, False)
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.ndim}, {b.ndim}")
    if a.sizes[1] != b.sizes[0]:
        raise RuntimeError(f"size mismatch, got input ({a.sizes[0]}), mat ({a.sizes[0]}x{a.sizes[1]}), vec "
                           f"({b.sizes[0]})")
    if a.dtype != b.dtype:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {_type_name(b)}, "
                           f"{_type_name(a)}, and {_type_name(b)}")
    _check_dtype("addmv_impl_cpu", a.dtype)
    return _product(a, False, b, True)


cdef object _mv(Operator op, PyObject** a):
    return _mv_of(<Tensor>a[0], <Tensor>a[1])


cdef Tensor _dot_of(Tensor a, Tensor b):
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {_type_name(a)} "
                           f"and {_type_name(b)}")
    if a.numel != b.numel:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{a.numel}] and src [{b.numel}] to have the "
                           f"same number of elements, but got {a.numel} and {b.numel} elements respectively")
    _check_dtype("dot", a.dtype)
    return _product(a, True, b, True)


cdef object _dot(Operator op, PyObject** a):
    return _dot_of(<Tensor>a[0], <Tensor>a[1])


cdef object _vdot(Operator op, PyObject** a):
    cdef Tensor left = <Tensor>a[0]
    if CATEGORY[left.dtype] == CAT_COMPLEX:
        left = call1(find("torch.conj_physical"), left)
    return _dot_of(left, <Tensor>a[1])


cdef Tensor _batched(Tensor a, bint row, Tensor b, bint column):
    """Return products over broadcast batch dimensions; sizes and dtypes have been checked."""
    cdef Products p
    cdef int dtype = a.dtype, ndim, d, at, na, nb, n
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t step
    cdef Tensor out
    cdef bint brain = _brain(a, row, b, column, False)
    a, b = _set_a(&p, _computable(a, brain), row), _set_b(&p, _computable(b, brain), column, False)
    na, nb = max(a.ndim - 2, 0), max(b.ndim - 2, 0)
    n = max(na, nb)
    for d in range(n):
        sizes[d] = 1
        at = d - n + na
        if at >= 0:
            sizes[d] = a.sizes[at]
        p.a_batch[d] = a.strides[at] if at >= 0 and a.sizes[at] != 1 else 0
        at = d - n + nb
        if at >= 0 and b.sizes[at] != 1:
            if sizes[d] != 1 and sizes[d] != b.sizes[at]:
                raise RuntimeError(f"The size of tensor a ({sizes[d]}) must match the size of tensor b ({b.sizes[at]}) "
                                   f"at non-singleton dimension {d}")
            sizes[d] = b.sizes[at]
        p.b_batch[d] = b.strides[at] if at >= 0 and b.sizes[at] != 1 else 0
    ndim = n
    if not row:
        sizes[ndim] = p.m
        ndim += 1
    if not column:
        sizes[ndim] = p.n
        ndim += 1
    out = empty(_sums(a), ndim, sizes)
    _set_c(&p, out)
    p.nbatch = n
    step = p.m * p.n
    for d in range(n - 1, -1, -1):
        p.batch_sizes[d] = sizes[d]
        p.c_batch[d] = step
        step *= sizes[d]
    _run(&p, out)
    return to_dtype(out, dtype)


cdef int _check_batches(Tensor a, Tensor b) except -1:
    if a.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if b.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    if a.sizes[0] != b.sizes[0] or a.sizes[2] != b.sizes[1]:
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{a.sizes[0]}, {a.sizes[2]}] but got: [{b.sizes[0]}, {b.sizes[1]}].")
    return 0


cdef object _scalar_types(Tensor a, Tensor b):
    return RuntimeError(f"expected scalar type {_type_name(a)} but found {_type_name(b)}")


cdef Tensor _bmm_of(Tensor a, Tensor b):
    _check_batches(a, b)
    if a.dtype != b.dtype:
        raise _scalar_types(a, b)
    _check_dtype("bmm", a.dtype)
    return _batched(a, False, b, False)


cdef object _bmm(Operator op, PyObject** a):
    return _bmm_of(<Tensor>a[0], <Tensor>a[1])


# --- matmul ---------------------------------------------------------------------------------------------------------

cdef Tensor _folded(Tensor t):
    """Merge all dimensions but the last into rows of a matrix; a view if they form one line."""
    cdef Py_ssize_t[2] sizes
    cdef Py_ssize_t[2] strides
    cdef int d, last = t.ndim - 1
    cdef Py_ssize_t expected = 0
    sizes[0], sizes[1] = 1, t.sizes[last]
    strides[0], strides[1] = t.sizes[last], t.strides[last]
    for d in range(last - 1, -1, -1):
        if t.sizes[d] == 1:
            continue
        if sizes[0] == 1:
            strides[0] = t.strides[d]
        elif t.strides[d] != expected and t.numel:
            return _folded(_contiguous(t))
        expected = t.strides[d] * t.sizes[d]
        sizes[0] *= t.sizes[d]
    return view_of(t, 2, sizes, strides, t.data)


cdef Tensor _unfolded(Tensor out, Tensor like, Py_ssize_t columns):
    """Split the rows of a folded tensor's product into its dimensions; columns -1: a product with a vector."""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d, ndim = like.ndim - 1
    for d in range(ndim):
        sizes[d] = like.sizes[d]
    if columns >= 0:
        sizes[ndim] = columns
        ndim += 1
    contiguous_strides(ndim, sizes, strides)
    set_geometry(out, ndim, sizes, strides)
    return out


cdef object _composed(Tensor a, Tensor b):
    """Compute matmul by operators that have derivatives."""
    cdef tuple rows, batch
    if a.ndim == 0 or b.ndim == 0:
        raise _too_few("matmul", a, b)
    if b.ndim == 1:
        if a.ndim <= 2:
            return call2(find("torch.dot" if a.ndim == 1 else "torch.mv"), a, b)
        rows = plain_tuple(a.ndim - 1, a.sizes)
        folded = find("torch.reshape")(a, (_count(rows), a.sizes[a.ndim - 1]))
        return find("torch.reshape")(find("torch.mv")(folded, b), rows)
    if a.ndim == 1:
        return find("torch.squeeze")(_composed(find("torch.unsqueeze")(a, 0), b), -2)
    if b.ndim == 2:
        if a.ndim == 2:
            return call2(find("torch.mm"), a, b)
        rows = plain_tuple(a.ndim - 1, a.sizes)
        folded = find("torch.reshape")(a, (_count(rows), a.sizes[a.ndim - 1]))
        return find("torch.reshape")(find("torch.mm")(folded, b), rows + (b.sizes[1],))
    batch = _batch_shape(a, b)
    n = _count(batch)
    left = find("torch.Tensor.expand")(a, batch + plain_tuple(2, a.sizes + a.ndim - 2))
    right = find("torch.Tensor.expand")(b, batch + plain_tuple(2, b.sizes + b.ndim - 2))
    left = find("torch.reshape")(left, (n,) + plain_tuple(2, a.sizes + a.ndim - 2))
    right = find("torch.reshape")(right, (n,) + plain_tuple(2, b.sizes + b.ndim - 2))
    return find("torch.reshape")(find("torch.bmm")(left, right), batch + (a.sizes[a.ndim - 2], b.sizes[b.ndim - 1]))


cdef Py_ssize_t _count(tuple sizes):
    cdef Py_ssize_t n = 1
    for s in sizes:
        n *= s
    return n


cdef tuple _batch_shape(Tensor a, Tensor b):
    cdef int n = max(a.ndim, b.ndim) - 2, d, i, j
    cdef Py_ssize_t x, y
    cdef list out = []
    for d in range(n):
        i, j = d - n + a.ndim - 2, d - n + b.ndim - 2
        x = a.sizes[i] if i >= 0 else 1
        y = b.sizes[j] if j >= 0 else 1
        if x != y and x != 1 and y != 1:
            raise RuntimeError(f"The size of tensor a ({x}) must match the size of tensor b ({y}) at non-singleton "
                               f"dimension {d}")
        out.append(y if x == 1 else x)
    return tuple(out)


cdef object _too_few(str name, Tensor a, Tensor b):
    return RuntimeError(f"both arguments to {name} need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")


cdef object _matmul(Operator op, PyObject** slots):
    cdef Tensor a = <Tensor>slots[0]
    cdef Tensor b = <Tensor>slots[1]
    cdef bint row
    if recorded(grad_flags(a) | grad_flags(b)):
        return _composed(a, b)
    if a.ndim == 2 and b.ndim == 2:
        return _mm_of(a, b)
    if a.ndim == 0 or b.ndim == 0:
        raise _too_few("matmul", a, b)
    if b.ndim == 1:
        if a.ndim == 1:
            return _dot_of(a, b)
        if a.ndim == 2:
            return _mv_of(a, b)
        return _unfolded(_mv_of(_folded(a), b), a, -1)
    if b.ndim == 2 and a.ndim > 2:
        return _unfolded(_mm_of(_folded(a), b), a, b.sizes[1])
    row = a.ndim == 1
    if a.sizes[a.ndim - 1] != b.sizes[b.ndim - 2]:
        if b.ndim == 2:
            raise _shapes(1, a.sizes[0], b.sizes[0], b.sizes[1])
        batch = _count(_batch_shape(a, b) if not row else plain_tuple(b.ndim - 2, b.sizes))
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{batch}, {a.sizes[a.ndim - 1]}] but got: [{batch}, {b.sizes[b.ndim - 2]}].")
    if a.dtype != b.dtype:
        raise _dtypes(a, b) if b.ndim == 2 else _scalar_types(a, b)
    _check_dtype("bmm" if b.ndim > 2 else "addmm_impl_cpu_", a.dtype)
    if b.ndim == 2:
        return _product(a, True, b, False)
    return _batched(a, row, b, False)


# --- products with an added term ------------------------------------------------------------------------------------

cdef int _check_expand(Tensor t, int ndim, const Py_ssize_t* sizes) except -1:
    cdef int d, lead = ndim - t.ndim
    if lead < 0:
        raise RuntimeError(f"expand: the number of sizes provided ({ndim}) must be greater or equal to the number of "
                           f"dimensions in the tensor ({t.ndim})")
    for d in range(t.ndim):
        if t.sizes[d] != 1 and t.sizes[d] != sizes[lead + d]:
            raise RuntimeError(
                f"The expanded size of the tensor ({sizes[lead + d]}) must match the existing size ({t.sizes[d]}) at "
                f"non-singleton dimension {lead + d}.  Target sizes: {shape_str(ndim, sizes)}.  Tensor sizes: "
                f"{shape_str(t.ndim, t.sizes)}")
    return 0


cdef object _affine(Tensor start, Tensor a, Tensor b, bint column, PyObject* beta, PyObject* alpha):
    """Return beta * start + alpha * (a @ b); the factors have been checked."""
    cdef Products p
    cdef Scalar s, factor
    cdef bint brain, read  # if `read` is False, the factors are not read, even if they contain NaN
    cdef int ndim = 0, lead = a.ndim - 2
    cdef Py_ssize_t[3] sizes
    cdef Tensor out
    if lead:
        sizes[0] = a.sizes[0]
        ndim = 1
    sizes[ndim] = a.sizes[lead]
    ndim += 1
    if not column:
        sizes[ndim] = b.sizes[b.ndim - 1]
        ndim += 1
    _check_expand(start, ndim, sizes)
    read_scalar(alpha, &s)
    read = s.re != 0 or s.im != 0
    read_scalar(beta, &factor)
    brain = s.re == 1 and s.im == 0 and (factor.re == 0 or factor.re == 1) and _brain(a, False, b, column, False)
    a, b = _computable(a, brain), _computable(b, brain)
    if not brain and not has_factors(a.dtype):
        if not read:
            out = empty(a.dtype, ndim, sizes)
            fill_elements(out, 0)
        else:
            out = _batched(a, False, b, False) if lead else _product(a, False, b, column)
        return _combined(start, out, <object>beta, <object>alpha)
    a, b = _set_a(&p, a, False), _set_b(&p, b, column, False)
    out = empty(_sums(a), ndim, sizes)
    _set_c(&p, out)
    if lead:
        p.nbatch = 1
        p.batch_sizes[0] = sizes[0]
        p.a_batch[0], p.b_batch[0], p.c_batch[0] = a.strides[0], b.strides[0], p.m * p.n
    p.alpha[0], p.alpha[1] = s.re, s.im
    if not read:
        p.k = 0
    p.beta[0], p.beta[1] = factor.re, factor.im
    if factor.re != 0 or factor.im != 0:  # otherwise `start` is not read, even if it contains NaN
        copy_elements(out, start)
        if p.k == 0:
            out = call2(find("torch.mul"), out, <object>beta)
    _run(&p, out)
    return to_dtype(out, start.dtype)


cdef object _held(object factor, int dtype):
    """Return a factor as a number of the dtype; raises if it does not fit."""
    cdef Scalar s
    cdef char[16] element
    read_scalar(<PyObject*>factor, &s)
    store_scalar(&s, dtype, element)
    return load_scalar(dtype, element)


cdef object _combined(Tensor start, Tensor product, beta, alpha):
    cdef int dtype
    if CATEGORY[product.dtype] <= CAT_INT:
        alpha, beta = _held(alpha, product.dtype), _held(beta, product.dtype)
    product = call2(find("torch.mul"), product, alpha)
    if beta == 0:
        return to_dtype(product, start.dtype)
    start, dtype = to_dtype(start, product.dtype), start.dtype
    return to_dtype(call2(find("torch.add"), call2(find("torch.mul"), start, beta), product), dtype)


cdef int _check_same(Tensor start, Tensor a, Tensor b) except -1:
    if a.dtype != b.dtype:
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {_type_name(a)} and {_type_name(b)}")
    if start.dtype != b.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {_type_name(start)} and {_type_name(b)}")
    return _check_dtype("addmm_impl_cpu_", a.dtype)


cdef object _addmm(Operator op, PyObject** slots):  # (self, mat1, mat2, *, beta, alpha)
    cdef Tensor a = <Tensor>slots[1]
    cdef Tensor b = <Tensor>slots[2]
    if a.ndim != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {a.ndim}-D tensor")
    if b.ndim != 2:
        raise RuntimeError(f"mat2 must be a matrix, got {b.ndim}-D tensor")
    if a.sizes[1] != b.sizes[0]:
        raise _shapes(a.sizes[0], a.sizes[1], b.sizes[0], b.sizes[1])
    _check_same(<Tensor>slots[0], a, b)
    return _affine(<Tensor>slots[0], a, b, False, slots[3], slots[4])


cdef object _addmv(Operator op, PyObject** slots):  # (self, mat, vec, *, beta, alpha)
    cdef Tensor start = <Tensor>slots[0]
    cdef Tensor a = <Tensor>slots[1]
    cdef Tensor b = <Tensor>slots[2]
    if a.ndim != 2 or b.ndim != 1 or start.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {start.ndim}, {a.ndim}, {b.ndim}")
    if a.sizes[1] != b.sizes[0] or (start.numel != a.sizes[0] and start.numel != 1):
        raise RuntimeError(f"size mismatch, got input ({start.numel}), mat ({a.sizes[0]}x{a.sizes[1]}), "
                           f"vec ({b.sizes[0]})")
    if a.dtype != b.dtype or a.dtype != start.dtype:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {_type_name(start)}, "
                           f"{_type_name(a)}, and {_type_name(b)}")
    _check_dtype("addmv_impl_cpu", a.dtype)
    return _affine(start, a, b, True, slots[3], slots[4])


cdef object _baddbmm(Operator op, PyObject** slots):  # (self, batch1, batch2, *, beta, alpha)
    cdef Tensor start = <Tensor>slots[0]
    cdef Tensor a = <Tensor>slots[1]
    cdef Tensor b = <Tensor>slots[2]
    for t in (a, b):
        wrapped_dim(2, t.ndim, False) if t.ndim < 3 else None
    _check_batches(a, b)
    if a.dtype != b.dtype or a.dtype != start.dtype:
        raise RuntimeError(f"Input dtypes must be the same, got: input {c_type_name(start.dtype)}, batch1: "
                           f"{c_type_name(a.dtype)}, batch2: {c_type_name(b.dtype)}")
    _check_dtype("baddbmm", a.dtype)
    return _affine(start, a, b, False, slots[3], slots[4])


# --- linear ---------------------------------------------------------------------------------------------------------

cdef object _linear(Operator op, PyObject** slots):  # (input, weight, bias)
    """Return input @ weight.T + bias: the bias is written to the result first, and the product is added."""
    cdef Products p
    cdef Tensor x = <Tensor>slots[0]
    cdef Tensor w = <Tensor>slots[1]
    cdef Tensor bias = None if slots[2] == <PyObject*>None else <Tensor>slots[2]
    cdef Tensor out, flat
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t i, row
    cdef int dtype, ndim, d
    cdef bint brain, column = w.ndim == 1
    if x.ndim == 0 or w.ndim == 0:
        raise _too_few("linear", x, w)
    if w.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {w.ndim}D")
    if column and bias is not None and x.ndim == 2:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor")
    if x.sizes[x.ndim - 1] != w.sizes[w.ndim - 1]:
        raise _shapes(x.numel // max(x.sizes[x.ndim - 1], 1), x.sizes[x.ndim - 1], w.sizes[w.ndim - 1],
                      1 if column else w.sizes[0])
    if bias is not None:
        _check_same(bias, x, w)
    elif x.dtype != w.dtype:
        raise _dtypes(x, w)
    _check_dtype("addmm_impl_cpu_", x.dtype)
    ndim = x.ndim - 1
    for d in range(ndim):
        sizes[d] = x.sizes[d]
    if not column:
        sizes[ndim] = w.sizes[0]
        ndim += 1
    if bias is not None:
        _check_expand(bias, ndim, sizes)
    flat = x if x.ndim <= 2 else _folded(x)
    brain = _brain(flat, x.ndim == 1, w, column, True)
    flat, w = _computable(flat, brain), _computable(w, brain)
    flat, w = _set_a(&p, flat, x.ndim == 1), _set_b(&p, w, column, True)
    dtype = _sums(flat)
    out = empty(dtype, ndim, sizes)
    _set_c(&p, out)
    if bias is None:
        _run(&p, out)
    elif brain or has_factors(dtype):
        row = p.n * ITEMSIZE[dtype]
        if bias.ndim == 1 and bias.flags & CONTIGUOUS and bias.dtype == dtype and bias.numel == p.n and p.m <= 64:
            for i in range(p.m):
                memcpy(out.data + i * row, bias.data, row)
        else:
            copy_elements(out, bias)
        p.beta[0] = 1
        _run(&p, out)
    else:
        _run(&p, out)
        out = call2(find("torch.add"), out, to_dtype(bias, dtype))
    return to_dtype(out, x.dtype)


mm = make_kernel(_mm)
mv = make_kernel(_mv)
dot = make_kernel(_dot)
vdot = make_kernel(_vdot)
bmm = make_kernel(_bmm)
matmul = make_kernel(_matmul)
addmm = make_kernel(_addmm)
addmv = make_kernel(_addmv)
baddbmm = make_kernel(_baddbmm)
linear = make_kernel(_linear)
