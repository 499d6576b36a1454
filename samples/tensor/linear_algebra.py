"""Calls of linear algebra: factorizations, solutions, spectra."""

import numpy as np

import flambeau_tensor as torch
from flambeau_tensor import linalg
from samples import call, real

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
    "linalg.cholesky": call(A, via=of_positive, dtypes="dfc"),
    "linalg.cholesky, upper": call(AA, via=lambda op, a: op(positive(a), upper=True), dtypes="dfc"),
    "linalg.cholesky_ex": call(A, via=lambda op, a: op(positive(a))[0], dtypes="dfc"),
    "cholesky": call(A, via=of_positive, dtypes="dfc"),
    "cholesky_solve": call(A, B, via=lambda op, a, b: op(b, linalg.cholesky(positive(a))), dtypes="dfc"),
    "cholesky_solve, upper": call(
        AA, B, via=lambda op, a, b: op(b, linalg.cholesky(positive(a), upper=True), True), dtypes="dfc"
    ),
    "cholesky_inverse": call(A, via=lambda op, a: op(linalg.cholesky(positive(a))), dtypes="dfc"),
    "cholesky_inverse, upper": call(
        A, via=lambda op, a: op(linalg.cholesky(positive(a), upper=True), True), dtypes="dfc"
    ),
    "linalg.lu": call(A, via=all_but_first, dtypes="dfc"),
    "linalg.lu, wide": call(WIDE, via=all_but_first, dtypes="dfc"),
    "linalg.lu, tall": call(real(5, 3), via=all_but_first, dtypes="dfc"),
    "linalg.lu_factor": call(AA, via=first, dtypes="dfc"),
    "linalg.lu_factor_ex": call(AA, via=first, dtypes="dfc"),
    "Tensor.lu": call(A, via=first, dtypes="dfc"),
    "lu": call(A, via=first, dtypes="dfc"),
    "lu_unpack": call(A, via=lambda op, a: op(*linalg.lu_factor(a))[1:], dtypes="dfc"),
    "_ops._permutation": call(A, via=lambda op, a: op(*linalg.lu_factor(a)), cut=True, dtypes="dfc"),
    "linalg.lu_solve": call(A, B, via=lambda op, a, b: op(*linalg.lu_factor(a), b), dtypes="dfc"),
    "linalg.lu_solve, adjoint": call(
        AA, BB, via=lambda op, a, b: op(*linalg.lu_factor(a), b, adjoint=True), dtypes="dfc"
    ),
    "linalg.lu_solve, right": call(
        A, real(2, 3), via=lambda op, a, b: op(*linalg.lu_factor(a), b, left=False), dtypes="dfc"
    ),
    "linalg.lu_solve, both": call(
        A, real(2, 3), via=lambda op, a, b: op(*linalg.lu_factor(a), b, left=False, adjoint=True), dtypes="dfc"
    ),
    "lu_solve": call(A, B, via=lambda op, a, b: op(b, *linalg.lu_factor(a)), dtypes="dfc"),
    "linalg.det": call(A, like=np.linalg.det, dtypes="dfc"),
    "linalg.det, many": call(AA, dtypes="dfc"),
    "_linalg_det": call(A, via=first, dtypes="dfc"),
    "det": call(A, dtypes="dfc"),
    "linalg.slogdet": call(A, dtypes="dfc"),
    "_linalg_slogdet": call(A, via=lambda op, a: op(a)[:2], dtypes="dfc"),
    "slogdet": call(A, dtypes="dfc"),
    "logdet": call(AA, via=lambda op, a: op(positive(a)).real, dtypes="dfc"),
    "linalg.qr": call(TALL, dtypes="dfc"),
    "linalg.qr, square": call(AA, dtypes="dfc"),
    "linalg.qr, wide": call(real(3, 5), dtypes="dfc"),
    "linalg.qr, R": call(TALL, via=lambda op, a: op(a)[1], dtypes="dfc"),
    "linalg.qr, Q of a wide one": call(real(2, 4), via=first, dtypes="dfc"),
    "qr": call(TALL, dtypes="dfc"),
    "geqrf": call(TALL, derivative=False, dtypes="dfc"),
    "linalg.householder_product": call(TALL, real(2), dtypes="dfc"),
    "linalg.householder_product, of none": call(TALL, real(0), dtypes="dfc"),
    "orgqr": call(TALL, real(2), dtypes="dfc"),
    "ormqr": call(TALL, real(3), real(4, 2), dtypes="dfc"),
    "ormqr, adjoint right": call(TALL, real(3), real(2, 4), False, True, dtypes="dfc"),
    "linalg.ldl_factor_ex": call(A, derivative=False, dtypes="dfc"),
    "linalg.ldl_factor": call(A, derivative=False, dtypes="dfc"),
    "linalg.ldl_solve": call(A, BB, via=_solve_indefinite, derivative=False, dtypes="dfc"),
    "linalg.inv": call(AA, like=np.linalg.inv, dtypes="dfc"),
    "linalg.inv_ex": call(AA, via=first, dtypes="dfc"),
    "inverse": call(A, dtypes="dfc"),
    "linalg.solve": call(A, B, like=np.linalg.solve, dtypes="dfc"),
    "linalg.solve, a vector": call(A, real(3), dtypes="dfc"),
    "linalg.solve, vectors": call(AA, real(2, 3), dtypes="dfc"),
    "linalg.solve, broadcast": call(A, BB, dtypes="dfc"),
    "linalg.solve, many": call(AA, B, dtypes="dfc"),
    "linalg.solve, right": call(A, real(2, 3), left=False, dtypes="dfc"),
    "linalg.solve_ex": call(A, B, via=first, dtypes="dfc"),
    "_linalg_solve_ex": call(A, B, via=first, dtypes="dfc"),
    "linalg.solve_triangular": call(A, B, upper=True, dtypes="dfc"),
    "linalg.solve_triangular, right": call(AA, real(2, 2, 3), upper=False, left=False, dtypes="dfc"),
    "linalg.solve_triangular, unit": call(A, BB, upper=False, unitriangular=True, dtypes="dfc"),
    "triangular_solve": call(B, A, via=lambda op, b, a: op(b, a, transpose=True)[0], dtypes="dfc"),
    "linalg.lstsq": call(TALL, real(4, 2), via=first, dtypes="dfc"),
    "linalg.lstsq, wide": call(real(2, 3, 4), real(2, 3), via=first, dtypes="dfc"),
    "linalg.lstsq, residuals": call(real(4, 2), TALL, via=lambda op, a, b: op(a, b, driver="gelsd")[:2], dtypes="dfc"),
    "linalg.tensorinv": call(real(4, 2, 2), 1, dtypes="dfc"),
    "linalg.tensorsolve": call(real(2, 2, 4), real(2, 2), dtypes="dfc"),
    "linalg.eigh": call(AA, via=lambda op, a: op(hermitian(a))[0], dtypes="dfc"),
    "linalg.eigh, vectors": call(A, via=lambda op, a: op(hermitian(a))[1].abs(), dtypes="dfc"),
    "_linalg_eigh": call(AA, via=lambda op, a: op(hermitian(a))[0], dtypes="dfc"),
    "linalg.eigvalsh": call(A, via=lambda op, a: op(hermitian(a)), dtypes="dfc"),
    "linalg.eig": call(A, via=first, dtypes="dfc"),
    "linalg.eig, vectors": call(AA, via=lambda op, a: op(a)[1].abs(), dtypes="dfc"),
    "linalg.eigvals": call(A, dtypes="dfc"),
    "linalg.svdvals": call(real(2, 3, 2), like=lambda a: np.linalg.svd(a, compute_uv=False), dtypes="dfc"),
    "linalg.svd": call(TALL, via=lambda op, a: without_phases(*op(a, full_matrices=False)), dtypes="dfc"),
    "linalg.svd, wide": call(real(2, 3), via=lambda op, a: [t.abs() for t in op(a, full_matrices=False)], dtypes="dfc"),
    "linalg.svd, full": call(real(3, 2), via=lambda op, a: op(a)[0][..., :2].abs(), dtypes="dfc"),
    "_linalg_svd": call(TALL, via=lambda op, a: without_phases(*op(a)), dtypes="dfc"),
    "svd": call(TALL, via=lambda op, a: [t.abs() for t in op(a)], dtypes="dfc"),
    "linalg.matrix_rank": call(TALL, dtypes="dfc"),
    "linalg.matrix_rank, tolerances": call(TALL, atol=0.1, rtol=0.1, dtypes="dfc"),
    "linalg.matrix_rank, tolerances in tensors": call(TALL, atol=torch.tensor(0.1).double(), dtypes="dfc"),
    "linalg.matrix_rank, a tolerance": call(TALL, 0.1, dtypes="dfc"),
    "linalg.matrix_rank, a tolerance in a tensor": call(TALL, torch.tensor(0.1).double(), dtypes="dfc"),
    "linalg.matrix_rank.tol_tensor": call(TALL, torch.tensor(0.1).double(), dtypes="d?"),
    "linalg.pinv": call(TALL, like=np.linalg.pinv, dtypes="dfc"),
    "linalg.pinv, wide": call(real(2, 2, 3), dtypes="dfc"),
    "linalg.pinv, hermitian": call(A, via=lambda op, a: op(hermitian(a), hermitian=True), dtypes="dfc"),
    "linalg.pinv, tolerances": call(TALL, atol=0.01, rtol=0.01, dtypes="dfc"),
    "linalg.pinv, tolerances in tensors": call(TALL, atol=torch.tensor(0.01).double(), dtypes="dfc"),
    "linalg.pinv, rcond": call(TALL, 0.01, dtypes="dfc"),
    "linalg.pinv, rcond in a tensor": call(TALL, torch.tensor(0.01).double(), dtypes="dfc"),
    "pinverse": call(TALL, dtypes="dfc"),
    "linalg.matrix_norm": call(TALL, like=np.linalg.norm, dtypes="dfhgc"),
    "linalg.matrix_norm, nuclear": call(real(3, 2), "nuc", dtypes="dfc"),
    "linalg.matrix_norm, spectral": call(AA, 2, dtypes="dfc"),
    "linalg.norm": call(TALL, like=np.linalg.norm, dtypes="dfhgc"),
    "linalg.norm, nuclear": call(TALL, "nuc", dtypes="dfc"),
    "linalg.cond": call(A, dtypes="dfc"),
    "linalg.cond, of order 1": call(A, 1, dtypes="dfc"),
    "linalg.cond, Frobenius": call(A, "fro", dtypes="dfc"),
    "linalg.matrix_power": call(AA, 5, dtypes="dfhgcliu"),
    "linalg.matrix_power, negative": call(A, -2, dtypes="dfc"),
    "linalg.matrix_power, 0": call(AA, 0, dtypes="dfhgcliub"),
    "matrix_power": call(AA, 3, dtypes="dfhgcliu"),
    "linalg.matrix_exp": call(AA, dtypes="dfhgc"),
    "matrix_exp": call(A, dtypes="dfhgc"),
    "linalg.vander": call(real(3), N=4, dtypes="dfhgcliub"),
    "vander": call(real(3), 4, True, dtypes="dfhgcliub"),
    "linalg.matmul": call(AA, B, like=np.matmul, dtypes="dfhgcliu"),
    "linalg.diagonal": call(AA, offset=1, dtypes="dfhgcliub"),
}
EXCUSED = {
    "random numbers: tests/test_eigenpairs.py, test_spectral.py": "svd_lowrank pca_lowrank lobpcg",
    "run in the kernels of linalg.lstsq and linalg.pinv": "_ops._least_squares _ops._pinv",
}
