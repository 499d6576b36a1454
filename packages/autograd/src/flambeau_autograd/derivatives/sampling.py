"""Derivatives of random numbers by the parameters of their distributions."""

from flambeau_autograd.derivatives.table import derivative, without
from flambeau_tensor.ops import factories, sampling


def _dirichlet(grad, self, result):
    wide = self.double()  # a small parameter would be lost in the sum with much larger ones
    by_one = sampling._dirichlet_grad(result.double(), wide, wide.sum(-1, True).expand_as(wide)).to(grad.dtype)
    return by_one * (grad - (result * grad).sum(-1, True))


derivative(sampling._standard_gamma, self=lambda grad, self, result: grad * sampling._standard_gamma_grad(self, result))
derivative(sampling._sample_dirichlet, self=_dirichlet)
derivative(
    sampling.binomial,
    prob=lambda grad: factories.zeros_like(grad),
    count=lambda grad: factories.zeros_like(grad),
    jvp=lambda result: factories.zeros_like(result),
)
derivative(sampling._standard_gamma_grad, self=without("_standard_gamma_grad"), output=without("_standard_gamma_grad"))
derivative(
    sampling._dirichlet_grad,
    x=without("_dirichlet_grad"),
    alpha=without("_dirichlet_grad"),
    total=without("_dirichlet_grad"),
)
