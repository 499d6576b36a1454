"""``torch.multiprocessing.reductions``: how tensors are sent to another process, by the descriptor of shared memory."""

import weakref
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

from flambeau_distributed.multiprocessing import _rebuild_storage, _reduce_storage, _register
from flambeau_tensor import Tensor
from flambeau_tensor.storage import TypedStorage, UntypedStorage
from flambeau_tensor.subclassing import rebuild_over, reduce_for_process

__all__ = [
    "StorageWeakRef",
    "ForkingPickler",
    "init_reductions",
    "rebuild_storage_fd",
    "rebuild_tensor",
    "reduce_storage",
    "reduce_tensor",
]


class StorageWeakRef:
    """A weak reference to a storage. References to the same memory are equal.

    Args:
        storage: an ``UntypedStorage`` or a ``TypedStorage``.

    >>> x = torch.ones(2)
    >>> reference = torch.multiprocessing.reductions.StorageWeakRef(x.untyped_storage())
    >>> reference.expired()
    False
    >>> del x
    >>> reference.expired()
    True
    """

    __slots__ = "_storage", "cdata"

    def __init__(self, storage: UntypedStorage | TypedStorage) -> None:
        untyped = storage.untyped() if isinstance(storage, TypedStorage) else storage
        self.cdata: int = untyped._cdata
        self._storage = weakref.ref(untyped)

    def expired(self) -> bool:
        """Return whether the storage no longer exists."""
        return self._storage() is None

    def __hash__(self) -> int:
        return self.cdata

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, StorageWeakRef) and self.cdata == other.cdata


def reduce_tensor(tensor: Tensor) -> tuple[Any, ...]:
    """Return a function and its arguments, which rebuild a tensor in another process on the same memory.

    Raises:
        RuntimeError: the tensor is the result of recorded operations.

    >>> function, arguments = torch.multiprocessing.reductions.reduce_tensor(torch.ones(2))
    >>> function(*arguments)
    tensor([1., 1.])
    """
    reduced: tuple[Any, ...] = reduce_for_process(tensor)
    return reduced[:2] if len(reduced) == 3 and reduced[2] is None else reduced  # callers unpack two


def rebuild_tensor(cls: type, storage: TypedStorage, metadata: tuple[Any, ...]) -> Tensor:
    """Return a tensor on a storage.

    Args:
        cls: its class.
        storage: the memory, with its dtype.
        metadata: offset, sizes and strides in elements, and whether it requires grad.

    Raises:
        RuntimeError: the storage is too small.

    >>> from torch.multiprocessing.reductions import rebuild_tensor
    >>> memory = torch.arange(4.0).untyped_storage()
    >>> storage = torch.storage.TypedStorage(wrap_storage=memory, dtype=torch.float32, _internal=True)
    >>> rebuild_tensor(torch.Tensor, storage, (1, (2,), (1,), False))
    tensor([1., 2.])
    """
    offset, size, stride, requires_grad = metadata
    untyped, dtype = storage.untyped(), storage.dtype
    made: Tensor = rebuild_over(cls, untyped, dtype, offset, tuple(size), tuple(stride), requires_grad)
    return made


def reduce_storage(storage: UntypedStorage) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Move a storage to shared memory and return a function and its arguments, which open it in another process."""
    reduced: tuple[Callable[..., Any], tuple[Any, ...]] = _reduce_storage(storage)
    return reduced


def rebuild_storage_fd(cls: type, df: Any, size: int) -> UntypedStorage:
    """Return the storage in the memory of another process, by a descriptor that ``multiprocessing`` sent.

    Args:
        cls: has no effect: the result is an UntypedStorage.
        df: the descriptor.
        size: in bytes.
    """
    opened: UntypedStorage = _rebuild_storage(cls, df, size)
    return opened


def init_reductions() -> None:
    """Register these functions with ``multiprocessing``, as importing ``torch.multiprocessing`` does."""
    _register()
