"""``torch.mps``: there are no such devices, and functions that need one raise an error."""

from typing import Any, NoReturn

from flambeau_tensor.lazy_attributes import attach as _attach

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


def _refusing(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"Cannot execute {_CALLS[name]}() without MPS backend.")

    return refuse if name in _CALLS else None


__getattr__, __dir__ = _attach(__name__, "torch.mps", find=_refusing, unlisted=True)
