"""Sending functions and items to workers: pickles, with large buffers in memory that all processes share.

The memory is an unnamed file, which the workers on this host open through the sender's descriptor. The sender closes it
at the end of the map, and no file is left over if it is killed.
"""

import copyreg
import io
import mmap
import os
import pickle
from collections import ChainMap
from typing import Any, NamedTuple

from flambeau_nn.parameter import Buffer, Parameter
from flambeau_tensor import Tensor, frombuffer, uint8
from flambeau_tensor.storage import UntypedStorage
from flambeau_tensor.subclassing import reduce_for_process

LARGE = 1 << 18  # bytes of buffers from which on they are shared


class Sent(NamedTuple):
    """A pickle and its buffers: contained in it, or at these offsets of a file (path)."""

    pickled: bytes
    buffers: "list[bytes]"
    path: str = ""
    places: "tuple[tuple[int, int], ...]" = ()


def _stored(memory: Any) -> UntypedStorage:
    return frombuffer(memory, dtype=uint8).untyped_storage()


def _reduce_storage(storage: UntypedStorage) -> Any:
    if not storage.nbytes():
        return storage.__reduce_ex__(2)
    elements = Tensor([]).to(uint8).set_(storage, 0, (storage.nbytes(),), (1,))
    return _stored, (pickle.PickleBuffer(elements.numpy()),)


_REDUCED: dict[Any, Any] = {
    **dict.fromkeys((Tensor, Parameter, Buffer), reduce_for_process),
    UntypedStorage: _reduce_storage,
}


def _dumps(value: Any, pickler: Any, buffers: "list[pickle.PickleBuffer]") -> bytes:
    """Pickle a value with a module's pickler, with the buffers of arrays and tensors out of band."""
    file = io.BytesIO()
    one = pickler.Pickler(file, protocol=5, buffer_callback=buffers.append)
    one.dispatch_table = ChainMap(_REDUCED, getattr(one, "dispatch_table", copyreg.dispatch_table))
    one.dump(value)
    return file.getvalue()


class Sender:
    """Sends values; holds the shared memory until it is closed."""

    def __init__(self, shares: bool) -> None:
        self._shares = shares and hasattr(os, "memfd_create")
        self._descriptors: list[int] = []

    def send(self, value: Any, pickler: Any = pickle) -> Sent:
        """Return a value in the form that is sent to a worker, pickled by a module such as `pickle` or cloudpickle."""
        buffers: list[pickle.PickleBuffer] = []
        pickled = _dumps(value, pickler, buffers)
        raws = [buffer.raw() for buffer in buffers]
        if not self._shares or sum(raw.nbytes for raw in raws) < LARGE:
            return Sent(pickled, [bytes(raw) for raw in raws])
        descriptor = os.memfd_create("flambeau-map", os.MFD_CLOEXEC)
        self._descriptors.append(descriptor)
        places, at = [], 0
        for raw in raws:
            _write(descriptor, raw, at)
            places.append((at, raw.nbytes))
            at += -(-raw.nbytes // 64) * 64
        os.ftruncate(descriptor, max(at, 1))
        return Sent(pickled, [], f"/proc/{os.getpid()}/fd/{descriptor}", tuple(places))

    def close(self) -> None:
        """Release the shared memory; workers that have opened it still have it."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()


def _write(descriptor: int, raw: memoryview, at: int) -> None:
    while raw.nbytes:
        written = os.pwrite(descriptor, raw[: 1 << 30], at)
        raw, at = raw[written:], at + written


def received(sent: Any) -> Any:
    """Return the value that was sent, or the argument if it is not `Sent`. Writes to its tensors stay in the worker."""
    if not isinstance(sent, Sent):
        return sent
    if not sent.path:
        return pickle.loads(sent.pickled, buffers=map(bytearray, sent.buffers))
    descriptor = os.open(sent.path, os.O_RDONLY)
    try:
        memory = memoryview(mmap.mmap(descriptor, 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE))
    finally:
        os.close(descriptor)
    return pickle.loads(sent.pickled, buffers=[memory[at : at + size] for at, size in sent.places])
