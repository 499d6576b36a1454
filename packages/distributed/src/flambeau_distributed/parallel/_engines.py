"""The engines of a map: executors. Each engine submits calls and reports finished ones."""

import os
import pickle
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context, resource_tracker
from queue import SimpleQueue
from typing import Any

from flambeau_distributed.parallel import _worker

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Executor:
    """Anything with ``submit(f, *args)`` that returns futures: Dask's client, ``MPIPoolExecutor``, …

    Args:
        executor: that.
        local: its workers can open this process's files.
    """

    local = False

    def __init__(self, executor: Any, pickler: Any = None) -> None:
        self.executor, self.pickler = executor, pickler or cloudpickle_if_installed() or pickle
        self._futures: list[Any] = []

    def start(self, calls: "list[tuple[Any, ...]]") -> None:
        """Submit ``run(*call)`` for each call."""
        self._done: SimpleQueue[Any] = SimpleQueue()
        for call in calls:
            future = self.executor.submit(_worker.run, *call)
            self._futures.append(future)
            future.add_done_callback(self._done.put)
        self._left = len(calls)

    def finished(self) -> Iterator[Any]:
        """Yield the results of the calls, as they end."""
        while self._left:
            future = self._done.get()
            self._left -= 1
            yield future.result()

    def stop(self, at_once: bool) -> None:
        """Drop calls that have not started; `at_once`: also end those that have."""
        for future in self._futures:
            future.cancel()
        self._futures.clear()


class Processes(Executor):
    """A pool of processes, which is kept for the next map."""

    local = True

    def __init__(self, workers: int) -> None:
        super().__init__(_pool(workers), pickle)

    def start(self, calls: "list[tuple[Any, ...]]") -> None:
        try:
            super().start(calls)
        except BrokenProcessPool:  # a worker was killed between two maps
            _forget(self.executor)
            self.executor = _pool(self.executor._max_workers)
            super().start(calls)

    def finished(self) -> Iterator[Any]:
        try:
            yield from super().finished()
        except BrokenProcessPool:
            _forget(self.executor)
            raise

    def stop(self, at_once: bool) -> None:
        super().stop(at_once)
        if at_once:
            _forget(self.executor)
            processes = list((self.executor._processes or {}).values())
            for process in processes:
                process.terminate()
            self.executor.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.join(1)


class Joblib:
    """joblib's workers."""

    local = True

    def __init__(self, workers: int) -> None:
        self._workers = workers  # joblib installs cloudpickle: newer releases depend on it, older ones contain it
        self.pickler = cloudpickle_if_installed() or import_module("joblib.externals.cloudpickle")

    def start(self, calls: "list[tuple[Any, ...]]") -> None:
        from joblib import Parallel, delayed

        parallel = Parallel(self._workers, return_as="generator_unordered", batch_size=1, inner_max_num_threads=1)
        self._results = parallel(delayed(_run_in_joblib)(*call) for call in calls)

    def finished(self) -> Iterator[Any]:
        yield from self._results

    def stop(self, at_once: bool) -> None:
        self._results.close()


def _run_in_joblib(*call: Any) -> Any:
    if _worker.IN_WORKER not in os.environ:
        os.environ[_worker.IN_WORKER] = "1"
        _worker.use_one_thread()
    return _worker.run(*call)


class Serial:
    """This process, one item after the other; nothing is pickled."""

    local, pickler = True, None

    def start(self, calls: "list[tuple[Any, ...]]") -> None:
        self._calls = calls

    def finished(self) -> Iterator[Any]:
        for call in self._calls:
            with _worker.generators_kept():
                outcomes = _worker.run(*call)
            yield outcomes

    def stop(self, at_once: bool) -> None:
        """Nothing runs."""


def cloudpickle_if_installed() -> Any:
    """The module, or None."""
    try:
        import cloudpickle  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        return None
    return cloudpickle


# --- pools of processes that are kept ----------------------------------------------------------------------------

_pools: dict[int, ProcessPoolExecutor] = {}


def _pool(workers: int) -> ProcessPoolExecutor:
    """Return the pool with this number of workers; a pool of another size is ended."""
    if workers not in _pools:
        for pool in _pools.values():
            pool.shutdown(wait=False)
        _pools.clear()
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_worker.prepare)
        with _starting():
            started: list[Future[int]] = [pool.submit(_worker.ready) for _ in range(workers)]
        try:
            for future in started:
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        _pools[workers] = pool
    return _pools[workers]


def _forget(pool: Any) -> None:
    for workers, kept in list(_pools.items()):
        if kept is pool:
            del _pools[workers]


@contextmanager
def _starting() -> Iterator[None]:
    """Let processes started in this context use one thread per library, unless the user has set another number, and
    block interrupts in them until `prepare` runs."""
    added = [name for name in ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    blocks = hasattr(signal, "pthread_sigmask")
    if blocks:
        resource_tracker.ensure_running()  # unblocks interrupts when it has started
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for name in added:
            del os.environ[name]


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def engine_of(engine: Any, workers: "int | None") -> Any:
    """Return the engine for a name or an executor.

    Raises:
        ValueError: the engine does not exist.
    """
    if hasattr(engine, "submit"):
        return Executor(engine)
    nested = _worker.IN_WORKER in os.environ
    count = workers or processors()
    makers: dict[str, Callable[[], Any]] = {
        "processes": lambda: Serial() if nested and workers is None else Processes(count),
        "joblib": lambda: Joblib(count),
        "mpi": _mpi,
        "serial": Serial,
    }
    if engine not in makers:
        names = ", ".join(map(repr, makers))
        raise ValueError(f"map(): engine must be one of {names}, or have a method 'submit', got {engine!r}")
    return makers[engine]()


def _mpi() -> Executor:
    from mpi4py.futures import MPIPoolExecutor

    return Executor(MPIPoolExecutor(initializer=_worker.use_one_thread), pickle)
