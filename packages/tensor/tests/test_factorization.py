"""Cholesky, LU, QR and determinants: products of factors give the matrix; NumPy's values; PyTorch's errors."""

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor import linalg

TYPES = ["float32", "float64", "complex64", "complex128"]
SHAPES = [(1, 1), (4, 4), (3, 5, 5), (2, 3, 6, 6), (40, 40), (0, 0), (0, 3, 3), (2, 0, 0)]
ANY = [*SHAPES, (4, 3), (3, 4), (2, 5, 3), (2, 3, 5), (30, 20), (0, 3), (3, 0)]


@pytest.fixture
def close():
    def check(got, wanted, scale=1.0):
        wanted = np.asarray(wanted)
        got = got.resolve_conj().numpy()
        assert got.shape == wanted.shape
        tolerance = 2e-4 if got.dtype in ("float32", "complex64") else 1e-10
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * scale)

    return check


@pytest.fixture
def draw():
    g = np.random.default_rng(3)

    def make(shape, dtype, diagonal=0):
        a = g.standard_normal(shape)
        if dtype.startswith("complex"):
            a = a + 1j * g.standard_normal(shape)
        if diagonal:
            a = a + diagonal * np.eye(*shape[-2:])
        return a.astype(dtype)

    return make


def eyes(t):
    return np.broadcast_to(np.eye(t.shape[-1]), (*t.shape[:-2], t.shape[-1], t.shape[-1]))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_cholesky(shape, dtype, draw, close):
    a = draw(shape, dtype)
    a = (a @ a.conj().swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)
    lower, upper = linalg.cholesky(ft.tensor(a)), linalg.cholesky(ft.tensor(a), upper=True)
    close(lower @ lower.mH, a, 100)
    close(upper, lower.mH.resolve_conj().numpy(), 10)
    close(lower, np.tril(lower.numpy()))
    close(ft.cholesky_inverse(lower) @ ft.tensor(a), eyes(lower), 10)
    b = draw((*shape[:-1], 2), dtype)
    close(ft.tensor(a) @ ft.cholesky_solve(ft.tensor(b), lower), b, 10)
    close(ft.tensor(a) @ ft.cholesky_solve(ft.tensor(b), upper, True), b, 10)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", ANY)
def test_lu(shape, dtype, draw, close):
    a = draw(shape, dtype)
    p, lower, upper = linalg.lu(ft.tensor(a))
    close(p @ lower @ upper, a, 10)
    close(lower, np.tril(lower.numpy(), -1) + np.eye(*lower.shape[-2:]))
    close(upper, np.triu(upper.numpy()))
    assert float(p.abs().sum()) == a[..., 0].size if a.size else True
    factors, pivots, info = linalg.lu_factor_ex(ft.tensor(a))
    assert pivots.dtype is ft.int32 and info.shape == shape[:-2] and not info.any()
    nothing, lower2, _ = ft.lu_unpack(factors, pivots, unpack_pivots=False)
    assert nothing.shape == (0,) and (lower2 == lower).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(256, 256), (300, 300), (300, 411), (450, 257), (321, 320)])
def test_lu_in_blocks(shape, dtype, threads):
    """Matrices large enough for panels; an omitted row exchange would change the product."""
    m, n = shape
    rng = np.random.default_rng(m + n)
    a = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if "complex" in dtype else 0)
    x, before = ft.from_numpy(a.astype(dtype)), ft.get_num_threads()
    try:
        ft.set_num_threads(threads)
        lu, pivots, info = linalg.lu_factor_ex(x)
    finally:
        ft.set_num_threads(before)
    k = min(m, n)
    lower = np.tril(lu.numpy()[:, :k], -1) + np.eye(m, k)
    rows, exchanged = np.arange(m), pivots.numpy() - 1
    assert info.item() == 0 and abs(lower).max() < 1.001 * 2**0.5 and (exchanged >= np.arange(k)).all()
    for i, j in enumerate(exchanged):
        rows[[i, j]] = rows[[j, i]]
    tolerance = 2e-4 if dtype in ("float32", "complex64") else 1e-12
    np.testing.assert_allclose(lower @ np.triu(lu.numpy()[:k]), x.numpy()[rows], rtol=0, atol=tolerance)


def test_lu_in_blocks_does_not_depend_on_threads(draw):
    x, before = ft.tensor(draw((400, 400), "float64")), ft.get_num_threads()
    try:
        results = []
        for threads in (1, 2, 3):
            ft.set_num_threads(threads)
            results.append([t.numpy().tobytes() for t in linalg.lu_factor(x)])
    finally:
        ft.set_num_threads(before)
    assert results[0] == results[1] == results[2]


def test_singular_matrices_in_blocks():
    x = ft.eye(400)
    for row in (70, 333):
        x[row, row] = 0
    assert linalg.lu_factor_ex(x).info.item() == 71  # the first one, in any panel
    assert linalg.det(x).item() == 0
    with pytest.raises(linalg.LinAlgError, match="singular"):
        linalg.solve(x, ft.ones(400))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_determinants(shape, dtype, draw, close):
    a = draw(shape, dtype)
    close(linalg.det(ft.tensor(a)), np.linalg.det(a), 1 + np.abs(np.linalg.det(a)).max(initial=0))
    sign, log = linalg.slogdet(ft.tensor(a))
    for got, wanted in zip((sign, log), np.linalg.slogdet(a), strict=True):
        close(got, wanted, 10)
    singular = ft.tensor(a) * 0
    if shape[-1] > 0:
        assert (linalg.slogdet(singular).logabsdet == -float("inf")).all() and (ft.det(singular) == 0).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", ANY)
def test_qr(shape, dtype, draw, close):
    a = draw(shape, dtype)
    for mode in ("reduced", "complete"):
        q, r = linalg.qr(ft.tensor(a), mode)
        close(q @ r, a, 10)
        close(q.mH @ q, eyes(q))
        close(r, np.triu(r.numpy()))
    assert q.shape[-1] == shape[-2]
    only = linalg.qr(ft.tensor(a), "r")
    assert only.Q.shape == (0,)
    close(only.R, linalg.qr(ft.tensor(a)).R.numpy())
    reflectors, tau = ft.geqrf(ft.tensor(a))
    other = draw((*shape[:-1], 2), dtype)
    close(ft.ormqr(reflectors, tau, ft.tensor(other)), q.numpy() @ other, 10)
    close(ft.ormqr(reflectors, tau, ft.tensor(other), True, True), q.mH.resolve_conj().numpy() @ other, 10)
    if shape[-2] >= shape[-1]:
        close(linalg.householder_product(reflectors, tau), linalg.qr(ft.tensor(a)).Q.numpy())
        assert (ft.orgqr(reflectors, tau) == linalg.householder_product(reflectors, tau)).all()


@pytest.mark.parametrize("function", [linalg.inv, linalg.cholesky_ex, linalg.lu_factor, linalg.qr, linalg.det])
def test_every_layout_gives_the_same(function, draw):
    a = draw((4, 3, 3), "float64", 9)
    a = a + a.swapaxes(-1, -2)
    wanted = function(ft.tensor(a))
    wide = ft.zeros(4, 6, 9, dtype=ft.float64)
    wide[:, ::2, ::3] = ft.tensor(a)
    strided = wide[:, ::2, ::3]
    turned = ft.tensor(a.swapaxes(-1, -2).copy()).mT
    shared = ft.tensor(a[0]).expand(4, 3, 3)
    for each in (strided, turned):
        got = function(each)
        for x, y in zip(*((t if isinstance(t, tuple) else (t,)) for t in (got, wanted)), strict=True):
            np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=1e-12)
        assert np.array_equal(each.numpy(), a)
    first = function(shared)
    first = first[0] if isinstance(first, tuple) else first
    assert (first == first[0]).all()


def test_results_lie_column_by_column():
    a = ft.eye(3).expand(2, 3, 3) * 2
    assert linalg.inv(a).stride() == (9, 1, 3)
    assert linalg.qr(a).Q.stride() == linalg.cholesky(a).stride() == (9, 1, 3)
    assert linalg.lu(a).L.stride() == (9, 3, 1)


def test_errors_name_what_is_wrong():
    ones, eye = ft.ones(2, 2), ft.eye(2)
    batch = ft.stack([eye, ones])
    message = (
        r"linalg.cholesky: \(Batch element 1\): The factorization could not be completed because the input is "
        r"not positive-definite \(the leading minor of order 2 is not positive-definite\)."
    )
    with pytest.raises(linalg.LinAlgError, match=message):
        linalg.cholesky(batch)
    assert linalg.cholesky_ex(batch).info.tolist() == [0, 2]
    assert issubclass(linalg.LinAlgError, RuntimeError)
    with pytest.raises(RuntimeError, match=r"torch.linalg.lu_factor: U\[2,2\] is zero"):
        linalg.lu_factor(ones)
    with pytest.raises(RuntimeError, match="LU without pivoting is not implemented on the CPU"):
        linalg.lu_factor(eye, pivot=False)
    with pytest.raises(RuntimeError, match="linalg.det: A must be batches of square matrices, but they are 2 by 3"):
        linalg.det(ft.ones(2, 3))
    with pytest.raises(RuntimeError, match="linalg.det: The input tensor A must have at least 2 dimensions."):
        ft.det(ft.ones(2))
    with pytest.raises(RuntimeError, match="Expected a floating point or complex tensor as input. Got Long"):
        linalg.qr(ft.ones(2, 2, dtype=ft.int64))
    with pytest.raises(NotImplementedError, match="\"lu_cpu\" not implemented for 'Half'"):
        linalg.lu(eye.half())
    with pytest.raises(RuntimeError, match="qr received unrecognized mode 'foo'"):
        linalg.qr(eye, "foo")
    with pytest.raises(RuntimeError, match="expected to be a contiguous tensor of torch.int32"):
        ft.lu_unpack(eye, ft.tensor([1, 2]))
    with pytest.raises(RuntimeError, match="pivots passed to lu_unpack must be between 1"):
        ft.lu_unpack(eye, ft.tensor([1, 7], dtype=ft.int32))
    with pytest.raises(RuntimeError, match=r"input.shape\[-2\] must be greater than or equal to input.shape\[-1\]"):
        linalg.householder_product(ft.rand(2, 3), ft.rand(2))
    with pytest.raises(RuntimeError, match=r"torch.ormqr: other.shape\[-2\] must be equal to input.shape\[-2\]"):
        ft.ormqr(ft.rand(3, 2), ft.rand(2), ft.rand(2, 3))
    for left, shape, at in ((True, (3, 4), -2), (False, (4, 3), -1)):
        with pytest.raises(RuntimeError, match=rf"must be equal to min\(other.shape\[{at}\], input.shape"):
            ft.ormqr(ft.rand(3, 2), ft.rand(1), ft.rand(shape), left)


def test_out_and_named_results():
    a = ft.tensor([[4.0, 2.0], [2.0, 3.0]])
    out = ft.empty(2, 2)
    assert linalg.cholesky(a, out=out) is out and abs(float(out[1, 0]) - 1) < 1e-6
    q, r = ft.empty(0), ft.empty(0)
    result = linalg.qr(a, out=(q, r))
    assert result.Q is q and result.R is r and np.allclose((q @ r).numpy(), a.numpy())
    assert type(result).__name__ == "linalg_qr" and type(ft.qr(a)).__name__ == "qr"
    assert type(ft.slogdet(a)).__name__ == "slogdet"
