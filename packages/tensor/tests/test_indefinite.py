"""Indefinite systems and low-rank matrices, by definition; PyTorch's rules as literals (2.13, CPU)."""

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor import linalg

RNG = np.random.default_rng(7)
DTYPES = ("float32", "float64", "complex64", "complex128")


def draw(dtype, *shape):
    a = RNG.standard_normal(shape)
    return (a + 1j * RNG.standard_normal(shape) if "complex" in dtype else a).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("batch", [(), (3,), (2, 1)])
def test_indefinite_systems(dtype, hermitian, batch):
    a, b = draw(dtype, *batch, 6, 6), draw(dtype, 2, 1, 6, 3)
    a = a + (np.conj(np.swapaxes(a, -1, -2)) if hermitian else np.swapaxes(a, -1, -2))
    LD, pivots = linalg.ldl_factor(ft.tensor(a), hermitian=hermitian)
    assert pivots.dtype is ft.int32 and pivots.shape == a.shape[:-1] and not LD.triu(1).any()
    x = linalg.ldl_solve(LD, pivots, ft.tensor(b), hermitian=hermitian)
    tolerance = 1e-2 if dtype in ("float32", "complex64") else 1e-9
    np.testing.assert_allclose(a @ x.numpy(), np.broadcast_to(b, x.shape), rtol=tolerance, atol=tolerance)


def test_what_lapack_gives():
    a = ft.tensor([[1.0, 2, 3], [2, -4, 5], [3, 5, 0]], dtype=ft.float64)
    LD, pivots = linalg.ldl_factor(a)
    np.testing.assert_allclose(LD, [[1, 0, 0], [3, 0, 0], [5 / 3, 1 / 9, -71 / 9]], rtol=1e-14, atol=1e-14)
    assert pivots.tolist() == [-3, -3, 3] and linalg.ldl_factor_ex(a * 0).info.item() == 1
    assert linalg.ldl_factor(a[:0, :0]).LD.shape == (0, 0) and LD.stride() == (1, 3)


A = ft.eye(3)
F = linalg.ldl_factor(A)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: linalg.ldl_factor(ft.stack([A, A * 0])), RuntimeError, r"\(Batch element 1\): D\[1,1\] is zero"),
        (lambda: linalg.ldl_factor(A[:2]), RuntimeError, "A must be batches of square matrices, but they are 2 by 3"),
        (
            lambda: linalg.ldl_factor(A.int()),
            RuntimeError,
            "Expected a floating point or complex tensor as input. Got Int",
        ),
        (
            lambda: linalg.ldl_factor(A.half()),
            NotImplementedError,
            "\"ldl_factor_kernel_cpu\" not implemented for 'Half'",
        ),
        (lambda: linalg.ldl_solve(*F, A[:2]), RuntimeError, "each A matrix is 3 by 3 but each b matrix is 2 by 3"),
        (lambda: linalg.ldl_solve(*F, A[0]), IndexError, "Dimension out of range"),
        (lambda: linalg.ldl_solve(*F, A.double()), RuntimeError, "found b of type Double and A of type Float instead"),
        (lambda: linalg.ldl_solve(F[0], A[0], A), RuntimeError, "Expected pivots to be integers. Got Float"),
        (lambda: linalg.ldl_solve(F[0], F[1][:2], A), RuntimeError, r"pivots with shape \[2\] instead"),
        (lambda: linalg.ldl_solve(F[0], ft.tensor([1, 2, 4]), A), RuntimeError, r"satisfy \|pivot\| <= LD"),
        (lambda: linalg.ldl_solve(F[0], ft.tensor([1, -2, -4]), A), RuntimeError, r"satisfy \|pivot\| <= LD"),
        (lambda: linalg.ldl_solve(F[0], ft.tensor([1, 2, 0]), A), RuntimeError, r"satisfy \|pivot\| >= 1"),
        (lambda: linalg.ldl_solve(F[0], ft.tensor([1, 2, -3]), A), RuntimeError, "must come in pairs"),
        (lambda: linalg.ldl_solve(F[0], ft.tensor([-1, 2, 3]), A), RuntimeError, "must come in pairs"),
        (lambda: ft.svd_lowrank(A[0]), ValueError, "not enough values to unpack"),
        (lambda: ft.lobpcg(A[0]), IndexError, "tuple index out of range"),
        (lambda: ft.lu_unpack(A[0], F[1]), RuntimeError, r"2 or more dimensions. Got size: \[3\]"),
        (lambda: ft.pca_lowrank(A, q=9), ValueError, r"q\(=9\) must be non-negative integer and not greater than .*=3"),
        (lambda: ft.pca_lowrank(A, niter=-1), ValueError, r"niter\(=-1\) must be non-negative integer"),
        (lambda: ft.pca_lowrank(A[0]), ValueError, "not enough values to unpack"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_lu():
    a = ft.tensor(draw("float64", 2, 3, 3))
    for found, expected in zip(ft.lu(a), linalg.lu_factor(a), strict=True):
        assert found.tolist() == expected.tolist()
    LU, pivots, infos = (a * 0).lu(get_infos=True)
    assert infos.tolist() == [1, 1] and pivots.tolist() == [[1, 2, 3]] * 2 and not LU.any()


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(9, 5), (5, 9), (2, 8, 6)])
def test_low_rank(dtype, shape):
    a = draw(dtype, *shape[:-1], 3) @ draw(dtype, *shape[:-2], 3, shape[-1])
    U, S, V = ft.svd_lowrank(ft.tensor(a), q=4)
    np.testing.assert_allclose((U * S.unsqueeze(-2)) @ V.mH, a, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(S[..., :3], np.linalg.svd(a)[1][..., :3], rtol=1e-9)
    mean = a.mean(-2, keepdims=True)
    for U, S, V in ft.svd_lowrank(ft.tensor(a), 4, 2, ft.tensor(mean)), ft.pca_lowrank(ft.tensor(a), 4):
        np.testing.assert_allclose((U * S.unsqueeze(-2)) @ V.mH, a - mean, rtol=1e-9, atol=1e-9)
    U, S, V = ft.pca_lowrank(ft.tensor(a), center=False)
    assert S.shape[-1] == min(6, *shape[-2:]) and U.shape[-2] == shape[-2] and V.shape[-2] == shape[-1]
