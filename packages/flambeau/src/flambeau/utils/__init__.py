"""``torch.utils``: utilities outside the packages. ``_layout`` has the aliases, such as ``cpp_extension``."""

from flambeau._names import TABLE as _TABLE
from flambeau_tensor.lazy_attributes import attach as _attach

_HERE = (
    *("_contextlib", "_device", "_mode_utils", "_pytree", "_triton", "benchmark", "collect_env", "deterministic"),
    *("hooks", "model_zoo", "module_tracker", "tensorboard", "weak"),
)
_SWAP = ("set_module", "swap_tensors")


_beside = (name.partition(".")[2] for name in _TABLE if name.startswith("utils."))
_modules = (*_HERE, *(name for name in _beside if "." not in name))
__getattr__, __dir__ = _attach(__name__, "torch.utils", dict.fromkeys(_SWAP, "._swap"), _modules)
