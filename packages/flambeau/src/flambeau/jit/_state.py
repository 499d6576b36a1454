"""``torch.jit._state``: whether TorchScript is on, which it is nowhere here."""

from typing import Any


class EnabledProxy:
    """PyTorch's switch."""

    enabled = False

    def __bool__(self) -> bool:
        return self.enabled


_enabled = EnabledProxy()
_script_classes: dict[type, Any] = {}
