"""``torch._C._special``: names of ``torch.special`` with the prefix ``special_``, as PyTorch's pickles have them."""

from flambeau_tensor import special
from flambeau_tensor.lazy_attributes import attach as _attach


def _find(name):
    return getattr(special, name.removeprefix("special_"), None) if name.startswith("special_") else None


__getattr__, __dir__ = _attach(__name__, "torch._C._special", find=_find)
