# cython: language_level=3
"""Linear systems by LU, with triangular matrices, and in the least squares sense; inverses."""
from cpython.object cimport PyObject
from libc.math cimport log2
from libc.string cimport memset

from flambeau_tensor._core.elementwise.copying cimport contiguous, copy_elements
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object, real_of
from flambeau_tensor._core.memory.meta_device cimport is_dry
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, detached, empty, view_of
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.factorization cimport check_infos, factor
from flambeau_tensor._kernels.lapack cimport *
from flambeau_tensor._kernels.small_matrices cimport small_getrs

from flambeau_tensor._core.elementwise.dtype import type_name


cdef Tensor _with_batch(Tensor t, int nbatch, const Py_ssize_t* batch, int last):
    """Broadcast to a batch, unless a single matrix is shared."""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Tensor out
    cdef int d
    if count_matrices(t, last) == 1 or t.ndim - last == nbatch:
        for d in range(nbatch):
            if t.ndim - last != nbatch or t.sizes[d] != batch[d]:
                break
        else:
            return t
        if count_matrices(t, last) == 1:
            return t
    for d in range(nbatch):
        sizes[d] = batch[d]
    for d in range(last):
        sizes[nbatch + d] = t.sizes[t.ndim - last + d]
    out = empty(t.dtype, nbatch + last, sizes)
    copy_elements(out, t)
    return out


cdef void _conjugate(Tensor t) noexcept:
    """Conjugate elements that are contiguous in memory."""
    cdef Py_ssize_t i
    if t.dtype == COMPLEX64:
        for i in range(t.numel):
            (<float*>t.data)[2 * i + 1] *= -1
    elif t.dtype == COMPLEX128:
        for i in range(t.numel):
            (<double*>t.data)[2 * i + 1] *= -1


cdef Tensor _substitute(Tensor lu, Tensor pivots, Tensor b, int nbatch, const Py_ssize_t* batch, bint left,
                        bint adjoint):
    """Solve AX = B or XA = B (or with the adjoint of A), given the LU of A; LU is column-major, pivots are int64."""
    return _substitute_in(in_columns(b, nbatch, batch, not left), lu, pivots, nbatch, batch, left, adjoint)


cdef Tensor _substitute_in(Tensor out, Tensor lu, Tensor pivots, int nbatch, const Py_ssize_t* batch, bint left,
                           bint adjoint):
    """The same in the memory of B, which is column-major (row-major if `left=False`)."""
    cdef lapack_int n = lu.sizes[lu.ndim - 1], k = out.sizes[nbatch + 1]
    cdef Tensor infos = zeros_of(INT64, nbatch, batch)
    cdef bint shared = count_matrices(lu) == 1, conjugate = adjoint and not left
    cdef Call call
    if out.numel:
        if conjugate:
            _conjugate(out)
        begin(&call, "getrs", lu.dtype)
        # From the right, a column-major B represents the transposed equation.
        add(&call, AS_IS if left != adjoint else ADJOINT if left else TRANSPOSED)
        if conjugate:
            call.args[0] = <void*>AS_IS
        add(&call, &n)
        add(&call, &k)
        add(&call, lu.data, 0 if shared else matrix_bytes(lu))
        add(&call, &n)
        add(&call, pivots.data, 0 if shared else 8 * n)
        add(&call, out.data, matrix_bytes(out))
        add(&call, &n)
        add(&call, infos.data, 8)
        call.work = 2 * n * n * k
        call.own = small_getrs(lu.dtype, n)
        run(&call, infos.numel)
        if conjugate:
            _conjugate(out)
    return out if left else matrix_transpose(out)


cdef object _without_last(Tensor t):
    """Return matrices with one column or row as vectors."""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d, n = t.ndim - 1
    for d in range(n):
        sizes[d], strides[d] = t.sizes[d], t.strides[d]
    return detached(view_of(t, n, sizes, strides, t.data))


cdef Tensor _as_column(Tensor t):
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d
    for d in range(t.ndim):
        sizes[d], strides[d] = t.sizes[d], t.strides[d]
    sizes[t.ndim] = strides[t.ndim] = 1
    return view_of(t, t.ndim + 1, sizes, strides, t.data)


cdef bint _is_vector(Tensor a, Tensor b) noexcept:
    """Whether `b` consists of vectors: one, or one for each matrix of `a`."""
    cdef int d
    if b.ndim == 1:
        return True
    if a.ndim - 1 != b.ndim:
        return False
    for d in range(b.ndim):
        if a.sizes[d] != b.sizes[d]:
            return False
    return True


cdef int _check_pair(str function, Tensor a, Tensor b, bint left) except -1:
    cdef Py_ssize_t n = a.sizes[a.ndim - 1]
    if b.sizes[b.ndim - 2 if left else b.ndim - 1] != n:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(f"{function}: Incompatible shapes of A and B for the equation {equation} ({n}x{n} and "
                           f"{b.sizes[b.ndim - 2]}x{b.sizes[b.ndim - 1]})")
    return 0


cdef int _check_same(str function, Tensor a, Tensor b) except -1:
    if a.dtype != b.dtype:
        raise RuntimeError(f"{function}: Expected A and B to have the same dtype, but found A of type "
                           f"{type_name(dtype_object(a.dtype))} and B of type {type_name(dtype_object(b.dtype))} "
                           "instead")
    return 0


cdef object _solve_ex(Operator op, PyObject** slots):
    """Slots: A, B, left, check_errors."""
    cdef Tensor a = <Tensor>slots[0], b = <Tensor>slots[1], lu, pivots, infos, out
    cdef bint left = <object>slots[2] is True, vector
    cdef Py_ssize_t[MAX_NDIM] batch
    cdef int nbatch
    check_matrices("linalg.solve", a, True)
    check_dtype("linalg.solve", a, "lu")
    _check_same("linalg.solve", a, b)
    if b.ndim == 0:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 1 dimension.")
    vector = _is_vector(a, b)
    if vector and not left:
        raise RuntimeError("linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. "
                           "In this case linalg.solve is equivalent to B / A.squeeze(-1)")
    if vector:
        b = _as_column(b)
    _check_pair("linalg.solve", a, b, left)
    nbatch = broadcast_batches(a, 2, b, 2, batch)
    lu, pivots, infos = factor(_with_batch(a, nbatch, batch, 2))
    out = _substitute(lu, pivots, b, nbatch, batch, left, False)
    if <object>slots[3] is True:
        check_infos("torch.linalg.solve", infos, "The solver failed because the input matrix is singular.")
    return _without_last(out) if vector else out, lu, as_int32(pivots), as_int32(infos)


cdef object _lu_solve(Operator op, PyObject** slots):
    """Slots: LU, pivots, B, left, adjoint."""
    cdef Tensor lu = <Tensor>slots[0], pivots = <Tensor>slots[1], b = <Tensor>slots[2]
    cdef bint left = <object>slots[3] is True
    cdef Py_ssize_t[MAX_NDIM] batch
    cdef int nbatch
    check_matrices("torch.linalg.lu_solve", lu, True, "LU")
    if b.ndim < 2:
        raise RuntimeError("linalg.lu_solve: The input tensor B must have at least 2 dimensions.")
    _check_same("linalg.lu_solve", lu, b)
    check_dtype("linalg.lu_solve", lu)
    if pivots.dtype != INT32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    _check_pair("linalg.lu_solve", lu, b, left)
    if pivots.ndim != lu.ndim - 1 or pivots.sizes[pivots.ndim - 1] != lu.sizes[lu.ndim - 1] or \
            count_matrices(pivots, 1) != count_matrices(lu):
        raise RuntimeError("linalg.lu_solve: Number of pivots per batch should be same as the dimension of the "
                           "matrix")
    pivots = contiguous(pivots, INT64)
    _check_pivots(pivots, lu.sizes[lu.ndim - 1])
    nbatch = broadcast_batches(lu, 2, b, 2, batch)
    lu, pivots = _with_batch(lu, nbatch, batch, 2), _with_batch(pivots, nbatch, batch, 1)
    return _substitute(in_columns(lu), pivots, b, nbatch, batch, left, <object>slots[4] is True)


cdef int _check_pivots(Tensor pivots, Py_ssize_t n) except -1:
    cdef const long long* at = <const long long*>pivots.data
    cdef Py_ssize_t i
    for i in range(0 if is_dry() else pivots.numel):
        if at[i] < 1 or at[i] > n:
            raise RuntimeError("linalg.lu_solve: Pivots given to lu_solve must all be greater or equal to 1 and at "
                               f"most {n}, but one is {at[i]}. Did you properly pass the result of lu_factor?")
    return 0


cdef object _inv_ex(Operator op, PyObject** slots):
    """Slots: A, check_errors."""
    cdef Tensor a = <Tensor>slots[0], lu, pivots, infos, ones
    cdef Py_ssize_t n
    check_matrices("linalg.inv", a, True)
    check_dtype("linalg.inv", a)
    lu, pivots, infos = factor(a)
    n = a.sizes[a.ndim - 1]
    ones = identities(a.dtype, a.ndim - 2, a.sizes, n, n)
    out = _substitute_in(ones, lu, pivots, a.ndim - 2, a.sizes, True, False)
    if <object>slots[1] is True:
        check_infos("linalg.inv", infos, "The diagonal element {info} is zero, the inversion could not be completed "
                    "because the input matrix is singular.")
    return out, as_int32(infos)


# --- triangular matrices --------------------------------------------------------------------------------------------

cdef Tensor _readable(Tensor a, Py_ssize_t* step, lapack_int* ld, bint* by_rows):
    """Return matrices in a layout for BLAS, copied if needed; sets leading dimension and distance in bytes."""
    cdef Py_ssize_t rows = a.sizes[a.ndim - 2], columns = a.sizes[a.ndim - 1]
    cdef Py_ssize_t row = a.strides[a.ndim - 2], column = a.strides[a.ndim - 1]
    by_rows[0] = False
    if a.ndim == 2 and row == 1 and column >= max(1, rows):
        ld[0], step[0] = column, 0
    elif column == 1 and row >= max(1, columns) and (a.ndim == 2 or a.flags & CONTIGUOUS):
        ld[0], step[0], by_rows[0] = row, rows * columns * ITEMSIZE[a.dtype], True
    else:
        a = in_columns(a)
        ld[0], step[0] = max(1, rows), matrix_bytes(a)
    return a


cdef object _solve_triangular(Operator op, PyObject** slots):
    """Slots: self (A), B, upper, left, unitriangular."""
    cdef str name = "linalg.solve_triangular"
    cdef Tensor a = <Tensor>slots[0], b = <Tensor>slots[1], out
    cdef bint upper = <object>slots[2] is True, left = <object>slots[3] is True, by_rows
    cdef Py_ssize_t[MAX_NDIM] batch
    cdef Py_ssize_t step
    cdef lapack_int m, n, ld
    cdef double[2] one
    cdef Call call
    cdef int nbatch
    check_matrices(name, a, True)
    check_matrices(name, b, False, "B")
    _check_same(name, a, b)
    _check_pair(name, a, b, left)
    check_kernel("triangular_solve", a)
    nbatch = broadcast_batches(a, 2, b, 2, batch)
    a, out = _with_batch(a, nbatch, batch, 2), in_columns(b, nbatch, batch)
    m, n = b.sizes[b.ndim - 2], b.sizes[b.ndim - 1]
    if out.numel == 0:
        return out
    a = _readable(a, &step, &ld, &by_rows)
    one[0], one[1] = 1, 0
    if real_of(a.dtype) == FLOAT32:
        (<float*>one)[0], (<float*>one)[1] = 1, 0
    begin(&call, "trsm", a.dtype)
    add(&call, LEFT if left else RIGHT)
    add(&call, UPPER if upper != by_rows else LOWER)
    add(&call, TRANSPOSED if by_rows else AS_IS)
    add(&call, UNIT if <object>slots[4] is True else AS_IS)  # N means "not unit" here
    add(&call, &m)
    add(&call, &n)
    add(&call, one)
    add(&call, a.data, 0 if count_matrices(a) == 1 else step)
    add(&call, &ld)
    add(&call, out.data, matrix_bytes(out))
    add(&call, &m)
    call.work = m * n * (m if left else n)
    run(&call, count_matrices(out))
    return out


# --- least squares --------------------------------------------------------------------------------------------------

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


cdef void _add_scratch(Call* call, str driver, bint is_complex, Py_ssize_t item, Py_ssize_t m, Py_ssize_t n,
                       Py_ssize_t k) noexcept:
    """Add the drivers' further arguments, in the sizes that LAPACK's documentation gives for its blocks of 25."""
    cdef Py_ssize_t least = min(m, n), most = max(m, n)
    cdef Py_ssize_t levels = max(0, <Py_ssize_t>log2(<double>least / 26) + 1)
    if is_complex and driver == "gelsy":
        add_scratch(call, 2 * n * item)
    elif is_complex and driver == "gelss":
        add_scratch(call, 5 * least * item)
    elif is_complex and driver == "gelsd":
        add_scratch(call, (10 * most + 2 * most * 25 + 8 * most * levels + 3 * 25 * k
                           + max(26 * 26, most * (1 + k) + 2 * k)) * item)
    if driver == "gelsd":
        add_scratch(call, (3 * least * levels + 11 * least + 1) * 8)


cdef object _least_squares(Operator op, PyObject** slots):
    """Return, for m × n matrices, a solution in the first n of max(m, n) rows, and rank and singular values if the
    driver provides them. Slots: A, B, rcond, driver."""
    cdef Tensor a = <Tensor>slots[0], b = <Tensor>slots[1], out, ranks, values, order, infos, factors
    cdef double rcond = <object>slots[2]
    cdef float rcond_single = <float>rcond
    cdef str driver = <object>slots[3]
    cdef Py_ssize_t[MAX_NDIM] batch
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef lapack_int m, n, k, rows, size
    cdef Py_ssize_t least, most, i
    cdef int nbatch, d, real = real_of(a.dtype)
    cdef Call call
    check_matrices("torch.linalg.lstsq", a, False, "input")
    check_matrices("torch.linalg.lstsq", b, False, "other")
    check_dtype("linalg.lstsq", a)
    _check_same("torch.linalg.lstsq", a, b)
    if b.sizes[b.ndim - 2] != a.sizes[a.ndim - 2] or driver not in DRIVERS:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2), and `driver` should be one "
                           "of " + ", ".join(DRIVERS))
    nbatch = broadcast_batches(a, 2, b, 2, batch)
    m, n, k = a.sizes[a.ndim - 2], a.sizes[a.ndim - 1], b.sizes[b.ndim - 1]
    rows, least, most = max(1, max(m, n)), min(m, n), max(m, n)
    factors, out = in_columns(a, nbatch, batch), empty_columns(a.dtype, nbatch, batch, most, k)
    memset(out.data, 0, out.numel * ITEMSIZE[a.dtype])
    ranks, infos = zeros_of(INT64, nbatch, batch), zeros_of(INT64, nbatch, batch)
    order, values = zero_vectors(INT64, factors, n), zero_vectors(real, factors, least)
    if least == 0 or infos.numel == 0:
        return out, ranks, values
    for d in range(nbatch):
        sizes[d] = batch[d]
    sizes[nbatch], sizes[nbatch + 1] = m, k
    copy_elements(view_of(out, nbatch + 2, sizes, out.strides, out.data), b)
    begin(&call, driver, a.dtype)
    if driver == "gels":
        add(&call, AS_IS)
    add(&call, &m)
    add(&call, &n)
    add(&call, &k)
    add(&call, factors.data, matrix_bytes(factors))
    add(&call, &m)
    add(&call, out.data, matrix_bytes(out))
    add(&call, &rows)
    if driver == "gelsy":
        add(&call, order.data, 8 * n)
    elif driver != "gels":
        add(&call, values.data, least * ITEMSIZE[real])
    if driver != "gels":
        add(&call, <void*>&rcond_single if real == FLOAT32 else <void*>&rcond)
        add(&call, ranks.data, 8)
    add_workspace(&call, &size)
    _add_scratch(&call, driver, CATEGORY[a.dtype] == CAT_COMPLEX, ITEMSIZE[real], m, n, k)
    add(&call, infos.data, 8)
    call.work = 2 * m * n * least
    run(&call, infos.numel)
    if is_dry():  # as if all had full rank
        for i in range(ranks.numel):
            (<long long*>ranks.data)[i] = n
    check_infos("torch.linalg.lstsq", infos, "The least squares solution could not be computed because the input "
                "matrix does not have full rank (error code: {info})." if driver == "gels" else
                "SVD did not converge (error code: {info}).")
    return out, ranks, values


solve_ex, lu_solve, inv_ex = make_kernel(_solve_ex), make_kernel(_lu_solve), make_kernel(_inv_ex)
solve_triangular, least_squares = make_kernel(_solve_triangular), make_kernel(_least_squares)
