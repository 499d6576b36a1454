"""Runs compilers: several in parallel, with messages in English, and without orphans after an interrupt."""

import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flambeau_cext.errors import CompileError

if TYPE_CHECKING:
    import subprocess


class Finished(NamedTuple):
    """The exit status and output of a command."""

    command: list[str]
    status: int
    output: str

    @property
    def end(self) -> str:
        """Describe how the command ended.

        >>> Finished(["cc"], 1, "").end, Finished(["/usr/bin/cc"], -11, "").end
        ('cc ended with status 1 and said nothing', 'cc was stopped by SIGSEGV (Segmentation fault)')
        """
        name = os.path.basename(self.command[0])
        if self.status >= 0:
            return f"{name} ended with status {self.status} and said nothing"
        memory = "; the system does so when memory runs out" if self.status == -signal.SIGKILL else ""
        return f"{name} was stopped by {signal.Signals(-self.status).name} ({signal.strsignal(-self.status)}){memory}"

    def __str__(self) -> str:
        end = "" if self.status == 0 else f"[exit status {self.status}]\n"
        return f"$ {shlex.join(self.command)}\n{self.output}{end}"


def run(command: list[str]) -> Finished:
    """Run one command to its end."""
    return Processes().run(command)


def most_jobs() -> int:
    """Return the number of concurrent compilers: MAX_JOBS, or by default the number of processors."""
    try:
        return max(int(os.environ["MAX_JOBS"]), 1)
    except (KeyError, ValueError):
        return os.cpu_count() or 1


class Processes:
    """The commands of one build: all run in ``folder``, with temporary files in ``temporary``."""

    def __init__(self, folder: Path | None = None, temporary: Path | None = None):
        self.folder = folder
        self.environment = {**os.environ, "LC_ALL": "C"}
        if temporary is not None:
            self.environment["TMPDIR"] = str(temporary)
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(self, command: list[str], *, merge: bool = True) -> Finished:
        """Run a command and return its output; stderr is included if ``merge`` is True.

        Raises CompileError when it cannot be started.
        """
        import subprocess  # only a build needs it; a cached extension loads without

        process = None
        try:
            with self._lock:
                if self._stopped:
                    raise CompileError("the build was stopped")
                try:
                    process = subprocess.Popen(
                        command,
                        cwd=self.folder,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT if merge else subprocess.PIPE,
                        env=self.environment,
                        # A separate process group: stopping it also stops processes that the compiler's driver started.
                        process_group=None if sys.platform == "win32" else 0,
                    )
                except OSError as error:
                    raise CompileError(f"cannot run {command[0]}: {error.strerror}") from error
                self._running.add(process)
            output, _ = process.communicate()
        except BaseException:
            if process is not None:
                _kill(process)
                process.communicate()
            raise
        finally:
            with self._lock:
                self._running.discard(process)
        return Finished(command, process.returncode, output.decode("utf-8", "replace"))

    def together(self, tasks: Sequence[Callable[[], object]]) -> list[Exception | None]:
        """Run tasks in threads, at most `most_jobs` at a time; return the exception of each, or None, in order.

        An interrupt stops running commands and starts no more.
        """
        results: list[Exception | None] = [None] * len(tasks)
        waiting = iter(enumerate(tasks))
        taking = threading.Lock()

        def work(done: threading.Event) -> None:
            try:
                while not self._stopped:
                    with taking:
                        index, task = next(waiting, (-1, None))
                    if task is None:
                        return
                    try:
                        task()
                    except Exception as error:
                        results[index] = error
            finally:
                done.set()

        # Events, and not join(): in Python 3.11 and 3.12, an interrupted join() treats its thread as ended.
        ends = [threading.Event() for _ in range(min(len(tasks), most_jobs()))]
        threads = [threading.Thread(target=work, args=(done,)) for done in ends]
        try:
            for thread in threads:
                thread.start()
            for done in ends:
                while not done.wait(0.1):  # in steps: not everywhere does a signal end waiting
                    pass
        except BaseException:  # Ctrl-C, mostly
            self._stop()
            for thread, done in zip(threads, ends, strict=True):
                if thread.ident is not None:
                    done.wait()
            raise
        return results

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._running:
                _kill(process)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # it has just ended
