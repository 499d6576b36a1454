"""``torch.backends.nnpack``: a library that is not used."""

from collections.abc import Iterator
from contextlib import contextmanager


def is_available() -> bool:
    """False."""
    return False


def set_flags(_enabled: bool) -> tuple[bool]:
    """Do nothing; return the previous setting, False."""
    return (False,)


@contextmanager
def flags(enabled: bool = False) -> Iterator[None]:
    """A context that would set the switch; it has no effect."""
    yield
