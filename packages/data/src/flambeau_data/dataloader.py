"""The DataLoader and its iterators, in one process and over workers."""

import itertools
import math
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from flambeau_data import _utils
from flambeau_data._utils import pipes, seeds
from flambeau_data._utils.collate import default_collate, default_convert
from flambeau_data._utils.fetch import _IterableDatasetFetcher, _MapDatasetFetcher
from flambeau_data._utils.transport import Receiver, folder
from flambeau_data._utils.worker import End, Failure, Job, Resume, get_worker_info, run
from flambeau_data.dataset import Dataset, IterableDataset
from flambeau_data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from flambeau_tensor import Generator

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_collate_fn_t = Callable[[list[Any]], Any]  # programs annotate with it
_T_co = TypeVar("_T_co", covariant=True)
_FIXED = {"batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"}
_GRACE = 5.0  # seconds that a worker has for the item that it is at, when it is not needed any more


class _DatasetKind:
    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind: int, dataset: Any, auto_collation: bool, collate_fn: Any, drop_last: bool) -> Any:
        """Return a fetcher, which creates a batch from its indices."""
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)


class _InfiniteConstantSampler(Sampler[None]):
    """Placeholders for the indices of a stream, which are not used."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class DataLoader(Generic[_T_co]):
    """Iterate over a dataset in batches, in this process or with worker processes.

    Args:
        dataset: a dataset of items by index, or an :class:`IterableDataset`.
        batch_size: the number of items per batch; with None, the loader returns single items.
        shuffle: whether to use another random order in each pass. A stream of pipes without a shuffling pipe gets one.
        sampler: yields indices, instead of `shuffle`.
        batch_sampler: yields lists of indices, instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
        num_workers: the number of worker processes; 0 loads in this process.
        collate_fn: a function that combines a list of items into a batch; by default :func:`default_collate`. Without
            batches it converts each item, by default with :func:`default_convert`.
        pin_memory: accepted; it has no effect, because no device needs pinned memory.
        drop_last: whether to drop the last batch if it is not full.
        timeout: the seconds to wait for a batch from a worker; 0 waits forever.
        worker_init_fn: called with its number in each worker, after seeding.
        multiprocessing_context: "fork", "spawn", "forkserver", or a context of :mod:`multiprocessing`.
        generator: the generator for `shuffle` and the seeds of workers; by default the global one.
        prefetch_factor: how many batches each worker prefetches; by default 2.
        persistent_workers: keep the workers for the next pass.
        pin_memory_device: ignored.
        in_order: whether batches come in the order of the sampler; otherwise as they are ready.

    Raises:
        ValueError: options exclude each other or are out of range.
        TypeError: `multiprocessing_context` has another type.

    An exception in a worker is raised here when its batch is due, with the same class and the traceback as text. If a
    worker dies, or a batch takes longer than `timeout`, a RuntimeError that names the worker is raised.

    >>> import flambeau_tensor as ft
    >>> from flambeau_data import TensorDataset
    >>> for x, y in DataLoader(TensorDataset(ft.arange(5), ft.arange(5) ** 2), batch_size=2):
    ...     print(x, y)
    tensor([0, 1]) tensor([0, 1])
    tensor([2, 3]) tensor([4, 9])
    tensor([4]) tensor([16])
    """

    dataset: Dataset[_T_co]
    batch_size: "int | None"
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: "Sampler[Any] | Iterable[Any]"
    pin_memory_device: str
    prefetch_factor: "int | None"
    _iterator: "_BaseDataLoaderIter | None"
    __initialized = False

    def __init__(
        self,
        dataset: Dataset[_T_co],
        batch_size: "int | None" = 1,
        shuffle: "bool | None" = None,
        sampler: "Sampler[Any] | Iterable[Any] | None" = None,
        batch_sampler: "Sampler[list[Any]] | Iterable[list[Any]] | None" = None,
        num_workers: int = 0,
        collate_fn: "Callable[[Any], Any] | None" = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: "Callable[[int], None] | None" = None,
        multiprocessing_context: "BaseContext | str | None" = None,
        generator: "Generator | None" = None,
        *,
        prefetch_factor: "int | None" = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
                "enable multiprocessing, otherwise set prefetch_factor to None."
            )
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if pipes.is_pipe(dataset, "IterDataPipe"):
            dataset, shuffle = pipes.shuffled(dataset, shuffle), None
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._dataset_kind = _DatasetKind.Iterable if isinstance(dataset, IterableDataset) else _DatasetKind.Map
        if self._dataset_kind == _DatasetKind.Iterable:
            for name, value in (("shuffle", shuffle), ("sampler", sampler), ("batch_sampler", batch_sampler)):
                if value is not None and not (name == "shuffle" and value is False):
                    raise ValueError(
                        f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                    )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if self._dataset_kind == _DatasetKind.Iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)  # type: ignore[arg-type]
            else:
                sampler = SequentialSampler(dataset)  # type: ignore[arg-type]
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)  # type: ignore[arg-type]
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called: int | None = None
        self._iterator = None
        self.check_worker_number_rationality()

    @property
    def multiprocessing_context(self) -> "BaseContext | None":
        """The multiprocessing context of the workers, or None for the default of :mod:`multiprocessing`."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: "BaseContext | str | None") -> None:
        if context is not None and self.num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
                f"but got num_workers={self.num_workers}"
            )
        if isinstance(context, str):
            methods = multiprocessing.get_all_start_methods()
            if context not in methods:
                raise ValueError(
                    "multiprocessing_context option should specify a valid start method in "
                    f"{methods!r}, but got multiprocessing_context={context!r}"
                )
            context = multiprocessing.get_context(context)
        if context is not None and not isinstance(context, BaseContext):
            raise TypeError(
                "multiprocessing_context option should be a valid context object or a string specifying "
                f"the start method, but got multiprocessing_context={context}"
            )
        self.__multiprocessing_context = context

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def _get_iterator(self) -> "_BaseDataLoaderIter":
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        return _MultiProcessingDataLoaderIter(self)

    def __iter__(self) -> Any:
        if not self.persistent_workers:
            return self._get_iterator()
        if self._iterator is None or self._iterator._shutdown:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length: int = len(self.dataset)  # type: ignore[arg-type]
        self._IterableDataset_len_called = length
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn of more workers than this process has processors."""
        there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        if self.num_workers and (there is None or self.num_workers > there):
            suggested = (
                f"Our suggested max number of worker in current system is {there}, which is smaller than what "
                "this DataLoader is going to create."
                if there is not None
                else "DataLoader is not able to compute a suggested max number of worker in current system."
            )
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. {suggested} "
                "Please be aware that excessive worker creation might get DataLoader running slow or even "
                "freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
                stacklevel=3,
            )


class _BaseDataLoaderIter:
    """One pass over a loader."""

    _shutdown = False

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._pin_memory = False
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
                "won't be used.",
                stacklevel=4,
            )
        self._persistent_workers = loader.persistent_workers
        self._begin(loader)
        self._base_seed = seeds.draw(loader.generator)

    def _begin(self, loader: DataLoader[Any]) -> None:
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._expected = loader._IterableDataset_len_called
        self._shared_seed = pipes.draw_seed(self._dataset, loader.generator)
        pipes.seed(self._dataset, self._shared_seed)

    def _reset(self, loader: DataLoader[Any]) -> None:
        self._begin(loader)

    def _create_fetcher(self) -> Any:
        return partial(
            _DatasetKind.create_fetcher,
            self._dataset_kind,
            self._dataset,
            self._auto_collation,
            self._collate_fn,
            self._drop_last,
        )

    def __iter__(self) -> "_BaseDataLoaderIter":
        return self

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        data = self._next_data()
        self._num_yielded += 1
        if self._expected is not None:
            self._compare_length()
        return data

    def _compare_length(self) -> None:
        if self._expected is not None and self._num_yielded > self._expected:
            text = (
                f"Length of IterableDataset {self._dataset} was reported to be {self._expected}(when accessing "
                f"len(dataloader)), but {self._num_yielded} samples have been fetched. "
            )
            if self._num_workers > 0:
                text += (
                    "For multiprocessing data-loading, this could be caused by not properly configuring the "
                    "IterableDataset replica at each worker: get_worker_info() tells a replica which part is its."
                )
            warnings.warn(text, stacklevel=3)

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} cannot be pickled")


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        pipes.share_out(self._dataset, 1, 0)
        self._dataset_fetcher = self._create_fetcher()()

    def _next_data(self) -> Any:
        return self._dataset_fetcher.fetch(next(self._sampler_iter))


class _Gone(Exception):
    """A worker has ended; the argument is its link."""


class _Link:
    """A worker process, as the iterator sees it."""

    def __init__(self, context: Any, number: int, earlier: "list[_Link]", job: Job) -> None:
        self.connection, theirs = context.Pipe()
        # A fork inherits the connections that are open here; with them, a worker would not notice the end of this
        # process.
        inherited = [self.connection, *[link.connection for link in earlier]]
        forked = context.get_start_method() == "fork"
        self.process = context.Process(target=run, args=(number, theirs, inherited if forked else [], job), daemon=True)
        self.process.start()
        theirs.close()
        self.receiver = Receiver(self.connection, job.directory, number)
        self.active = True  # its pass continues
        self.tasks = 0  # requests without an answer

    def check(self) -> None:
        """Raise an error if the process has ended and no message of it is left."""
        if not self.process.is_alive() and not self.connection.poll():
            raise _Gone(self)

    def death(self) -> RuntimeError:
        """Return the error that says how the process ended."""
        self.process.join(1.0)
        code = self.process.exitcode
        how = (
            f": killed by signal {signal.Signals(-code).name}"
            if code is not None and code < 0
            else (f" with exit code {code}")
        )
        error = RuntimeError(f"DataLoader worker (pid(s) {self.process.pid}) exited unexpectedly{how}")
        if code is not None and code < 0:  # PyTorch names the signal in the cause, where programs look for it
            error.__cause__ = RuntimeError(
                f"DataLoader worker (pid {self.process.pid}) is killed by signal: {signal.strsignal(-code)}."
            )
        return error


def _stop(owner: int, links: list[_Link], directory: "str | None", grace: float) -> None:
    """End all workers. In a process that only inherited them, there is nothing to do."""
    if os.getpid() != owner:
        return
    for link in links:
        try:
            link.connection.send(None)
        except (OSError, ValueError):
            pass  # it has already ended
        link.connection.close()
    end = time.monotonic() + grace
    for link in links:
        link.process.join(max(0.0, end - time.monotonic()))
        for harder in (link.process.terminate, link.process.kill):
            if link.process.is_alive():
                harder()
                link.process.join(1.0)
        link.receiver.close()
    links.clear()
    if directory is not None:
        shutil.rmtree(directory, ignore_errors=True)


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Numbers batches in the order of requests and sends requests to the workers in turn."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._in_order = loader.in_order
        self._prefetch_factor: int = loader.prefetch_factor or 0
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        context: Any = loader.multiprocessing_context or multiprocessing.get_context()
        self._directory = folder()
        job = Job(
            self._create_fetcher(),
            self._dataset_kind == _DatasetKind.Iterable,
            self._base_seed,
            loader.worker_init_fn,
            self._num_workers,
            self._directory,
            self._dataset,
            self._shared_seed,
        )
        self._links: list[_Link] = []
        self._end = weakref.finalize(self, _stop, os.getpid(), self._links, self._directory, _GRACE)
        for number in range(self._num_workers):
            self._links.append(_Link(context, number, self._links, job))
        pipes.draw_seed(self._dataset, loader.generator)  # PyTorch draws a second one, and does not use it
        self._start()

    @property
    def _workers(self) -> list[Any]:
        return [link.process for link in self._links]

    @property
    def _shutdown(self) -> bool:  # type: ignore[override]
        return not self._end.alive

    def _shutdown_workers(self, grace: float = _GRACE) -> None:
        if self._end.detach() is not None:
            _stop(os.getpid(), self._links, self._directory, grace)

    def _start(self) -> None:
        self._send_idx = 0  # the number of the next request
        self._rcvd_idx = 0  # the number of the next batch
        self._task_info: dict[int, _Link] = {}  # requests without an answer
        self._arrived: dict[int, Any] = {}
        self._turns = itertools.cycle(self._links)
        for link in self._links:
            link.active, link.tasks = True, 0
        for _ in range(self._prefetch_factor * self._num_workers):
            self._try_put_index()

    def _reset(self, loader: DataLoader[Any]) -> None:
        self._guarded(self._drain)
        super()._reset(loader)
        for link in self._links:
            self._send(link, Resume(self._shared_seed))
        self._start()

    def _drain(self) -> None:
        """Receive and drop the batches that an interrupted pass has requested."""
        for number, link in list(self._task_info.items()):
            if number not in self._arrived and link.active:
                self._receive(link)

    def _send(self, link: _Link, message: Any) -> None:
        try:
            link.connection.send(message)
        except (BrokenPipeError, ConnectionResetError):
            pass  # noticed when the answer is due

    def _try_put_index(self) -> None:
        try:
            index = self._next_index()
        except StopIteration:
            return
        most = self._prefetch_factor * self._num_workers // max(1, sum(link.active for link in self._links))
        for link in itertools.islice(self._turns, self._num_workers):
            if link.active and (self._in_order or link.tasks < most):
                self._task_info[self._send_idx] = link
                link.tasks += 1
                self._send(link, (self._send_idx, index, link.receiver.released()))
                self._send_idx += 1
                return

    def _receive(self, link: _Link) -> int:
        """Wait for the next answer of a worker; return its number."""
        end = time.monotonic() + self._timeout if self._timeout > 0 else None
        while not link.connection.poll(self._patience(end)):
            link.check()
        return self._take(link)

    def _receive_any(self) -> int:
        """Wait for the next answer of any worker; return its number."""
        end = time.monotonic() + self._timeout if self._timeout > 0 else None
        waiting = {link.connection: link for link in self._links if link.active and link.tasks}
        while not (ready := multiprocessing.connection.wait(waiting, self._patience(end))):
            for link in waiting.values():
                link.check()
        return self._take(waiting[ready[0]])

    def _patience(self, end: "float | None") -> float:
        if end is None:
            return _utils.MP_STATUS_CHECK_INTERVAL
        left = end - time.monotonic()
        if left <= 0:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        return min(left, _utils.MP_STATUS_CHECK_INTERVAL)

    def _take(self, link: _Link) -> int:
        try:
            number, data = link.receiver.receive()
        except (EOFError, ConnectionResetError):
            raise _Gone(link) from None
        link.tasks -= 1
        if isinstance(data, End):  # answers no further requests
            link.active = False
        else:
            self._arrived[number] = data
        return number

    def _guarded(self, wait: Callable[..., Any], *args: Any) -> Any:
        """Wait for workers. If one has died, or on Ctrl-C, which may interrupt a message, end them all."""
        try:
            return wait(*args)
        except _Gone as e:
            error = e.args[0].death()
            self._shutdown_workers()
            raise error from error.__cause__
        except Exception:
            raise
        except BaseException:
            self._shutdown_workers(grace=0.5)
            raise

    def _next_data(self) -> Any:
        if self._shutdown and self._task_info:
            raise RuntimeError("the workers of this DataLoader's pass have stopped; start another pass")
        while self._rcvd_idx < self._send_idx:
            number = self._rcvd_idx
            if number not in self._task_info:
                self._rcvd_idx += 1  # given out already, out of order
                continue
            link = self._task_info[number]
            if number in self._arrived:
                return self._given(number)
            if not link.active:  # its stream ended before
                del self._task_info[number]
                continue
            if self._in_order:
                arrived = self._guarded(self._receive, link)
            else:
                arrived = self._guarded(self._receive_any)
            if arrived not in self._arrived:  # the end of a stream
                del self._task_info[arrived]
                self._try_put_index()
            elif not self._in_order:
                return self._given(arrived)
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _given(self, number: int) -> Any:
        del self._task_info[number]
        data = self._arrived.pop(number)
        self._try_put_index()
        if isinstance(data, Failure):
            data.reraise()
        return data
