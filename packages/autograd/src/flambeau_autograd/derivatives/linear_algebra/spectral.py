"""Derivatives of eigenvalues, singular values, pseudoinverses and exponentials of matrices.

For the decompositions see Townsend, "Differentiating the singular value decomposition" (2016) and Wan and Zhang,
"Automatic differentiation for complex valued SVD" (2019); for the pseudoinverse Golub and Pereyra, "The differentiation
of pseudo-inverses" (1973); for the exponential Mathias, "A chain rule for matrix functions" (1996).
Vectors that belong to equal values are not unique, and gradients through them are infinite or nan.
"""

import flambeau_tensor as torch
from flambeau_autograd.derivatives.linear_algebra.factorization import added, is_final
from flambeau_autograd.derivatives.table import derivative
from flambeau_tensor.ops import joining
from flambeau_tensor.ops.linear_algebra import spectral as ops
from flambeau_tensor.ops.linear_algebra.solving import _solve_ex
from flambeau_tensor.ops.pointwise import conj
from flambeau_tensor.ops.views import adjoint


def _differences(values):
    """Return values[j] - values[i], with ones on the diagonal."""
    wide = values.unsqueeze(-2) - values.unsqueeze(-1)
    return wide + torch.diag_embed(values * 0 + 1)


def _without_diagonal(t):
    return t - torch.diag_embed(t.diagonal(0, -2, -1))


def _check_phase(name, products, size):
    """Raise an error if a complex loss depends on the phase of the vectors, which is arbitrary."""
    if products.is_complex() and is_final(products) and products.numel():
        phase = products.diagonal(0, -2, -1).imag.abs().amax()
        if bool(phase > 1e-2 * (1 + size.abs().amax())):
            raise RuntimeError(
                f"{name}: the loss depends on the phase of complex vectors, which are only given up to "
                "a factor e^{iφ}, so it is ill-defined."
            )


# --- symmetric and Hermitian ----------------------------------------------------------------------------------------


def _eigh(grads, eigenvalues, eigenvectors):
    grad_values, grad_vectors = grads
    inner = None
    if grad_vectors is not None:
        products = adjoint(eigenvectors) @ grad_vectors
        _check_phase("linalg_eigh_backward", products, grad_vectors)
        skew = (products - adjoint(products)) * 0.5
        inner = _without_diagonal(skew) / _differences(eigenvalues).to(skew.dtype)
    if grad_values is not None:
        inner = added(inner, torch.diag_embed(grad_values.to(eigenvectors.dtype)))
    return None if inner is None else eigenvectors @ inner @ adjoint(eigenvectors)


def _eigh_tangent(A_t, eigenvalues, eigenvectors):
    inner = adjoint(eigenvectors) @ A_t @ eigenvectors
    values = inner.diagonal(0, -2, -1)
    turned = _without_diagonal(inner) / _differences(eigenvalues).to(inner.dtype)
    return (values.real if values.is_complex() else values), eigenvectors @ turned


derivative(ops._eigh, A=_eigh, jvp=_eigh_tangent, name="LinalgEighBackward0")


# --- any square matrices --------------------------------------------------------------------------------------------


def _eig(grads, eigenvalues, eigenvectors):
    grad_values, grad_vectors = grads
    inner = None
    if grad_vectors is not None:
        products = adjoint(eigenvectors) @ grad_vectors
        _check_phase("linalg_eig_backward", products, grad_vectors)
        # The vectors have constant length 1.
        along = products.diagonal(0, -2, -1).real.to(products.dtype)
        products = products - (adjoint(eigenvectors) @ eigenvectors) * along.unsqueeze(-2)
        inner = _without_diagonal(products) / conj(_differences(eigenvalues))
    if grad_values is not None:
        inner = added(inner, torch.diag_embed(grad_values))
    if inner is None:
        return None
    return _solve_ex(adjoint(eigenvectors), inner @ adjoint(eigenvectors))[0]


def _eigvals(grad, self):
    vectors = ops.eig(self)[1]
    return _solve_ex(adjoint(vectors), torch.diag_embed(grad) @ adjoint(vectors))[0]


derivative(ops.eig, self=_eig, name="LinalgEigBackward0")
derivative(ops.eigvals, self=_eigvals, name="LinalgEigBackward0")


# --- singular values ------------------------------------------------------------------------------------------------


def _svd(grads, U, S, Vh, A_shape, compute_uv):
    grad_u, grad_s, grad_vh = grads
    if not compute_uv:
        raise RuntimeError(
            "svd_backward: Setting compute_uv to false in torch.svd doesn't compute singular matrices, "
            "and hence we cannot compute backward. Please use torch.svd(compute_uv=True)"
        )
    m, n = A_shape[-2:]
    k = min(m, n)
    if U.shape[-1] > k:  # the vectors that complete the basis are arbitrary
        U, grad_u = U.narrow(-1, 0, k), None if grad_u is None else grad_u.narrow(-1, 0, k)
    if Vh.shape[-2] > k:
        Vh, grad_vh = Vh.narrow(-2, 0, k), None if grad_vh is None else grad_vh.narrow(-2, 0, k)
    values = S.to(U.dtype)
    if grad_u is None and grad_vh is None:
        return None if grad_s is None else (U * grad_s.to(U.dtype).unsqueeze(-2)) @ Vh
    squares = _differences(S * S).to(U.dtype)
    inner = 0
    products = 0
    if grad_u is not None:
        products = left = adjoint(U) @ grad_u
        inner = (_without_diagonal(left - adjoint(left)) / squares) * values.unsqueeze(-2)
    if grad_vh is not None:
        right = Vh @ adjoint(grad_vh)
        products = products + right
        inner = inner + values.unsqueeze(-1) * (_without_diagonal(right - adjoint(right)) / squares)
    _check_phase("svd_backward", products, grad_u if grad_u is not None else grad_vh)
    if grad_s is not None:
        inner = inner + torch.diag_embed(grad_s.to(U.dtype))
    if U.is_complex() and grad_u is not None:
        inner = inner + torch.diag_embed((left.diagonal(0, -2, -1).imag * 1j).to(U.dtype) / values)
    out = U @ inner @ Vh
    if grad_u is not None and m > k:
        scaled = grad_u / values.unsqueeze(-2)
        out = out + (scaled - U @ (adjoint(U) @ scaled)) @ Vh
    if grad_vh is not None and n > k:
        scaled = grad_vh / values.unsqueeze(-1)
        out = out + U @ (scaled - (scaled @ adjoint(Vh)) @ Vh)
    return out


derivative(ops._svd, A=_svd, name="LinalgSvdBackward0")


# --- pseudoinverses and exponentials --------------------------------------------------------------------------------


def of_pseudoinverse(grad, a, inverse):
    """Return the gradient of a matrix of constant rank from the gradient of its pseudoinverse."""
    turned, back = adjoint(grad), adjoint(inverse)
    first = (turned @ inverse) @ back
    second = (back @ inverse) @ turned
    return -(back @ grad @ back) + first - a @ (inverse @ first) + second - (second @ inverse) @ a


def _pinv_tangent(self_t, self, result):
    back = adjoint(result)
    turned = adjoint(self_t)
    first = (result @ back) @ turned
    second = turned @ (back @ result)
    return -(result @ self_t @ result) + first - (first @ self) @ result + second - result @ (self @ second)


derivative(
    ops.pinv_kernel,
    self=lambda grad, self, result: of_pseudoinverse(grad, self, result),
    jvp=_pinv_tangent,
    name="LinalgPinvBackward0",
)


def _direction(a, e):
    """The derivative of exp at `a` towards `e`: a block of exp([[a, e], [0, a]])."""
    n = a.shape[-1]
    above, below = joining.cat((a, e), -1), joining.cat((a * 0, a), -1)
    return ops.matrix_exp(joining.cat((above, below), -2)).narrow(-2, 0, n).narrow(-1, n, n)


derivative(
    ops.matrix_exp,
    self=lambda grad, self: _direction(adjoint(self), grad),
    jvp=lambda self_t, self: _direction(self, self_t),
    name="LinalgMatrixExpBackward0",
)
