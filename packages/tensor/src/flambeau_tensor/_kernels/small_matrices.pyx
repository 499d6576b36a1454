# cython: language_level=3
"""LU, substitution and Cholesky factors of real column-major matrices up to 8 × 8."""
from libc.math cimport sqrt

from flambeau_tensor._core.memory.types cimport FLOAT32, FLOAT64
from flambeau_tensor._kernels.lapack cimport lapack_int, routine_t

ctypedef fused real_t:
    float
    double

cdef enum:
    MOST = 8


cdef inline real_t _size(real_t x) noexcept nogil:
    return -x if x < 0 else x


cdef void _getrf(void** args, real_t* a) noexcept nogil:
    """Compute LU with row exchanges. Arguments: m, n, A, its leading dimension, pivots, info."""
    cdef lapack_int m = (<lapack_int*>args[0])[0], n = (<lapack_int*>args[1])[0], ld = (<lapack_int*>args[3])[0]
    cdef lapack_int* pivots = <lapack_int*>args[4]
    cdef lapack_int info = 0, i, j, k, at
    cdef real_t x, y
    for k in range(min(m, n)):
        at, x = k, _size(a[k + k * ld])
        for i in range(k + 1, m):
            y = _size(a[i + k * ld])
            if y > x:
                at, x = i, y
        pivots[k] = at + 1
        if a[at + k * ld] == 0:
            info = k + 1 if info == 0 else info
            continue
        if at != k:
            for j in range(n):
                a[k + j * ld], a[at + j * ld] = a[at + j * ld], a[k + j * ld]
        x = a[k + k * ld]
        for i in range(k + 1, m):
            a[i + k * ld] /= x
        for j in range(k + 1, n):
            x = a[k + j * ld]
            for i in range(k + 1, m):
                a[i + j * ld] -= a[i + k * ld] * x
    (<lapack_int*>args[5])[0] = info


cdef void _getrs(void** args, const real_t* a) noexcept nogil:
    """Solve by LU. Arguments: transposed, n, columns, LU, its leading dimension, pivots, B, its own, info."""
    cdef lapack_int n = (<lapack_int*>args[1])[0], columns = (<lapack_int*>args[2])[0]
    cdef lapack_int ld = (<lapack_int*>args[4])[0], step = (<lapack_int*>args[7])[0], i, k, at, _c
    cdef const lapack_int* pivots = <const lapack_int*>args[5]
    cdef real_t* b = <real_t*>args[6]
    cdef bint plain = (<char*>args[0])[0] == b"N"
    cdef real_t x
    for _c in range(columns):
        if plain:
            for k in range(n):
                at = pivots[k] - 1
                b[k], b[at] = b[at], b[k]
            for k in range(n):
                x = b[k]
                for i in range(k + 1, n):
                    b[i] -= a[i + k * ld] * x
            for k in range(n - 1, -1, -1):
                b[k] /= a[k + k * ld]
                x = b[k]
                for i in range(k):
                    b[i] -= a[i + k * ld] * x
        else:
            for k in range(n):
                x = b[k]
                for i in range(k):
                    x -= a[i + k * ld] * b[i]
                b[k] = x / a[k + k * ld]
            for k in range(n - 1, -1, -1):
                x = b[k]
                for i in range(k + 1, n):
                    x -= a[i + k * ld] * b[i]
                b[k] = x
            for k in range(n - 1, -1, -1):
                at = pivots[k] - 1
                b[k], b[at] = b[at], b[k]
        b += step
    (<lapack_int*>args[8])[0] = 0


cdef void _potrf(void** args, real_t* a) noexcept nogil:
    """Compute the Cholesky factor. Arguments: triangle, n, A, its leading dimension, info."""
    cdef lapack_int n = (<lapack_int*>args[1])[0], ld = (<lapack_int*>args[3])[0], down = 1, right = ld, i, j, k
    cdef real_t x
    (<lapack_int*>args[4])[0] = 0
    if (<char*>args[0])[0] == b"U":
        down, right = ld, 1
    for k in range(n):
        x = a[k * (ld + 1)]
        for j in range(k):
            x -= a[k * down + j * right] * a[k * down + j * right]
        if not x > 0:
            a[k * (ld + 1)] = x
            (<lapack_int*>args[4])[0] = k + 1
            return
        a[k * (ld + 1)] = <real_t>sqrt(x)
        x = a[k * (ld + 1)]
        for i in range(k + 1, n):
            for j in range(k):
                a[i * down + k * right] -= a[i * down + j * right] * a[k * down + j * right]
            a[i * down + k * right] /= x


cdef void _sgetrf(void** args) noexcept nogil:
    _getrf[float](args, <float*>args[2])


cdef void _dgetrf(void** args) noexcept nogil:
    _getrf[double](args, <double*>args[2])


cdef void _sgetrs(void** args) noexcept nogil:
    _getrs[float](args, <float*>args[3])


cdef void _dgetrs(void** args) noexcept nogil:
    _getrs[double](args, <double*>args[3])


cdef void _spotrf(void** args) noexcept nogil:
    _potrf[float](args, <float*>args[2])


cdef void _dpotrf(void** args) noexcept nogil:
    _potrf[double](args, <double*>args[2])


cdef inline routine_t _chosen(int dtype, Py_ssize_t n, routine_t single, routine_t double_) noexcept:
    if n > MOST:
        return NULL
    return single if dtype == FLOAT32 else double_ if dtype == FLOAT64 else NULL


cdef routine_t small_getrf(int dtype, Py_ssize_t n) noexcept:
    return _chosen(dtype, n, _sgetrf, _dgetrf)


cdef routine_t small_getrs(int dtype, Py_ssize_t n) noexcept:
    return _chosen(dtype, n, _sgetrs, _dgetrs)


cdef routine_t small_potrf(int dtype, Py_ssize_t n) noexcept:
    return _chosen(dtype, n, _spotrf, _dpotrf)
