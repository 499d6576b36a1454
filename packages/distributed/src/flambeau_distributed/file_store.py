"""A store in a file, which processes of one host open."""

import os
import struct
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from flambeau_distributed.errors import DistStoreError
from flambeau_distributed.stores import Store, Values

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["FileStore"]

_USERS = "users"  # the counter of processes that have opened the file


class FileStore(Store):
    """A store in a file: a list of changes, of which each process reads the new ones.

    The file is removed when all of ``world_size`` processes have closed the store.

    Args:
        file_name: the path of a file that does not exist, or that other processes have created for this store.
        world_size: the number of processes that will open it; -1: any number, and the file is not removed.

    >>> import tempfile
    >>> store = torch.distributed.FileStore(tempfile.mktemp(), 1)
    >>> store.set("a", "1")
    >>> store.get("a")
    b'1'
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        if fcntl is None:
            raise RuntimeError("FileStore needs a system that locks files (fcntl)")
        self._path, self._read = os.fspath(file_name), 0
        self._values = Values()
        self._do("add", _USERS, 1)
        weakref.finalize(self, _close, self._path, world_size)

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    def _do(self, name: str, *args: Any) -> Any:
        if name == "missing":
            return self._missing(*args)
        if name in ("push", "pop", "length"):
            raise NotImplementedError("queue support is not implemented: FileStore has no queues")
        with _locked(self._path) as file:
            self._catch_up(file)
            before = dict(self._values.values)
            result = getattr(self._values, name)(*args)
            file.seek(0, os.SEEK_END)
            for key in before.keys() - self._values.values.keys():
                file.write(_record(key, None))
            for key, value in self._values.values.items():
                if before.get(key) != value:
                    file.write(_record(key, value))
            file.flush()
            self._read = file.tell()
        return result

    def _missing(self, keys: list[str], seconds: float = 0) -> list[str]:
        end, pause = time.monotonic() + seconds, 0.0001
        while True:
            with _locked(self._path) as file:
                self._catch_up(file)
            found = self._values.missing(keys)
            if not found or time.monotonic() >= end:
                return found
            time.sleep(pause)
            pause = min(2 * pause, 0.01)

    def _catch_up(self, file: IO[bytes]) -> None:
        file.seek(self._read)
        data, at = file.read(), 0
        while at < len(data):
            named, kept = struct.unpack_from("<qq", data, at)
            key = data[at + 16 : at + 16 + named].decode()
            if kept < 0:
                self._values.values.pop(key, None)
            else:
                self._values.values[key] = data[at + 16 + named : at + 16 + named + kept]
            at += 16 + named + max(kept, 0)
        self._read += at

    def wait(self, keys: Any, timeout: Any = None) -> None:
        keys = list(keys)
        seconds = (self.timeout if timeout is None else timeout).total_seconds()
        missing = self._missing(keys, seconds)
        if missing:
            raise DistStoreError(
                f"wait timeout after {seconds * 1000:.0f}ms, keys: {', '.join(keys)}: Timeout waiting for key: "
                f"{missing[0]} after {seconds * 1000:.0f} ms"
            )


def _record(key: str, value: "bytes | None") -> bytes:
    name = key.encode()
    return struct.pack("<qq", len(name), -1 if value is None else len(value)) + name + (value or b"")


@contextmanager
def _locked(path: str) -> Iterator[IO[bytes]]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    with os.fdopen(descriptor, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _close(path: str, world_size: int) -> None:
    try:
        if world_size < 1 or not os.path.exists(path):
            return
        store = FileStore.__new__(FileStore)
        Store.__init__(store)
        store._path, store._read, store._values = path, 0, Values()
        if store.add("closed", 1) >= max(world_size, store.add(_USERS, 0)):
            os.unlink(path)
    except OSError:
        pass
