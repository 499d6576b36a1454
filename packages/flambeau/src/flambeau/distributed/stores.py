"""Where processes leave values for each other. There is one process, so a store is a dictionary."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NoReturn

from flambeau_tensor.not_built import NotBuiltError


class Store:
    """Values by name; text is kept as bytes.

    >>> store = Store()
    >>> store.set("name", "value")
    >>> store.get("name"), store.add("count", 2), store.add("count", 3)
    (b'value', 2, 5)
    """

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}
        self.timeout = timedelta(seconds=300)

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def set(self, key: str, value: str | bytes) -> None:
        """Leave a value."""
        self._values[key] = value.encode() if isinstance(value, str) else bytes(value)

    def get(self, key: str) -> bytes:
        """The value of a name. There is nobody else who could leave it, so nothing is waited for."""
        self.wait([key])
        return self._values[key]

    def add(self, key: str, amount: int) -> int:
        """Add to a counter, which begins at 0, and return it."""
        total = int(self._values.get(key, b"0")) + amount
        self.set(key, str(total))
        return total

    def append(self, key: str, value: str | bytes) -> None:
        """Put a value behind that of a name."""
        self.set(key, self._values.get(key, b"") + (value.encode() if isinstance(value, str) else bytes(value)))

    def check(self, keys: Iterable[str]) -> bool:
        """Whether all names have values."""
        return all(key in self._values for key in keys)

    def wait(self, keys: Iterable[str], timeout: timedelta | None = None) -> None:
        """Return if all names have values.

        Raises:
            RuntimeError: one has none.
        """
        missing = [key for key in keys if key not in self._values]
        if missing:
            raise RuntimeError(f"wait timeout, keys: {', '.join(missing)}: there is one process, which left none")

    def compare_set(self, key: str, expected_value: str, desired_value: str) -> bytes:
        """Leave a value if the present one, or none for the empty text, is as expected; returns what is there then."""
        present = self._values.get(key)
        if (b"" if present is None else present) == expected_value.encode():
            self.set(key, desired_value)
        elif present is None:
            return expected_value.encode()
        return self._values[key]

    def multi_get(self, keys: Iterable[str]) -> list[bytes]:
        """The values of names."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: Iterable[str], values: Iterable[str | bytes]) -> None:
        """Leave values."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def delete_key(self, key: str) -> bool:
        """Take a value away; returns whether there was one."""
        return self._values.pop(key, None) is not None

    def num_keys(self) -> int:
        """How many names have values."""
        return len(self._values)

    def set_timeout(self, timeout: timedelta) -> None:
        """Keep how long others would be waited for."""
        self.timeout = timeout


class HashStore(Store):
    """A store in memory."""


class TCPStore(Store):
    """A store of one process; no port is opened.

    Raises:
        NotBuiltError: there are to be more processes.
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta | None = None,
        wait_for_workers: bool = True,
        **options: Any,
    ) -> None:
        if world_size not in (None, 1) or not is_master:
            raise NotBuiltError("torch.distributed.TCPStore of several processes is not built: there is one process")
        super().__init__()
        self.host, self.port = host_name, port
        if timeout is not None:
            self.timeout = timeout


class PrefixStore(Store):
    """A store whose names all begin in the same way in another one."""

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        self.underlying_store = store
        self._values = _Prefixed(prefix, store._values)


class _Prefixed(dict):
    def __init__(self, prefix, values):
        self.prefix, self.values_below = f"{prefix}/", values

    def __contains__(self, key):
        return self.prefix + key in self.values_below

    def __getitem__(self, key):
        return self.values_below[self.prefix + key]

    def __setitem__(self, key, value):
        self.values_below[self.prefix + key] = value

    def get(self, key, default=None):
        return self.values_below.get(self.prefix + key, default)

    def pop(self, key, default=None):
        return self.values_below.pop(self.prefix + key, default)

    def __len__(self):
        return len(self.values_below)
