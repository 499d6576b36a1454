"""``torch.linalg``: the operators of linear algebra that are declared for this namespace."""
from flambeau_tensor._core.registry import functions as _functions
from flambeau_tensor._kernels.lapack import LinAlgError

__all__ = ["LinAlgError", *_functions("torch.linalg")]
globals().update(_functions("torch.linalg"))


def __getattr__(name):
    from flambeau_tensor.not_built import missing

    raise missing("torch.linalg", name)
