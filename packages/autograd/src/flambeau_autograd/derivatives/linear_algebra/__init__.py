"""The derivatives of linear algebra: a file for each of ``flambeau_tensor.ops.linear_algebra``."""

from flambeau_autograd.derivatives.linear_algebra import factorization, indefinite, solving, spectral  # noqa: F401  (they declare)
