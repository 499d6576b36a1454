"""Messages between the ranks of one host: matching incoming messages with receivers.

Each ordered pair of ranks has a ring in the shared memory (``include/shared_slots.h``). `send` returns when the message
is in the ring; if it is longer, a thread writes the rest while the receiver reads. A rank that waits for a message
reads all incoming messages and keeps those without a receiver. For `irecv`, a thread does so.
"""

import threading
from collections import deque
from typing import Any

from flambeau_distributed._shared.segment import HEADER_BYTES, Segment
from flambeau_distributed.errors import DistBackendError
from flambeau_distributed.work import Work, Worker
from flambeau_tensor import Tensor, empty, uint8

TAKE_OVER = 0.002  # seconds after which another thread looks whether the rings are read


class _Wanted(Work):
    """A message that is expected; a thread that waits for it reads the rings."""

    def __init__(self, messages: "Messages", tensor: Tensor, source: "int | None", tag: int) -> None:
        super().__init__([tensor])
        self.messages, self.tensor, self.source, self.tag = messages, tensor, source, tag

    def wait(self, timeout: Any = None) -> bool:
        self.messages.read_until(self)
        return super().wait(timeout)

    def is_completed(self) -> bool:
        if not super().is_completed():
            self.messages.read_what_is_there()
        return super().is_completed()


class Messages:
    """The messages of one rank.

    Args:
        segment: the shared memory.
        rank, size: of the group.
    """

    def __init__(self, segment: Segment, rank: int, size: int) -> None:
        self._segment, self._rank, self._size = segment, rank, size
        self._senders = [Worker(f"flambeau-send-{peer}") for peer in range(size)]
        self._lock = threading.Lock()  # of the two lists
        self._reading = threading.Lock()  # of the rings
        self._wanted: list[_Wanted] = []
        self._kept: deque[tuple[int, int, int, int, Tensor]] = deque()  # source, tag, dtype, bytes, the bytes
        self._reader = Worker("flambeau-receive")

    # --- sending

    def send(self, tensor: Tensor, to: int, tag: int) -> Work:
        """Send a contiguous tensor, which must not change before the work is done."""
        work, sender = Work([tensor]), self._senders[to]
        nbytes = tensor.numel() * tensor.itemsize
        header = nbytes, tag, _code(tensor)
        if sender.pending or HEADER_BYTES + nbytes > self._segment.room(to):
            return sender.submit(lambda: self._segment.send(to, header, tensor), work)
        self._segment.send(to, header, tensor)
        work.finish()
        return work

    # --- receiving

    def receive(self, tensor: Tensor, source: "int | None", tag: int) -> Work:
        """Receive into a contiguous tensor."""
        wanted = _Wanted(self, tensor, source, tag)
        with self._lock:
            for message in self._kept:
                if message[0] == source or source is None:
                    if message[1] == tag:
                        self._kept.remove(message)
                        break
            else:
                self._wanted.append(wanted)
                return wanted
        _give(wanted, *message)
        return wanted

    def go_on(self, work: Work) -> None:
        """Let a thread read until a message has arrived, so that its sender need not wait for this rank."""
        if isinstance(work, _Wanted) and not work.is_completed():
            self._reader.submit(lambda: self.read_until(work), Work())

    def read_until(self, wanted: _Wanted) -> None:
        """Read the rings until a message has arrived."""
        while not wanted._done.is_set():
            if not self._reading.acquire(timeout=TAKE_OVER):
                continue
            try:
                seen = self._segment.events()
                if not self._read_one() and not wanted._done.is_set():
                    self._segment.listen(seen, -1 if wanted.source is None else wanted.source)
            except BaseException as error:
                with self._lock:
                    if wanted in self._wanted:
                        self._wanted.remove(wanted)
                wanted.finish(error)
                if not isinstance(error, Exception):
                    raise
            finally:
                self._reading.release()

    def read_what_is_there(self) -> None:
        """Read the rings without waiting."""
        if self._reading.acquire(blocking=False):
            try:
                while self._read_one():
                    pass
            finally:
                self._reading.release()

    def _read_one(self) -> bool:
        for source in range(self._size):
            if self._segment.waiting(source) >= HEADER_BYTES:
                self._read(source)
                return True
        return False

    def _read(self, source: int) -> None:
        nbytes, tag, dtype = self._segment.receive_header(source)
        with self._lock:
            for wanted in self._wanted:
                if wanted.source in (None, source) and wanted.tag == tag:
                    self._wanted.remove(wanted)
                    break
            else:
                wanted = None
        fits = wanted is not None and nbytes == wanted.tensor.numel() * wanted.tensor.itemsize
        data = wanted.tensor if wanted is not None and fits else empty(nbytes, dtype=uint8)
        self._segment.receive(source, data, nbytes)
        if wanted is not None:
            _give(wanted, source, tag, dtype, nbytes, data)
            return
        with self._lock:
            for late in self._wanted:  # it was requested while it was read
                if late.source in (None, source) and late.tag == tag:
                    self._wanted.remove(late)
                    break
            else:
                self._kept.append((source, tag, dtype, nbytes, data))
                return
        _give(late, source, tag, dtype, nbytes, data)

    def close(self) -> None:
        """End the threads."""
        for worker in (*self._senders, self._reader):
            worker.close()


def _give(wanted: _Wanted, source: int, tag: int, dtype: int, nbytes: int, data: Tensor) -> None:
    tensor = wanted.tensor
    wanted._source = source
    if nbytes != tensor.numel() * tensor.itemsize or dtype != _code(tensor):
        wanted.finish(
            DistBackendError(
                f"rank {source} has sent {nbytes} bytes of {DTYPES[dtype]}, and this rank receives {tensor.numel()} "
                f"elements of {str(tensor.dtype).partition('.')[2]}"
            )
        )
        return
    if data is not tensor:
        tensor.view(-1).view(uint8).copy_(data)
    wanted.finish()


DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64", "complex32", "complex64", "complex128",
)  # fmt: skip
_NUMBERS = {name: number for number, name in enumerate(DTYPES)}


def _code(tensor: Tensor) -> int:
    return _NUMBERS[str(tensor.dtype).partition(".")[2]]
