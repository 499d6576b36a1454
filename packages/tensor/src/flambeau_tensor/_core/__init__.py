"""The compiled heart: dtypes, storage, the Tensor, the Operator and the elementwise engine. Nothing here knows a
single operation by name, except the operators of Python's syntax; operations are declared in ``ops``."""

from flambeau_tensor._core.call import binding, dispatching, meta, operator
from flambeau_tensor._core.schema import registry

# The parts of one path: it is whole once all are imported.
__all__ = ["binding", "dispatching", "meta", "operator", "registry"]
