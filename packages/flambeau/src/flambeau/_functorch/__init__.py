"""``torch._functorch``: hooks for libraries that extend ``vmap``, and ``chunk_vmap``."""

from flambeau_tensor.lazy_attributes import attach as _attach

__getattr__, __dir__ = _attach(__name__, "torch._functorch", modules=("apis", "vmap"), unlisted=True)
