# cython: language_level=3
"""Matrix factorizations: Cholesky, LU and QR, and determinants from LU.

LAPACK routines overwrite a column-major copy, which becomes the result.
"""
from cpython.object cimport PyObject
from libc.math cimport hypot, log
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

from flambeau_tensor._core.elementwise.copying cimport contiguous
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, real_of
from flambeau_tensor._core.memory.meta_device cimport is_dry
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.complex_conversion cimport narrowed, widened
from flambeau_tensor._kernels.lapack cimport *
from flambeau_tensor._kernels.small_matrices cimport small_getrf, small_potrf

from flambeau_tensor._kernels.lapack import LinAlgError


# --- reported failures ----------------------------------------------------------------------------------------------

cdef int check_infos(str function, Tensor infos, str text, error=LinAlgError) except -1:
    """Raise for the first matrix for which a routine reports a failure; `text` may contain {info}."""
    cdef const int64_t* info = <const int64_t*>infos.data
    cdef Py_ssize_t i
    for i in range(infos.numel):
        if info[i] != 0:
            where = f"(Batch element {i}): " if infos.ndim else ""
            raise error(f"{function}: {where}" + text.format(info=info[i]))
    return 0


# --- Cholesky -------------------------------------------------------------------------------------------------------

cdef object _cholesky_ex(Operator op, PyObject** slots):
    """Slots: self, upper, check_errors."""
    cdef Tensor a = <Tensor>slots[0], out, infos
    cdef bint upper = <object>slots[1] is True
    cdef lapack_int n
    cdef Call call
    check_matrices("linalg.cholesky", a, True)
    check_dtype("linalg.cholesky", a, "cholesky")
    n = a.sizes[a.ndim - 1]
    out, infos = in_columns(a), zeros_of(INT64, a.ndim - 2, a.sizes)
    if out.numel:
        begin(&call, "potrf", a.dtype)
        add(&call, UPPER if upper else LOWER)
        add(&call, &n)
        add(&call, out.data, matrix_bytes(out))
        add(&call, &n)
        add(&call, infos.data, 8)
        call.work = n * n * n // 3
        call.own = small_potrf(a.dtype, n)
        run(&call, infos.numel)
        clear_triangle(out, not upper)
    if <object>slots[2] is True:
        check_infos("linalg.cholesky", infos, "The factorization could not be completed because the input is not "
                    "positive-definite (the leading minor of order {info} is not positive-definite).")
    return out, as_int32(infos)


# --- LU -------------------------------------------------------------------------------------------------------------

cdef tuple factor(Tensor a):
    """Return LU, pivots (int64) and infos (int64)."""
    cdef lapack_int m = a.sizes[a.ndim - 2], n = a.sizes[a.ndim - 1]
    cdef Py_ssize_t k = min(m, n)
    cdef Tensor out = in_columns(a), pivots = zero_vectors(INT64, a, k), infos = zeros_of(INT64, a.ndim - 2, a.sizes)
    cdef Call call
    if k >= BLOCKS and infos.numel == 1 and not is_dry() and \
            block_lu(a.dtype, m, n, out.data, <lapack_int*>pivots.data, <lapack_int*>infos.data):
        return out, pivots, infos
    if out.numel:
        begin(&call, "getrf", a.dtype)
        add(&call, &m)
        add(&call, &n)
        add(&call, out.data, matrix_bytes(out))
        add(&call, &m)
        add(&call, pivots.data, 8 * k)
        add(&call, infos.data, 8)
        call.work = m * n * k
        call.own = small_getrf(a.dtype, max(m, n))
        run(&call, infos.numel)
    return out, pivots, infos


cdef object _lu_factor_ex(Operator op, PyObject** slots):
    """Slots: A, pivot, check_errors."""
    cdef Tensor a = <Tensor>slots[0]
    if a.ndim < 2:
        raise RuntimeError("torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: "
                           f"{list((<object>a).shape)} instead")
    check_kernel("lu", a)
    if <object>slots[1] is not True:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    lu, pivots, infos = factor(a)
    if <object>slots[2] is True:
        check_infos("torch.linalg.lu_factor", infos, "U[{info},{info}] is zero and using it on lu_solve would result "
                    "in a division by zero. If you still want to perform the factorization, consider calling "
                    "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)", RuntimeError)
    return lu, as_int32(pivots), as_int32(infos)


cdef object _permutation(Operator op, PyObject** slots):
    """Compute P of PLU = A from the row exchanges that LAPACK lists. Slots: LU, pivots."""
    cdef Tensor lu = <Tensor>slots[0], pivots = <Tensor>slots[1], out
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t m, k, i, j, row, item = ITEMSIZE[lu.dtype]
    cdef const int32_t* pivot
    cdef Tensor rows
    cdef int64_t* at
    cdef char* p
    cdef int d
    check_matrices("torch.lu_unpack", lu, False, "LU_data")
    check_kernel("lu_unpack", lu)
    m = lu.sizes[lu.ndim - 2]
    if pivots.dtype != INT32 or pivots.ndim != lu.ndim - 1 or count_matrices(pivots, 1) != count_matrices(lu):
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a tensor of torch.int32 with one row for each "
                           "matrix of LU_data")
    pivots = contiguous(pivots, INT32)
    pivot = <const int32_t*>pivots.data
    k = pivots.sizes[pivots.ndim - 1]
    rows = empty(INT64, 1, &m)
    at = <int64_t*>rows.data
    for d in range(lu.ndim - 2):
        sizes[d] = lu.sizes[d]
    sizes[lu.ndim - 2] = sizes[lu.ndim - 1] = m
    out = zeros_of(lu.dtype, lu.ndim, sizes)
    p = out.data
    for i in range(count_matrices(out)):
        for j in range(m):
            at[j] = j
        for j in range(k):
            row = j if is_dry() else pivot[i * k + j] - 1
            if row < 0 or row >= m or j >= m:
                raise RuntimeError("pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive. Did you "
                                   "properly pass the result of lu_factor?")
            at[j], at[row] = at[row], at[j]
        for j in range(m):
            set_one(p + (at[j] * m + j) * item, lu.dtype)
        p += m * m * item
    return out


# --- determinants ---------------------------------------------------------------------------------------------------

cdef double complex _number(const char* at, int dtype) noexcept:
    if dtype == FLOAT32:
        return (<const float*>at)[0]
    if dtype == FLOAT64:
        return (<const double*>at)[0]
    if dtype == COMPLEX64:
        return widened((<const float complex*>at)[0])
    return (<const double complex*>at)[0]


cdef void _put(char* at, int dtype, double complex value) noexcept:
    if dtype == FLOAT32:
        (<float*>at)[0] = <float>value.real
    elif dtype == FLOAT64:
        (<double*>at)[0] = value.real
    elif dtype == COMPLEX64:
        (<float complex*>at)[0] = narrowed(value)
    else:
        (<double complex*>at)[0] = value


cdef bint _odd(const int64_t* pivots, Py_ssize_t n) noexcept:
    cdef bint odd = False
    cdef Py_ssize_t i
    for i in range(n):
        if pivots[i] != i + 1:
            odd = not odd
    return odd


cdef object _det(Operator op, PyObject** slots):
    """Slots: A."""
    cdef Tensor a = <Tensor>slots[0], out, lu, pivots
    cdef double complex product
    cdef Py_ssize_t i, j, n, item = ITEMSIZE[a.dtype]
    check_matrices("linalg.det", a, True)
    check_dtype("linalg.det", a, "lu")
    lu, pivots, _ = factor(a)
    n = a.sizes[a.ndim - 1]
    out = empty(a.dtype, a.ndim - 2, a.sizes)
    for i in range(out.numel):
        product = -1 if _odd(<const int64_t*>pivots.data + i * n, n) else 1
        for j in range(n):
            product = product * _number(lu.data + (i * n * n + j * (n + 1)) * item, a.dtype)
        _put(out.data + i * item, a.dtype, product)
    return out, lu, as_int32(pivots)


cdef object _slogdet(Operator op, PyObject** slots):
    """Slots: A."""
    cdef Tensor a = <Tensor>slots[0], sign, logs, lu, pivots
    cdef double complex product, factor_
    cdef double size, total
    cdef Py_ssize_t i, j, n, item = ITEMSIZE[a.dtype]
    check_matrices("linalg.slogdet", a, True)
    check_dtype("linalg.slogdet", a)
    cdef int real = real_of(a.dtype)
    lu, pivots, _ = factor(a)
    n = a.sizes[a.ndim - 1]
    sign, logs = empty(a.dtype, a.ndim - 2, a.sizes), empty(real, a.ndim - 2, a.sizes)
    for i in range(sign.numel):
        product, total = -1 if _odd(<const int64_t*>pivots.data + i * n, n) else 1, 0
        for j in range(n):
            factor_ = _number(lu.data + (i * n * n + j * (n + 1)) * item, a.dtype)
            size = hypot(factor_.real, factor_.imag)
            product = product * (factor_ / size if size != 0 else 0)
            total += log(size)
        _put(sign.data + i * item, a.dtype, product)
        _put(logs.data + i * ITEMSIZE[real], real, total)
    return sign, logs, lu, as_int32(pivots)


# --- QR -------------------------------------------------------------------------------------------------------------

cdef tuple _reflect(Tensor a):
    """geqrf: return R with the reflectors below its diagonal, and the reflectors' factors."""
    cdef lapack_int m = a.sizes[a.ndim - 2], n = a.sizes[a.ndim - 1], size
    cdef Py_ssize_t k = min(m, n)
    cdef Tensor out = in_columns(a), tau = zero_vectors(a.dtype, a, k)
    cdef Call call
    if out.numel:
        begin(&call, "geqrf", a.dtype)
        add(&call, &m)
        add(&call, &n)
        add(&call, out.data, matrix_bytes(out))
        add(&call, &m)
        add(&call, tau.data, k * ITEMSIZE[a.dtype])
        add_workspace(&call, &size)
        add_scratch(&call, 8)  # info: no matrix fails
        call.work = m * n * k
        run(&call, count_matrices(out))
    return out, tau


cdef int _orthogonalize(Tensor q, Tensor tau) except -1:
    """orgqr: replace the reflectors with the first columns of their product."""
    cdef lapack_int m = q.sizes[q.ndim - 2], n = q.sizes[q.ndim - 1], k = tau.sizes[tau.ndim - 1], size
    cdef Call call
    if q.numel == 0:
        return 0
    begin(&call, "orgqr", q.dtype, "ungqr")
    add(&call, &m)
    add(&call, &n)
    add(&call, &k)
    add(&call, q.data, matrix_bytes(q))
    add(&call, &m)
    add(&call, tau.data, k * ITEMSIZE[q.dtype])
    add_workspace(&call, &size)
    add_scratch(&call, 8)
    call.work = 2 * m * n * max(1, k)
    return run(&call, count_matrices(q))


cdef Tensor _columns(Tensor t, Py_ssize_t rows, Py_ssize_t columns):
    """Copy the upper left part of column-major matrices; pads with zeros."""
    cdef Tensor out = empty_columns(t.dtype, t.ndim - 2, t.sizes, rows, columns)
    cdef Py_ssize_t m = t.sizes[t.ndim - 2], n = t.sizes[t.ndim - 1], item = ITEMSIZE[t.dtype], i, j
    cdef char* to = out.data
    memset(out.data, 0, out.numel * item)
    if out.numel == 0 or t.numel == 0:
        return out
    for i in range(count_matrices(t)):
        for j in range(min(n, columns)):
            memcpy(to + j * rows * item, t.data + (i * n + j) * m * item, min(m, rows) * item)
        to += rows * columns * item
    return out


cdef object _qr(Operator op, PyObject** slots):
    """Slots: A, mode."""
    cdef Tensor a = <Tensor>slots[0], reflectors, tau, q, r
    cdef Py_ssize_t m, n, k, zero = 0
    mode = <object>slots[1]
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           "'complete'")
    check_matrices("linalg.qr", a, False)
    check_dtype("linalg.qr", a, "geqrf")
    m, n = a.sizes[a.ndim - 2], a.sizes[a.ndim - 1]
    k = m if mode == "complete" else min(m, n)
    reflectors, tau = _reflect(a)
    r = _columns(reflectors, k, n)
    clear_triangle(r, False)
    if mode == "r":
        return empty(a.dtype, 1, &zero), r
    if n == 0:
        return identities(a.dtype, a.ndim - 2, a.sizes, m, k), r
    q = _columns(reflectors, m, k)
    _orthogonalize(q, tau)
    return q, r


cdef object _geqrf(Operator op, PyObject** slots):
    """Slots: self."""
    cdef Tensor a = <Tensor>slots[0]
    if a.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_kernel("geqrf", a)
    return _reflect(a)


cdef int _check_tau(str function, Tensor a, Tensor tau) except -1:
    cdef int d
    if a.ndim < 2:
        raise RuntimeError(f"{function}: input must have at least 2 dimensions.")
    if tau.ndim != a.ndim - 1:
        raise RuntimeError(f"{function}: Expected tau to have one dimension less than input, but got tau.ndim equal to "
                           f"{tau.ndim} and input.ndim is equal to {a.ndim}")
    for d in range(a.ndim - 2):
        if a.sizes[d] != tau.sizes[d]:
            raise RuntimeError(f"{function}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
                               f"{list((<object>tau).shape[:tau.ndim - 1])}")
    if a.dtype != tau.dtype:
        raise RuntimeError(f"{function}: tau dtype {(<object>tau).dtype} does not match input dtype "
                           f"{(<object>a).dtype}")
    return 0


cdef object _householder_product(Operator op, PyObject** slots):
    """Slots: input, tau."""
    cdef str name = "torch.linalg.householder_product"
    cdef Tensor a = <Tensor>slots[0], tau = <Tensor>slots[1], out
    _check_tau(name, a, tau)
    if a.sizes[a.ndim - 2] < a.sizes[a.ndim - 1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if a.sizes[a.ndim - 1] < tau.sizes[tau.ndim - 1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    check_kernel("orgqr", a)
    out = in_columns(a)
    _orthogonalize(out, contiguous(tau, a.dtype))
    return out


cdef object _ormqr(Operator op, PyObject** slots):
    """Slots: self, input2 (tau), input3 (other), left, transpose."""
    cdef Tensor a = <Tensor>slots[0], tau = <Tensor>slots[1], other = <Tensor>slots[2], out, reflectors
    cdef bint left = <object>slots[3] is True, adjoint = <object>slots[4] is True
    cdef lapack_int m, n, k = tau.sizes[tau.ndim - 1] if tau.ndim else 0, rows, size
    cdef Call call
    cdef int at, d
    _check_tau("torch.ormqr", a, tau)
    if other.ndim < 2:
        raise RuntimeError("torch.ormqr: other must have at least 2 dimensions.")
    if other.ndim != a.ndim:
        raise RuntimeError("torch.ormqr: other should have the same number of dimensions as input, but got other.ndim "
                           f"equal to {other.ndim} and input.ndim is equal to {a.ndim}")
    at = -2 if left else -1
    rows = a.sizes[a.ndim - 2]
    if other.sizes[other.ndim + at] != rows:
        raise RuntimeError(f"torch.ormqr: other.shape[{at}] must be equal to input.shape[-2]")
    if k > a.sizes[a.ndim - 1] or k > rows:
        raise RuntimeError(f"torch.ormqr: other.shape[{at}] must be greater than or equal to tau.shape[-1]")
    if k != min(rows, a.sizes[a.ndim - 1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{at}], input.shape[-1])")
    for d in range(a.ndim - 2):
        if a.sizes[d] != other.sizes[d]:
            raise RuntimeError("torch.ormqr: Expected batch dimensions of other to be equal to input.shape[:-2], but "
                               f"got {list((<object>other).shape[:other.ndim - 2])}")
    if other.dtype != a.dtype:
        raise RuntimeError("torch.ormqr: Expected input and other to have the same dtype, but input has dtype "
                           f"{(<object>a).dtype} and other has dtype {(<object>other).dtype}")
    check_kernel("ormqr", a)
    out, reflectors, tau = in_columns(other), in_columns(a), contiguous(tau, a.dtype)
    m, n = other.sizes[other.ndim - 2], other.sizes[other.ndim - 1]
    if out.numel and k:
        begin(&call, "ormqr", a.dtype, "unmqr")
        add(&call, LEFT if left else RIGHT)
        add(&call, (ADJOINT if CATEGORY[a.dtype] == CAT_COMPLEX else TRANSPOSED) if adjoint else AS_IS)
        add(&call, &m)
        add(&call, &n)
        add(&call, &k)
        add(&call, reflectors.data, matrix_bytes(reflectors))
        add(&call, &rows)
        add(&call, tau.data, k * ITEMSIZE[a.dtype])
        add(&call, out.data, matrix_bytes(out))
        add(&call, &m)
        add_workspace(&call, &size)
        add_scratch(&call, 8)
        call.work = 2 * m * n * k
        run(&call, count_matrices(out))
    return out


cholesky_ex, lu_factor_ex = make_kernel(_cholesky_ex), make_kernel(_lu_factor_ex)
permutation = make_kernel(_permutation)
det, slogdet = make_kernel(_det), make_kernel(_slogdet)
qr, geqrf, ormqr = make_kernel(_qr), make_kernel(_geqrf), make_kernel(_ormqr)
householder_product = make_kernel(_householder_product)
