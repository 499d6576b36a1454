"""``torch.multiprocessing``: Python's ``multiprocessing``, and `spawn`.

After importing this module, tensors pass through queues, pipes and to new processes without a copy: their memory is
moved to shared memory, as by ``share_memory_()``, and both sides see each other's writes. The memory is an unnamed
file, so nothing remains when the processes end. If the system has no such files, tensors are copied.
"""

import multiprocessing as _python
import multiprocessing.connection as _connection
import os
import pickle
import signal
import tempfile
import traceback
from collections.abc import Callable as _Callable
from multiprocessing import *  # noqa: F403
from multiprocessing import reduction as _reduction
from typing import Any
from typing import Any as _Any

from flambeau_nn.parameter import Buffer as _Buffer
from flambeau_nn.parameter import Parameter as _Parameter
from flambeau_tensor import Tensor as _Tensor
from flambeau_tensor.extend import over_descriptor as _over_descriptor
from flambeau_tensor.extend import shared_descriptor as _shared_descriptor
from flambeau_tensor.storage import UntypedStorage as _UntypedStorage
from flambeau_tensor.subclassing import reduce_for_process as _reduce_for_process

__path__: list[str] = []  # `torch.multiprocessing.reductions` is another file
__all__ = [
    *_python.__all__,
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]


def get_all_sharing_strategies() -> set[str]:
    """``{"file_descriptor", "file_system"}``.

    >>> sorted(torch.multiprocessing.get_all_sharing_strategies())
    ['file_descriptor', 'file_system']
    """
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """``"file_descriptor"``.

    >>> torch.multiprocessing.get_sharing_strategy()
    'file_descriptor'
    """
    return "file_descriptor"


def set_sharing_strategy(new_strategy: str) -> None:
    """Do nothing: memory is always shared by file descriptors, which leave no file behind.

    Raises:
        AssertionError: the strategy does not exist.

    >>> torch.multiprocessing.set_sharing_strategy("file_system")
    >>> torch.multiprocessing.get_sharing_strategy()
    'file_descriptor'
    """
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(f"unknown sharing strategy {new_strategy!r}")


def _rebuild_storage(cls: type, df: Any, size: int) -> Any:
    return _over_descriptor(df.detach(), size)


def _reduce_storage(storage: Any) -> Any:
    if not storage.nbytes():
        return storage.__reduce_ex__(2)
    descriptor = _shared_descriptor(storage.share_memory_())
    if descriptor is None:
        return storage.__reduce_ex__(2)
    return _rebuild_storage, (_UntypedStorage, _reduction.DupFd(descriptor), storage.nbytes())


def _register() -> None:
    _reduction.ForkingPickler.register(_UntypedStorage, _reduce_storage)
    for kind in (_Tensor, _Parameter, _Buffer):
        _reduction.ForkingPickler.register(kind, _reduce_for_process)


_register()


class ProcessException(Exception):
    """A process failed.

    >>> issubclass(torch.multiprocessing.ProcessRaisedException, torch.multiprocessing.ProcessException)
    True
    """

    def __init__(self, msg: str, error_index: int, pid: int):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """A process ended by an exception; the message has its traceback.

    >>> try:
    ...     torch.multiprocessing.start_processes(divmod, args=(0,), nprocs=1, start_method="fork")
    ... except torch.multiprocessing.ProcessRaisedException as error:
    ...     print(error.error_index, "ZeroDivisionError" in str(error))
    0 True
    """


class ProcessExitedException(ProcessException):
    """A process ended without an exception, by a signal or a code.

    >>> import os
    >>> try:
    ...     torch.multiprocessing.start_processes(os._exit, nprocs=2, start_method="fork")
    ... except torch.multiprocessing.ProcessExitedException as error:
    ...     print(error.error_index, error.exit_code)
    1 1
    """

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def _run(fn: Any, index: int, args: Any, error_file: str) -> None:
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass
    except BaseException:
        with open(error_file, "wb") as f:
            pickle.dump(traceback.format_exc(), f)
        raise SystemExit(1) from None


class ProcessContext:
    """Processes that were started together.

    Raises:
        ProcessRaisedException: a process raised; by ``join``.

    >>> context = torch.multiprocessing.start_processes(max, args=(1,), nprocs=2, join=False, start_method="fork")
    >>> len(context.pids()), context.join()
    (2, True)
    """

    def __init__(self, processes: list[_Any], error_files: list[str]) -> None:
        self.processes, self.error_files = processes, error_files
        self._waiting = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The numbers of the processes."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until one fails or all end; whether all ended. After a failure the others are stopped.

        Raises:
            ProcessRaisedException: one ended by an exception.
            ProcessExitedException: one ended otherwise, but by the code 0.
        """
        while self._waiting:
            ready = _connection.wait(self._waiting, timeout=timeout)
            failed = None
            for sentinel in ready:
                index = self._waiting.pop(sentinel)
                process = self.processes[index]
                process.join()
                if process.exitcode:
                    failed = index
                    break
            if failed is not None:
                self._stop_others(grace_period)
                self._raise(failed)
            if timeout is not None:
                break
        return not self._waiting

    def _stop_others(self, grace_period: float | None) -> None:
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        for process in self.processes:
            process.join(grace_period)
            if process.is_alive():
                process.kill()
                process.join()

    def _raise(self, index: int) -> None:
        process = self.processes[index]
        try:
            with open(self.error_files[index], "rb") as f:
                text = pickle.load(f)
        except (OSError, EOFError):
            code = process.exitcode
            name = signal.Signals(-code).name if code < 0 else None
            how = f"terminated with signal {name}" if name else f"terminated with exit code {code}"
            raise ProcessExitedException(f"process {index} {how}", index, process.pid, code, name) from None
        raise ProcessRaisedException(
            f"\n\n-- Process {index} terminated with the following error:\n{text}", index, process.pid
        )

    def __del__(self) -> None:
        for file in self.error_files:
            if os.path.exists(file):
                os.unlink(file)


SpawnContext = ProcessContext


def start_processes(
    fn: _Callable[..., object],
    args: tuple[_Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Call ``fn(index, *args)`` in ``nprocs`` new processes.

    Args:
        fn: a function at the top level of a module, which the new processes import.
        args: its arguments after the process's index.
        nprocs: the number of processes.
        join: whether to wait for all of them.
        daemon: whether they end with this process.
        start_method: ``"spawn"``, ``"fork"`` or ``"forkserver"``.

    Returns:
        None if ``join`` is true, otherwise the `ProcessContext`.

    Raises:
        ValueError: the start method does not exist.
        ProcessRaisedException: a process raised an error; if one ended with a nonzero exit code,
            ProcessExitedException.

    >>> torch.multiprocessing.start_processes(max, args=(1,), nprocs=2, start_method="fork")
    """
    context: _Any = _python.get_context(start_method)
    processes, files = [], []
    for index in range(nprocs):
        handle, file = tempfile.mkstemp(prefix="flambeau-spawn-")
        os.close(handle)
        os.unlink(file)
        process = context.Process(target=_run, args=(fn, index, args, file), daemon=daemon)
        process.start()
        processes.append(process)
        files.append(file)
    started = ProcessContext(processes, files)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: _Callable[..., object],
    args: tuple[_Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Call ``fn(index, *args)`` in ``nprocs`` new processes, see `start_processes`.

    Raises:
        ProcessRaisedException: a process raised.

    >>> torch.multiprocessing.spawn(max, args=(1,), nprocs=1)
    """
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
