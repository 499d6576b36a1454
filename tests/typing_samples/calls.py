"""Fifty typical calls and the types that checkers infer for them; `nox -s types` asks mypy and pyright."""

from typing import Any, assert_type

import flambeau as torch
import flambeau.nn as nn
import flambeau.nn.functional as F
from flambeau import Tensor
from flambeau.distributions import Normal
from flambeau.optim import SGD, Adam

x = torch.ones(3, 4)
assert_type(x, Tensor)
assert_type(torch.zeros((2, 2), dtype=torch.float64), Tensor)
assert_type(torch.tensor([1.0, 2.0], requires_grad=True), Tensor)
assert_type(torch.arange(10), Tensor)
assert_type(torch.linspace(0, 1, 5), Tensor)
assert_type(torch.randn(2, 3, generator=torch.Generator()), Tensor)
assert_type(torch.manual_seed(0), torch.Generator)
assert_type(torch.eye(3), Tensor)
assert_type(torch.full((2,), 1.5), Tensor)
assert_type(torch.from_numpy(x.numpy()), Tensor)

assert_type(x + 1, Tensor)
assert_type(2 - x, Tensor)
assert_type(x @ x.T, Tensor)
assert_type(x > 0, Tensor)
assert_type(x == x, Tensor)
assert_type(-x, Tensor)
assert_type(x[0], Tensor)
assert_type(x[:, None, ...], Tensor)
assert_type(len(x), int)
assert_type(bool(x.all()), bool)
assert_type([row for row in x], list[Tensor])

assert_type(torch.add(x, 1, alpha=2), Tensor)
assert_type(torch.sin(x), Tensor)
assert_type(x.sum(), Tensor)
assert_type(x.mean(dim=0, keepdim=True), Tensor)
assert_type(x.view(4, 3), Tensor)
assert_type(x.reshape(-1), Tensor)
assert_type(x.permute(1, 0), Tensor)
assert_type(x.to(torch.float64), Tensor)
assert_type(torch.cat([x, x], dim=1), Tensor)
assert_type(torch.stack((x, x)), Tensor)
assert_type(torch.where(x > 0, x, 0), Tensor)
assert_type(torch.matmul(x, x.T), Tensor)
assert_type(x.add_(1), Tensor)
assert_type(x.chunk(2), tuple[Tensor, ...])
assert_type(x.sort().values, Tensor)
assert_type(torch.topk(x, 2).indices, Tensor)
values, indices = x.sort(dim=0)
assert_type(values, Tensor)
assert_type(indices, Tensor)

assert_type(x.shape, torch.Size)
assert_type(x.shape[0], int)
assert_type(x.size(), torch.Size)
assert_type(x.dtype, torch.dtype)
assert_type(x.device.type, str)
assert_type(x.requires_grad, bool)
assert_type(x.grad, Tensor | None)
assert_type(x.numel(), int)
assert_type(x.is_contiguous(), bool)
assert_type(torch.finfo(torch.float32).eps, float)
assert_type(torch.is_floating_point(x), bool)

(x * x).sum().backward()
assert_type(torch.autograd.grad(x.sum(), x), tuple[Tensor, ...])
assert_type(x.detach(), Tensor)
with torch.no_grad():
    assert_type(torch.is_grad_enabled(), bool)

assert_type(F.relu(x), Tensor)
assert_type(F.cross_entropy(x, torch.tensor([0, 1, 2])), Tensor)
assert_type(F.softmax(x, dim=-1), Tensor)


class Net(nn.Module):
    """A module as programs define them."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 1, bias=False)

    def forward(self, input: Tensor) -> Tensor:
        """Two layers."""
        assert_type(self.first, nn.Linear)
        hidden = F.relu(self.first(input))
        assert_type(hidden, Tensor)
        result: Tensor = self.second(hidden)
        return result


net = Net()
assert_type(net(x), Any)
optimizer = SGD(net.parameters(), lr=0.1)
assert_type(optimizer, SGD)
assert_type(Adam(net.parameters()), Adam)
optimizer.zero_grad()
assert_type(isinstance(nn.Parameter(x), Tensor), bool)
assert_type(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.Sequential)

assert_type(x.size(0), int)
assert_type(x.stride(), tuple[int, ...])
assert_type(torch.max(x), Tensor)
assert_type(torch.max(x, 0).values, Tensor)
assert_type(torch.max(x, x), Tensor)
assert_type(x.min(dim=1, keepdim=True).indices, Tensor)
assert_type(torch.any(x > 0, dim=0), Tensor)
assert_type(torch.std(x, dim=0), Tensor)
assert_type(x.to("cpu"), Tensor)
assert_type(x.to(x), Tensor)
assert_type(torch.where(x > 0), tuple[Tensor, ...])
assert_type(F.max_pool1d(x, 2), Tensor)
assert_type(F.max_pool1d(x, 2, return_indices=True), tuple[Tensor, Tensor])
assert_type(F.conv2d(x, x), Tensor)
assert_type(net.train(), Net)
assert_type(next(net.parameters()), nn.Parameter)
assert_type(dict(net.named_modules()), dict[str, nn.Module])
assert_type(net.state_dict(), dict[str, Any])
assert_type(nn.ModuleList([net])[0], nn.Module)
assert_type(torch.inf, float)
distribution = Normal(0.0, torch.ones(2))
assert_type(distribution.rsample((3,)), Tensor)
assert_type(distribution.log_prob(x), Tensor)
assert_type(distribution.expand((2, 2)), Normal)


class Square(torch.autograd.Function):
    """A Function as programs define them."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """x²"""
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """2x"""
        (x,) = ctx.saved_tensors
        return 2 * x * grads[0]


assert_type(torch.func.grad(lambda x: x.sum())(x), Any)
assert_type(torch.autograd.gradcheck(torch.sin, (x,)), bool)
