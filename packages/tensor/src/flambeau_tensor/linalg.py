"""``torch.linalg``: the operators of linear algebra that are declared for this namespace."""

from flambeau_tensor._kernels.lapack import LinAlgError as LinAlgError
from flambeau_tensor.namespaces import served

__all__, __getattr__, __dir__ = served("torch.linalg", globals())
