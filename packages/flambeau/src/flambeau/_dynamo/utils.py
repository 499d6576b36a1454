"""Functions of PyTorch's compiler that programs call."""

from flambeau_compile.logs import counters as counters


def is_compile_supported(device_type) -> bool:
    """Return True if functions of tensors on that device are compiled: those on the processor are."""
    return str(device_type).startswith("cpu")
