"""The mean over a window that moves along the last dimension.

>>> from rolling_mean import rolling_mean
>>> rolling_mean(torch.tensor([1.0, 3.0, 5.0], dtype=torch.float64), 2)
tensor([2., 4.], dtype=torch.float64)
"""

from rolling_mean._kernels import rolling_mean

__all__ = ["rolling_mean"]
