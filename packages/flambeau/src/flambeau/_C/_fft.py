"""``torch._C._fft``: names of ``torch.fft`` with the prefix ``fft_``, as PyTorch's pickles have them."""

from flambeau_tensor import fft
from flambeau_tensor.lazy_attributes import attach as _attach


def _find(name):
    return getattr(fft, name.removeprefix("fft_"), None) if name.startswith("fft_") else None


__getattr__, __dir__ = _attach(__name__, "torch._C._fft", find=_find)
