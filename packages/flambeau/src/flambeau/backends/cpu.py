"""``torch.backends.cpu``: the capabilities of the processor."""

_NAMES = {"v4": "AVX512", "v3": "AVX2"}


def get_cpu_capability() -> str:
    """``"AVX512"``, ``"AVX2"`` or ``"DEFAULT"``, after the level of the kernels that are used."""
    from flambeau_tensor.extend import LEVEL

    return _NAMES.get(LEVEL, "DEFAULT")
