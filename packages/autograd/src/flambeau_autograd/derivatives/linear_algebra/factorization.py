"""Derivatives of Cholesky, LU and QR, and of determinants.

The formulas are those of Seeger, Hetzel, Dai, Meissner and Lawrence, "Auto-differentiating linear algebra" (2017),
and of Roberts and Roberts, "QR and LQ decomposition matrix backpropagation algorithms for square, wide, and deep
matrices" (2020). A gradient of None means zeros.
"""

import flambeau_tensor as torch
from flambeau_autograd._engine.graph.grad_mode import is_grad_enabled
from flambeau_autograd.derivatives.table import derivative, elements_are_hidden
from flambeau_tensor.extend import find_operator, is_layered
from flambeau_tensor.ops import joining
from flambeau_tensor.ops.linear_algebra import factorization as ops
from flambeau_tensor.ops.linear_algebra import spectral
from flambeau_tensor.ops.linear_algebra.solving import lu_solve, solve, solve_triangular
from flambeau_tensor.ops.pointwise import conj
from flambeau_tensor.ops.views import adjoint


def half_diagonal(t):
    """The lower triangle with half of the diagonal."""
    return t.tril(-1) + torch.diag_embed(t.diagonal(0, -2, -1) * 0.5)


def added(total, more):
    """Return the sum of two tensors, either of which may be None."""
    return more if total is None else total if more is None else total + more


def is_final(*tensors):
    """Return True if nothing will be differentiated again, so that saved values may be used as constants."""
    return not is_grad_enabled() and not any(t is not None and is_layered(t) for t in tensors)


# --- Cholesky -------------------------------------------------------------------------------------------------------


def _cholesky(grad, L, upper):
    if upper:
        L, grad = adjoint(L), adjoint(grad)
    inner = (adjoint(L) @ grad).tril()
    inner = (inner + adjoint(inner.tril(-1))) * 0.5
    return solve_triangular(adjoint(L), solve_triangular(L, inner, upper=False, left=False), upper=True)


def _cholesky_tangent(self_t, L, upper):
    lower = adjoint(L) if upper else L
    inner = solve_triangular(adjoint(lower), solve_triangular(lower, self_t, upper=False), upper=True, left=False)
    tangent = lower @ half_diagonal(inner)
    return (adjoint(tangent) if upper else tangent), None


derivative(
    ops.cholesky_ex,
    self=_cholesky,
    jvp=_cholesky_tangent,
    not_differentiable=("info",),
    name="LinalgCholeskyExBackward0",
)


# --- LU -------------------------------------------------------------------------------------------------------------


def _lu(grad, LU, pivots):
    m, n = LU.shape[-2:]
    k = min(m, n)
    P, L, U = ops.lu_unpack(LU, pivots)
    l_square, u_square = L.narrow(-2, 0, k), U.narrow(-1, 0, k)
    grad_l, grad_u = grad.narrow(-1, 0, k).tril(-1), grad.narrow(-2, 0, k).triu()
    inner_l, inner_u = grad_l.narrow(-2, 0, k), grad_u.narrow(-1, 0, k)
    parts = []
    if n > m:  # the columns on the right follow from L
        wide = solve_triangular(adjoint(l_square), grad_u.narrow(-1, k, n - k), upper=True, unitriangular=True)
        inner_l = inner_l - wide @ adjoint(U.narrow(-1, k, n - k))
        parts.append(wide)
    if m > n:  # the rows below follow from U
        deep = solve_triangular(adjoint(u_square), grad_l.narrow(-2, k, m - k), upper=False, left=False)
        inner_u = inner_u - adjoint(L.narrow(-2, k, m - k)) @ deep
        parts.append(deep)
    both = (adjoint(l_square) @ inner_l).tril(-1) + (inner_u @ adjoint(u_square)).triu()
    square = solve_triangular(adjoint(l_square), both, upper=True, unitriangular=True)
    square = solve_triangular(adjoint(u_square), square, upper=False, left=False)
    whole = square if m == n else joining.cat((square, *parts), -1 if n > m else -2)
    return P @ whole


derivative(ops.lu_factor_ex, A=_lu, not_differentiable=("pivots", "info"), name="LinalgLuFactorExBackward0")


# --- determinants ---------------------------------------------------------------------------------------------------


def _times_inverse_adjoint(factor, A, LU, pivots):
    """`factor` for each matrix times the adjoint of its inverse."""
    scaled = torch.diag_embed(factor.unsqueeze(-1).expand((*factor.shape, A.shape[-1])))
    if is_final(factor, A):
        return lu_solve(LU, pivots, scaled.to(LU.dtype), adjoint=True)
    return solve(adjoint(A), scaled.to(A.dtype))


def _det(grad, A, result, LU, pivots):
    if A.numel() and (elements_are_hidden(result) or bool((result == 0).any())):
        return _cofactors(grad, A)
    return _times_inverse_adjoint(grad * conj(result), A, LU, pivots)


def _cofactors(grad, A):
    """Compute the cofactors from singular values, which works for singular matrices, too: those of UΣVᴴ are those of Σ
    between U and Vᴴ, times the determinants of both.
    """
    u, s, vh = spectral._svd(A)
    n, one = s.shape[-1], find_operator("torch.ones_like")(s.narrow(-1, 0, 1))
    products = []  # of all singular values but one
    for i in range(n):
        rest = [s.narrow(-1, 0, i), s.narrow(-1, i + 1, n - i - 1), one]
        products.append(joining.cat(rest, -1).prod(-1))
    others = joining.stack(products, -1).to(A.dtype)
    turn = conj(ops.det(u) * ops.det(vh)) * grad
    return turn.unsqueeze(-1).unsqueeze(-1) * ((u * others.unsqueeze(-2)) @ vh)


def _slogdet(grads, A, sign, LU, pivots):
    grad_sign, grad_log = grads[:2]
    total = grad_log
    if sign.is_complex() and grad_sign is not None:
        total = added(total, -(conj(grad_sign) * sign).imag * 1j)
    return None if total is None else _times_inverse_adjoint(total, A, LU, pivots)


derivative(ops._det, A=_det, not_differentiable=("LU", "pivots"), name="LinalgDetBackward0")
derivative(ops._slogdet, A=_slogdet, not_differentiable=("LU", "pivots"), name="LinalgSlogdetBackward0")


# --- QR -------------------------------------------------------------------------------------------------------------


def _qr(grads, Q, R, A_shape, mode):
    m, n = A_shape[-2:]
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to require gradients."
        )
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    grad_q, grad_r = grads
    if grad_q is None and grad_r is None:
        return None
    if m >= n:
        return _qr_deep(grad_q, grad_r, Q, R)
    # For wide matrices, Q depends only on the left part; the right part is Y = QV with V the rest of R, so V = QᴴY.
    square, rest = R.narrow(-1, 0, m), R.narrow(-1, m, n - m)
    if grad_r is None:
        return joining.cat((_qr_deep(grad_q, None, Q, square), Q @ rest * 0), -1)
    right = grad_r.narrow(-1, m, n - m)
    grad_q = added(grad_q, Q @ (rest @ adjoint(right)))
    return joining.cat((_qr_deep(grad_q, grad_r.narrow(-1, 0, m), Q, square), Q @ right), -1)


def _qr_deep(grad_q, grad_r, Q, R):
    m = 0
    if grad_r is not None:
        m = R @ adjoint(grad_r.triu())
    if grad_q is not None:
        m = m - adjoint(grad_q) @ Q
    lower = m.tril(-1)
    diagonal = m.diagonal(0, -2, -1)
    if diagonal.is_complex():
        diagonal = diagonal.real.to(diagonal.dtype)
    inner = Q @ (lower + adjoint(lower) + torch.diag_embed(diagonal))
    if grad_q is not None:
        inner = inner + grad_q
    return solve_triangular(adjoint(R), inner, upper=False, left=False)


derivative(ops.qr, A=_qr, name="LinalgQrBackward0")


def _unknown(grad):
    raise NotImplementedError("the derivative for 'geqrf' is not implemented: use torch.linalg.qr")


derivative(ops.geqrf, self=_unknown)


# --- reflectors -----------------------------------------------------------------------------------------------------


def _nothing_of(t):
    """Zeros that depend on it."""
    return t.masked_fill(t == t, 0).masked_fill(t != t, 0)


def _reflected(input, tau, *rest):
    """The product of reflectors by other operations."""
    m, n = input.shape[-2:]
    eye = find_operator("torch.eye")(m, n, dtype=input.dtype, device=input.device)
    vectors = input.tril(-1) + eye
    out = _nothing_of(input) + eye
    for i in reversed(range(tau.shape[-1])):
        v = vectors.narrow(-1, i, 1)
        out = out - tau.narrow(-1, i, 1).unsqueeze(-1) * (v @ (adjoint(v) @ out))
    return out


def _times_reflected(input, tau, other, left, transpose, *rest):
    vectors = input.narrow(-1, 0, tau.shape[-1]).tril(-1)
    vectors = vectors + find_operator("torch.eye")(*vectors.shape[-2:], dtype=input.dtype, device=input.device)
    order = range(tau.shape[-1])
    if not order:
        return other + (_nothing_of(input).sum() + _nothing_of(tau).sum())
    # Q = H₀H₁…: from the left, the last factor is applied to `other` first, from the right, the first; the adjoint
    # reverses this.
    for i in order if left == transpose else reversed(order):
        v, factor = vectors.narrow(-1, i, 1), tau.narrow(-1, i, 1).unsqueeze(-1)
        factor = conj(factor) if transpose else factor
        other = other - factor * (v @ (adjoint(v) @ other) if left else (other @ v) @ adjoint(v))
    return other


derivative(ops.householder_product, composition=_reflected)
derivative(ops.ormqr, composition=_times_reflected)
