"""The LAPACK routines that `lapack` calls, on ``numpy.linalg``, for NumPy libraries that cannot be called from C.

They have LAPACK's arguments, which are all addresses, and its conventions: matrices are column-major, factors overwrite
their matrix, and `info` reports failures. Addresses of workspace are 0. If NumPy has no function (LU with row
exchanges, reflectors, Bunch-Kaufman factors, substitution), Python loops over columns.
"""

import ctypes
from functools import partial

import numpy as np
from numpy.linalg import LinAlgError

_BUNCH_KAUFMAN = (1 + 17**0.5) / 8


def _number(at):
    return ctypes.c_int64.from_address(at).value


def _letter(at):
    return ctypes.string_at(at, 1).decode()


def _vector(dtype, at, n):
    return np.frombuffer((ctypes.c_char * (n * np.dtype(dtype).itemsize)).from_address(at), dtype)


def _matrix(dtype, at, rows, columns, step):
    return _vector(dtype, at, step * columns).reshape(columns, step).T[:rows]


def _report(at, info):
    if at:
        ctypes.c_int64.from_address(at).value = info


def _real(dtype):
    return np.empty(0, dtype).real.dtype


def _size(x):
    """Return LAPACK's measure of the size of complex pivots."""
    return np.abs(x.real) + np.abs(x.imag)


def _swap(a, i, j):
    if i != j:
        a[[i, j]] = a[[j, i]]


def _substitute(a, b, lower, unit):
    """Solve with a triangular matrix, in place."""
    n = len(a)
    for i in range(n) if lower else reversed(range(n)):
        rest = slice(0, i) if lower else slice(i + 1, n)
        b[i] -= a[i, rest] @ b[rest]
        if not unit:
            b[i] /= a[i, i]


def _potrf(dtype, uplo, n, a, lda, info):
    n = _number(n)
    a = _matrix(dtype, a, n, n, _number(lda))
    upper = _letter(uplo) == "U"
    lower = np.tril(a.conj().T if upper else a)
    whole = lower + np.tril(lower, -1).conj().T
    _report(info, 0)
    try:
        found = np.linalg.cholesky(whole)
    except LinAlgError:
        minor = next(k for k in range(1, n + 1) if not _is_definite(whole[:k, :k]))
        _report(info, minor)
        return
    a[...] = found.conj().T if upper else found


def _is_definite(a):
    try:
        np.linalg.cholesky(a)
    except LinAlgError:
        return False
    return True


def _getrf(dtype, m, n, a, lda, pivots, info):
    m, n = _number(m), _number(n)
    a, pivots = _matrix(dtype, a, m, n, _number(lda)), _vector("int64", pivots, min(m, n))
    failed = 0
    for j in range(min(m, n)):
        p = j + int(_size(a[j:, j]).argmax())
        pivots[j] = p + 1
        _swap(a, j, p)
        if a[j, j] == 0:
            failed = failed or j + 1
        else:
            a[j + 1 :, j] /= a[j, j]
        a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    _report(info, failed)


def _getrs(dtype, trans, n, columns, a, lda, pivots, b, ldb, info):
    n, trans = _number(n), _letter(trans)
    a, pivots = _matrix(dtype, a, n, n, _number(lda)), _vector("int64", pivots, n)
    b = _matrix(dtype, b, n, _number(columns), _number(ldb))
    if trans == "N":
        for i in range(n):
            _swap(b, i, pivots[i] - 1)
        _substitute(a, b, True, True)
        _substitute(a, b, False, False)
    else:
        turned = a.conj().T if trans == "C" else a.T
        _substitute(turned, b, True, False)
        _substitute(turned, b, False, True)
        for i in reversed(range(n)):
            _swap(b, i, pivots[i] - 1)
    _report(info, 0)


def _trsm(dtype, side, uplo, trans, diagonal, m, n, factor, a, lda, b, ldb):
    m, n, left, trans = _number(m), _number(n), _letter(side) == "L", _letter(trans)
    size = m if left else n
    a, b = _matrix(dtype, a, size, size, _number(lda)), _matrix(dtype, b, m, n, _number(ldb))
    lower = _letter(uplo) == "L"
    if trans != "N":
        a, lower = a.conj().T if trans == "C" else a.T, not lower
    b *= _vector(dtype, factor, 1)[0]
    if left:
        _substitute(a, b, lower, _letter(diagonal) == "U")
    else:
        _substitute(a.T, b.T, not lower, _letter(diagonal) == "U")


def _geqrf(dtype, m, n, a, lda, tau, work, lwork, info):
    m, n = _number(m), _number(n)
    a, tau = _matrix(dtype, a, m, n, _number(lda)), _vector(dtype, tau, min(m, n))
    reflectors, found = np.linalg.qr(a, mode="raw")
    a[...], tau[:] = reflectors.T, found
    _report(info, 0)


def _reflect(a, tau, c, i):
    """Apply a reflector that begins in row i from the left."""
    v = np.concatenate(([1], a[i + 1 :, i])).astype(a.dtype)
    c[i:] -= tau * np.outer(v, v.conj() @ c[i:])


def _orgqr(dtype, m, n, k, a, lda, tau, work, lwork, info):
    m, n, k = _number(m), _number(n), _number(k)
    a, tau = _matrix(dtype, a, m, n, _number(lda)), _vector(dtype, tau, k)
    q = np.eye(m, n, dtype=dtype)
    for i in reversed(range(k)):
        _reflect(a, tau[i], q, i)
    a[...] = q
    _report(info, 0)


def _ormqr(dtype, side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info):
    m, n, k, left, plain = _number(m), _number(n), _number(k), _letter(side) == "L", _letter(trans) == "N"
    a, tau = _matrix(dtype, a, m if left else n, k, _number(lda)), _vector(dtype, tau, k)
    c = _matrix(dtype, c, m, n, _number(ldc))
    if not left:  # c q = (qᴴ cᴴ)ᴴ
        turned, plain = c.conj().T.copy(), not plain
    for i in reversed(range(k)) if plain else range(k):
        _reflect(a, tau[i] if plain else tau[i].conj(), c if left else turned, i)
    if not left:
        c[...] = turned.conj().T
    _report(info, 0)


def _syevd(dtype, wanted, uplo, n, a, lda, values, *rest):
    n = _number(n)
    a, values = _matrix(dtype, a, n, n, _number(lda)), _vector(_real(dtype), values, n)
    _report(rest[-1], 0)
    try:
        if _letter(wanted) == "V":
            values[:], a[...] = np.linalg.eigh(a, _letter(uplo))
        else:
            values[:] = np.linalg.eigvalsh(a, _letter(uplo))
    except LinAlgError:
        _report(rest[-1], 1)


def _geev(dtype, left, wanted, n, a, lda, values, *rest):
    n = _number(n)
    a = _matrix(dtype, a, n, n, _number(lda))
    is_complex = np.dtype(dtype).kind == "c"
    imaginary, vectors, step = (None, *rest[2:4]) if is_complex else (rest[0], *rest[3:5])
    values = _vector(dtype, values, n)
    _report(rest[-1], 0)
    try:
        found, columns = np.linalg.eig(a)
    except LinAlgError:
        _report(rest[-1], 1)
        return
    if is_complex:
        values[:] = found
    else:
        values[:], _vector(dtype, imaginary, n)[:] = found.real, found.imag
    if _letter(wanted) == "V":
        out = _matrix(dtype, vectors, n, n, _number(step))
        if not is_complex:  # of a complex pair, one column has the real parts and the next the imaginary parts
            second = np.flatnonzero(found.imag < 0)
            columns, pairs = columns.real.copy(), columns
            columns[:, second] = pairs[:, second - 1].imag
        out[...] = columns


def _gesdd(dtype, job, m, n, a, lda, values, u, ldu, vt, ldvt, *rest):
    m, n, job = _number(m), _number(n), _letter(job)
    a, values = _matrix(dtype, a, m, n, _number(lda)), _vector(_real(dtype), values, min(m, n))
    _report(rest[-1], 0)
    try:
        if job == "N":
            values[:] = np.linalg.svd(a, compute_uv=False)
            return
        left, values[:], right = np.linalg.svd(a, full_matrices=job == "A")
    except LinAlgError:
        _report(rest[-1], 1)
        return
    _matrix(dtype, u, m, left.shape[1], _number(ldu))[...] = left
    _matrix(dtype, vt, right.shape[0], n, _number(ldvt))[...] = right


def _least_squares(dtype, a, b, rcond):
    """Write solutions and transformed residuals to b; return rank and singular values."""
    n = a.shape[1]
    left, values, right = np.linalg.svd(a)
    least = len(values)
    rank = int((values > (np.finfo(dtype).eps if rcond < 0 else rcond) * values[0]).sum())
    turned = left.conj().T @ b[: len(a)]
    b[:n] = right[:rank].conj().T @ (turned[:rank] / values[:rank, None])
    b[n : len(a)] = turned[n:]
    return rank, values[:least]


def _gels(dtype, trans, m, n, columns, a, lda, b, ldb, work, lwork, info):
    m, n = _number(m), _number(n)
    b = _matrix(dtype, b, max(m, n), _number(columns), _number(ldb))
    rank, _ = _least_squares(dtype, _matrix(dtype, a, m, n, _number(lda)), b, 0)
    _report(info, 0 if rank == min(m, n) else rank + 1)


def _gelsd(dtype, m, n, columns, a, lda, b, ldb, values, rcond, rank, *rest, gives_values=True):
    m, n = _number(m), _number(n)
    b = _matrix(dtype, b, max(m, n), _number(columns), _number(ldb))
    least = float(_vector(_real(dtype), rcond, 1)[0])
    found, singular = _least_squares(dtype, _matrix(dtype, a, m, n, _number(lda)), b, least)
    if gives_values:
        _vector(_real(dtype), values, min(m, n))[:] = singular
    _report(rank, found)
    _report(rest[-1], 0)


def _sytrf(dtype, uplo, n, a, lda, pivots, work, lwork, info, *, hermitian=False):
    """Compute the Bunch-Kaufman factors below the diagonal."""
    n = _number(n)
    a, pivots = _matrix(dtype, a, n, n, _number(lda)), _vector("int64", pivots, n)
    turn = np.conj if hermitian else np.asarray
    s = np.tril(a) + turn(np.tril(a, -1).T)
    if hermitian:
        np.fill_diagonal(s, s.diagonal().real)
    failed = k = 0
    while k < n:
        step, p = 1, k
        here, below = _size(s[k, k]), _size(s[k + 1 :, k])
        most = below.max(initial=0)
        if max(here, most) == 0:
            failed = failed or k + 1
        elif here < _BUNCH_KAUFMAN * most:
            i = k + 1 + int(below.argmax())
            row = _size(s[i, k:])
            row[i - k] = 0
            if here < _BUNCH_KAUFMAN * most * (most / row.max()):
                p = i
                step = 1 if _size(s[i, i]) >= _BUNCH_KAUFMAN * row.max() else 2
        last, after = k + step - 1, k + step
        if p != last:
            s[[last, p], k:] = s[[p, last], k:]
            s[k:, [last, p]] = s[k:, [p, last]]
        pivots[k:after] = p + 1 if step == 1 else -(p + 1)
        block, columns = s[k:after, k:after], s[after:, k:after].copy()
        if block.any():
            factors = np.linalg.solve(block.T, columns.T).T if step == 2 else columns / block[0, 0]
            s[after:, after:] -= factors @ turn(columns.T)
            s[after:, k:after] = factors
        k = after
    a[...] = np.tril(s) + np.triu(a, 1)
    _report(info, failed)


def _sytrs(dtype, uplo, n, columns, a, lda, pivots, b, ldb, info, *, hermitian=False):
    n = _number(n)
    a, pivots = _matrix(dtype, a, n, n, _number(lda)), _vector("int64", pivots, n)
    b = _matrix(dtype, b, n, _number(columns), _number(ldb))
    turn = np.conj if hermitian else np.asarray
    blocks, k = [], 0
    while k < n:
        blocks.append((k, k + 1 if pivots[k] > 0 else k + 2))
        k = blocks[-1][1]
    for k, after in blocks:
        _swap(b, after - 1, abs(pivots[k]) - 1)
        b[after:] -= a[after:, k:after] @ b[k:after]
        lower = a[k:after, k:after]
        block = np.tril(lower) + turn(np.tril(lower, -1).T)
        b[k:after] = b[k:after] / block if after == k + 1 else np.linalg.solve(block, b[k:after])
    for k, after in reversed(blocks):
        b[k:after] -= turn(a[after:, k:after].T) @ b[after:]
        _swap(b, after - 1, abs(pivots[k]) - 1)
    _report(info, 0)


_ROUTINES = {
    **{"potrf": _potrf, "getrf": _getrf, "getrs": _getrs, "trsm": _trsm, "geqrf": _geqrf},
    **{"orgqr": _orgqr, "ungqr": _orgqr, "ormqr": _ormqr, "unmqr": _ormqr, "syevd": _syevd, "heevd": _syevd},
    **{"geev": _geev, "gesdd": _gesdd, "gels": _gels, "gelsd": _gelsd, "gelss": _gelsd},
    "gelsy": partial(_gelsd, gives_values=False),
    "sytrf": _sytrf,
    "hetrf": partial(_sytrf, hermitian=True),
    "sytrs": _sytrs,
    "hetrs": partial(_sytrs, hermitian=True),
}


def routine(name, dtype):
    """Return the function that takes the addresses of a routine's arguments, for the name of a NumPy dtype."""
    function = _ROUTINES[name]

    def run(*addresses):
        with np.errstate(all="ignore"):
            function(dtype, *addresses)

    return run
