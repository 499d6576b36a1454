"""Errors of groups of processes; the names are PyTorch's."""

__all__ = ["DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "QueueEmptyError"]


class DistError(RuntimeError):
    """Processes could not work together.

    >>> issubclass(torch.distributed.DistBackendError, torch.distributed.DistError)
    True
    """


class DistBackendError(DistError):
    """A process of a group has ended, gave up, is late, or calls something else."""


class DistNetworkError(DistError):
    """A store could not be reached."""


class DistStoreError(DistError):
    """A store has no value for a key, and none was set before the timeout."""


class QueueEmptyError(DistStoreError):
    """A queue of a store is empty."""
