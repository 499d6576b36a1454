"""Linear algebra, declared as one family when one of its names is first used: its three files need one another."""
from flambeau_tensor.ops.linear_algebra import factorization, solving, spectral  # noqa: F401  (they declare)
