"""``torch.xpu``: there are no such devices, and what needs one raises."""

from typing import Any

from flambeau import _devices

globals().update(_devices.device_module(__name__, "XPU"))


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import not_built

    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise not_built(f"torch.xpu.{name}")
