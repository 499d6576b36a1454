"""``torch.cpu``: the one device that is here, under the names that other devices have. Its work never waits."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flambeau_tensor.lazy_attributes import attach as _attach


class Stream:
    """Stands for an order of work; everything here is done when the call returns."""

    def __init__(self, priority: int = -1):
        pass

    def wait_stream(self, stream: Any) -> None:
        """Does nothing."""

    def record_event(self) -> None:
        """Does nothing."""

    def wait_event(self, event: Any) -> None:
        """Does nothing."""


class Event:
    """Stands for a moment in an order of work, which is always past."""

    def query(self) -> bool:
        """True."""
        return True

    def record(self, stream: Any = None) -> None:
        """Does nothing."""

    def synchronize(self) -> None:
        """Does nothing."""

    def wait(self, stream: Any = None) -> None:
        """Does nothing."""


_stream = Stream()


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1."""
    return 1


def current_device() -> str:
    """``"cpu"``."""
    return "cpu"


def set_device(device: Any) -> None:
    """Does nothing."""


def synchronize(device: Any = None) -> None:
    """Does nothing: all work is done."""


def current_stream(device: Any = None) -> Stream:
    """The only stream."""
    return _stream


@contextmanager
def stream(stream: Any) -> Iterator[None]:
    """A ``with`` block on a stream, which changes nothing."""
    yield


__getattr__, __dir__ = _attach(__name__, "torch.cpu", modules=("amp",))
