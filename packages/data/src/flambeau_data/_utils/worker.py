"""The worker process of a DataLoader."""

import queue
import random
import shutil
import signal
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flambeau_data._utils import pipes
from flambeau_data._utils.transport import Sender
from flambeau_tensor import manual_seed, set_num_threads


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """The result of :func:`get_worker_info`.

    Attributes:
        id: the number of the worker, from 0.
        num_workers: the number of workers. seed: its random seed: the iteration's base seed plus `id`.
        dataset: its own copy of the dataset.
        rng: None; for workers that are threads, which are not built.
        worker_method: "multiprocessing".
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: "str | None" = "multiprocessing"


_worker_info: "WorkerInfo | None" = None


def get_worker_info() -> "WorkerInfo | None":
    """Information on the current worker of a :class:`DataLoader`; None in the main process.

    >>> get_worker_info() is None
    True
    """
    return _worker_info


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Return the initial state of NumPy's global generator in a worker; public for programs with their own workers."""
    return [int(word) for word in np.random.SeedSequence([worker_id, base_seed]).generate_state(4)]


class _KeyErrorText(str):
    """The text of a KeyError, which shows the repr of its argument: the repr of this keeps the lines of a traceback."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self


class Failure:
    """An error in a worker, in the form that is sent to the main process."""

    def __init__(self, error: BaseException, where: str) -> None:
        self.kind = type(error)
        self.notes = list(getattr(error, "__notes__", ()))
        self.text = f"Caught {self.kind.__name__} {where}.\nOriginal {''.join(traceback.format_exception(error))}"

    def reraise(self) -> None:
        """Raise an exception of the same class, or a RuntimeError, with the traceback as its text."""
        try:
            error = self.kind(_KeyErrorText(self.text) if issubclass(self.kind, KeyError) else self.text)
        except Exception:  # its constructor has other parameters
            error = RuntimeError(self.text)
        for note in self.notes:
            error.add_note(note)
        raise error from None


class End:
    """Says that a worker's stream is at its end."""


@dataclass
class Job:
    """The arguments of a worker, sent at its start."""

    create_fetcher: Callable[[], Any]
    iterable: bool
    base_seed: int
    init_fn: "Callable[[int], None] | None"
    num_workers: int
    directory: "str | None"
    dataset: Any
    shared_seed: "int | None"


@dataclass
class Resume:
    """A request for another pass, with the seed of a stream's pipes."""

    shared_seed: "int | None"


def run(number: int, connection: Any, inherited: list[Any], job: Job) -> None:
    """Serve requests until None arrives or the other side ends. `inherited`: connections that a fork must close."""
    for other in inherited:
        other.close()
    # The main process handles Ctrl-C; programs that the dataset starts get the usual handler.
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        _Worker(number, connection, job).serve()
    except (BrokenPipeError, ConnectionResetError):
        pass  # the loader does not wait for the batch any more


class _Worker:
    def __init__(self, number: int, connection: Any, job: Job) -> None:
        global _worker_info
        self.job = job
        self.where = f"in DataLoader worker process {number}"
        self.sender = Sender(connection, job.directory, number)
        self.requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(connection,), daemon=True).start()
        set_num_threads(1)
        seed = job.base_seed + number
        random.seed(seed)
        manual_seed(seed)
        np.random.seed(_generate_state(job.base_seed, number))
        _worker_info = WorkerInfo(number, job.num_workers, seed, job.dataset)
        self.failure: Failure | None = None
        try:
            pipes.share_out(job.dataset, job.num_workers, number)
            if job.init_fn is not None:
                job.init_fn(number)
        except Exception as e:
            self.failure = Failure(e, self.where)
        self._start(job.shared_seed)

    def _listen(self, connection: Any) -> None:
        """Always read, so that the main process can always write."""
        try:
            while True:
                self.requests.put(connection.recv())
        except (EOFError, OSError):  # the main process was killed
            if self.job.directory is not None:
                shutil.rmtree(self.job.directory, ignore_errors=True)
            self.requests.put(None)

    def _start(self, shared_seed: "int | None") -> None:
        """Begin a pass over the dataset."""
        self.ended = False
        if self.failure is None:
            try:
                pipes.seed(self.job.dataset, shared_seed)
                self.fetcher = self.job.create_fetcher()
            except Exception as e:
                self.failure = Failure(e, self.where)

    def serve(self) -> None:
        while (request := self.requests.get()) is not None:
            if isinstance(request, Resume):
                self._start(request.shared_seed)
                continue
            number, indices, released = request
            self.sender.release(released)
            if not self.ended:
                self._send(number, self._batch(indices))

    def _batch(self, indices: Any) -> Any:
        if self.failure is not None:
            failure, self.failure = self.failure, None
            return failure
        try:
            return self.fetcher.fetch(indices)
        except StopIteration as e:
            if not self.job.iterable:
                return Failure(e, self.where)
            self.ended = True
            return End()
        except Exception as e:
            return Failure(e, self.where)

    def _send(self, number: int, value: Any) -> None:
        try:
            self.sender.send(number, value)
        except (BrokenPipeError, ConnectionResetError):
            raise
        except Exception as e:  # it does not pickle
            self.sender.send(number, Failure(e, f"{self.where} while it sent a batch"))
