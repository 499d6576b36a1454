"""Asynchronous work: the objects that ``async_op=True`` returns, and the thread that runs the work."""

import threading
from collections.abc import Callable
from datetime import timedelta
from queue import SimpleQueue
from typing import Any

from flambeau_distributed.errors import DistBackendError
from flambeau_distributed.futures import Future

__all__ = ["Work"]


class Work:
    """A collective or a message that may not be done yet.

    Args:
        result: the tensors that it writes.

    >>> work = torch.distributed.Work([torch.ones(2)])
    >>> work.is_completed()
    False
    """

    def __init__(self, result: "list[Any] | None" = None, source: int = -1) -> None:
        self._done = threading.Event()
        self._result: Any = [] if result is None else result
        self._error: BaseException | None = None
        self._source = source
        self._future: Future | None = None

    def is_completed(self) -> bool:
        """Return True if it is done, or has failed."""
        return self._done.is_set()

    def is_success(self) -> bool:
        """Return True if it is done and has not failed."""
        return self._done.is_set() and self._error is None

    def exception(self) -> "BaseException | None":
        """Why it has failed."""
        return self._error

    def source_rank(self) -> int:
        """Return the rank of the sender of the received message."""
        return self._source

    def result(self) -> Any:
        """The tensors that it has written."""
        return self._result

    def wait(self, timeout: "timedelta | None" = None) -> bool:
        """Wait until it is done.

        Args:
            timeout: how long to wait; default: the group's timeout.

        Raises:
            DistBackendError: it is not finished in time, or a process has ended.
        """
        seconds = None if timeout is None or timeout <= timedelta(0) else timeout.total_seconds()
        if not self._done.wait(seconds):
            raise DistBackendError(f"Timed out waiting {(seconds or 0) * 1000:.0f}ms for work to end")
        if self._error is not None:
            raise self._error
        return True

    def synchronize(self) -> None:
        """Wait until it is done."""
        self.wait()

    def block_current_stream(self) -> None:
        """Wait until it is done."""
        self.wait()

    def get_future(self) -> Future:
        """A future of the tensors that it writes."""
        if self._future is None:
            self._future = Future()
            if self._done.is_set():
                self._settle()
        return self._future

    def finish(self, error: "BaseException | None" = None) -> None:
        """Say that it is done, or why it has failed."""
        self._error = error
        self._done.set()
        if self._future is not None:
            self._settle()

    def _settle(self) -> None:
        future: Any = self._future
        if not future.done():
            if self._error is None:
                future.set_result(self._result)
            else:
                future.set_exception(self._error)


class Worker:
    """A thread that runs work in the order of submission."""

    def __init__(self, name: str) -> None:
        self._name, self._queue = name, SimpleQueue[Any]()
        self._thread: threading.Thread | None = None
        self.pending = 0  # how many are not done

    def submit(self, call: Callable[[], Any], work: Work) -> Work:
        """Run a call in the thread; the work is completed when it ends."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self.pending += 1
        self._queue.put((call, work))
        return work

    def _run(self) -> None:
        while (task := self._queue.get()) is not None:
            call, work = task
            error: BaseException | None = None
            try:
                call()
            except BaseException as e:
                error = e
            self.pending -= 1
            work.finish(error)

    def close(self) -> None:
        """End the thread when it has finished pending work."""
        if self._thread is not None:
            self._queue.put(None)
            if threading.current_thread() is not self._thread:
                self._thread.join(1)
            self._thread = None
