"""Functions of PyTorch's compiler that programs ask."""


def is_compile_supported(device_type) -> bool:
    """False."""
    return False
