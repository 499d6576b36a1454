"""``torch._C._functions``: the types of nodes that programs test for."""

import flambeau_tensor as _torch
from flambeau_autograd.graph import get_gradient_edge as _edge
from flambeau_tensor.lazy_attributes import attach as _attach

AccumulateGrad = type(_edge(_torch.zeros(0).requires_grad_()).node)

__getattr__, __dir__ = _attach(__name__, "torch._C._functions", unlisted=True)
