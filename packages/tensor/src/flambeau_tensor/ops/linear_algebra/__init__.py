"""Linear algebra, declared as one family when one of its names is first used: its files need one another."""

from flambeau_tensor.ops.linear_algebra import (  # noqa: F401  (they declare)
    eigenpairs,
    factorization,
    indefinite,
    solving,
    spectral,
)
