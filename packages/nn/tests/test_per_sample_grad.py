"""Gradients of each sample are those of batches of one."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import grad
from flambeau_nn import BatchNorm1d, Conv2d, Embedding, Flatten, GroupNorm, LayerNorm, Linear, Module, ReLU, Sequential
from flambeau_nn.utils._per_sample_grad import call_for_per_sample_grads

NETS = {
    "linear": (lambda: Linear(4, 3), lambda: torch.randn(5, 2, 4)),
    "images": (
        lambda: Sequential(Conv2d(1, 2, 3), ReLU(), GroupNorm(1, 2), Flatten(), Linear(8, 2)),
        lambda: torch.randn(3, 1, 4, 4),
    ),
    "words": (lambda: Sequential(Embedding(7, 4), LayerNorm(4)), lambda: torch.randint(0, 7, (3, 5))),
}


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("net", NETS)
def test_each_sample(net, reduction):
    torch.manual_seed(0)
    module, x = NETS[net][0](), NETS[net][1]()
    loss = call_for_per_sample_grads(module, loss_reduction=reduction)(x).square().flatten(1).sum(1)
    (loss.mean() if reduction == "mean" else loss.sum()).backward()
    for i in range(len(x)):
        single = grad(module(x[i : i + 1]).square().sum(), list(module.parameters()))
        for expected, parameter in zip(single, module.parameters(), strict=True):
            assert torch.allclose(parameter.grad_sample[i], expected, atol=1e-4)
            assert parameter.grad is None and parameter.grad_sample.shape == (len(x), *parameter.shape)


class Twice(Module):
    def __init__(self):
        super().__init__()
        self.inner = Linear(2, 2)
        self.frozen = Linear(2, 2).requires_grad_(False)

    def forward(self, x, weights, scale=1):
        return {"out": self.frozen(self.inner(x) + self.inner(x)) * scale * weights}


def test_parameters_used_twice_frozen_ones_and_what_goes_to_all_samples():
    module, x, weights = Twice(), torch.randn(3, 2), torch.tensor([[2.0, 3.0]])
    call_for_per_sample_grads(module, batch_size=3)(x, weights, scale=2)["out"].sum().backward()
    expected = grad(module(x[:1], weights, 2)["out"].sum(), module.inner.weight)[0]
    assert torch.allclose(module.inner.weight.grad_sample[0], expected)
    assert not hasattr(module.frozen.weight, "grad_sample")
    with pytest.raises(RuntimeError, match="inner.weight has gradients of samples already"):
        call_for_per_sample_grads(module)


def test_samples_along_the_second_dimension():
    layer, x = Linear(4, 3), torch.randn(6, 5, 4)
    out = call_for_per_sample_grads(layer, batch_first=False)(x)
    assert torch.allclose(out, layer(x), atol=1e-6)
    out.sum().backward()
    assert torch.allclose(layer.weight.grad_sample[2], x[:, 2].sum(0).expand(3, 4), atol=1e-5)


def test_what_is_refused():
    layer, x = Linear(4, 3), torch.randn(5, 4)
    with pytest.raises(RuntimeError, match="sum or mean, got x"):
        call_for_per_sample_grads(layer, loss_reduction="x")
    with pytest.raises(RuntimeError, match="must be nn.Module, got int"):
        call_for_per_sample_grads(3)
    with pytest.raises(RuntimeError, match="positive, got 0"):
        call_for_per_sample_grads(layer, batch_size=0)
    with pytest.raises(RuntimeError, match="an integer, got float"):
        call_for_per_sample_grads(layer, batch_size=2.0)
    with pytest.raises(RuntimeError, match="Unable to find a tensor"):
        call_for_per_sample_grads(layer)(3)
    with pytest.raises(RuntimeError, match="batch size 5 and one with batch size 4"):
        call_for_per_sample_grads(Twice())(x, torch.ones(4, 1))
    with pytest.raises(ValueError, match="more than 1 value"):
        call_for_per_sample_grads(BatchNorm1d(4))(x)
