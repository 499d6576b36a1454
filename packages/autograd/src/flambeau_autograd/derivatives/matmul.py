"""Derivatives of matrix and vector products."""
from flambeau_autograd._engine.rule import derivative
from flambeau_tensor.ops import matmul as ops
from flambeau_tensor.ops.pointwise import conj

derivative(ops.mm, self=lambda grad, mat2: grad.mm(conj(mat2).t()), mat2=lambda grad, self: conj(self).t().mm(grad))
derivative(ops.bmm, self=lambda grad, mat2: grad.bmm(conj(mat2).transpose(1, 2)),
           mat2=lambda grad, self: conj(self).transpose(1, 2).bmm(grad))
derivative(ops.mv, self=lambda grad, vec: ops.outer(grad, conj(vec)), vec=lambda grad, self: conj(self).t().mv(grad))
derivative(ops.dot, self=lambda grad, tensor: grad * conj(tensor), tensor=lambda grad, self: grad * conj(self))
derivative(ops.vdot, self=lambda grad, other: conj(grad) * other, other=lambda grad, self: grad * self)
derivative(ops.addmm,
           self=lambda grad, beta: scaled(grad, beta),
           mat1=lambda grad, mat2, alpha: scaled(grad.mm(conj(mat2).t()), alpha),
           mat2=lambda grad, mat1, alpha: scaled(conj(mat1).t().mm(grad), alpha))
derivative(ops.addmv,
           self=lambda grad, beta: scaled(grad, beta),
           mat=lambda grad, vec, alpha: scaled(ops.outer(grad, conj(vec)), alpha),
           vec=lambda grad, mat, alpha: scaled(conj(mat).t().mv(grad), alpha))
derivative(ops.baddbmm,
           self=lambda grad, beta: scaled(grad, beta),
           batch1=lambda grad, batch2, alpha: scaled(grad.bmm(conj(batch2).transpose(1, 2)), alpha),
           batch2=lambda grad, batch1, alpha: scaled(conj(batch1).transpose(1, 2).bmm(grad), alpha))


def scaled(grad, factor):
    """`grad` times the conjugate of a number; itself for the common 1."""
    if isinstance(factor, complex):
        factor = factor.conjugate()
    return grad if factor == 1 else grad * factor


def _rows(x):
    """Everything before the last dimension as one."""
    return x if x.ndim == 2 else x.reshape((-1, x.shape[-1]))


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


derivative(ops.linear, input=_linear_input, weight=_linear_weight, bias=lambda grad: grad)
