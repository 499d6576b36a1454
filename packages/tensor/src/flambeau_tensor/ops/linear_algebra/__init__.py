"""Linear algebra, declared as one family when one of its names is first used: its files need one another."""
from flambeau_tensor.ops.linear_algebra import factorization, indefinite, solving, spectral  # noqa: F401  (they declare)
