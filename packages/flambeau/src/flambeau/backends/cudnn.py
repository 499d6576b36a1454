"""``torch.backends.cudnn``: a library for CUDA, which is not here. Its switches are kept, and change nothing."""

import sys
from contextlib import AbstractContextManager

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


def is_acceptable(tensor) -> bool:
    """False."""
    return False


def flags(
    enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True, fp32_precision="none"
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
    _enabled=None, _benchmark=None, _benchmark_limit=None, _deterministic=None, _allow_tf32=None, _fp32_precision="none"
) -> tuple:
    """Set the switches that are given; returns what all of them were."""
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
