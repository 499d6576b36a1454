"""The timer of the benchmarks, with the interface of PyTorch's."""

import textwrap
import timeit
from collections.abc import Callable
from enum import Enum
from time import perf_counter
from typing import Any, NoReturn

from flambeau.utils.benchmark.measurement import Measurement, TaskSpec
from flambeau_tensor import get_num_threads, set_num_threads

timer = perf_counter


class Language(Enum):
    """The language of a statement.

    Raises:
        ValueError: the value does not exist.

    >>> Language.PYTHON.name
    'PYTHON'
    """

    PYTHON = 0
    CPP = 1


class _Threads:
    """A ``with`` block with another number of threads."""

    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.before = get_num_threads()
        set_num_threads(self.number)

    def __exit__(self, kind, value, traceback):
        set_num_threads(self.before)


class Timer:
    """Measures the time of a Python statement.

    Args:
        stmt: the statement.
        setup: a statement that runs once before it.
        global_setup: for C++, which is not built.
        timer: a function that returns the time in seconds.
        globals: the global names of the statement.
        label, sub_label, description, env: texts shown with the measurement.
        num_threads: the number of threads for operators.
        language: Python.

    Raises:
        ValueError: the language is another one.

    >>> m = Timer("x + 1", globals={"x": torch.ones(2)}).blocked_autorange(min_run_time=0.01)
    >>> m.mean < 1.0
    True
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError("Timer measures statements of Python, language='python'; C++ is not built")
        names = dict(globals or {})
        import flambeau

        names.setdefault("torch", flambeau)
        self._names, stmt, setup = names, textwrap.dedent(stmt), textwrap.dedent(setup)
        self._timer = timeit.Timer(stmt, setup, timer, globals=names)
        self._task_spec = TaskSpec(
            stmt=stmt,
            setup=setup,
            global_setup=global_setup,
            label=label,
            sub_label=sub_label,
            description=description,
            env=env,
            num_threads=num_threads,
        )

    def _measurement(self, number, times):
        return Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    def timeit(self, number: int = 1000000) -> Measurement:
        """One run of ``number`` executions, after some that are not counted."""
        with _Threads(self._task_spec.num_threads):
            self._timer.timeit(max(number // 100, 2))
            return self._measurement(number, [self._timer.timeit(number)])

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Not there: see `timeit` and `blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> None:
        """Not there: see `blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block(self, min_run_time):
        """Return a number of executions that makes the time of reading the clock negligible."""
        number, enough = 1, max(1e-3, min(min_run_time / 1000, 0.1))
        while True:
            time = self._timer.timeit(number)
            if time >= enough or number >= 10**9:
                return number
            number *= 10

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measure runs of equal length for at least ``min_run_time`` seconds; each calls ``callback(number, time)``."""
        with _Threads(self._task_spec.num_threads):
            number = self._block(min_run_time)
            times: list[float] = []
            while sum(times) < min_run_time:
                times.append(self._timer.timeit(number))
                if callback is not None:
                    callback(number, times[-1])
            return self._measurement(number, times)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Runs until the quartiles are nearer than ``threshold`` times the median, or for ``max_run_time`` seconds."""
        with _Threads(self._task_spec.num_threads):
            number = self._block(min_run_time)
            times: list[float] = []
            while sum(times) < max_run_time:
                times.append(self._timer.timeit(number))
                if callback is not None:
                    callback(number, times[-1])
                found = self._measurement(number, times)
                if len(times) >= 4 and sum(times) >= min_run_time and found.iqr < threshold * found.median:
                    break
            return self._measurement(number, times)

    def collect_callgrind(
        self,
        number: int = 100,
        *,
        repeats: int | None = None,
        collect_baseline: bool = True,
        retain_out_file: bool = False,
    ) -> NoReturn:
        """Raises: it is not built."""
        from flambeau_tensor.not_built import not_built

        raise not_built("torch.utils.benchmark.Timer.collect_callgrind")
