"""Sampling with tensors as parameters. The numbers are PyTorch's for the same seed."""

import pytest

import flambeau_tensor as ft
from samples.values import check_values


def test_gamma_and_dirichlet():
    ft.manual_seed(0)
    found = ft._standard_gamma(ft.tensor([0.3, 1.0, 5.0, 50.0]).double())
    assert ft.allclose(found, ft.tensor([5.9070e-06, 1.1898e-01, 5.0218, 45.514]).double(), rtol=1e-4)
    ft.manual_seed(0)
    found = ft._sample_dirichlet(ft.ones(2, 3))
    assert ft.allclose(found, ft.tensor([[0.8349, 0.1317, 0.0334], [0.0779, 0.3475, 0.5747]]), atol=6e-5)
    assert ft._standard_gamma(ft.zeros(2)).tolist() == [1.1754943508222875e-38] * 2
    for dtype in (ft.float16, ft.bfloat16):
        assert ft._standard_gamma(ft.ones(3, dtype=dtype)).dtype is dtype
        assert 0 < ft._sample_dirichlet(ft.ones(1, dtype=dtype)).item() < 1
    assert ft._sample_dirichlet(ft.ones(0, 3)).shape == ft._sample_dirichlet(ft.ones(3, 0)).shape[::-1]
    with pytest.raises(NotImplementedError, match="\"gamma_cpu\" not implemented for 'Long'"):
        ft._standard_gamma(ft.ones(2, dtype=ft.int64))


def test_binomial():
    n = ft.tensor([5.0, 100.0, 40.0, 7.0, 7.0, 0.0]).double()
    p = ft.tensor([0.3, 0.4, 0.9, 0.0, 1.0, 0.5]).double()
    ft.manual_seed(0)
    many = ft.binomial(n.expand(20_000, 6), p.expand(20_000, 6))
    assert (many == many.floor()).all() and (many >= 0).all() and (many <= n).all()
    assert ft.allclose(many.mean(0), n * p, atol=0.15) and ft.allclose(many.var(0), n * p * (1 - p), rtol=0.05)
    with pytest.raises(RuntimeError, match="counts that are not negative"):
        ft.binomial(-ft.ones(2), ft.ones(2))
    with pytest.raises(RuntimeError, match="Found dtype Float but expected Double"):
        ft.binomial(n, p.float())


def test_derivatives_of_samples():
    """dx/da of a gamma variable with a = 1 is known; test_distributions covers other parameters."""
    slopes = ft._standard_gamma_grad(ft.tensor([2.0, 2.0]).double(), ft.tensor([1e-8, 1e8]).double())
    assert slopes[0].item() == pytest.approx(1e-8 * (0.42278433509846713 + 0.5 + 18.420680743952367) / 2, rel=1e-6)
    assert slopes[1].item() == pytest.approx(18.420680743952367 - 0.42278433509846713, rel=1e-6)
    # for Beta(1, 1), whose distribution function is x: dx/da = -x log x
    x = ft.tensor([0.1, 0.5, 0.9]).double()
    found = ft._dirichlet_grad(x, ft.ones(3).double(), ft.full((3,), 2.0).double())
    assert ft.allclose(found * (1 - x), -x * x.log(), rtol=1e-10)


def test_odd_parameters_end_and_shapes_have_to_fit():
    inf, nan = float("inf"), float("nan")
    assert ft._standard_gamma(ft.tensor([-5.0, -1e30, nan])).tolist() == [ft.finfo(ft.float32).tiny] * 3
    x, odd = ft.tensor([0.3, 0.3, 0.3, 0.3]), ft.tensor([-1e30, inf, nan, 0.0])
    assert ft._standard_gamma_grad(odd, x).isnan().all()
    assert ft._dirichlet_grad(x, odd, odd + 1).isnan().all()
    assert ft._dirichlet_grad(x, ft.ones(4), odd).isnan().all()
    ft.binomial(ft.tensor([inf, 1e308, 3.0]), ft.tensor([0.5, 0.5, nan]))
    for call in (
        lambda: ft.binomial(ft.ones(4), ft.ones(2)),
        lambda: ft._standard_gamma_grad(ft.ones(4), ft.ones(2)),
        lambda: ft._dirichlet_grad(ft.ones(4), ft.ones(2), ft.ones(4)),
    ):
        with pytest.raises(RuntimeError, match="expected tensors of one shape"):
            call()


TestSamples = check_values("tensor.sampling")


def test_derivatives_of_beta_variables_at_small_ones():
    """dx/da / (1 - x) for many decades; the values are PyTorch 2.13's."""
    for a, b, expected in (
        (0.01, 0.01, [0, 1.3748213e-34, 9.6035605e-17, 6.6102002e-4, 1536.0813, 5001.6092, 5001.6098]),
        (0.001, 0.1, [0, 9.7245963e-34, 5.5799438e-16, 2.5865836e-3, 3307.1969, 9902.5210, 9902.5221]),
        (0.1, 0.1, [0, 9.2363511e-36, 5.0916984e-18, 2.0983381e-5, 18.5884997, 51.3471442, 51.3471493]),
    ):
        x = ft.tensor([0.0, 1e-38, 1e-20, 1e-7, 0.3, 1 - 1e-7, 1.0], dtype=ft.float64)
        total = ft.full_like(x, a + b)
        found = ft._dirichlet_grad(x, ft.full_like(x, a), total).tolist()
        assert found == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_dirichlet_samples_of_small_parameters_add_up(dtype):
    ft.manual_seed(0)
    x = ft._sample_dirichlet(ft.full((4000, 2), 1e-3, dtype=dtype))
    assert ((x.sum(-1) - 1).abs() < 1e-6).all() and (x > 0).all() and (x < 1).all()
