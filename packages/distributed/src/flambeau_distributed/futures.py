"""``torch.futures``: results that are set later."""

import threading
from collections.abc import Callable, Sequence
from types import GenericAlias
from typing import Any

__all__ = ["Future", "collect_all", "wait_all"]


class Future:
    """A result that is set once, from any thread.

    Raises:
        RuntimeError: by ``value``: there is no value yet.

    >>> future = Future()
    >>> later = future.then(lambda f: f.value() + 1)
    >>> future.set_result(1)
    >>> later.wait()
    2
    """

    __class_getitem__: Any = classmethod(GenericAlias)  # Future[Tensor], for annotations

    def __init__(self, *, devices: Any = None) -> None:
        if devices:
            raise ValueError("Future(): there are no devices that results could be on")
        self._ready, self._lock = threading.Event(), threading.Lock()
        self._result = self._error = None
        self._callbacks: list[Callable[[Future], Any]] = []

    def done(self) -> bool:
        """Return True if there is a result or an error."""
        return self._ready.is_set()

    def wait(self) -> Any:
        """The result, when it is there; an error is raised."""
        self._ready.wait()
        if self._error is not None:
            raise self._error
        return self._result

    def value(self) -> Any:
        """Return the result, which must be set already.

        Raises:
            RuntimeError: it is not set.
        """
        if not self.done():
            raise RuntimeError("Future.value(): the result is not there yet; wait() waits for it")
        return self.wait()

    def _finish(self, result: Any, error: Any) -> None:
        with self._lock:
            if self.done():
                raise RuntimeError("Future can only be marked completed once")
            self._result, self._error = result, error
            self._ready.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)

    def set_result(self, result: Any) -> None:
        """Give it its result.

        Raises:
            RuntimeError: it has one.
        """
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Give it an error, that `wait` raises."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def add_done_callback(self, callback: Callable[["Future"], Any]) -> None:
        """Call ``callback(self)`` when the result is set, or immediately if it is."""
        with self._lock:
            if not self.done():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[["Future"], Any]) -> "Future":
        """Return a future with the result of ``callback(self)``, which is called when this one is finished."""
        after = Future()

        def run(future: Any) -> None:
            try:
                result = callback(future)
            except Exception as e:
                after.set_exception(e)
            else:
                after.set_result(result)

        self.add_done_callback(run)
        return after


def collect_all(futures: Sequence[Future]) -> Future:
    """Return a future whose result is the list of the futures, when all of them are done.

    Raises:
        AttributeError: an item is not a Future.

    >>> a, b = torch.futures.Future(), torch.futures.Future()
    >>> both = collect_all([a, b])
    >>> a.set_result(1), b.set_result(2)
    (None, None)
    >>> [f.wait() for f in both.wait()]
    [1, 2]
    """
    futures, whole = list(futures), Future()
    left, lock = [len(futures)], threading.Lock()
    if not futures:
        whole.set_result(futures)

    def count(future: Any) -> None:
        with lock:
            left[0] -= 1
            last = not left[0]
        if last:
            whole.set_result(futures)

    for future in futures:
        future.add_done_callback(count)
    return whole


def wait_all(futures: Sequence[Future]) -> list[Any]:
    """Return the results of all futures; the first error in their order is raised.

    Raises:
        AttributeError: an item is not a Future. Errors of the futures are raised, too.

    >>> a = torch.futures.Future()
    >>> a.set_result(1)
    >>> wait_all([a])
    [1]
    """
    return [future.wait() for future in collect_all(futures).wait()]
