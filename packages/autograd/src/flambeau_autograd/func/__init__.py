"""Transforms, which map functions to functions, such as gradients and batched functions. They compose in any order. The
implementation of ``torch.func``.
"""

from flambeau_autograd.func.jacobians import hessian, jacfwd, jacrev
from flambeau_autograd.func.transforms import grad, grad_and_value, jvp, linearize, vjp
from flambeau_autograd.func.vectorize import vmap

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap"]
