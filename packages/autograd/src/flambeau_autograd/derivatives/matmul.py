"""Derivatives of matrix and vector products."""

from math import prod

from flambeau_autograd._engine.graph import formulas
from flambeau_autograd._engine.graph.rule import derivative
from flambeau_tensor.ops import matmul as ops
from flambeau_tensor.ops.pointwise import conj

derivative(ops.mm, self=formulas.mm_self, mat2=formulas.mm_mat2, linear="each")
derivative(
    ops.bmm,
    self=lambda grad, mat2: grad.bmm(conj(mat2).transpose(1, 2)),
    mat2=lambda grad, self: conj(self).transpose(1, 2).bmm(grad),
    linear="each",
)
derivative(
    ops.mv,
    self=lambda grad, vec: ops.outer(grad, conj(vec)),
    vec=lambda grad, self: conj(self).t().mv(grad),
    linear="each",
)
derivative(
    ops.dot, self=lambda grad, tensor: grad * conj(tensor), tensor=lambda grad, self: grad * conj(self), linear="each"
)
derivative(ops.vdot, self=lambda grad, other: conj(grad) * other, other=lambda grad, self: grad * self, linear="each")
derivative(
    ops.addmm,
    self=lambda grad, beta: scaled(grad, beta),
    mat1=lambda grad, mat2, alpha: scaled(grad.mm(conj(mat2).t()), alpha),
    mat2=lambda grad, mat1, alpha: scaled(conj(mat1).t().mm(grad), alpha),
    jvp=lambda self_t, mat1_t, mat2_t, mat1, mat2, beta, alpha: _affine(
        ops.mm, self_t, mat1_t, mat2_t, mat1, mat2, beta, alpha
    ),
)
derivative(
    ops.addmv,
    self=lambda grad, beta: scaled(grad, beta),
    mat=lambda grad, vec, alpha: scaled(ops.outer(grad, conj(vec)), alpha),
    vec=lambda grad, mat, alpha: scaled(conj(mat).t().mv(grad), alpha),
    jvp=lambda self_t, mat_t, vec_t, mat, vec, beta, alpha: _affine(
        ops.mv, self_t, mat_t, vec_t, mat, vec, beta, alpha
    ),
)
derivative(
    ops.baddbmm,
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(grad.bmm(conj(batch2).transpose(1, 2)), alpha),
    batch2=lambda grad, batch1, alpha: scaled(conj(batch1).transpose(1, 2).bmm(grad), alpha),
    jvp=lambda self_t, batch1_t, batch2_t, batch1, batch2, beta, alpha: _affine(
        ops.bmm, self_t, batch1_t, batch2_t, batch1, batch2, beta, alpha
    ),
)


def scaled(grad, factor):
    """`grad` times the conjugate of a number; itself for the common 1."""
    if isinstance(factor, complex):
        factor = factor.conjugate()
    return grad if factor == 1 else grad * factor


def _affine(product, start_t, a_t, b_t, a, b, beta=1, alpha=1):
    """The tangent of ``beta * start + alpha * product(a, b)``."""
    terms = [] if start_t is None else [start_t if beta == 1 else start_t * beta]
    for left, right in ((a_t, b), (a, b_t)):
        if left is not None and right is not None:
            term = product(left, right)
            terms.append(term if alpha == 1 else term * alpha)
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _rows(x):
    """Everything before the last dimension as one."""
    return x if x.ndim == 2 else x.reshape((prod(x.shape[:-1]), x.shape[-1]))


def _linear_input(grad, weight):
    if weight.ndim == 1:
        return grad.unsqueeze(-1) * conj(weight)
    return grad @ conj(weight)


def _linear_weight(grad, input, weight_shape):
    if len(weight_shape) == 1:
        return grad.reshape((-1,)) @ conj(_rows(input)) if input.ndim > 1 else grad * conj(input)
    if input.ndim == 1:
        return ops.outer(grad, conj(input))
    return _rows(grad).t().mm(conj(_rows(input)))


derivative(
    ops.linear,
    input=_linear_input,
    weight=_linear_weight,
    bias=lambda grad: grad,
    jvp=lambda input_t, weight_t, bias_t, input, weight: _affine(ops.linear, bias_t, input_t, weight_t, input, weight),
)
