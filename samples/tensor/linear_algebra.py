"""Calls of linear algebra: factorizations, solutions, spectra."""

import numpy as np

import flambeau_tensor as torch
from flambeau_tensor import linalg
from samples import Dtypes, call, real

A, AA = real(3, 3), real(2, 3, 3)
TALL, WIDE = real(4, 3), real(2, 3, 5)
B, BB = real(3, 2), real(2, 3, 2)


def positive(a):
    return a @ a.mH + torch.eye(a.shape[-1], dtype=a.dtype, device=a.device) * a.shape[-1]


def hermitian(a):
    return a + a.mH


def of_positive(op, a, **options):
    return op(positive(a), **options)


def first(op, *tensors, **options):
    return op(*tensors, **options)[0]


def all_but_first(op, a):
    return op(a)[1:]


def without_phases(u, s, vh):
    """What does not depend on the phase of singular vectors."""
    return u @ vh, s


def _solve_indefinite(op, a, b):
    LD, pivots, _ = linalg.ldl_factor_ex(a)
    return op(LD, pivots, b)


TABLE = {
    "linalg.cholesky": call(A, via=of_positive, dtypes=Dtypes.LAPACK),
    "linalg.cholesky, upper": call(AA, via=lambda op, a: op(positive(a), upper=True), dtypes=Dtypes.LAPACK),
    "linalg.cholesky_ex": call(A, via=lambda op, a: op(positive(a))[0], dtypes=Dtypes.LAPACK),
    "cholesky": call(A, via=of_positive, dtypes=Dtypes.LAPACK),
    "cholesky_solve": call(A, B, via=lambda op, a, b: op(b, linalg.cholesky(positive(a))), dtypes=Dtypes.LAPACK),
    "cholesky_solve, upper": call(
        AA, B, via=lambda op, a, b: op(b, linalg.cholesky(positive(a), upper=True), True), dtypes=Dtypes.LAPACK
    ),
    "cholesky_inverse": call(A, via=lambda op, a: op(linalg.cholesky(positive(a))), dtypes=Dtypes.LAPACK),
    "cholesky_inverse, upper": call(
        A, via=lambda op, a: op(linalg.cholesky(positive(a), upper=True), True), dtypes=Dtypes.LAPACK
    ),
    "linalg.lu": call(A, via=all_but_first, dtypes=Dtypes.LAPACK),
    "linalg.lu, wide": call(WIDE, via=all_but_first, dtypes=Dtypes.LAPACK),
    "linalg.lu, tall": call(real(5, 3), via=all_but_first, dtypes=Dtypes.LAPACK),
    "linalg.lu_factor": call(AA, via=first, dtypes=Dtypes.LAPACK),
    "linalg.lu_factor_ex": call(AA, via=first, dtypes=Dtypes.LAPACK),
    "Tensor.lu": call(A, via=first, dtypes=Dtypes.LAPACK),
    "lu": call(A, via=first, dtypes=Dtypes.LAPACK),
    "lu_unpack": call(A, via=lambda op, a: op(*linalg.lu_factor(a))[1:], dtypes=Dtypes.LAPACK),
    "_ops._permutation": call(A, via=lambda op, a: op(*linalg.lu_factor(a)), cut=True, dtypes=Dtypes.LAPACK),
    "linalg.lu_solve": call(A, B, via=lambda op, a, b: op(*linalg.lu_factor(a), b), dtypes=Dtypes.LAPACK),
    "linalg.lu_solve, adjoint": call(
        AA, BB, via=lambda op, a, b: op(*linalg.lu_factor(a), b, adjoint=True), dtypes=Dtypes.LAPACK
    ),
    "linalg.lu_solve, right": call(
        A, real(2, 3), via=lambda op, a, b: op(*linalg.lu_factor(a), b, left=False), dtypes=Dtypes.LAPACK
    ),
    "linalg.lu_solve, both": call(
        A, real(2, 3), via=lambda op, a, b: op(*linalg.lu_factor(a), b, left=False, adjoint=True), dtypes=Dtypes.LAPACK
    ),
    "lu_solve": call(A, B, via=lambda op, a, b: op(b, *linalg.lu_factor(a)), dtypes=Dtypes.LAPACK),
    "linalg.det": call(A, like=np.linalg.det, dtypes=Dtypes.LAPACK),
    "linalg.det, many": call(AA, dtypes=Dtypes.LAPACK),
    "_linalg_det": call(A, via=first, dtypes=Dtypes.LAPACK),
    "det": call(A, dtypes=Dtypes.LAPACK),
    "linalg.slogdet": call(A, dtypes=Dtypes.LAPACK),
    "_linalg_slogdet": call(A, via=lambda op, a: op(a)[:2], dtypes=Dtypes.LAPACK),
    "slogdet": call(A, dtypes=Dtypes.LAPACK),
    "logdet": call(AA, via=lambda op, a: op(positive(a)).real, dtypes=Dtypes.LAPACK),
    "linalg.qr": call(TALL, dtypes=Dtypes.LAPACK),
    "linalg.qr, square": call(AA, dtypes=Dtypes.LAPACK),
    "linalg.qr, wide": call(real(3, 5), dtypes=Dtypes.LAPACK),
    "linalg.qr, R": call(TALL, via=lambda op, a: op(a)[1], dtypes=Dtypes.LAPACK),
    "linalg.qr, Q of a wide one": call(real(2, 4), via=first, dtypes=Dtypes.LAPACK),
    "qr": call(TALL, dtypes=Dtypes.LAPACK),
    "geqrf": call(TALL, derivative=False, dtypes=Dtypes.LAPACK),
    "linalg.householder_product": call(TALL, real(2), dtypes=Dtypes.LAPACK),
    "linalg.householder_product, of none": call(TALL, real(0), dtypes=Dtypes.LAPACK),
    "orgqr": call(TALL, real(2), dtypes=Dtypes.LAPACK),
    "ormqr": call(TALL, real(3), real(4, 2), dtypes=Dtypes.LAPACK),
    "ormqr, adjoint right": call(TALL, real(3), real(2, 4), False, True, dtypes=Dtypes.LAPACK),
    "linalg.ldl_factor_ex": call(A, derivative=False, dtypes=Dtypes.LAPACK),
    "linalg.ldl_factor": call(A, derivative=False, dtypes=Dtypes.LAPACK),
    "linalg.ldl_solve": call(A, BB, via=_solve_indefinite, derivative=False, dtypes=Dtypes.LAPACK),
    "linalg.inv": call(AA, like=np.linalg.inv, dtypes=Dtypes.LAPACK),
    "linalg.inv_ex": call(AA, via=first, dtypes=Dtypes.LAPACK),
    "inverse": call(A, dtypes=Dtypes.LAPACK),
    "linalg.solve": call(A, B, like=np.linalg.solve, dtypes=Dtypes.LAPACK),
    "linalg.solve, a vector": call(A, real(3), dtypes=Dtypes.LAPACK),
    "linalg.solve, vectors": call(AA, real(2, 3), dtypes=Dtypes.LAPACK),
    "linalg.solve, broadcast": call(A, BB, dtypes=Dtypes.LAPACK),
    "linalg.solve, many": call(AA, B, dtypes=Dtypes.LAPACK),
    "linalg.solve, right": call(A, real(2, 3), left=False, dtypes=Dtypes.LAPACK),
    "linalg.solve_ex": call(A, B, via=first, dtypes=Dtypes.LAPACK),
    "_linalg_solve_ex": call(A, B, via=first, dtypes=Dtypes.LAPACK),
    "linalg.solve_triangular": call(A, B, upper=True, dtypes=Dtypes.LAPACK),
    "linalg.solve_triangular, right": call(AA, real(2, 2, 3), upper=False, left=False, dtypes=Dtypes.LAPACK),
    "linalg.solve_triangular, unit": call(A, BB, upper=False, unitriangular=True, dtypes=Dtypes.LAPACK),
    "triangular_solve": call(B, A, via=lambda op, b, a: op(b, a, transpose=True)[0], dtypes=Dtypes.LAPACK),
    "linalg.lstsq": call(TALL, real(4, 2), via=first, dtypes=Dtypes.LAPACK),
    "linalg.lstsq, wide": call(real(2, 3, 4), real(2, 3), via=first, dtypes=Dtypes.LAPACK),
    "linalg.lstsq, residuals": call(
        real(4, 2), TALL, via=lambda op, a, b: op(a, b, driver="gelsd")[:2], dtypes=Dtypes.LAPACK
    ),
    "linalg.tensorinv": call(real(4, 2, 2), 1, dtypes=Dtypes.LAPACK),
    "linalg.tensorsolve": call(real(2, 2, 4), real(2, 2), dtypes=Dtypes.LAPACK),
    "linalg.eigh": call(AA, via=lambda op, a: op(hermitian(a))[0], dtypes=Dtypes.LAPACK),
    "linalg.eigh, vectors": call(A, via=lambda op, a: op(hermitian(a))[1].abs(), dtypes=Dtypes.LAPACK),
    "_linalg_eigh": call(AA, via=lambda op, a: op(hermitian(a))[0], dtypes=Dtypes.LAPACK),
    "linalg.eigvalsh": call(A, via=lambda op, a: op(hermitian(a)), dtypes=Dtypes.LAPACK),
    "linalg.eig": call(A, via=first, dtypes=Dtypes.LAPACK),
    "linalg.eig, vectors": call(AA, via=lambda op, a: op(a)[1].abs(), dtypes=Dtypes.LAPACK),
    "linalg.eigvals": call(A, dtypes=Dtypes.LAPACK),
    "linalg.svdvals": call(real(2, 3, 2), like=lambda a: np.linalg.svd(a, compute_uv=False), dtypes=Dtypes.LAPACK),
    "linalg.svd": call(TALL, via=lambda op, a: without_phases(*op(a, full_matrices=False)), dtypes=Dtypes.LAPACK),
    "linalg.svd, wide": call(
        real(2, 3), via=lambda op, a: [t.abs() for t in op(a, full_matrices=False)], dtypes=Dtypes.LAPACK
    ),
    "linalg.svd, full": call(real(3, 2), via=lambda op, a: op(a)[0][..., :2].abs(), dtypes=Dtypes.LAPACK),
    "_linalg_svd": call(TALL, via=lambda op, a: without_phases(*op(a)), dtypes=Dtypes.LAPACK),
    "svd": call(TALL, via=lambda op, a: [t.abs() for t in op(a)], dtypes=Dtypes.LAPACK),
    "linalg.matrix_rank": call(TALL, dtypes=Dtypes.LAPACK),
    "linalg.matrix_rank, tolerances": call(TALL, atol=0.1, rtol=0.1, dtypes=Dtypes.LAPACK),
    "linalg.matrix_rank, tolerances in tensors": call(TALL, atol=torch.tensor(0.1).double(), dtypes=Dtypes.LAPACK),
    "linalg.matrix_rank, a tolerance": call(TALL, 0.1, dtypes=Dtypes.LAPACK),
    "linalg.matrix_rank, a tolerance in a tensor": call(TALL, torch.tensor(0.1).double(), dtypes=Dtypes.LAPACK),
    "linalg.matrix_rank.tol_tensor": call(TALL, torch.tensor(0.1).double(), dtypes=Dtypes.DOUBLE | Dtypes.UNASKED),
    "linalg.pinv": call(TALL, like=np.linalg.pinv, dtypes=Dtypes.LAPACK),
    "linalg.pinv, wide": call(real(2, 2, 3), dtypes=Dtypes.LAPACK),
    "linalg.pinv, hermitian": call(A, via=lambda op, a: op(hermitian(a), hermitian=True), dtypes=Dtypes.LAPACK),
    "linalg.pinv, tolerances": call(TALL, atol=0.01, rtol=0.01, dtypes=Dtypes.LAPACK),
    "linalg.pinv, tolerances in tensors": call(TALL, atol=torch.tensor(0.01).double(), dtypes=Dtypes.LAPACK),
    "linalg.pinv, rcond": call(TALL, 0.01, dtypes=Dtypes.LAPACK),
    "linalg.pinv, rcond in a tensor": call(TALL, torch.tensor(0.01).double(), dtypes=Dtypes.LAPACK),
    "pinverse": call(TALL, dtypes=Dtypes.LAPACK),
    "linalg.matrix_norm": call(TALL, like=np.linalg.norm, dtypes=Dtypes.INEXACT),
    "linalg.matrix_norm, nuclear": call(real(3, 2), "nuc", dtypes=Dtypes.LAPACK),
    "linalg.matrix_norm, spectral": call(AA, 2, dtypes=Dtypes.LAPACK),
    "linalg.norm": call(TALL, like=np.linalg.norm, dtypes=Dtypes.INEXACT),
    "linalg.norm, nuclear": call(TALL, "nuc", dtypes=Dtypes.LAPACK),
    "linalg.cond": call(A, dtypes=Dtypes.LAPACK),
    "linalg.cond, of order 1": call(A, 1, dtypes=Dtypes.LAPACK),
    "linalg.cond, Frobenius": call(A, "fro", dtypes=Dtypes.LAPACK),
    "linalg.matrix_power": call(AA, 5, dtypes=Dtypes.NUMBERS),
    "linalg.matrix_power, negative": call(A, -2, dtypes=Dtypes.LAPACK),
    "linalg.matrix_power, 0": call(AA, 0, dtypes=Dtypes.ALL),
    "matrix_power": call(AA, 3, dtypes=Dtypes.NUMBERS),
    "linalg.matrix_exp": call(AA, dtypes=Dtypes.INEXACT),
    "matrix_exp": call(A, dtypes=Dtypes.INEXACT),
    "linalg.vander": call(real(3), N=4, dtypes=Dtypes.ALL),
    "vander": call(real(3), 4, True, dtypes=Dtypes.ALL),
    "linalg.matmul": call(AA, B, like=np.matmul, dtypes=Dtypes.NUMBERS),
    "linalg.diagonal": call(AA, offset=1, dtypes=Dtypes.ALL),
}
EXCUSED = {
    "random numbers: tests/test_eigenpairs.py, test_spectral.py": "svd_lowrank pca_lowrank lobpcg",
    "run in the kernels of linalg.lstsq and linalg.pinv": "_ops._least_squares _ops._pinv",
}
