"""``torch.backends.mps``: whether there are Apple's devices. There are none."""


def is_available() -> bool:
    """False."""
    return False


def is_built() -> bool:
    """False."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """False: no devices of it are used."""
    return False


def is_macos13_or_newer(minor: int = 0) -> bool:
    """False: no devices of it are used."""
    return False
