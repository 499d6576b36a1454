"""Access to the records of an archive by name, as PyTorch's compiled reader and writer give it.

>>> import io
>>> file = io.BytesIO()
>>> with open_writer(file) as archive:
...     archive.write_record("data", b"abc", 3)
>>> _ = file.seek(0)
>>> with open_reader(file) as archive:
...     archive.get_all_records(), archive.get_record("data")
(['data', 'byteorder', 'version', '.data/serialization_id'], b'abc')
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor.serialization.archive import Reader, Writer


class _Opened(io.FileIO):
    """A file that nobody else has, so it is closed without a warning when nothing refers to it."""

    def __del__(self) -> None:
        self.close()


class PyTorchFileReader:
    """Reads the records of a file: a path, or a seekable binary file at the beginning of an archive.

    Raises:
        RuntimeError: the file is not a complete archive.
    """

    def __init__(self, name_or_buffer: Any) -> None:
        self._file = name_or_buffer if hasattr(name_or_buffer, "read") else _Opened(name_or_buffer)
        self._reader = Reader(self._file)

    def get_all_records(self) -> list[str]:
        """The names of the records, without the name of the archive."""
        return list(self._reader.records)

    def has_record(self, name: str) -> bool:
        """Whether there is a record of that name."""
        return name in self._reader

    def get_record(self, name: str) -> bytes:
        """The bytes of a record.

        Raises:
            RuntimeError: there is no such record.
        """
        return self._reader.read(name)

    def get_record_offset(self, name: str) -> int:
        """Where the bytes of a record begin in the file.

        Raises:
            RuntimeError: there is no such record.
        """
        return self._reader.offset(name)

    def get_storage_from_record(self, name: str, numel: int, dtype: Any) -> Tensor:
        """The first ``numel`` elements of a record as a vector.

        Raises:
            RuntimeError: there is no such record, or it has fewer elements.
        """
        storage = self._reader.storage(name)
        return Tensor().to(dtype).set_(storage, 0, (numel,), (1,))

    def _close(self) -> None:
        if isinstance(self._file, _Opened):
            self._file.close()


class PyTorchFileWriter:
    """Writes records to an archive: to a path, or to a binary file."""

    def __init__(self, name_or_buffer: Any) -> None:
        self._opens = not hasattr(name_or_buffer, "write")
        self._file = open(name_or_buffer, "wb") if self._opens else name_or_buffer  # noqa: SIM115
        name = os.path.basename(os.fspath(name_or_buffer)).partition(".")[0] if self._opens else "archive"
        self._writer = Writer(self._file, name)

    def archive_name(self) -> str:
        """The name of the archive, the folder of its records."""
        return self._writer.root

    def write_record(self, name: str, data: Any, size: int) -> None:
        """Write the first ``size`` bytes of ``data``: bytes, or a storage."""
        self._writer.write(name, bytes(memoryview(data)[:size]))

    def write_end_of_file(self) -> None:
        """Write the directory, without which an archive cannot be read."""
        self._writer.write("byteorder", sys.byteorder.encode())
        self._writer.close()
        if self._opens:
            self._file.close()
        else:
            self._file.flush()


@contextmanager
def open_reader(name_or_buffer: Any) -> Iterator[PyTorchFileReader]:
    """Open an archive for reading in a ``with`` block."""
    reader = PyTorchFileReader(name_or_buffer)
    try:
        yield reader
    finally:
        reader._close()


@contextmanager
def open_writer(name_or_buffer: Any) -> Iterator[PyTorchFileWriter]:
    """Open an archive for writing in a ``with`` block, which completes it."""
    writer = PyTorchFileWriter(name_or_buffer)
    yield writer
    writer.write_end_of_file()
