"""``torch.utils``: what stands beside the packages. ``_layout`` has the aliases, such as ``cpp_extension``."""

from typing import Any

_HERE = (
    *("_contextlib", "_pytree", "_triton", "benchmark", "collect_env", "deterministic", "hooks", "model_zoo"),
    *("module_tracker", "tensorboard", "weak"),
)
_SWAP = ("set_module", "swap_tensors")


def __getattr__(name: str) -> Any:
    from importlib import import_module

    from flambeau._layout import TABLE

    if name in _HERE or f"utils.{name}" in TABLE:
        return import_module(f"flambeau.utils.{name}")
    if name in _SWAP:
        return getattr(import_module("flambeau.utils._swap"), name)
    raise AttributeError(f"module 'flambeau.utils' has no attribute '{name}'")


def __dir__() -> list[str]:
    from flambeau._layout import TABLE

    modules = (name.partition(".")[2] for name in TABLE if name.startswith("utils."))
    return sorted({*globals(), *_HERE, *_SWAP, *(name for name in modules if "." not in name)})
