"""``torch.accelerator``: no accelerator is available."""

from typing import Any, NoReturn

from flambeau_tensor.lazy_attributes import attach as _attach


def is_available() -> bool:
    """False."""
    return False


def current_accelerator(check_available: bool = False) -> None:
    """None."""


def device_count() -> int:
    """0."""
    return 0


def empty_cache() -> None:
    """Does nothing."""


_NEED_A_DEVICE = (
    *("current_device_idx", "current_device_index", "current_stream", "device_index", "get_memory_info"),
    *("max_memory_allocated", "max_memory_reserved", "memory_reserved", "memory_stats"),
    *("reset_accumulated_memory_stats", "reset_peak_memory_stats"),
    *("memory_allocated", "set_device_idx", "set_device_index", "set_stream", "synchronize"),
)


def _refusing(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("Cannot access accelerator device when none is available.")

    return refuse if name in _NEED_A_DEVICE else None


__getattr__, __dir__ = _attach(__name__, "torch.accelerator", find=_refusing, unlisted=True)
