"""`map`: splits a function and items into parts for an engine, and returns results in order."""

import pickle
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from flambeau_distributed.parallel._engines import cloudpickle_if_installed, engine_of, processors
from flambeau_distributed.parallel._transfer import Sender
from flambeau_distributed.parallel._worker import Outcome

MOST = 1000  # items of a part


class ItemFailed(RuntimeError):
    """An item's function raised. The exception itself is raised, too, and has this as its ``__cause__``.

    Attributes:
        index, item: which item.
        traceback: the worker's, as text.
    """

    def __init__(self, index: int, item: Any, traceback: str) -> None:
        super().__init__(f"item {index} ({_short(item)}) failed in a worker:\n\n{traceback.rstrip()}")
        self.index, self.item, self.traceback = index, item, traceback

    def __reduce__(self) -> Any:
        return type(self), (self.index, self.item, self.traceback)


class WorkerEnded(RuntimeError):
    """A worker ended before its items were done: it was killed, had no memory, or could not start.

    Attributes:
        indices: the items that had no results.
    """

    def __init__(self, indices: list[int], why: str) -> None:
        super().__init__(f"a worker has ended: {why} Items without a result: {_ranges(indices)}")
        self.indices = indices


def _short(item: Any) -> str:
    text = repr(item)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _ranges(indices: list[int]) -> str:
    shown = ", ".join(map(str, indices[:10]))
    return f"{shown} and {len(indices) - 10} more" if len(indices) > 10 else shown


class Results(Iterator[Any]):
    """The results of a map, in the order of the items, each when it and the previous ones are available.

    Leaving ``with``, ``close()`` and leaving a loop by an exception stop items that have not started.
    """

    def __init__(
        self, function: Any, items: list[Any], engine: Any, entropy: int, chunk: int, progress: "bool | None"
    ) -> None:
        self._items, self._engine, self._next = items, engine, 0
        self._there: dict[int, Any] = {}
        self._waiting = set(range(len(items)))
        self._sender = Sender(engine.local)
        self._bar = _bar(len(items), progress)
        token, sent = secrets.token_hex(8), self._sent(function)
        calls = [
            (token, sent, start, self._sent(items[start : start + chunk]), entropy)
            for start in range(0, len(items), chunk)
        ]
        try:
            engine.start(calls)
        except BaseException:
            self._stop(True)
            raise
        self._stream = self._outcomes()

    def _sent(self, value: Any) -> Any:
        if self._engine.pickler is None:
            return value
        try:
            return self._sender.send(value, self._engine.pickler)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            cloudpickle = cloudpickle_if_installed()
            if cloudpickle is None:
                raise pickle.PicklingError(
                    f"map(): the function and the items go to other processes, and this one cannot: {error}. Define "
                    "functions at the top of a module, or install cloudpickle, which sends local functions, too."
                ) from error
            return self._sender.send(value, cloudpickle)

    def __len__(self) -> int:
        return len(self._items)

    def _outcomes(self) -> Iterator[Outcome]:
        try:
            for outcomes in self._engine.finished():
                yield from outcomes
        except (KeyboardInterrupt, SystemExit):
            self._stop(True)
            raise
        except Exception as error:
            self._stop(False)
            if type(error).__name__ in ("BrokenProcessPool", "TerminatedWorkerError", "KilledWorker"):
                hint = (
                    "It was killed, or could not import the program (is its start under `if __name__ == '__main__':`?)."
                )
                raise WorkerEnded(sorted(self._waiting), hint) from error
            raise
        self._stop(False)

    def as_completed(self) -> Iterator[tuple[int, Any]]:
        """Generate pairs of an item's index and its result, in the order of completion."""
        for outcome in self._stream:
            yield outcome.item, self._result(outcome)

    def _result(self, outcome: Outcome) -> Any:
        self._waiting.discard(outcome.item)
        if self._bar is not None:
            self._bar.update()
        if outcome.good and outcome.value is not None:
            if not self._waiting:
                self._stop(False)
            return pickle.loads(outcome.value)
        self._stop(False)
        failed = ItemFailed(outcome.item, self._items[outcome.item], outcome.text)
        if outcome.value is None:
            raise failed
        raise pickle.loads(outcome.value) from failed

    def __next__(self) -> Any:
        if self._next == len(self._items):
            raise StopIteration
        while self._next not in self._there:
            outcome = next(self._stream, None)
            if outcome is None:
                raise StopIteration
            self._there[outcome.item] = self._result(outcome)
        self._next += 1
        return self._there.pop(self._next - 1)

    def _stop(self, at_once: bool) -> None:
        self._engine.stop(at_once)
        self._sender.close()
        if self._bar is not None:
            self._bar.close()

    def close(self) -> None:
        """Drop items that have not started."""
        self._stop(False)

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bar(total: int, progress: "bool | None") -> Any:
    if progress is False or (progress is None and (total < 2 or not sys.stderr.isatty())):
        return None
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        if progress:
            raise ImportError("map(progress=True) needs tqdm: pip install tqdm") from None
        return None
    return tqdm(total=total)


def map(
    f: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    workers: "int | None" = None,
    engine: Any = "processes",
    seed: "int | None" = None,
    progress: "bool | None" = None,
    chunk: "int | None" = None,
) -> Results:
    """Call a function for many items in several processes.

    Each worker computes in one thread. Before each item, the generators of Python, NumPy and flambeau are seeded by
    `seed` and the item's index, so the results are the same for any number of workers and every engine. Functions and
    items are pickled for the workers; large tensors and arrays in them are shared, not copied for each worker, and
    writes of a worker do not affect the others.

    Args:
        f: a function with one argument, at the top level of a module.
        items: its arguments.
        workers: the number of processes; by default one for each processor that this process may use.
        engine: ``"processes"`` (Python's own, started by spawn and kept for the next call), ``"joblib"``, ``"mpi"``
            (``mpi4py.futures``), ``"serial"`` (this process), or any object with a method ``submit`` that returns
            futures, such as Dask's client.
        seed: the seed of all items; by default a new one each time.
        progress: whether to show a progress bar by tqdm; by default, if it is installed and stderr is a terminal.
        chunk: how many items to send to a worker at a time; by default about an eighth of its share.

    Returns:
        An iterator over the results in order; ``as_completed()`` yields pairs (index, result) as they arrive.

    Raises:
        ValueError: an argument is out of range.
        ItemFailed: as the cause of an error in a call.
        WorkerEnded: a worker was killed.

    >>> import math
    >>> from flambeau import parallel
    >>> list(parallel.map(math.sqrt, [1, 4, 9], engine="serial"))
    [1.0, 2.0, 3.0]
    """
    if not callable(f):
        raise TypeError(f"map(): f must be callable, got {type(f).__name__}")
    if workers is not None and workers < 1:
        raise ValueError(f"map(): workers must be at least 1, got {workers}")
    if chunk is not None and chunk < 1:
        raise ValueError(f"map(): chunk must be at least 1, got {chunk}")
    listed = list(items)
    if seed is None:
        seed = secrets.randbits(64)
    elif seed < 0:
        raise ValueError(f"map(): seed must not be negative, got {seed}")
    size = chunk or max(1, min(len(listed) // (8 * (workers or processors())), MOST))
    return Results(f, listed, engine_of(engine, workers), seed, size, progress)
