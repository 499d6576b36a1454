"""``torch.backends.cusparselt``: a library for CUDA, which is not here."""


def is_available() -> bool:
    """False."""
    return False
