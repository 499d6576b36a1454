"""``torch.backends.mha``: a switch that is stored but has no effect: attention has only one implementation."""

_fastpath = True


def get_fastpath_enabled() -> bool:
    """Return True if a faster way for inference is allowed."""
    return _fastpath


def set_fastpath_enabled(value: bool) -> None:
    """Allow, or forbid, a faster way for inference."""
    global _fastpath
    _fastpath = value
