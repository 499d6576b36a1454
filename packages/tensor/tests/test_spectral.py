"""Eigenvalues, singular values and related functions: products give the matrix; NumPy's values; PyTorch's errors."""

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor import linalg

TYPES = ["float32", "float64", "complex64", "complex128"]
SQUARE = [(1, 1), (4, 4), (3, 5, 5), (2, 3, 6, 6), (40, 40), (0, 0), (0, 3, 3)]
ANY = [*SQUARE, (4, 3), (3, 4), (2, 5, 3), (2, 3, 5), (30, 20), (0, 3), (3, 0)]
ORDERS = ["fro", "nuc", 2, -2, 1, -1, float("inf"), -float("inf")]
g = np.random.default_rng(6)


def draw(shape, dtype):
    a = g.standard_normal(shape)
    return (a + 1j * g.standard_normal(shape) if dtype.startswith("complex") else a).astype(dtype)


def check(got, wanted, scale=10):
    wanted, got = np.asarray(wanted), got.resolve_conj().numpy()
    assert got.shape == wanted.shape
    tolerance = 1e-4 if got.dtype in ("float32", "complex64") else 1e-10
    np.testing.assert_allclose(got, wanted, rtol=10 * tolerance, atol=scale * tolerance)


def eyes(t):
    return np.broadcast_to(np.eye(t.shape[-1]), (*t.shape[:-2], t.shape[-1], t.shape[-1]))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SQUARE)
def test_eigenvalues_of_hermitian_matrices(shape, dtype):
    a = draw(shape, dtype)
    h = a + a.conj().swapaxes(-1, -2)
    for triangle, given in (("L", np.tril(h)), ("U", np.triu(h))):
        values, vectors = linalg.eigh(ft.tensor(given), triangle)
        check(vectors @ (values.unsqueeze(-1) * vectors.mH), h, 100)
        check(vectors.mH @ vectors, eyes(vectors))
        check(values, np.linalg.eigvalsh(h))
        check(linalg.eigvalsh(ft.tensor(given), triangle), np.linalg.eigvalsh(h))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SQUARE)
def test_eigenvalues(shape, dtype):
    a = draw(shape, dtype)
    values, vectors = linalg.eig(ft.tensor(a))
    assert values.dtype is (ft.complex64 if dtype in ("float32", "complex64") else ft.complex128)
    check(ft.tensor(a).to(vectors.dtype) @ vectors, (vectors * values.unsqueeze(-2)).numpy(), 100)
    check(vectors.abs().square().sum(-2), np.ones(values.shape))
    check(linalg.eigvals(ft.tensor(a)).sum(-1), np.trace(a, axis1=-2, axis2=-1).astype(values.numpy().dtype), 100)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", ANY)
def test_singular_values(shape, dtype):
    a = draw(shape, dtype)
    k = min(shape[-2:])
    wanted = np.linalg.svd(a, compute_uv=False) if a.size else np.zeros((*shape[:-2], k))
    for full in (True, False):
        u, s, vh = linalg.svd(ft.tensor(a), full_matrices=full)
        check((u[..., :k] * s.unsqueeze(-2)) @ vh[..., :k, :], a)
        check(u.mH @ u, eyes(u))
        check(vh @ vh.mH, eyes(vh.mT))
        check(s, wanted)
        old = ft.svd(ft.tensor(a), some=not full)
        check(old.V.mH, vh.numpy())
    check(linalg.svdvals(ft.tensor(a)), wanted)
    zeros = ft.svd(ft.tensor(a), compute_uv=False)
    assert zeros.U.shape[-2:] == (shape[-2], shape[-2]) and not zeros.U.any()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [s for s in ANY if 0 not in s])
def test_ranks_pseudoinverses_and_norms(shape, dtype):
    a = draw(shape, dtype)
    t = ft.tensor(a)
    check(linalg.pinv(t), np.linalg.pinv(a), 100)
    check(ft.pinverse(t), np.linalg.pinv(a), 100)
    check(linalg.matrix_rank(t), np.linalg.matrix_rank(a))
    for order in ORDERS:
        check(linalg.matrix_norm(t, order), np.linalg.norm(a, order, axis=(-2, -1)))
        check(linalg.matrix_norm(t, order, keepdim=True), np.linalg.norm(a, order, axis=(-2, -1), keepdims=True))
        check(linalg.matrix_norm(t.movedim(-1, 0), order, (-1, 0)), np.linalg.norm(a, order, axis=(-2, -1)))
    if a.ndim == 2:
        for order in (None, *ORDERS):
            check(linalg.norm(t, order), np.linalg.norm(a, order))
        check(linalg.cond(t), np.linalg.cond(a), 1000)
        check(linalg.norm(t[0], 3), np.linalg.norm(a[0], 3))
        check(ft.norm(t, "nuc"), np.linalg.norm(a, "nuc"))
        h = a[: min(shape), : min(shape)]
        h = h + h.conj().T
        check(linalg.pinv(ft.tensor(h), hermitian=True) @ ft.tensor(h), np.eye(len(h)), 100)
        check(linalg.cond(ft.tensor(h), 1), np.linalg.cond(h, 1), 1e5)


def test_tolerances():
    a = (
        ft.diag_embed(ft.tensor([1.0, 1e-2, 1e-5]))
        if hasattr(ft, "diag_embed")
        else ft.eye(3) * ft.tensor([1.0, 1e-2, 1e-5])
    )
    ranks = [
        linalg.matrix_rank(a),
        linalg.matrix_rank(a, atol=1e-3),
        linalg.matrix_rank(a, rtol=0.1),
        linalg.matrix_rank(a, 1e-3),
        linalg.matrix_rank(a, atol=ft.tensor(0.5)),
        linalg.matrix_rank(a, hermitian=True),
        linalg.matrix_rank(a, ft.tensor(1e-3)),
    ]
    assert [int(r) for r in ranks] == [3, 2, 1, 2, 1, 3, 2]
    assert float(linalg.pinv(a, 1e-3)[2, 2]) == 0 and float(linalg.pinv(a, rtol=1e-6)[2, 2]) > 9e4
    assert float(linalg.pinv(a, ft.tensor(1e-3))[2, 2]) == 0


@pytest.mark.parametrize("dtype", TYPES)
def test_functions_of_matrices(dtype):
    a = draw((2, 5, 5), dtype)
    values, vectors = np.linalg.eig(a.astype("complex128"))
    wanted = vectors @ (np.exp(values)[..., None] * np.linalg.inv(vectors))
    wanted = wanted if dtype.startswith("complex") else wanted.real
    check(linalg.matrix_exp(ft.tensor(a)), wanted, 1000)
    check(ft.matrix_exp(ft.tensor(a * 5)) * 0, np.zeros((2, 5, 5), a.dtype))
    check(linalg.matrix_power(ft.tensor(a), 5), np.linalg.matrix_power(a, 5), 1e4)
    check(linalg.matrix_power(ft.tensor(a), -1), np.linalg.inv(a), 100)
    check(linalg.matrix_power(ft.tensor(a), 0), eyes(ft.tensor(a)))
    check(
        linalg.matrix_exp(ft.zeros(3, 3) + ft.eye(3) * ft.tensor([0.0, 1.0, 100.0]) / 10),
        np.diag(np.exp([0, 0.1, 10])),
        1,
    )


def test_vandermonde():
    assert linalg.vander(ft.tensor([1, 2, 3])).tolist() == [[1, 1, 1], [1, 2, 4], [1, 3, 9]]
    assert linalg.vander(ft.tensor([2, 3], dtype=ft.uint8)).dtype is ft.int64
    assert ft.vander(ft.tensor([2, 3]), 1).stride() == (1, 1)
    assert linalg.vander(ft.tensor([2.0]), N=2).tolist() == [[1.0, 2.0]]


def test_what_is_not_finite():
    nan = ft.full((2, 2), float("nan"))
    both = ft.stack([ft.eye(2), nan])
    values, vectors = linalg.eigh(both)
    assert values[0].tolist() == [1, 1] and values[1].isnan().all() and vectors[1].isnan().all()
    with pytest.raises(
        linalg.LinAlgError,
        match=r"linalg.svd: \(Batch element 1\): The algorithm failed to converge "
        "because the input matrix contained non-finite values.",
    ):
        linalg.svd(both)
    with pytest.raises(RuntimeError, match="input tensor should not contain infs or NaNs"):
        linalg.eig(nan)


def test_a_matrix_without_an_exponential_leaves_the_others_alone():
    whole = ft.tensor([[3.0, 4.0], [0.0, 2.0]])  # must be halved and squared again
    both = ft.stack([whole, ft.full((2, 2), float("nan")), ft.tensor([[float("inf"), 0.0], [0.0, 1.0]])])
    result = ft.linalg.matrix_exp(both)
    assert ft.equal(result[0], ft.linalg.matrix_exp(whole)) and result[1].isnan().all()
    assert not result[2].isfinite().all()


def test_errors_name_what_is_wrong():
    eye = ft.eye(2)
    with pytest.raises(RuntimeError, match="Expected UPLO argument to be 'L' or 'U', but got X"):
        linalg.eigh(eye, "X")
    with pytest.raises(RuntimeError, match="linalg.matrix_norm: Order 3 not supported."):
        linalg.matrix_norm(eye, 3)
    with pytest.raises(RuntimeError, match="must be 1D or 2D. Got 3D."):
        linalg.norm(ft.rand(2, 2, 2), 2)
    with pytest.raises(RuntimeError, match="linalg.cond got an invalid norm type: foo"):
        linalg.cond(eye, "foo")
    with pytest.raises(RuntimeError, match="`driver=` is only supported on CUDA"):
        linalg.svd(eye, driver="gesvd")
    with pytest.raises(RuntimeError, match="linalg.matrix_power: A must be batches of square matrices"):
        linalg.matrix_power(ft.rand(2, 3), 2)
    with pytest.raises(RuntimeError, match="N must be greater than 1."):
        linalg.vander(ft.tensor([1.0]), N=0)
    with pytest.raises(NotImplementedError, match="\"linalg_eigh_cpu\" not implemented for 'Long'"):
        linalg.eigh(eye.long())


def test_many_threads_give_the_same():
    a = ft.rand(2000, 6, 6, dtype=ft.float64)
    threads = ft.get_num_threads()
    try:
        ft.set_num_threads(1)
        one = linalg.svdvals(a), linalg.inv(a + 6 * ft.eye(6, dtype=ft.float64))
        ft.set_num_threads(4)
        four = linalg.svdvals(a), linalg.inv(a + 6 * ft.eye(6, dtype=ft.float64))
    finally:
        ft.set_num_threads(threads)
    assert all((x == y).all() for x, y in zip(one, four, strict=True))


def test_a_vandermonde_matrix_that_no_memory_holds():
    for vander in (ft.linalg.vander, ft.vander):
        with pytest.raises(RuntimeError, match="overflow"):
            vander(ft.ones(3), N=2**62)


def test_vandermonde_of_one_number_is_a_matrix():
    assert ft.linalg.vander(ft.tensor(2.0), N=3).tolist() == [[1.0, 2.0, 4.0]]
    with pytest.raises(RuntimeError, match="N must be greater than 1."):
        ft.linalg.vander(ft.tensor(2.0))
    with pytest.raises(RuntimeError, match="x must be a one-dimensional tensor."):
        ft.vander(ft.tensor(2.0))
