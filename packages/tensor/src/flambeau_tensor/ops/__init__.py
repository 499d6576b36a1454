"""The operations, one module a family: schemas bound to kernels. Importing a family declares it."""
from importlib import import_module as _import

FAMILIES = ("factories", "attributes", "gradients", "views", "pointwise", "slopes", "random", "matmul", "reductions",
            "softmax", "joining", "indexing", "gathering", "rearranging", "contraction", "cumulative", "sorting",
            "arrays", "factorization", "solving", "spectral")
for _family in FAMILIES:
    _import(f"flambeau_tensor.ops.{_family}")
