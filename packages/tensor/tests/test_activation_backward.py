"""Gradients of elementwise functions in one pass, against NumPy."""

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_tensor.ops import activation_backward
from samples.values import check_values

FORMULAS = {
    "tanh_backward": lambda g, y: g * (1 - y * y),
    "sigmoid_backward": lambda g, y: g * (y * (1 - y)),
    "relu_backward": lambda g, y: np.where(y <= 0, 0, g),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_values(name, dtype):
    rng = np.random.RandomState(0)
    g, y = (torch.from_numpy(rng.uniform(-1, 1, (5, 7))).to(dtype) for _ in range(2))
    y[0, :3] = torch.tensor([0.0, 1.0, float("nan")])
    got = getattr(activation_backward, name)(g, y)
    assert got.dtype is dtype
    expected = FORMULAS[name](g.double().numpy(), y.double().numpy())
    tolerance = {torch.float64: 1e-15, torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 1e-2}[dtype]
    assert np.allclose(got.double().numpy(), expected, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("name", FORMULAS)
def test_layouts(name):
    y = torch.linspace(-1, 1, 12).reshape(3, 4)
    for g in (torch.ones(()).expand(3, 4), torch.arange(12.0).reshape(4, 3).t(), torch.arange(4.0)):
        expected = FORMULAS[name](g.numpy(), y.numpy())
        assert np.allclose(getattr(activation_backward, name)(g, y).numpy(), expected)
    assert getattr(activation_backward, name)(torch.ones(0), torch.ones(0)).shape == (0,)


TestSamples = check_values("tensor.activation_backward")
