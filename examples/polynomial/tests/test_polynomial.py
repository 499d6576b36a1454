"""The installed package against NumPy."""

import numpy as np
import pytest
from polynomial import polynomial

import flambeau as torch


@pytest.mark.parametrize("n", [1, 2, 5])
def test_values(n):
    x, c = torch.randn(3, 4, dtype=torch.float64), torch.randn(n, dtype=torch.float64)
    np.testing.assert_allclose(polynomial(x, c).numpy(), np.polynomial.Polynomial(c.numpy())(x.numpy()))


def test_wrong_arguments():
    x = torch.ones(2, dtype=torch.float64)
    with pytest.raises(ValueError, match="'coefficients' must not be empty"):
        polynomial(x, torch.ones(0, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="argument 'coefficients'"):
        polynomial(x, torch.ones(2, 2, dtype=torch.float64))
