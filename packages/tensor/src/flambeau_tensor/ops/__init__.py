"""The operators, one module per family: schemas bound to kernels. Importing a module declares its family.

A family of ``LAZY`` is imported together with its rules when one of its names is first used. The names are listed in
``lazy_names.py``, which ``python -m flambeau_tensor.stubs`` writes.
"""

from flambeau_tensor._core.schema.registry import declare_lazily as _declare_lazily
from flambeau_tensor._core.schema.registry import import_declarations as _import_declarations
from flambeau_tensor.ops.lazy_names import NAMES as _NAMES

FAMILIES = (
    "factories",
    "attributes",
    "gradients",
    "views",
    "pointwise",
    "activation_backward",
    "matmul",
    "reductions",
    "softmax",
    "joining",
    "indexing",
    "gathering",
    "contraction",
    "arrays",
)
for _family in FAMILIES:
    _import_declarations(f"flambeau_tensor.ops.{_family}")
LAZY = (
    "linear_algebra",
    "fft",
    "signal",
    "special",
    "storages",
    "sampling",
    "calculus",
    "decompositions",
    "distances",
    "lookup",
    "segments",
    "statistics",
    "foreach",
    "dimension_order",
    "placement",
    "random",
    "rearranging",
    "cumulative",
    "sorting",
    "copies",
)
for _family in LAZY:
    _declare_lazily(f"flambeau_tensor.ops.{_family}", _NAMES.get(_family, ""))
