"""``torch.backends.openmp``: a library that is not used; operators run on threads of their own."""


def is_available() -> bool:
    """False."""
    return False
