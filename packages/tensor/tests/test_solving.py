"""Linear systems and inverses against NumPy's; PyTorch's errors."""

import math

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor import linalg

TYPES = ["float32", "float64", "complex64", "complex128"]
SHAPES = [(1, 1), (4, 4), (3, 5, 5), (2, 3, 6, 6), (40, 40), (0, 0), (0, 3, 3)]
g = np.random.default_rng(5)


def draw(shape, dtype, diagonal=0):
    a = g.standard_normal(shape)
    if dtype.startswith("complex"):
        a = a + 1j * g.standard_normal(shape)
    return (a + (diagonal * np.eye(*shape[-2:]) if diagonal else 0)).astype(dtype)


def check(got, wanted):
    wanted, got = np.asarray(wanted), got.resolve_conj().numpy()
    assert got.shape == wanted.shape
    tolerance = 2e-3 if got.dtype in ("float32", "complex64") else 1e-9
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_solving_and_inverting(shape, dtype):
    n = shape[-1]
    a, b = draw(shape, dtype, n), draw((*shape[:-1], 3), dtype)
    inverse = np.linalg.inv(a)
    right = b.swapaxes(-1, -2).copy()
    A, B, R = ft.tensor(a), ft.tensor(b), ft.tensor(right)
    check(linalg.inv(A), inverse)
    check(linalg.inv_ex(A).inverse, inverse)
    check(ft.inverse(A), inverse)
    check(linalg.solve(A, B), inverse @ b)
    check(linalg.solve(A, R, left=False), right @ inverse)
    check(linalg.solve(A, B[..., 0]), (inverse @ b)[..., 0])
    result, info = linalg.solve_ex(A, B)
    assert info.dtype is ft.int32 and not info.any()
    lu, pivots = linalg.lu_factor(A)
    check(ft.lu_solve(B, lu, pivots), inverse @ b)
    check(linalg.lu_solve(lu, pivots, B, adjoint=True), np.linalg.inv(a.conj().swapaxes(-1, -2)) @ b)
    check(linalg.lu_solve(lu, pivots, R, left=False), right @ inverse)
    check(linalg.lu_solve(lu, pivots, R, left=False, adjoint=True), right @ np.linalg.inv(a.conj().swapaxes(-1, -2)))


@pytest.mark.parametrize(
    "a, b",
    [
        ((3, 3), (4, 3, 2)),
        ((4, 3, 3), (3, 2)),
        ((2, 1, 3, 3), (4, 3, 2)),
        ((3, 3), (3,)),
        ((4, 3, 3), (4, 3)),
        ((1, 3, 3), (5, 3, 1)),
    ],
)
def test_batches_broadcast(a, b):
    x, y = draw(a, "float64", 3), draw(b, "float64")
    vector = len(b) == 1 or b == a[:-1]
    wanted = np.linalg.inv(x) @ (y[..., None] if vector else y)
    check(linalg.solve(ft.tensor(x), ft.tensor(y)), wanted[..., 0] if vector else wanted)
    if not vector:
        check(linalg.solve_triangular(ft.tensor(x), ft.tensor(y), upper=True), np.linalg.inv(np.triu(x)) @ y)
        lu, pivots = linalg.lu_factor(ft.tensor(x))
        check(linalg.lu_solve(lu, pivots, ft.tensor(y)), wanted)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangles(shape, dtype, upper, left, unit):
    n = shape[-1]
    a = draw(shape, dtype) / np.asarray(n or 1, dtype) + 2 * np.eye(n, dtype=dtype)
    b = draw((*shape[:-1], 3) if left else (*shape[:-2], 3, n), dtype)
    read = np.triu(a) if upper else np.tril(a)
    if unit:
        read[..., range(n), range(n)] = 1
    wanted = np.linalg.inv(read) @ b if left else b @ np.linalg.inv(read)
    turned = ft.tensor(a.swapaxes(-1, -2).copy()).mT  # column-major
    for A in (ft.tensor(a), turned):
        check(linalg.solve_triangular(A, ft.tensor(b), upper=upper, left=left, unitriangular=unit), wanted)
    if left and not unit:
        solution, copy = ft.triangular_solve(ft.tensor(b), ft.tensor(a), upper=upper)
        check(solution, wanted)
        assert np.array_equal(copy.numpy(), a)
        check(
            ft.triangular_solve(ft.tensor(b), ft.tensor(a), upper=upper, transpose=True)[0],
            np.linalg.inv(read.swapaxes(-1, -2)) @ b,
        )


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 5, 3), (2, 3, 5), (60, 40)])
def test_least_squares(shape, driver, dtype):
    a, b = draw(shape, dtype), draw((*shape[:-1], 2), dtype)
    wanted = np.linalg.pinv(a) @ b
    found = linalg.lstsq(ft.tensor(a), ft.tensor(b), driver=driver)
    check(found.solution, wanted)
    check(linalg.lstsq(ft.tensor(a), ft.tensor(b[..., 0]), driver=driver).solution, wanted[..., 0])
    if driver != "gels":
        assert (found.rank == min(shape[-2:])).all() and found.rank.shape == shape[:-2]
    if driver in ("gelsd", "gelss"):
        check(found.singular_values, np.linalg.svd(a, compute_uv=False))
    if driver in ("gels", "gelsd", "gelss") and shape[-2] > shape[-1]:
        check(found.residuals, (np.abs(a @ wanted - b) ** 2).sum(-2))
    else:
        assert found.residuals.shape == (0,)


def test_least_squares_of_lower_rank_has_the_smallest_solution():
    a = ft.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    found = linalg.lstsq(a, ft.tensor([[1.0], [2.0], [3.0]]))
    assert found.rank.item() == 1
    np.testing.assert_allclose(found.solution.numpy(), [[1.0], [1.0]], rtol=1e-6)
    assert (linalg.lstsq(ft.zeros(0, 2), ft.zeros(0, 3)).solution == ft.zeros(2, 3)).all()


def test_tensors_as_matrices():
    a = draw((2, 3, 6), "float64")
    inverse = linalg.tensorinv(ft.tensor(a), 2)
    check(inverse.reshape(6, 6), np.linalg.inv(a.reshape(6, 6)))
    assert inverse.shape == (6, 2, 3)
    b = draw((2, 3), "float64")
    check(linalg.tensorsolve(ft.tensor(a), ft.tensor(b)), np.linalg.tensorsolve(a, b))
    moved = draw((2, 6, 3), "float64")
    check(linalg.tensorsolve(ft.tensor(moved), ft.tensor(b), (1,)), np.linalg.tensorsolve(moved, b, (1,)))


def test_errors_name_what_is_wrong():
    ones, eye = ft.ones(2, 2), ft.eye(2)
    batch = ft.stack([eye, ones])
    with pytest.raises(
        linalg.LinAlgError,
        match=r"linalg.inv: \(Batch element 1\): The diagonal element 2 is zero, "
        "the inversion could not be completed because the input matrix is singular.",
    ):
        linalg.inv(batch)
    with pytest.raises(
        linalg.LinAlgError, match="torch.linalg.solve: The solver failed because the input matrix is singular."
    ):
        linalg.solve(ones, ones)
    assert linalg.inv_ex(batch).info.tolist() == [0, 2]
    assert linalg.inv_ex(ones).inverse.isinf().all()
    with pytest.raises(
        RuntimeError,
        match="Incompatible shapes of A and B for the equation AX = B "
        r"\(2x2 and 3x3\)",
    ):
        linalg.solve(ones, ft.ones(3, 3))
    with pytest.raises(
        RuntimeError,
        match="Expected A and B to have the same dtype, but found A of type Float and B of type Double instead",
    ):
        linalg.solve(eye, ft.ones(2, dtype=ft.float64))
    with pytest.raises(RuntimeError, match="Low precision dtypes not supported. Got Half"):
        linalg.inv(eye.half())
    with pytest.raises(RuntimeError, match="linalg.solve_triangular: The input tensor B must have at least 2"):
        linalg.solve_triangular(eye, ft.ones(2), upper=True)
    lu, pivots = linalg.lu_factor(eye)
    with pytest.raises(RuntimeError, match="all be greater or equal to 1"):
        linalg.lu_solve(lu, pivots + 5, eye)
    with pytest.raises(RuntimeError, match="pivots should be a Tensor of scalar type torch.int32"):
        linalg.lu_solve(lu, pivots.long(), eye)
    with pytest.raises(RuntimeError, match=r"`driver` should be one of \(gels, gelsy, gelsd, gelss\)"):
        linalg.lstsq(eye, eye, driver="foo")
    with pytest.raises(RuntimeError, match=r"input.size\(-2\) should match other.size\(-2\)"):
        linalg.lstsq(ft.rand(3, 2), ft.rand(4, 1))
    with pytest.raises(RuntimeError, match="Expected a strictly positive integer for 'ind', but got 0"):
        linalg.tensorinv(ft.rand(2, 3), ind=0)
    with pytest.raises(RuntimeError, match="b should have at least 2 dimensions, but has 1 dimensions instead"):
        ft.cholesky_solve(ft.rand(2), eye)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sizes_around_the_smallest(dtype):
    """Matrices up to 8 × 8 use our own loops; results agree with larger ones, single or in batches, in any layout."""
    rng = np.random.default_rng(3)
    rtol = 2e-3 if dtype == "float32" else 1e-10
    for n in (1, 2, 3, 7, 8, 9):
        a = (rng.standard_normal((5, n, n)) + 3 * np.eye(n)).astype(dtype)[:, rng.permutation(n)]
        b = rng.standard_normal((5, n, 3)).astype(dtype)
        A, B = ft.from_numpy(a), ft.from_numpy(b)
        want = np.linalg.solve(a, b)
        np.testing.assert_allclose(ft.linalg.solve(A, B).numpy(), want, rtol, rtol)
        np.testing.assert_allclose(ft.linalg.solve(A.mT, B.mT, left=False).mT.numpy(), want, rtol, rtol)
        np.testing.assert_allclose(ft.linalg.inv(A).numpy(), np.linalg.inv(a), rtol, rtol)
        np.testing.assert_allclose(ft.linalg.det(A).numpy(), np.linalg.det(a), rtol)
        lu, pivots = ft.linalg.lu_factor(A)
        np.testing.assert_allclose(ft.linalg.lu_solve(lu, pivots, B).numpy(), want, rtol, rtol)
        turned = ft.linalg.lu_solve(lu, pivots, B, adjoint=True).numpy()
        np.testing.assert_allclose(turned, np.linalg.solve(a.swapaxes(1, 2), b), rtol, rtol)
        p, lower, upper = ft.linalg.lu(A[:, :, : (n + 1) // 2])
        np.testing.assert_allclose((p @ lower @ upper).numpy(), a[:, :, : (n + 1) // 2], rtol, rtol)
        assert ft.linalg.solve(A[2], B[2]).tolist() == ft.linalg.solve(A, B)[2].tolist()
        positive = A @ A.mT
        for triangle in (False, True):
            factor = ft.linalg.cholesky(positive, upper=triangle)
            got = factor.mT @ factor if triangle else factor @ factor.mT
            np.testing.assert_allclose(got.numpy(), positive.numpy(), rtol, rtol)


def test_small_matrices_without_a_solution():
    singular = ft.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 1.0, 1.0]])
    assert ft.linalg.det(singular).item() == 0
    assert ft.linalg.inv_ex(singular).info.item() == 3
    with pytest.raises(RuntimeError, match="The diagonal element 3 is zero"):
        ft.linalg.inv(singular)
    assert ft.linalg.cholesky_ex(ft.tensor([[4.0, 2.0], [2.0, 1.0]])).info.item() == 2
    assert ft.linalg.cholesky_ex(ft.tensor([[math.nan]])).info.item() == 1
    assert math.isnan(ft.linalg.det(ft.tensor([[math.nan, 1.0], [1.0, 2.0]])).item())


def test_least_squares_of_matrices_beside_fewer_batch_dimensions():
    a, b = ft.eye(2).expand(3, 1, 2, 2), ft.ones(3, 2, 1)
    assert ft.linalg.lstsq(a, b)[0].shape == (3, 3, 2, 1)  # not vectors: PyTorch requires all but one of A's dimensions
    assert ft.linalg.lstsq(a, ft.ones(3, 1, 2))[0].shape == (3, 1, 2)
