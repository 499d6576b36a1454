"""Linear algebra, declared as one lazy family, because its modules depend on each other."""

from flambeau_tensor.ops.linear_algebra import (  # noqa: F401  (they declare)
    eigenpairs,
    factorization,
    indefinite,
    solving,
    spectral,
)
