"""Derivatives of inverses and of solvers of linear systems.

For X = A⁻¹B: dX = A⁻¹(dB - dA X). Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008).
"""

from flambeau_autograd.derivatives.linear_algebra.factorization import added, is_final
from flambeau_autograd.derivatives.linear_algebra.spectral import of_pseudoinverse
from flambeau_autograd.derivatives.table import derivative
from flambeau_tensor.ops.linear_algebra import factorization, spectral
from flambeau_tensor.ops.linear_algebra import solving as ops
from flambeau_tensor.ops.views import adjoint

derivative(
    ops.inv_ex,
    A=lambda grad, inverse: -(adjoint(inverse) @ grad @ adjoint(inverse)),
    jvp=lambda A_t, inverse: (-(inverse @ A_t @ inverse), None),
    not_differentiable=("info",),
    name="LinalgInvExBackward0",
)


def _as_matrix(t, vector):
    return t.unsqueeze(-1) if vector else t


def _solve(grad, A, result, LU, pivots, left, needs):
    vector = left and result.ndim != max(A.ndim, result.ndim)
    grad, result = _as_matrix(grad, vector), _as_matrix(result, vector)
    if is_final(grad, A):
        grad_b = ops.lu_solve(LU, pivots, grad, left=left, adjoint=True)
    else:
        grad_b = ops._solve_ex(adjoint(A), grad, left=left)[0]
    grad_a = None
    if needs[0]:
        grad_a = -(grad_b @ adjoint(result)) if left else -(adjoint(result) @ grad_b)
    return grad_a, grad_b.squeeze(-1) if vector else grad_b


def _solve_tangent(A_t, B_t, A, result, left):
    vector = left and result.ndim != max(A.ndim, result.ndim)
    x = _as_matrix(result, vector)
    right = None if B_t is None else _as_matrix(B_t, vector)
    if A_t is not None:
        change = A_t @ x if left else x @ A_t
        right = added(right, -change)
    tangent = ops._solve_ex(A, right, left=left)[0]
    return (tangent.squeeze(-1) if vector else tangent), None, None, None


derivative(
    ops._solve_ex,
    {"A, B": _solve},
    jvp=_solve_tangent,
    not_differentiable=("LU", "pivots", "info"),
    name="LinalgSolveExBackward0",
)


def _lu_solve(LU, pivots, B, left, transposed, *rest):
    """Solve by two triangular systems, for the derivative with respect to LU itself."""
    P, L, U = factorization.lu_unpack(LU, pivots)
    triangle = ops.solve_triangular
    if left and not transposed:
        return triangle(U, triangle(L, adjoint(P) @ B, upper=False, unitriangular=True), upper=True)
    if left:
        return P @ triangle(adjoint(L), triangle(adjoint(U), B, upper=False), upper=True, unitriangular=True)
    if not transposed:
        return triangle(
            L, triangle(U, B, upper=True, left=False), upper=False, left=False, unitriangular=True
        ) @ adjoint(P)
    return triangle(
        adjoint(U), triangle(adjoint(L), B @ P, upper=True, left=False, unitriangular=True), upper=False, left=False
    )


derivative(ops.lu_solve, composition=_lu_solve)


# --- triangles ------------------------------------------------------------------------------------------------------


def _kept(t, upper, unitriangular):
    return t.triu(1 if unitriangular else 0) if upper else t.tril(-1 if unitriangular else 0)


def _triangular(grad, self, result, upper, left, unitriangular, needs):
    grad_b = ops.solve_triangular(adjoint(self), grad, upper=not upper, left=left, unitriangular=unitriangular)
    grad_a = None
    if needs[0]:
        grad_a = -(grad_b @ adjoint(result)) if left else -(adjoint(result) @ grad_b)
        grad_a = _kept(grad_a, upper, unitriangular)
    return grad_a, grad_b


def _triangular_tangent(self_t, B_t, self, result, upper, left, unitriangular):
    right = B_t
    if self_t is not None:
        change = _kept(self_t, upper, unitriangular)
        change = change @ result if left else result @ change
        right = added(right, -change)
    return ops.solve_triangular(self, right, upper=upper, left=left, unitriangular=unitriangular)


derivative(
    ops.solve_triangular, {"self, B": _triangular}, jvp=_triangular_tangent, name="LinalgSolveTriangularBackward0"
)


# --- by Cholesky factors --------------------------------------------------------------------------------------------
# A = L Lᴴ, so dA = dL Lᴴ + L dLᴴ, and the gradient of L is (G + Gᴴ) L for the gradient G of A.


def _cholesky_solve(grad, input2, result, upper, needs):
    grad_b = ops.cholesky_solve(grad, input2, upper)
    grad_l = None
    if needs[1]:
        both = grad_b @ adjoint(result)
        both = both + adjoint(both)
        grad_l = -(input2 @ both) if upper else -(both @ input2)
    return grad_b, grad_l


def _cholesky_inverse(grad, result, self, upper):
    both = result @ (grad + adjoint(grad)) @ result
    return -(self @ both) if upper else -(both @ self)


def _cholesky_solve_tangent(self_t, input2_t, input2, result, upper):
    right = self_t
    if input2_t is not None:
        change = adjoint(input2_t) @ input2 if upper else input2_t @ adjoint(input2)
        change = (change + adjoint(change)) @ result
        right = added(right, -change)
    return ops.cholesky_solve(right, input2, upper)


def _cholesky_inverse_tangent(self_t, self, result, upper):
    change = adjoint(self_t) @ self if upper else self_t @ adjoint(self)
    return -(result @ (change + adjoint(change)) @ result)


derivative(ops.cholesky_solve, {"self, input2": _cholesky_solve}, jvp=_cholesky_solve_tangent)
derivative(ops.cholesky_inverse, self=_cholesky_inverse, jvp=_cholesky_inverse_tangent)


# --- least squares --------------------------------------------------------------------------------------------------


def _lstsq(grads, self, b, solution, needs):
    """Compute the gradients of X = A⁺B and of the squared residuals of B - AX, which X minimizes."""
    grad, grad_squares = grads[:2]
    vector = self.ndim - b.ndim == 1
    right = _as_matrix(b, vector)
    grad_a = grad_b = None
    if grad is not None:
        inverse = spectral._pinv(self, None, None, False, None)
        grad = _as_matrix(grad, vector)
        grad_b = adjoint(inverse) @ grad
        if needs[0]:
            grad_a = of_pseudoinverse(grad @ adjoint(right), self, inverse)
    if grad_squares is not None and grad_squares.numel():
        x = _as_matrix(solution, vector)
        rest = (right - self @ x) * (2 * grad_squares.unsqueeze(-2))
        grad_b = added(grad_b, rest)
        if needs[0]:
            grad_a = added(grad_a, -(rest @ adjoint(x)))
    return grad_a, grad_b if grad_b is None or not vector else grad_b.squeeze(-1)


derivative(ops.lstsq, {"self, b": _lstsq}, not_differentiable=("rank", "singular_values"), name="LinalgLstsqBackward0")
