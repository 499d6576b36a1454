"""``torch._C._linalg``: names of ``torch.linalg`` with the prefix ``linalg_``, as PyTorch's pickles have them."""

from flambeau_tensor import linalg
from flambeau_tensor.lazy_attributes import attach as _attach


def _find(name):
    return getattr(linalg, name.removeprefix("linalg_"), None) if name.startswith("linalg_") else None


__getattr__, __dir__ = _attach(__name__, "torch._C._linalg", find=_find)
