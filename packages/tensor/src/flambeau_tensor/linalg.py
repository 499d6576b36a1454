"""``torch.linalg``: the operators of linear algebra that are declared for this namespace."""
from flambeau_tensor._core.registry import functions as _functions

globals().update(_functions("torch.linalg"))
