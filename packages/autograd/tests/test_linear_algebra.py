"""Derivatives of linear algebra: reverse to second order, forward, batched; real and complex; one matrix and many."""

import numpy as np
import pytest

import flambeau_autograd  # noqa: F401  (fills the sockets)
import flambeau_tensor as torch
from flambeau_autograd import func
from flambeau_tensor import linalg
from samples.derivatives import check_batches, check_derivatives

DTYPES = ("float64", "complex128")


def hermitian(a):
    return a + a.mH


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


TestDerivatives = check_derivatives("tensor.linear_algebra")
TestBatches = check_batches("tensor.linear_algebra")
