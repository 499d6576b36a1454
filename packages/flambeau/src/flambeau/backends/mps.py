"""``torch.backends.mps``: Apple's devices, which are not available."""


def is_available() -> bool:
    """False."""
    return False


def is_built() -> bool:
    """False."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """False: Apple's devices are not supported."""
    return False


def is_macos13_or_newer(minor: int = 0) -> bool:
    """False: Apple's devices are not supported."""
    return False
