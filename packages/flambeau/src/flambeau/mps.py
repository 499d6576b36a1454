"""``torch.mps``: there are no such devices, and what needs one raises."""

from typing import Any

_CALLS = {
    "current_allocated_memory": "getCurrentAllocatedMemory",
    "driver_allocated_memory": "getDriverAllocatedMemory",
    "empty_cache": "emptyCache",
    "get_rng_state": "getDefaultGenerator",
    "recommended_max_memory": "getRecommendedMaxMemory",
    "seed": "getDefaultGenerator",
    "set_per_process_memory_fraction": "setMemoryFraction",
    "set_rng_state": "getDefaultGenerator",
    "synchronize": "deviceSynchronize",
}


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Does nothing."""


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import not_built

    if name in _CALLS:

        def refuse(*args, **kwargs):
            raise RuntimeError(f"Cannot execute {_CALLS[name]}() without MPS backend.")

        return refuse
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise not_built(f"torch.mps.{name}")
