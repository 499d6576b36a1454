"""``torch.accelerator``: there is none."""

from typing import Any


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


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import not_built

    if name in (
        "current_device_idx",
        "current_device_index",
        "current_stream",
        "get_memory_info",
        "memory_allocated",
        "max_memory_allocated",
        "set_device_idx",
        "set_device_index",
        "set_stream",
        "synchronize",
    ):

        def refuse(*args, **kwargs):
            raise RuntimeError("Cannot access accelerator device when none is available.")

        return refuse
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise not_built(f"torch.accelerator.{name}")
