"""Passes, which analyze or change graphs."""

from flambeau_tensor.lazy_attributes import attach as _attach

_modules = ("dialect", "graph_drawer", "infra", "shape_prop", "split_module", "tools_common", "utils")
__getattr__, __dir__ = _attach(__name__, "torch.fx.passes", modules=_modules)
