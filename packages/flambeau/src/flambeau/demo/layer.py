"""The layer of the demonstration: C kernels, the Function that makes them differentiable, the Module that trains."""

from pathlib import Path
from typing import Any

import flambeau as torch
from flambeau import nn
from flambeau.autograd import Function
from flambeau.autograd.function import once_differentiable
from flambeau.utils.cpp_extension import load

kernels = load("swish", Path(__file__).with_name("swish.c"), functions=["swish", "swish_backward"])


class SwishFunction(Function):
    """x · sigmoid(beta · x), forward and backward in C."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, beta: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, beta)
        return kernels.swish(x, beta)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, beta = ctx.saved_tensors
        grad_beta = torch.zeros_like(beta)
        return kernels.swish_backward(grad.contiguous(), x, beta, grad_beta), grad_beta


class Swish(nn.Module):
    """An activation that learns how sharp it is, one `beta` for each feature."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.beta = nn.Parameter(torch.ones(features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return SwishFunction.apply(x, self.beta)

    def extra_repr(self) -> str:
        return f"features={self.beta.numel()}"


def check() -> bool:
    """Compare the C gradients with finite differences."""
    x = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
    beta = torch.randn(3, dtype=torch.double, requires_grad=True)
    return torch.autograd.gradcheck(SwishFunction.apply, (x, beta))
