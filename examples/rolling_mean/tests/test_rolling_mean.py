"""The installed package against NumPy."""

import numpy as np
import pytest
from rolling_mean import rolling_mean

import flambeau as torch


@pytest.mark.parametrize("shape", [(5,), (3, 8), (2, 3, 4), (300, 400)])
@pytest.mark.parametrize("window", [1, 3, 4])
def test_values(shape, window):
    x = torch.randn(shape, dtype=torch.float64)
    expected = np.lib.stride_tricks.sliding_window_view(x.numpy(), window, axis=-1).mean(-1)
    np.testing.assert_allclose(rolling_mean(x, window).numpy(), expected, atol=1e-12)


def test_wrong_arguments():
    x = torch.ones(4, dtype=torch.float64)
    for window in (0, 5, -1):
        with pytest.raises(ValueError, match=f"'window' must be from 1 to 4, got {window}"):
            rolling_mean(x, window)
    with pytest.raises(RuntimeError, match="expected scalar type Double but found Float"):
        rolling_mean(torch.ones(4), 2)
    with pytest.raises(IndexError, match="Dimension out of range"):
        rolling_mean(torch.tensor(1.0, dtype=torch.float64), 1)
