"""The names that ``torch.cuda.amp`` and ``torch.cpu.amp`` had before there was ``torch.amp``."""

import warnings
from typing import Any

from flambeau.amp.autocast_mode import autocast as _autocast
from flambeau.amp.grad_scaler import GradScaler as _GradScaler


def deprecated_names(device: str, dtype: Any) -> tuple[Any, Any]:
    """``autocast`` and ``GradScaler`` for one device."""
    default = dtype

    def warn(name):
        warnings.warn(
            f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('{device}', "
            "args...)` instead.",
            FutureWarning,
            stacklevel=3,
        )

    class autocast(_autocast):  # noqa: N801
        """`torch.autocast` for one device."""

        def __init__(self, enabled=True, dtype=default, cache_enabled=True):
            warn("autocast")
            super().__init__(device, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    class GradScaler(_GradScaler):
        """`torch.amp.GradScaler` for one device."""

        def __init__(
            self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True
        ):
            warn("GradScaler")
            super().__init__(device, init_scale, growth_factor, backoff_factor, growth_interval, enabled)

    return autocast, GradScaler
