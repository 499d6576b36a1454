"""``torch.utils._triton``: there is no Triton, and no GPU for it."""


def has_triton() -> bool:
    """False."""
    return False


has_triton_package = has_triton_tma = has_triton_tma_device = has_triton


def triton_backend() -> None:
    """None."""
