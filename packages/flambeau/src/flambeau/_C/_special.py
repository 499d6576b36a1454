"""``torch._C._special``, whose functions are ``special_`` and a name of ``torch.special``, as PyTorch's pickles say."""

from flambeau_tensor import special
from flambeau_tensor.lazy_attributes import attach as _attach


def _find(name):
    return getattr(special, name.removeprefix("special_"), None) if name.startswith("special_") else None


__getattr__, __dir__ = _attach(__name__, "torch._C._special", find=_find)
