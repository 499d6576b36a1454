# cython: language_level=3
"""Eigenvalues and eigenvectors, singular values and singular vectors."""
from cpython.object cimport PyObject
from libc.math cimport NAN
from libc.string cimport memset

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object, real_of
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.factorization cimport check_infos
from flambeau_tensor._kernels.lapack cimport *

from flambeau_tensor._core.elementwise.dtype import type_name

from flambeau_tensor._kernels.lapack import LinAlgError


cdef bint _is_finite(const char* at, Py_ssize_t bytes, bint single) noexcept nogil:
    """Whether all numbers are finite."""
    cdef double total = 0
    cdef Py_ssize_t i
    if single:
        for i in range(bytes // 4):
            total += (<const float*>at)[i] * 0
    else:
        for i in range(bytes // 8):
            total += (<const double*>at)[i] * 0
    return total == 0


cdef Py_ssize_t _first_unfit(Tensor t) noexcept:
    """Return the index of the first matrix with a number that is not finite, or -1."""
    cdef bint single = real_of(t.dtype) == FLOAT32
    cdef Py_ssize_t i
    if t.numel == 0 or _is_finite(t.data, t.numel * ITEMSIZE[t.dtype], single):
        return -1
    for i in range(count_matrices(t)):
        if not _is_finite(t.data + i * matrix_bytes(t), matrix_bytes(t), single):
            return i
    return -1


cdef Tensor _nothing(int dtype):
    cdef Py_ssize_t zero = 0
    return empty(dtype, 1, &zero)


# --- symmetric and Hermitian matrices -------------------------------------------------------------------------------

cdef object _eigh(Operator op, PyObject** slots):
    """Slots: A, UPLO, compute_v."""
    cdef Tensor a = <Tensor>slots[0], vectors, values, infos
    cdef bint wanted = <object>slots[2] is True, is_complex = CATEGORY[a.dtype] == CAT_COMPLEX
    cdef lapack_int n, size, rwork, iwork
    cdef int real = real_of(a.dtype)
    cdef Py_ssize_t i
    cdef Call call
    triangle = (<object>slots[1]).upper()
    if triangle not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {<object>slots[1]}")
    check_matrices("linalg.eigh", a, True)
    check_kernel("linalg_eigh", a)
    n = a.sizes[a.ndim - 1]
    vectors, values, infos = in_columns(a), zero_vectors(real, a, n), zeros_of(INT64, a.ndim - 2, a.sizes)
    if vectors.numel:
        unfit = [i for i in range(infos.numel)
                 if not _is_finite(vectors.data + i * matrix_bytes(vectors), matrix_bytes(vectors), real == FLOAT32)]
        for i in unfit:  # the routine might not terminate for them
            memset(vectors.data + i * matrix_bytes(vectors), 0, matrix_bytes(vectors))
        rwork = 1 + 5 * n + 2 * n * n if wanted else max(1, n)
        iwork = 3 + 5 * n if wanted else 1
        begin(&call, "syevd", a.dtype, "heevd")
        add(&call, YES if wanted else AS_IS)
        add(&call, UPPER if triangle == "U" else LOWER)
        add(&call, &n)
        add(&call, vectors.data, matrix_bytes(vectors))
        add(&call, &n)
        add(&call, values.data, n * ITEMSIZE[real])
        add_workspace(&call, &size)
        if is_complex:
            add_scratch(&call, rwork * ITEMSIZE[real])
            add(&call, &rwork)
        add_scratch(&call, 8 * iwork)
        add(&call, &iwork)
        add(&call, infos.data, 8)
        call.work = 4 * n * n * n
        run(&call, infos.numel)
        check_infos("linalg.eigh", infos, "The algorithm failed to converge because the input matrix is "
                    "ill-conditioned or has too many repeated eigenvalues (error code: {info}).")
        for i in unfit:
            _fill_nan(values, i * n, n)
            _fill_nan(vectors, i * n * n, n * n)
    return values, vectors if wanted else _nothing(a.dtype)


cdef void _fill_nan(Tensor t, Py_ssize_t first, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i, words = 2 if CATEGORY[t.dtype] == CAT_COMPLEX else 1
    for i in range(first * words, (first + n) * words):
        if real_of(t.dtype) == FLOAT32:
            (<float*>t.data)[i] = NAN
        else:
            (<double*>t.data)[i] = NAN


# --- any square matrices --------------------------------------------------------------------------------------------

ctypedef fused real_t:
    float
    double


cdef void _join(real_t* out, const real_t* re, const real_t* im, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        out[2 * i], out[2 * i + 1] = re[i], im[i]


cdef void _unpack(real_t* out, const real_t* packed, const real_t* im, Py_ssize_t n) noexcept:
    """Convert LAPACK's columns to complex vectors; two columns hold real and imaginary part of a conjugate pair's."""
    cdef Py_ssize_t i, j = 0
    while j < n:
        for i in range(n):
            out[2 * (j * n + i)], out[2 * (j * n + i) + 1] = packed[j * n + i], 0
        if im[j] != 0 and j + 1 < n:
            for i in range(n):
                out[2 * (j * n + i) + 1] = packed[(j + 1) * n + i]
                out[2 * ((j + 1) * n + i)] = packed[j * n + i]
                out[2 * ((j + 1) * n + i) + 1] = -packed[(j + 1) * n + i]
            j += 1
        j += 1


cdef tuple _eigen(Tensor a, str function, bint wanted):
    """Return eigenvalues, and eigenvectors if requested; both are always complex."""
    cdef bint is_complex = CATEGORY[a.dtype] == CAT_COMPLEX
    cdef int real = real_of(a.dtype), out_dtype
    cdef Tensor work, re, im, values, packed, vectors, infos
    cdef lapack_int n, one = 1, size
    cdef Py_ssize_t i
    cdef Call call
    if CATEGORY[a.dtype] < CAT_FLOAT:
        raise RuntimeError(f"Unknown Complex ScalarType for {type_name(dtype_object(a.dtype))}")
    check_matrices(function, a, True)
    check_kernel("linalg_eig_out", a)
    out_dtype = COMPLEX64 if real == FLOAT32 else COMPLEX128
    n = a.sizes[a.ndim - 1]
    work, infos = in_columns(a), zeros_of(INT64, a.ndim - 2, a.sizes)
    if _first_unfit(work) >= 0:
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    values = zero_vectors(out_dtype, a, n)
    vectors = empty_columns(out_dtype, a.ndim - 2, a.sizes, n, n) if wanted else _nothing(out_dtype)
    if work.numel == 0:
        return values, vectors
    packed = vectors if is_complex or not wanted else empty_columns(real, a.ndim - 2, a.sizes, n, n)
    re = im = None
    begin(&call, "geev", a.dtype)
    add(&call, AS_IS)
    add(&call, YES if wanted else AS_IS)
    add(&call, &n)
    add(&call, work.data, matrix_bytes(work))
    add(&call, &n)
    if is_complex:
        add(&call, values.data, n * ITEMSIZE[out_dtype])
    else:
        re, im = zero_vectors(real, a, n), zero_vectors(real, a, n)
        add(&call, re.data, n * ITEMSIZE[real])
        add(&call, im.data, n * ITEMSIZE[real])
    add_scratch(&call, 16)  # left vectors
    add(&call, &one)
    add(&call, packed.data, matrix_bytes(packed) if wanted else 0)
    add(&call, &n if wanted else &one)
    add_workspace(&call, &size)
    if is_complex:
        add_scratch(&call, 2 * n * ITEMSIZE[real])
    add(&call, infos.data, 8)
    call.work = 20 * n * n * n
    run(&call, infos.numel)
    check_infos(function, infos, "The algorithm failed to converge because the input matrix is ill-conditioned or has "
                "too many repeated eigenvalues (error code: {info}).")
    if not is_complex:
        for i in range(infos.numel):
            if real == FLOAT32:
                _join(<float*>values.data + 2 * i * n, <float*>re.data + i * n, <float*>im.data + i * n, n)
                if wanted:
                    _unpack(<float*>vectors.data + 2 * i * n * n, <float*>packed.data + i * n * n,
                            <float*>im.data + i * n, n)
            else:
                _join(<double*>values.data + 2 * i * n, <double*>re.data + i * n, <double*>im.data + i * n, n)
                if wanted:
                    _unpack(<double*>vectors.data + 2 * i * n * n, <double*>packed.data + i * n * n,
                            <double*>im.data + i * n, n)
    return values, vectors


cdef object _eig(Operator op, PyObject** slots):
    """Slots: self."""
    return _eigen(<Tensor>slots[0], "linalg.eig", True)


cdef object _eigvals(Operator op, PyObject** slots):
    """Slots: self."""
    return _eigen(<Tensor>slots[0], "linalg.eigvals", False)[0]


# --- singular values ------------------------------------------------------------------------------------------------

cdef object _svd(Operator op, PyObject** slots):
    """Slots: A, full_matrices, compute_uv, driver."""
    cdef Tensor a = <Tensor>slots[0], work, u, s, vh, infos
    cdef bint full = <object>slots[1] is True, wanted = <object>slots[2] is True
    cdef bint is_complex = CATEGORY[a.dtype] == CAT_COMPLEX
    cdef int real = real_of(a.dtype)
    cdef lapack_int m, n, ldu, ldv, size
    cdef Py_ssize_t k, most, bad
    cdef Call call
    check_matrices("linalg.svd", a, False)
    check_dtype("linalg.svd", a, "linalg_svd")
    if slots[3] != <PyObject*>None:
        raise RuntimeError("torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
                           "cuSOLVER backend.")
    m, n = a.sizes[a.ndim - 2], a.sizes[a.ndim - 1]
    k, most = min(m, n), max(m, n)
    s = zero_vectors(real, a, k)
    if wanted and k == 0 and full:  # then any orthonormal vectors are correct
        return identities(a.dtype, a.ndim - 2, a.sizes, m, m), s, identities(a.dtype, a.ndim - 2, a.sizes, n, n)
    if wanted:
        u = empty_columns(a.dtype, a.ndim - 2, a.sizes, m, m if full else k)
        vh = empty_columns(a.dtype, a.ndim - 2, a.sizes, n if full else k, n)
        ldu, ldv = max(1, m), max(1, vh.sizes[vh.ndim - 2])
    else:
        u, vh = _nothing(a.dtype), _nothing(a.dtype)
        ldu = ldv = 1
    work, infos = in_columns(a), zeros_of(INT64, a.ndim - 2, a.sizes)
    if work.numel == 0:
        return u, s, vh
    bad = _first_unfit(work)
    if bad >= 0:
        where = f"(Batch element {bad}): " if a.ndim > 2 else ""
        raise LinAlgError(f"linalg.svd: {where}The algorithm failed to converge because the input matrix contained "
                          "non-finite values.")
    begin(&call, "gesdd", a.dtype)
    add(&call, AS_IS if not wanted else ALL if full else SOME)
    add(&call, &m)
    add(&call, &n)
    add(&call, work.data, matrix_bytes(work))
    add(&call, &m)
    add(&call, s.data, k * ITEMSIZE[real])
    add(&call, u.data, matrix_bytes(u) if wanted else 0)
    add(&call, &ldu)
    add(&call, vh.data, matrix_bytes(vh) if wanted else 0)
    add(&call, &ldv)
    add_workspace(&call, &size)
    if is_complex:
        add_scratch(&call, (max(5 * k * k + 5 * k, 2 * most * k + 2 * k * k + k) if wanted else 7 * k)
                    * ITEMSIZE[real])
    add_scratch(&call, 8 * 8 * k)
    add(&call, infos.data, 8)
    call.work = 10 * m * n * k
    run(&call, infos.numel)
    check_infos("linalg.svd", infos, "The algorithm failed to converge because the input matrix is ill-conditioned or "
                "has too many repeated singular values (error code: {info}).")
    return u, s, vh


eigh, eig, eigvals, svd = make_kernel(_eigh), make_kernel(_eig), make_kernel(_eigvals), make_kernel(_svd)
