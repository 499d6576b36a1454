"""``torch.mtia``: there are no such devices."""


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0
