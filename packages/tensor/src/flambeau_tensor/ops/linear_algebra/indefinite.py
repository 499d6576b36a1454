"""Symmetric and Hermitian matrices that may be indefinite, and low-rank approximations."""

from flambeau_tensor._core.call.forwarding import Forward
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION, METHOD
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import indefinite as kernels
from flambeau_tensor.ops.linear_algebra.factorization import lu_factor_ex, qr
from flambeau_tensor.ops.matmul import matmul
from flambeau_tensor.packing import apply, apply_functional

LINALG = {"namespace": "torch.linalg", "variants": FUNCTION}
_OUTS = "Tensor(a!)[]? out=None"

# --- LDLᵀ -----------------------------------------------------------------------------------------------------------

_LDL = """
L and D of A = P L D Lᵀ Pᵀ (Lᴴ with `hermitian`) by Bunch and Kaufman's pivoting, in the lower triangle of one matrix,
and the exchanges of rows as LAPACK's `sytrf` lists them; D has blocks of 1 × 1 and 2 × 2. There is no derivative.

Args:
    input: symmetric matrices, or with `hermitian` Hermitian ones, (*, n, n), of a floating point or complex dtype of at
        least 32 bits. Only the lower triangle is read.
    hermitian: whether the transpose is conjugated.
"""
ldl_factor_ex = Operator(
    "ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False, " + _OUTS + ") -> "
    "(Tensor LD, Tensor pivots, Tensor info)",
    kernels.ldl_factor_ex,
    doc=_LDL
    + """
`info` is 0, or the index of the first zero in D; `check_errors=True` raises a RuntimeError in that case.
""",
    **LINALG,
)
ldl_factor = Operator(
    "ldl_factor(Tensor self, *, bool hermitian=False, " + _OUTS + ") -> (Tensor LD, Tensor pivots)",
    Forward(ldl_factor_ex, 2, check_errors=True),
    composite=True,
    doc=_LDL
    + """
Raises a RuntimeError that names the matrix of the batch if D has a zero.

>>> import flambeau_tensor as ft
>>> from flambeau_tensor.linalg import ldl_factor
>>> ldl_factor(ft.tensor([[2.0, 1.0], [1.0, 1.0]])).LD
tensor([[2.0000, 0.0000],
        [0.5000, 0.5000]])
""",
    **LINALG,
)
ldl_solve = Operator(
    "ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False, Tensor(a!)? out=None) -> Tensor",
    kernels.ldl_solve,
    doc="""
The solution X of A X = B, from the results of `linalg.ldl_factor` for A. There is no derivative.

Args:
    LD: (*, n, n).
    pivots: (*, n), integers.
    B: (*, n, k), of the dtype of `LD`; batches broadcast.
    hermitian: the value that `ldl_factor` was called with.

Raises:
    RuntimeError: sizes or dtypes do not fit.
""",
    **LINALG,
)


def _lu(input, pivot, get_infos, out=None):
    LU, pivots, infos = lu_factor_ex(input, pivot=pivot)
    results = (LU, pivots, infos) if get_infos else (LU, pivots)
    if out is None:
        return results
    if len(out) != len(results):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
    return tuple(o.resize_as_(r).copy_(r) for o, r in zip(out, results, strict=True))


Operator("lu(Tensor self, bool pivot=True, bool get_infos=False) -> Tensor[]", _lu, composite=True, variants=METHOD)
Operator(
    "lu(Tensor A, bool pivot=True, bool get_infos=False, Tensor(a!)[]? out=None) -> Tensor[]",
    _lu,
    composite=True,
    variants=FUNCTION,
    doc="`linalg.lu_factor`, which does not raise for singular matrices; with `get_infos` also where each is so.",
)


# --- low rank -------------------------------------------------------------------------------------------------------


def _basis(A, q, niter, M):
    """Return orthonormal columns that approximately span those of A - M, by subspace iteration from random vectors
    (N. Halko, P. Martinsson, J. Tropp, SIAM Review 53 (2011) 217)."""

    def times(matrix, mean, x):
        return matmul(matrix, x) if mean is None else matmul(matrix, x) - matmul(mean, x)

    dtype = A.dtype if A.is_floating_point() or A.is_complex() else find_operator("torch.tensor")(0.0).dtype
    Q = qr(times(A, M, find_operator("torch.randn")((A.shape[-1], q), dtype=dtype, device=A.device)))[0]
    for _ in range(niter):
        Q = qr(times(A.mH, None if M is None else M.mH, Q))[0]
        Q = qr(times(A, M, Q))[0]
    return Q


def _svd_lowrank(A, q, niter, M):
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    if M is not None:
        M = M.expand(tuple(A.shape))
    m, n = A.shape[-2:]
    wide = m < n
    if wide:
        A, M = A.mH, None if M is None else M.mH
    Q = _basis(A, q, niter, M)
    small = matmul(Q.mH, A) if M is None else matmul(Q.mH, A) - matmul(Q.mH, M)
    U, S, Vh = find_operator("torch.linalg.svd")(small, False)
    U, V = matmul(Q, U), Vh.mH
    return (V, S, U) if wide else (U, S, V)


_RESULTS = """
Returns:
    Nearly orthonormal columns U, (*, m, q), the largest singular values S, (*, q), and columns V, (*, n, q), by
    a randomized algorithm: results differ from run to run unless the seed is set.
"""
svd_lowrank = Operator(
    "svd_lowrank(Tensor A, int? q=6, int? niter=2, Tensor? M=None) -> Tensor[]",
    _svd_lowrank,
    composite=True,
    variants=FUNCTION,
    doc="""
The singular value decomposition of matrices of low rank: A - M ≈ U diag(S) Vᴴ.

Args:
    A: (*, m, n), of a floating point or complex dtype.
    q: the number of components; use slightly more than the rank.
    niter: steps of subspace iteration.
    M: what is subtracted, broadcast to the shape of A.
"""
    + _RESULTS,
)


def _pca_lowrank(A, q, center, niter):
    m, n = A.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return _svd_lowrank(A - A.mean((-2,), True) if center else A, q, niter, None)


pca_lowrank = Operator(
    "pca_lowrank(Tensor A, int? q=None, bool center=True, int niter=2) -> Tensor[]",
    _pca_lowrank,
    composite=True,
    variants=FUNCTION,
    doc="""
Principal components of the rows of matrices: `svd_lowrank` of them less the mean of the rows. The columns of V are the
directions, S²/(m - 1) the variances along them.

Args:
    A: (*, m, n), m samples of n variables.
    q: the number of components, at most min(m, n); by default at most 6.
    center: whether to subtract the mean.
    niter: steps of subspace iteration.

Raises:
    ValueError: `q` or `niter` is negative, or `q` too large.
"""
    + _RESULTS,
)
apply_functional(
    {
        "lu": "A! * pivot=True get_infos=False out=None",
        "svd_lowrank": "A! * q=6 niter=2 M!=None",
        "pca_lowrank": "A! * q=None center=True niter=2",
    }
)
apply("torch.Tensor", {"lu": "self! * pivot=True get_infos=False"})
