"""``torch._functorch``: where libraries change what ``vmap`` takes apart, and import ``chunk_vmap`` from."""

from flambeau_tensor.lazy_attributes import attach as _attach

__getattr__, __dir__ = _attach(__name__, "torch._functorch", modules=("apis", "vmap"), unlisted=True)
