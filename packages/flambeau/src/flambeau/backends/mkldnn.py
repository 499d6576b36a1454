"""``torch.backends.mkldnn``: a library that is not used."""

import sys
from contextlib import AbstractContextManager

from flambeau.backends import switched

enabled = True
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


def flags(
    enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none"
) -> AbstractContextManager:
    """A ``with`` block in which the switches have other values."""
    return switched(sys.modules[__name__], enabled=enabled, deterministic=deterministic, allow_tf32=allow_tf32)
