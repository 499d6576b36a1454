"""Random numbers whose parameters stand in tensors: gradients by these, and batches."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import grad
from flambeau_autograd.func import vmap
from samples.derivatives import check_batches

ALPHA = torch.tensor([[0.5, 2.0, 7.0], [1.0, 3.0, 0.2]], dtype=torch.float64)


def test_gradients_follow_the_samples():
    """By differences: a sample moves so that its place in the distribution stays."""
    alpha = ALPHA.clone().requires_grad_()
    torch.manual_seed(0)
    sample = torch._standard_gamma(alpha)
    (slope,) = grad(sample.sum(), alpha)
    step = 1e-5
    x = sample.detach()
    up = torch.special.gammainc(ALPHA + step, x) - torch.special.gammainc(ALPHA - step, x)
    density = torch.exp((ALPHA - 1) * x.log() - x - torch.lgamma(ALPHA))
    assert torch.allclose(slope, -up / (2 * step) / density, rtol=1e-6)
    torch.manual_seed(0)
    parts = torch._sample_dirichlet(alpha)
    (found,) = grad(parts[:, 0].sum(), alpha)
    assert torch.allclose(parts.sum(1), torch.ones(2, dtype=torch.float64)) and (found[:, 0] > 0).all()


@pytest.mark.parametrize(
    "function", [torch._standard_gamma, torch._sample_dirichlet, lambda a: torch.binomial(a.ceil() * 9, a / 8)]
)
def test_batches_draw_as_they_are_asked(function):
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(function)(ALPHA)
    with pytest.raises(RuntimeError, match="use randomness='different'"):
        vmap(function, randomness="same")(ALPHA)
    torch.manual_seed(1)
    drawn = vmap(function, randomness="different")(ALPHA)
    torch.manual_seed(1)
    assert torch.equal(drawn, torch.stack([function(a) for a in ALPHA]))
    unbatched = vmap(lambda x: function(ALPHA[0]) + 0 * x, randomness="different")(torch.zeros(2, dtype=torch.float64))
    assert unbatched.shape == (2, 3)


def test_slopes_of_each_example():
    x = torch.tensor([[0.2, 0.5, 0.7], [0.1, 0.4, 0.9]], dtype=torch.float64)
    assert torch.equal(vmap(torch._standard_gamma_grad)(ALPHA, x), torch._standard_gamma_grad(ALPHA, x))
    shared = vmap(torch._dirichlet_grad, in_dims=(0, None, None))(x, ALPHA[0], ALPHA[0] + 1)
    assert torch.equal(shared[1], torch._dirichlet_grad(x[1], ALPHA[0], ALPHA[0] + 1))


TestBatches = check_batches("tensor.sampling")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("a", [1e-5, 1e-3, 0.01, 1.0, 1e4])
@pytest.mark.parametrize("b", [1e-5, 0.01, 1.0, 1e4])
def test_gradients_of_dirichlet_samples_are_finite(a, b, dtype):
    torch.manual_seed(0)
    c = torch.tensor([a, b], dtype=dtype).expand((1000, 2)).clone().requires_grad_()
    sample = torch._sample_dirichlet(c)
    (g,) = grad(sample.select(-1, 0).sum(), c)
    assert g.isfinite().all()
