"""The compiled heart: dtypes, storage, the Tensor, the Operator and the elementwise engine. Nothing here knows a
single operation by name, except the operators of Python's syntax; operations are declared in ``ops``."""
from flambeau_tensor._core import binding, lazy, operator, registry

__all__ = ["binding", "lazy", "operator", "registry"]  # the parts of one path: it is whole once all are imported
