"""``torch._C._linalg``, whose functions are ``linalg_`` and a name of ``torch.linalg``, as PyTorch's pickles say."""

from flambeau_tensor import linalg
from flambeau_tensor.lazy_attributes import attach as _attach


def _find(name):
    return getattr(linalg, name.removeprefix("linalg_"), None) if name.startswith("linalg_") else None


__getattr__, __dir__ = _attach(__name__, "torch._C._linalg", find=_find)
