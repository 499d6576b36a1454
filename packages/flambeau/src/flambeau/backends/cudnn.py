"""``torch.backends.cudnn``: a CUDA library, which is not available. Its switches are stored but have no effect."""

import sys
from contextlib import AbstractContextManager
from typing import Any

from flambeau.backends import switched

enabled = True
benchmark = False
benchmark_limit = None
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    """False."""
    return False


def version() -> None:
    """None."""


def is_acceptable(tensor: Any) -> bool:
    """False."""
    return False


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> AbstractContextManager:
    """A ``with`` block in which the switches have other values."""
    return switched(
        sys.modules[__name__],
        enabled=enabled,
        benchmark=benchmark,
        benchmark_limit=benchmark_limit,
        deterministic=deterministic,
        allow_tf32=allow_tf32,
        fp32_precision=fp32_precision,
    )


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str = "none",
) -> tuple:
    """Set the given switches; return the previous values of all."""
    module = vars(sys.modules[__name__])
    new = {
        "enabled": _enabled,
        "benchmark": _benchmark,
        "benchmark_limit": _benchmark_limit,
        "deterministic": _deterministic,
        "allow_tf32": _allow_tf32,
        "fp32_precision": _fp32_precision,
    }
    before = tuple(module[name] for name in new)
    module.update((name, value) for name, value in new.items() if value is not None)
    return before
