"""``torch.backends.mkl``: a library that is not used; products go to the BLAS that NumPy carries."""


def is_available() -> bool:
    """False."""
    return False
