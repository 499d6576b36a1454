"""lobpcg against the complete decomposition."""

import numpy as np
import pytest

import flambeau_tensor as ft


def matrix(m, dtype=ft.float64, seed=0):
    a = np.random.default_rng(seed).standard_normal((m, m))
    if dtype.is_complex:
        a = a + 1j * np.random.default_rng(seed + 1).standard_normal((m, m))
    return ft.tensor(a @ a.conj().T + np.eye(m)).to(dtype)


def single(dtype):
    return dtype in (ft.float32, ft.complex64)


def residual(A, values, vectors, B=None):
    x = vectors.numpy()
    right = x if B is None else B.numpy() @ x
    return np.abs(A.numpy() @ x - right * values.numpy()).max() / np.abs(values.numpy()).max()


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64, ft.complex64, ft.complex128], ids=str)
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("method", ["ortho", "basic"])
def test_pairs(dtype, largest, method):
    A = matrix(24, dtype)
    values, vectors = ft.lobpcg(A, k=3, largest=largest, method=method, tol=None if single(dtype) else 1e-9)
    expected = np.linalg.eigvalsh(A.numpy())
    expected = expected[::-1][:3] if largest else expected[:3]
    np.testing.assert_allclose(values.numpy(), expected, rtol=2e-3 if single(dtype) else 1e-6)
    x = vectors.numpy()
    np.testing.assert_allclose(x.conj().T @ x, np.eye(3), atol=1e-5)
    assert residual(A, values, vectors) < 5e-3


def test_generalized_batched_and_with_more_vectors():
    A, B = matrix(15), matrix(15, seed=7)
    values, vectors = ft.lobpcg(A, k=2, B=B, tol=1e-10)
    expected = np.sort(np.linalg.eigvals(np.linalg.solve(B.numpy(), A.numpy())).real)[::-1][:2]
    np.testing.assert_allclose(values.numpy(), expected, rtol=1e-8)
    assert residual(A, values, vectors, B) < 1e-7
    both = ft.stack((A, B))
    values, vectors = ft.lobpcg(both, k=2, n=4, tol=1e-9, iK=both.new_ones(15).diag_embed())
    assert tuple(values.shape) == (2, 2) and tuple(vectors.shape) == (2, 15, 2)
    for i, a in enumerate((A, B)):
        np.testing.assert_allclose(values[i].numpy(), np.linalg.eigvalsh(a.numpy())[::-1][:2], rtol=1e-8)


def test_the_tracker_sees_each_step():
    A, steps = matrix(12), []
    X = ft.tensor(np.eye(12)[:, :2])
    values, _ = ft.lobpcg(A, X=X, niter=3, tol=0, tracker=lambda w: steps.append((w.ivars["istep"], tuple(w.X.shape))))
    assert steps == [(i, (12, 2)) for i in range(4)] and tuple(values.shape) == (2,)
    assert ft.lobpcg(A)[0].shape == (1,)


@pytest.mark.parametrize(("call", "error"), [
    (lambda A: ft.lobpcg(A, k=4), ValueError), (lambda A: ft.lobpcg(A[:8]), AssertionError),
    (lambda A: ft.lobpcg(A, k=2, X=A[:8, :2]), AssertionError), (lambda A: ft.lobpcg(A.to(ft.int64)), RuntimeError),
    (lambda A: ft.lobpcg(A, k=1, method="other"), ValueError),
])  # fmt: skip
def test_errors(call, error):
    with pytest.raises(error):
        call(matrix(9))
