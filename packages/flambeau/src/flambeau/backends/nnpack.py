"""``torch.backends.nnpack``: a library that is not used."""

from collections.abc import Iterator
from contextlib import contextmanager


def is_available() -> bool:
    """False."""
    return False


def set_flags(_enabled: bool) -> tuple[bool]:
    """Nothing is switched; returns the setting of before, which is False."""
    return (False,)


@contextmanager
def flags(enabled: bool = False) -> Iterator[None]:
    """A ``with`` block with another setting, which changes nothing."""
    yield
