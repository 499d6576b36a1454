"""``torch.backends.openmp``: a library that is not used; operators have their own thread pool."""


def is_available() -> bool:
    """False."""
    return False
