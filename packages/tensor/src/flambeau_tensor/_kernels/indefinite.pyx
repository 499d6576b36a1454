# cython: language_level=3
"""The Bunch-Kaufman factorization of symmetric and Hermitian matrices, which may be indefinite."""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.copying cimport contiguous, copy_elements, to_dtype
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, dtype_object
from flambeau_tensor._core.memory.meta_device cimport is_dry
from flambeau_tensor._core.elementwise.operands cimport same_sizes
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.factorization cimport check_infos
from flambeau_tensor._kernels.lapack cimport *

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim


cdef object _ldl_factor_ex(Operator op, PyObject** slots):
    """Slots: self, hermitian, check_errors."""
    cdef str name = "torch.linalg.ldl_factor_ex"
    cdef Tensor a = <Tensor>slots[0], out, pivots, infos
    cdef lapack_int n, size
    cdef Call call
    check_matrices(name, a, True)
    check_dtype(name, a, "ldl_factor_kernel")
    n = a.sizes[a.ndim - 1]
    out, pivots, infos = in_columns(a), zero_vectors(INT64, a, n), zeros_of(INT64, a.ndim - 2, a.sizes)
    if out.numel:
        begin(&call, "sytrf", a.dtype, "hetrf" if <object>slots[1] is True else None)
        add(&call, LOWER)
        add(&call, &n)
        add(&call, out.data, matrix_bytes(out))
        add(&call, &n)
        add(&call, pivots.data, 8 * n)
        add_workspace(&call, &size)
        add(&call, infos.data, 8)
        call.work = n * n * n // 3
        run(&call, infos.numel)
        clear_triangle(out, True)
    if <object>slots[2] is True:
        check_infos("torch.linalg.ldl_factor", infos,
                    "D[{info},{info}] is zero, and solving with it would divide by zero", RuntimeError)
    return out, to_dtype(pivots, INT32), to_dtype(infos, INT32)


cdef int _check_pivots(const long long* pivots, Py_ssize_t n, Py_ssize_t matrices) except -1:
    """Check that pivots are row numbers, and that negative ones, for 2 × 2 blocks, come in pairs; LAPACK does not."""
    cdef Py_ssize_t m, i
    cdef bint second
    for m in range(matrices):
        second = False
        for i in range(m * n, m * n + n):
            if pivots[i] == 0:
                raise RuntimeError("Pivots given to ldl_solve must all satisfy |pivot| >= 1. Did you properly pass the "
                                   "result of ldl_factor?")
            if pivots[i] > n or pivots[i] < -n:
                raise RuntimeError("Pivots given to ldl_solve must all satisfy |pivot| <= LD.size(-2). Did you "
                                   "properly pass the result of ldl_factor?")
            if pivots[i] > 0 and second:
                break
            second = pivots[i] < 0 and not second
        if second:
            raise RuntimeError("Negative pivots given to ldl_solve must come in pairs. Did you properly pass the "
                               "result of ldl_factor?")
    return 0


cdef object _ldl_solve(Operator op, PyObject** slots):
    """Slots: LD, pivots, B, hermitian."""
    cdef str name = "torch.linalg.ldl_solve"
    cdef Tensor ld = <Tensor>slots[0], pivots = <Tensor>slots[1], b = <Tensor>slots[2], out, infos
    cdef Py_ssize_t[MAX_NDIM] batch
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef lapack_int n, k
    cdef Call call
    cdef int d, nbatch
    check_matrices(name, ld, True, "LD")
    if b.ndim < 2:
        wrapped_dim(-2, b.ndim, False)  # raises an IndexError
    n, k = ld.sizes[ld.ndim - 1], b.sizes[b.ndim - 1]
    if b.sizes[b.ndim - 2] != n:
        raise RuntimeError(f"Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b matrix is "
                           f"{b.sizes[b.ndim - 2]} by {k}")
    if CATEGORY[pivots.dtype] != CAT_INT:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {type_name(dtype_object(pivots.dtype))}")
    if ld.dtype != b.dtype:
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type "
                           f"{type_name(dtype_object(b.dtype))} and A of type {type_name(dtype_object(ld.dtype))} "
                           "instead.")
    if pivots.ndim != ld.ndim - 1 or not same_sizes(pivots.ndim, pivots.sizes, ld.sizes):
        raise RuntimeError(f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list((<object>pivots).shape)} instead")
    check_kernel("ldl_solve_kernel", ld)
    nbatch = broadcast_batches(ld, 2, b, 2, batch)
    out = in_columns(b, nbatch, batch)
    if out.numel == 0:
        return out
    for d in range(nbatch):
        sizes[d] = batch[d]
    sizes[nbatch] = n
    copy = empty(INT64, nbatch + 1, sizes)
    copy_elements(copy, pivots)
    ld, pivots = in_columns(ld, nbatch, batch), contiguous(copy, INT64)
    if not is_dry():
        _check_pivots(<const long long*>pivots.data, n, pivots.numel // n)
    infos = zeros_of(INT64, nbatch, batch)
    begin(&call, "sytrs", ld.dtype, "hetrs" if <object>slots[3] is True else None)
    add(&call, LOWER)
    add(&call, &n)
    add(&call, &k)
    add(&call, ld.data, matrix_bytes(ld))
    add(&call, &n)
    add(&call, pivots.data, 8 * n)
    add(&call, out.data, matrix_bytes(out))
    add(&call, &n)
    add(&call, infos.data, 8)
    call.work = 2 * n * n * k
    run(&call, infos.numel)
    return out


ldl_factor_ex, ldl_solve = make_kernel(_ldl_factor_ex), make_kernel(_ldl_solve)
