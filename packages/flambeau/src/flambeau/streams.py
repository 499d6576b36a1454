"""``torch.Stream``, ``torch.Event`` and ``torch.get_device_module``: on the CPU, work is done when a call returns."""

from importlib import import_module
from types import ModuleType
from typing import Any, Self

import flambeau as torch


class _OnDevice:
    def __init__(self, device=None, **options):
        device = torch.device("cpu" if device is None else device)
        if device.type != "cpu":
            raise RuntimeError(f"PyTorch is not linked with support for {device.type} devices")
        self.device = device
        self.options = options

    def __repr__(self):
        return f"<torch.{type(self).__name__} device={self.device}>"


class Stream(_OnDevice):
    """An ordered queue of work on a device. The CPU has only one, which is always finished.

    Raises:
        RuntimeError: the device is not the CPU.

    >>> torch.Stream().query()
    True
    """

    def query(self) -> bool:
        """Return True if all work is done: True."""
        return True

    def synchronize(self) -> None:
        """Wait for the work: it is done."""

    def wait_event(self, event: Any) -> None:
        """Do nothing: the event has already happened."""

    def wait_stream(self, stream: Any) -> None:
        """Do nothing: the other stream has no pending work."""

    def record_event(self, event: Any = None) -> Any:
        """An event (or this one) that happens here."""
        event = Event(self.device) if event is None else event
        event.record(self)
        return event

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Event(_OnDevice):
    """A point in the order of work.

    Args:
        device: the CPU.
        enable_timing: whether `elapsed_time` is used.

    Raises:
        RuntimeError: the device is not the CPU.

    >>> event = torch.Stream().record_event()
    >>> event.query()
    True
    """

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        super().__init__(device)
        self.enable_timing = enable_timing
        self._time: float | None = None

    def record(self, stream: Any = None) -> None:
        """Say that the event happens now."""
        import time

        self._time = time.perf_counter()

    def query(self) -> bool:
        """Return True if it has happened: True."""
        return True

    def synchronize(self) -> None:
        """Wait for it: it has happened."""

    def wait(self, stream: Any = None) -> None:
        """Let a stream wait for it: it has happened."""

    def elapsed_time(self, end_event: Any) -> float:
        """Milliseconds from this event to another.

        Raises:
            ValueError: one of the events was created without ``enable_timing=True``, or is not recorded.
        """
        if not (self.enable_timing and end_event.enable_timing) or self._time is None or end_event._time is None:
            raise ValueError("Both events must be created with argument 'enable_timing=True', and recorded")
        return 1000 * (end_event._time - self._time)


def get_device_module(device: Any = None) -> ModuleType:
    """Return the module of a kind of device: ``torch.cpu``, ``torch.cuda``, …

    Args:
        device: a device or its name; by default the CPU.

    Raises:
        RuntimeError: the device does not exist, or it has no module.

    >>> torch.get_device_module() is torch.cpu
    True
    """
    kind = torch.device("cpu" if device is None else device).type
    try:
        return import_module(f"flambeau.{kind}")
    except ModuleNotFoundError:
        raise RuntimeError(
            f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'."
        ) from None
