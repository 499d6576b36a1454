"""Stores: places where processes exchange values by name, before they are connected otherwise.

`Store` implements its methods by one operation on a `Values`; the stores differ in the location of the values: in this
process (`HashStore`), in a file (`FileStore`), or in the process that listens at a port (`tcp_store.TCPStore`).
"""

import time
from collections.abc import Iterable, Sequence
from datetime import timedelta
from threading import Condition
from typing import Any, NoReturn

from flambeau_distributed.errors import DistStoreError, QueueEmptyError

__all__ = ["HashStore", "PrefixStore", "Store"]


def as_bytes(value: "str | bytes", function: str) -> bytes:
    """Convert a value to the bytes that a store keeps."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise TypeError(
        f"{function}(): incompatible function arguments: values are str or bytes, not {type(value).__name__}"
    )


def as_key(key: str, function: str) -> str:
    """The name itself, if it is one."""
    if not isinstance(key, str):
        raise TypeError(f"{function}(): incompatible function arguments: names are str, not {type(key).__name__}")
    return key


class Values:
    """Values by key, and queues. Each method is atomic."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.queues: dict[str, list[bytes]] = {}
        self.changed = Condition()

    def set(self, key: str, value: bytes) -> None:
        with self.changed:
            self.values[key] = value
            self.changed.notify_all()

    def get(self, key: str) -> bytes:
        with self.changed:
            return self.values[key]

    def add(self, key: str, amount: int) -> int:
        with self.changed:
            total = int(self.values.get(key, b"0")) + amount
            self.values[key] = str(total).encode()
            self.changed.notify_all()
            return total

    def append(self, key: str, value: bytes) -> None:
        with self.changed:
            self.values[key] = self.values.get(key, b"") + value
            self.changed.notify_all()

    def compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        with self.changed:
            present = self.values.get(key)
            if present is None and expected:
                return expected
            if (present or b"") == expected:
                self.values[key] = present = desired
                self.changed.notify_all()
            return present or b""

    def delete(self, key: str) -> bool:
        with self.changed:
            return self.values.pop(key, None) is not None

    def missing(self, keys: Sequence[str], seconds: float = 0) -> list[str]:
        """Return the names that still have no values after waiting for them."""
        end = time.monotonic() + seconds
        with self.changed:
            while True:
                found = [key for key in keys if key not in self.values]
                left = end - time.monotonic()
                if not found or left <= 0:
                    return found
                self.changed.wait(left)

    def names(self) -> list[str]:
        with self.changed:
            return list(self.values)

    def push(self, key: str, value: bytes) -> None:
        with self.changed:
            self.queues.setdefault(key, []).append(value)
            self.changed.notify_all()

    def pop(self, key: str, seconds: float) -> list[bytes]:
        """The first in a queue, or nothing after waiting for it."""
        end = time.monotonic() + seconds
        with self.changed:
            while not self.queues.get(key):
                left = end - time.monotonic()
                if left <= 0:
                    return []
                self.changed.wait(left)
            return [self.queues[key].pop(0)]

    def length(self, key: str) -> int:
        with self.changed:
            return len(self.queues.get(key, ()))


class Store:
    """Values by name, shared by several processes; text is stored as bytes.

    A custom class with ``set``, ``get``, ``add`` and ``wait`` is also accepted as a store.

    Raises:
        DistStoreError: the value does not arrive in time; by ``get`` and ``wait``.

    >>> store = torch.distributed.HashStore()
    >>> store.set("name", "value")
    >>> store.get("name"), store.add("count", 2), store.add("count", 3)
    (b'value', 2, 5)
    """

    def __init__(self) -> None:
        self._timeout = timedelta(seconds=300)

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def _do(self, name: str, *args: Any) -> Any:
        """Call a method of `Values` where the values are stored."""
        raise NotImplementedError(f"{type(self).__name__} does not say where its values are")

    @property
    def timeout(self) -> timedelta:
        """The timeout of ``get`` and ``wait``."""
        return getattr(self, "_timeout", timedelta(seconds=300))

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long ``get`` and ``wait`` wait."""
        self._timeout = timeout

    def set(self, key: str, value: "str | bytes") -> None:
        """Set a value."""
        self._do("set", as_key(key, "set"), as_bytes(value, "set"))

    def get(self, key: str) -> bytes:
        """Return the value of a name; wait until it is set."""
        self.wait([as_key(key, "get")])
        return self._do("get", key)

    def add(self, key: str, amount: int) -> int:
        """Add to a counter, which begins at 0, and return it."""
        return self._do("add", as_key(key, "add"), int(amount))

    def append(self, key: str, value: "str | bytes") -> None:
        """Append to the value of a name."""
        self._do("append", as_key(key, "append"), as_bytes(value, "append"))

    def check(self, keys: Iterable[str]) -> bool:
        """Return True if all names have values."""
        return not self._do("missing", list(keys))

    def wait(self, keys: Iterable[str], timeout: "timedelta | None" = None) -> None:
        """Return when all names have values.

        Args:
            keys: the names.
            timeout: how long to wait; default: ``self.timeout``.

        Raises:
            DistStoreError: a value is not set in time.
        """
        keys = list(keys)
        seconds = (self.timeout if timeout is None else timeout).total_seconds()
        missing = self._do("missing", keys, seconds)
        if missing:
            names = ", ".join(f"/{key}" for key in keys)
            raise DistStoreError(f"wait timeout after {seconds * 1000:.0f}ms, keys: {names}")

    def compare_set(self, key: str, expected_value: "str | bytes", desired_value: "str | bytes") -> bytes:
        """Set a value if the present one, or the empty text for none, is as expected; return the resulting value."""
        expected, desired = as_bytes(expected_value, "compare_set"), as_bytes(desired_value, "compare_set")
        return self._do("compare_set", as_key(key, "compare_set"), expected, desired)

    def multi_get(self, keys: Iterable[str]) -> list[bytes]:
        """The values of names, once they are there."""
        keys = list(keys)
        self.wait(keys)
        return [self._do("get", key) for key in keys]

    def multi_set(self, keys: Iterable[str], values: "Iterable[str | bytes]") -> None:
        """Leave values."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def delete_key(self, key: str) -> bool:
        """Take a value away; returns whether there was one."""
        return self._do("delete", as_key(key, "delete_key"))

    def num_keys(self) -> int:
        """Return the number of keys with values."""
        return len(self._do("names"))

    def list_keys(self) -> list[str]:
        """The names that have values."""
        return self._do("names")

    def queue_push(self, key: str, value: "str | bytes") -> None:
        """Append a value to a queue."""
        self._do("push", as_key(key, "queue_push"), as_bytes(value, "queue_push"))

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Remove the first value of a queue and return it.

        Raises:
            QueueEmptyError: the queue is empty, or still empty at the timeout.
        """
        found = self._do("pop", as_key(key, "queue_pop"), self.timeout.total_seconds() if block else 0)
        if not found:
            raise QueueEmptyError("queue is empty")
        return found[0]

    def queue_len(self, key: str) -> int:
        """Return the length of a queue."""
        return self._do("length", as_key(key, "queue_len"))

    def has_extended_api(self) -> bool:
        """Return True if the store has ``append``, ``multi_get`` and ``multi_set``."""
        return True

    def clone(self) -> "Store":
        """A store of the same values, for another thread."""
        return self


class HashStore(Store):
    """A store in this process, for its threads.

    >>> store = torch.distributed.HashStore()
    >>> store.set("a", "1")
    >>> store.num_keys(), store.check(["a", "b"])
    (1, False)
    """

    def __init__(self) -> None:
        super().__init__()
        self._values = Values()

    def _do(self, name: str, *args: Any) -> Any:
        return getattr(self._values, name)(*args)


class PrefixStore(Store):
    """A view of another store in which all names have a prefix.

    Args:
        prefix: the prefix; a slash is added.
        store: the other one.

    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.PrefixStore("group", store).set("a", "1")
    >>> store.get("group/a")
    b'1'
    """

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        if not isinstance(store, Store):
            raise TypeError(f"PrefixStore(): incompatible function arguments: {type(store).__name__} is no store")
        self.prefix, self.underlying_store = prefix, store

    @property
    def timeout(self) -> timedelta:
        """That of the store below."""
        return self.underlying_store.timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long the underlying store waits."""
        self.underlying_store.set_timeout(timeout)

    def _name(self, key: str) -> str:
        return f"{self.prefix}/{key}"

    def set(self, key: str, value: "str | bytes") -> None:
        self.underlying_store.set(self._name(key), value)

    def get(self, key: str) -> bytes:
        return self.underlying_store.get(self._name(key))

    def add(self, key: str, amount: int) -> int:
        return self.underlying_store.add(self._name(key), amount)

    def append(self, key: str, value: "str | bytes") -> None:
        self.underlying_store.append(self._name(key), value)

    def check(self, keys: Iterable[str]) -> bool:
        return self.underlying_store.check(list(map(self._name, keys)))

    def wait(self, keys: Iterable[str], timeout: "timedelta | None" = None) -> None:
        names = list(map(self._name, keys))
        return self.underlying_store.wait(names) if timeout is None else self.underlying_store.wait(names, timeout)

    def compare_set(self, key: str, expected_value: "str | bytes", desired_value: "str | bytes") -> bytes:
        return self.underlying_store.compare_set(self._name(key), expected_value, desired_value)

    def multi_get(self, keys: Iterable[str]) -> list[bytes]:
        return self.underlying_store.multi_get(list(map(self._name, keys)))

    def multi_set(self, keys: Iterable[str], values: "Iterable[str | bytes]") -> None:
        self.underlying_store.multi_set(list(map(self._name, keys)), values)

    def delete_key(self, key: str) -> bool:
        return self.underlying_store.delete_key(self._name(key))

    def num_keys(self) -> int:
        return self.underlying_store.num_keys()

    def list_keys(self) -> list[str]:
        start = f"{self.prefix}/"
        return [key.removeprefix(start) for key in self.underlying_store.list_keys() if key.startswith(start)]

    def queue_push(self, key: str, value: "str | bytes") -> None:
        self.underlying_store.queue_push(self._name(key), value)

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        return self.underlying_store.queue_pop(self._name(key), block)

    def queue_len(self, key: str) -> int:
        return self.underlying_store.queue_len(self._name(key))

    def has_extended_api(self) -> bool:
        return self.underlying_store.has_extended_api()

    def clone(self) -> "Store":
        return PrefixStore(self.prefix, self.underlying_store.clone())
