"""``torch.backends.nnpack``: a library that is not used."""


def is_available() -> bool:
    """False."""
    return False
