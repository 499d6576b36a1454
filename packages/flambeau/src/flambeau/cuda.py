"""``torch.cuda``: whether there are such devices, which is what programs ask before they use them. There are none."""
from flambeau_tensor.not_built import not_built


def is_available() -> bool:
    """False.

    >>> import flambeau as torch
    >>> "cuda" if torch.cuda.is_available() else "cpu"
    'cpu'
    """
    return False


def device_count() -> int:
    """0."""
    return 0


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise not_built(f"torch.cuda.{name}")
