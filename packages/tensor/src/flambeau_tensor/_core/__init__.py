"""The compiled core: dtypes, storage, Tensor, Operator and the elementwise engine. It refers to no operation by name,
except those that implement Python's operators; operations are declared in ``ops``."""

from flambeau_tensor._core.call import binding, dispatching, meta, operator
from flambeau_tensor._core.schema import registry

# Modules of the call path: calls work only after all of them are imported.
__all__ = ["binding", "dispatching", "meta", "operator", "registry"]
