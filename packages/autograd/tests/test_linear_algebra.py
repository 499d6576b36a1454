"""Derivatives of linear algebra: reverse to second order, forward, batched; real and complex; one matrix and many."""

import numpy as np
import pytest

import flambeau_autograd  # noqa: F401  (fills the sockets)
import flambeau_tensor as torch
from flambeau_autograd import func, gradcheck, gradgradcheck
from flambeau_tensor import linalg

DTYPES = ("float64", "complex128")


def positive(a):
    return a @ a.mH + torch.eye(a.shape[-1], dtype=a.dtype) * a.shape[-1]


def hermitian(a):
    return a + a.mH


def phase_free(u, vh):
    """What does not depend on the phase of singular vectors."""
    return u @ vh


# name: (function, shapes of its inputs)
CASES = {
    "cholesky": (lambda a: linalg.cholesky(positive(a)), [(3, 3)]),
    "cholesky upper": (lambda a: linalg.cholesky(positive(a), upper=True), [(2, 3, 3)]),
    "cholesky_solve": (lambda a, b: torch.cholesky_solve(b, linalg.cholesky(positive(a))), [(3, 3), (3, 2)]),
    "cholesky_inverse": (lambda a: torch.cholesky_inverse(linalg.cholesky(positive(a))), [(3, 3)]),
    "cholesky_solve upper": (
        lambda a, b: torch.cholesky_solve(b, linalg.cholesky(positive(a), upper=True), True),
        [(2, 3, 3), (3, 2)],
    ),
    "cholesky_inverse upper": (
        lambda a: torch.cholesky_inverse(linalg.cholesky(positive(a), upper=True), True),
        [(3, 3)],
    ),
    "lu square": (lambda a: linalg.lu(a)[1:], [(3, 3)]),
    "lu wide": (lambda a: linalg.lu(a)[1:], [(2, 3, 5)]),
    "lu tall": (lambda a: linalg.lu(a)[1:], [(5, 3)]),
    "lu_factor": (lambda a: linalg.lu_factor(a)[0], [(2, 3, 3)]),
    "lu_solve": (lambda a, b: linalg.lu_solve(*linalg.lu_factor(a), b), [(3, 3), (3, 2)]),
    "lu_solve adjoint": (lambda a, b: linalg.lu_solve(*linalg.lu_factor(a), b, adjoint=True), [(2, 3, 3), (2, 3, 2)]),
    "lu_solve right": (lambda a, b: linalg.lu_solve(*linalg.lu_factor(a), b, left=False), [(3, 3), (2, 3)]),
    "lu_solve both": (
        lambda a, b: linalg.lu_solve(*linalg.lu_factor(a), b, left=False, adjoint=True),
        [(3, 3), (2, 3)],
    ),
    "det": (linalg.det, [(3, 3)]),
    "det batch": (linalg.det, [(2, 3, 3)]),
    "slogdet": (lambda a: linalg.slogdet(a), [(3, 3)]),
    "logdet": (lambda a: torch.logdet(positive(a)).real, [(2, 3, 3)]),
    "qr": (lambda a: linalg.qr(a), [(4, 3)]),
    "qr square": (lambda a: linalg.qr(a), [(2, 3, 3)]),
    "qr wide": (lambda a: linalg.qr(a), [(3, 5)]),
    "qr R": (lambda a: linalg.qr(a)[1], [(4, 3)]),
    "qr Q wide": (lambda a: linalg.qr(a)[0], [(2, 4)]),
    "householder_product": (linalg.householder_product, [(4, 3), (2,)]),
    "ormqr": (lambda a, t, b: torch.ormqr(a, t, b), [(4, 3), (3,), (4, 2)]),
    "ormqr adjoint right": (lambda a, t, b: torch.ormqr(a, t, b, False, True), [(4, 3), (3,), (2, 4)]),
    "inv": (linalg.inv, [(2, 3, 3)]),
    "inverse": (torch.inverse, [(3, 3)]),
    "solve": (linalg.solve, [(3, 3), (3, 2)]),
    "solve vector": (linalg.solve, [(3, 3), (3,)]),
    "solve vectors": (linalg.solve, [(2, 3, 3), (2, 3)]),
    "solve broadcast": (linalg.solve, [(3, 3), (2, 3, 2)]),
    "solve many": (linalg.solve, [(2, 3, 3), (3, 2)]),
    "solve right": (lambda a, b: linalg.solve(a, b, left=False), [(3, 3), (2, 3)]),
    "triangular": (lambda a, b: linalg.solve_triangular(a, b, upper=True), [(3, 3), (3, 2)]),
    "triangular right": (lambda a, b: linalg.solve_triangular(a, b, upper=False, left=False), [(2, 3, 3), (2, 2, 3)]),
    "triangular unit": (
        lambda a, b: linalg.solve_triangular(a, b, upper=False, unitriangular=True),
        [(3, 3), (2, 3, 2)],
    ),
    "triangular_solve": (lambda b, a: torch.triangular_solve(b, a, transpose=True)[0], [(3, 2), (3, 3)]),
    "lstsq": (lambda a, b: linalg.lstsq(a, b)[0], [(4, 3), (4, 2)]),
    "lstsq wide": (lambda a, b: linalg.lstsq(a, b)[0], [(2, 3, 4), (2, 3)]),
    "lstsq residuals": (lambda a, b: linalg.lstsq(a, b, driver="gelsd")[:2], [(4, 2), (4, 3)]),
    "tensorinv": (lambda a: linalg.tensorinv(a, 1), [(4, 2, 2)]),
    "tensorsolve": (linalg.tensorsolve, [(2, 2, 4), (2, 2)]),
    "eigh": (lambda a: linalg.eigh(hermitian(a))[0], [(2, 3, 3)]),
    "eigh vectors": (lambda a: linalg.eigh(hermitian(a))[1].abs(), [(3, 3)]),
    "eigvalsh": (lambda a: linalg.eigvalsh(hermitian(a)), [(3, 3)]),
    "eig": (lambda a: linalg.eig(a)[0], [(3, 3)]),
    "eig vectors": (lambda a: linalg.eig(a)[1].abs(), [(2, 3, 3)]),
    "eigvals": (linalg.eigvals, [(3, 3)]),
    "svdvals": (linalg.svdvals, [(2, 3, 2)]),
    "svd": (lambda a: (lambda u, s, vh: (phase_free(u, vh), s))(*linalg.svd(a, full_matrices=False)), [(4, 3)]),
    "svd wide": (lambda a: (lambda u, s, vh: (u.abs(), s, vh.abs()))(*linalg.svd(a, full_matrices=False)), [(2, 3)]),
    "svd full": (lambda a: linalg.svd(a)[0][..., :2].abs(), [(3, 2)]),
    "pinv": (linalg.pinv, [(4, 3)]),
    "pinv wide": (linalg.pinv, [(2, 2, 3)]),
    "pinv hermitian": (lambda a: linalg.pinv(hermitian(a), hermitian=True), [(3, 3)]),
    "nuclear": (lambda a: linalg.matrix_norm(a, "nuc"), [(3, 2)]),
    "spectral": (lambda a: linalg.matrix_norm(a, 2), [(2, 3, 3)]),
    "cond": (lambda a: linalg.cond(a), [(3, 3)]),
    "cond 1": (lambda a: linalg.cond(a, 1), [(3, 3)]),
    "matrix_power": (lambda a: linalg.matrix_power(a, 5), [(2, 3, 3)]),
    "matrix_power negative": (lambda a: linalg.matrix_power(a, -2), [(3, 3)]),
    "matrix_exp": (linalg.matrix_exp, [(2, 3, 3)]),
    "matrix_power 0": (lambda a: linalg.matrix_power(a, 0), [(2, 3, 3)]),
    "householder_product of none": (linalg.householder_product, [(4, 3), (0,)]),
    "vander": (lambda a: linalg.vander(a, N=4), [(3,)]),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_gradients(name, dtype, draw):
    function, shapes = CASES[name]
    inputs = tuple(draw(7 * i + 1, dtype, *s) for i, s in enumerate(shapes))
    assert gradcheck(function, inputs, check_forward_ad=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name, dtype, draw):
    function, shapes = CASES[name]
    inputs = tuple(draw(7 * i + 1, dtype, *s) for i, s in enumerate(shapes))
    assert gradgradcheck(function, inputs, atol=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_vmap_is_a_loop(name, draw):
    function, shapes = CASES[name]
    inputs = [draw(5 * i + 2, "float64", 3, *s).detach() for i, s in enumerate(shapes)]
    together = func.vmap(function)(*inputs)
    together = together if isinstance(together, tuple) else (together,)
    for n in range(3):
        one = function(*(t[n] for t in inputs))
        for got, wanted in zip(together, one if isinstance(one, tuple) else (one,), strict=True):
            np.testing.assert_allclose(got[n].numpy(), wanted.numpy(), rtol=1e-9, atol=1e-9)


def test_a_shared_matrix_under_vmap(draw):
    a, b = draw(1, "float64", 3, 3).detach(), draw(2, "float64", 4, 3, 2).detach()
    got = func.vmap(linalg.solve, in_dims=(None, 0))(a, b)
    np.testing.assert_allclose(got.numpy(), np.linalg.solve(a.numpy(), b.numpy()), rtol=1e-9)
    vectors = func.vmap(linalg.solve, in_dims=(None, 1))(a, b[0])
    np.testing.assert_allclose(vectors.numpy().T, np.linalg.solve(a.numpy(), b[0].numpy()), rtol=1e-9)


def test_reflectors_under_vmap(draw):
    a = draw(1, "float64", 3, 4, 2).detach()
    reflectors, tau = func.vmap(torch.geqrf, in_dims=2, out_dims=0)(a.movedim(0, 2))
    for n in range(3):
        np.testing.assert_allclose(reflectors[n].numpy(), torch.geqrf(a[n])[0].numpy())
        np.testing.assert_allclose(tau[n].numpy(), torch.geqrf(a[n])[1].numpy())


def test_empty_results_under_vmap(draw):
    a, b = draw(1, "float64", 2, 4, 3).detach(), draw(2, "float64", 2, 4, 1).detach()
    found = func.vmap(linalg.lstsq)(a, b)
    assert found[0].shape == (2, 3, 1) and found[1].shape == found[3].shape == (2, 0) and found[2].shape == (2,)
    assert func.vmap(lambda x: linalg.qr(x, "r"))(a)[0].shape == (2, 0)
    assert func.vmap(linalg.svdvals)(a).shape == (2, 3)


def test_gradient_of_the_determinant_of_singular_matrices():
    a = torch.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]], dtype=torch.float64).requires_grad_()
    linalg.det(a).backward()  # the cofactors
    np.testing.assert_allclose(a.grad.numpy(), [[4.0, 4.0, -4.0], [-2.0, -2.0, 2.0], [0.0, 0.0, 0.0]], atol=1e-12)


def test_what_has_no_derivative_says_so(draw):
    a = draw(1, "float64", 4, 3)
    with pytest.raises(NotImplementedError, match="the derivative for 'geqrf' is not implemented"):
        torch.geqrf(a)[0].sum().backward()
    with pytest.raises(RuntimeError, match="mode='r'"):
        linalg.qr(a, "r")[1].sum().backward()
    with pytest.raises(RuntimeError, match="mode='complete' and nrows > ncols"):
        linalg.qr(a, "complete")[0].sum().backward()
    c = draw(1, "complex128", 3, 3)
    with pytest.raises(RuntimeError, match="ill-defined"):
        linalg.eigh(hermitian(c))[1].real.sum().backward()


def test_names_of_nodes(draw):
    a = draw(1, "float64", 3, 3)
    names = {
        linalg.inv(a): "LinalgInvExBackward0",
        linalg.solve(a, a): "LinalgSolveExBackward0",
        linalg.det(a): "LinalgDetBackward0",
        linalg.qr(a)[0]: "LinalgQrBackward0",
        linalg.svd(a)[1]: "LinalgSvdBackward0",
        linalg.eigh(a)[0]: "LinalgEighBackward0",
    }
    assert {t.grad_fn.name(): name for t, name in names.items()} == {name: name for name in names.values()}


@pytest.mark.parametrize("left", [True, False])
def test_a_product_with_no_reflectors(left):
    a, tau = torch.ones((4, 0), requires_grad=True), torch.ones((0,), requires_grad=True)
    other = torch.ones((4, 2) if left else (2, 4), requires_grad=True)
    out = torch.ormqr(a, tau, other, left)
    out.sum().backward()
    assert out.tolist() == other.tolist() == other.grad.tolist()
    assert a.grad.shape == (4, 0) and tau.grad.shape == (0,)
