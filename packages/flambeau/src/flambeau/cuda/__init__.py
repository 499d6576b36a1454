"""``torch.cuda``: no such device is available, which programs check before they use one.

Functions that need a device raise the error of PyTorch's CPU build.

>>> import flambeau as torch
>>> "cuda" if torch.cuda.is_available() else "cpu"
'cpu'
"""

from collections.abc import Callable
from typing import Any

from flambeau import _devices
from flambeau.cuda._tensors import *  # noqa: F403
from flambeau_tensor.lazy_attributes import attach as _attach

is_available: Callable[[], bool]  # this and others come from `_devices`
device_count: Callable[[], int]
_initialized = False
globals().update(_devices.device_module(__name__, "CUDA"))
globals().update(
    _devices.absent(
        __name__,
        (
            "caching_allocator_alloc",
            "caching_allocator_delete",
            "caching_allocator_enable",
            "change_current_allocator",
            "check_error",
            "cudart",
            "current_blas_handle",
            "current_solver_handle",
            "default_stream",
            "get_allocator_backend",
            "get_sync_debug_mode",
            "host_memory_stats",
            "ipc_collect",
            "list_gpu_processes",
            "memory_summary",
            "reset_max_memory_allocated",
            "reset_max_memory_cached",
            "set_sync_debug_mode",
        ),
        "CUDA",
    )
)
memory_cached = globals()["memory_reserved"]
max_memory_cached = globals()["max_memory_reserved"]
has_half = True
has_magma = False


class CudaError(RuntimeError):
    """An error of a CUDA call; never raised here."""


class DeferredCudaCallError(Exception):
    """Never raised here."""


class OutOfMemoryError(RuntimeError):
    """The memory of a device was too small; never raised here.

    >>> issubclass(OutOfMemoryError, RuntimeError)
    True
    """


class CUDAGraph:
    """Raises an error: there is no CUDA."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class CUDAGraph")


class graph:  # noqa: N801
    """Raises an error: there is no CUDA."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class CUDAGraph")


_SUBMODULES = ("amp", "memory", "nvtx", "random")


__getattr__, __dir__ = _attach(__name__, "torch.cuda", modules=("amp", "memory", "nvtx", "random"), unlisted=True)
