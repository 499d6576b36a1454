"""The operations, one module a family: schemas bound to kernels. Importing a family declares it.

A family of ``LAZY`` is imported, with its rules, when one of its names is first used. All names that it declares stand
there: functions, methods (``torch.Tensor.det``) and in-place forms.
"""
from importlib import import_module as _import

from flambeau_tensor._core.registry import declare_lazily as _declare_lazily

FAMILIES = ("factories", "attributes", "gradients", "views", "pointwise", "slopes", "random", "matmul", "reductions",
            "softmax", "joining", "indexing", "gathering", "rearranging", "contraction", "cumulative", "sorting",
            "arrays", "copies", "factorization", "solving", "spectral")
LAZY: dict[str, str] = {}
for _family in FAMILIES:
    _import(f"flambeau_tensor.ops.{_family}")
for _family, _names in LAZY.items():
    _declare_lazily(f"flambeau_tensor.ops.{_family}", _names)
