"""The transfer of batches from workers: pickles, with the bytes of large tensors and arrays in shared memory.

The worker writes these bytes into memory files, which it reuses; the loader copies the bytes and returns the file with
its next request. The name of a file exists until both sides have opened it, so no file is left over. If there is no
space for a file (``/dev/shm`` is small in many containers), the OSError is caught and the bytes use the pipe.
"""

import io
import os
import pickle
import tempfile
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import numpy as np

from flambeau_tensor import Tensor, UntypedStorage, empty, uint8
from flambeau_tensor.subclassing import reduce_for_process

LARGE = 1 << 14  # bytes from which a tensor or array is transferred outside the pickle
SMALL = 1 << 16  # if the total is smaller, the bytes use the pipe
MEMORY = "/dev/shm"


def folder() -> "str | None":
    """Return a new folder for the files of a loader, in memory if possible, or None if none can be created."""
    if not hasattr(os, "preadv"):
        return None
    try:
        return tempfile.mkdtemp(prefix=f"flambeau-{os.getpid()}-", dir=MEMORY if os.path.isdir(MEMORY) else None)
    except OSError:
        return None


def _same(tensor: Tensor) -> Tensor:
    return tensor


def _bytes(tensor: Tensor) -> Any:
    """The memory of a contiguous tensor as an array of bytes."""
    return tensor.view(-1).view(uint8).numpy()


class _Pickler(ForkingPickler):
    def __init__(self, file: Any) -> None:
        super().__init__(file, 5, True, self._take)
        self.buffers: list[Any] = []
        self.kinds: list[Any] = []  # of each buffer: dtype and shape of a tensor, or None
        self._tensors: dict[int, Any] = {}

    def reducer_override(self, value: Any) -> Any:
        if type(value) is UntypedStorage:  # not shared as by torch.multiprocessing: a worker may end first
            return value.__reduce_ex__(5)
        if isinstance(value, Tensor) and value.requires_grad:
            return reduce_for_process(value)
        if (
            type(value) is not Tensor
            or value.nbytes < LARGE
            or not value.is_contiguous()
            or value.is_conj()
            or value.is_neg()
        ):
            return NotImplemented
        buffer = pickle.PickleBuffer(_bytes(value))
        self._tensors[id(buffer)] = value.dtype, tuple(value.shape)
        return _same, (buffer,)

    def _take(self, buffer: Any) -> bool:
        raw = buffer.raw()
        kind = self._tensors.get(id(buffer))
        if kind is None and raw.nbytes < LARGE:
            return True  # in the pickle
        self.buffers.append(raw)
        self.kinds.append(kind)
        return False


class Sender:
    """The worker's side."""

    def __init__(self, connection: Any, directory: "str | None", worker: int) -> None:
        self._connection = connection
        self._directory = directory and Path(directory) / str(worker)
        self._files: list[int] = []
        self._free: list[int] = []

    def release(self, slots: list[int]) -> None:
        """Take back files that the loader has read."""
        self._free += slots

    def send(self, number: int, value: Any) -> None:
        """Send a value under a number.

        Raises:
            OSError: the other side has ended.
        """
        file = io.BytesIO()
        pickler = _Pickler(file)
        pickler.dump(value)
        buffers = pickler.buffers
        slot = -1
        if sum(b.nbytes for b in buffers) >= SMALL and self._directory is not None:
            slot = self._write(buffers)
        inline = [] if slot >= 0 else [bytes(b) for b in buffers]
        sizes = [b.nbytes for b in buffers]
        self._connection.send_bytes(pickle.dumps((number, file.getvalue(), pickler.kinds, sizes, slot, inline)))

    def _write(self, buffers: list[Any]) -> int:
        new = not self._free
        try:
            if new:
                flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
                self._files.append(os.open(f"{self._directory}-{len(self._files)}", flags, 0o600))
                self._free.append(len(self._files) - 1)
            slot = self._free[-1]
            offset = 0
            for buffer in buffers:
                while buffer.nbytes:
                    done = os.pwrite(self._files[slot], buffer, offset)
                    offset += done
                    buffer = buffer[done:]
        except OSError:  # no room
            self._directory = None
            return -1
        return self._free.pop()


class Receiver:
    """The loader's side of one worker."""

    def __init__(self, connection: Any, directory: "str | None", worker: int) -> None:
        self._connection = connection
        self._directory = directory and Path(directory) / str(worker)
        self._files: dict[int, int] = {}
        self._free: list[int] = []

    def released(self) -> list[int]:
        """The files that have been read since the last call."""
        free, self._free = self._free, []
        return free

    def receive(self) -> tuple[int, Any]:
        """The next number and value.

        Raises:
            EOFError: the worker has ended.
        """
        number, data, kinds, sizes, slot, inline = pickle.loads(self._connection.recv_bytes())
        values: list[Any] = [
            empty(kind[1], dtype=kind[0]) if kind else np.empty(size, np.uint8)
            for kind, size in zip(kinds, sizes, strict=True)
        ]
        memory = [memoryview(_bytes(v) if isinstance(v, Tensor) else v) for v in values]
        if slot >= 0:
            self._read(slot, memory)
            self._free.append(slot)
        else:
            for target, source in zip(memory, inline, strict=True):
                target[:] = source
        return number, pickle.loads(data, buffers=values)

    def _read(self, slot: int, memory: list[memoryview]) -> None:
        file = self._files.get(slot)
        if file is None:
            name = f"{self._directory}-{slot}"
            file = self._files[slot] = os.open(name, os.O_RDONLY)
            os.unlink(name)
        offset = 0
        for target in memory:
            while target.nbytes:
                done = os.preadv(file, [target], offset)
                if not done:
                    raise EOFError("a worker's shared memory is shorter than expected")
                offset += done
                target = target[done:]

    def close(self) -> None:
        """Give all files back."""
        while self._files:
            os.close(self._files.popitem()[1])
