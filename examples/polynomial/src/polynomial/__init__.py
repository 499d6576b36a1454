"""Polynomials of tensors.

>>> from polynomial import polynomial
>>> polynomial(torch.tensor([0.0, 2.0], dtype=torch.float64), torch.tensor([1.0, 0.0, 3.0], dtype=torch.float64))
tensor([ 1., 13.], dtype=torch.float64)
"""

from polynomial._kernels import polynomial

__all__ = ["polynomial"]
