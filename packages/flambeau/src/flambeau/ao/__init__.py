"""``torch.ao``: only the names that mark where a network would be quantized."""

from flambeau_tensor.lazy_attributes import attach as _attach

__getattr__, __dir__ = _attach(__name__, "torch.ao", modules=("quantization",), unlisted=True)
