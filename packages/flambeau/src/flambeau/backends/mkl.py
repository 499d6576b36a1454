"""``torch.backends.mkl``: a library that is not used; products call the BLAS that NumPy contains."""


def is_available() -> bool:
    """False."""
    return False
