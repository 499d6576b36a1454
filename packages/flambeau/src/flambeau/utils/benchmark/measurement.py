"""Measurements, and their presentation."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean, median, quantiles
from typing import Any

_UNITS = ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1.0, "s"))


@dataclass(frozen=True)
class TaskSpec:
    """The description of a measurement.

    >>> TaskSpec("x + 1", setup="x = 2", label="adding").title
    'adding'
    """

    stmt: str
    setup: str = "pass"
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement."""
        title = self.label or self.stmt
        return f"{title}: {self.sub_label}" if self.sub_label else title

    def setup_str(self) -> str:
        """The statement that was run before."""
        return "" if self.setup in ("pass", "") else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup, a line each."""
        lines = [self.title, self.description, self.setup_str(), self.global_setup]
        return "\n".join(line for line in lines if line)


def select_unit(t: float) -> tuple[str, float]:
    """The unit for a time in seconds, and how many seconds it has.

    Raises:
        TypeError: the argument is not a number.

    >>> select_unit(2e-5)
    ('us', 1e-06)
    """
    fitting = [(size, name) for size, name in _UNITS if t >= size]
    size, name = fitting[-1] if fitting else _UNITS[0]
    return name, size


def trim_sigfig(x: float, n: int) -> float:
    """A number rounded to some significant digits.

    Raises:
        ValueError: ``n`` is not a positive int.

    >>> trim_sigfig(1.2345, 2)
    1.2
    """
    return float(f"{x:.{n - 1}e}") if x and math.isfinite(x) else x


@dataclass
class Measurement:
    """The times of several runs of a statement, in seconds for one execution.

    `raw_times` are the times of whole runs, each of which executed the statement `number_per_run` times.

    Raises:
        StatisticsError: there are no times.

    >>> m = torch.utils.benchmark.Timer("x + 1", globals={"x": torch.ones(2)}).timeit(10)
    >>> m.median > 0, len(m.times)
    (True, 1)
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict | None = field(default=None)

    @property
    def times(self) -> list[float]:
        """Seconds for one execution, run by run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        """The median of `times`."""
        return median(self.times)

    @property
    def mean(self) -> float:
        """The mean of `times`."""
        return fmean(self.times)

    @property
    def iqr(self) -> float:
        """The distance between the quartiles of `times`; 0 for a single one."""
        if len(self.times) < 2:
            return 0.0
        low, _, high = quantiles(self.times, n=4, method="inclusive")
        return high - low

    @property
    def has_warnings(self) -> bool:
        """Whether the times vary too much for the median to be meaningful."""
        return self.iqr > 0.1 * self.median

    @property
    def title(self) -> str:
        """The label, or the statement."""
        return self.task_spec.title

    @property
    def significant_figures(self) -> int:
        """The number of significant digits of the median, from the interquartile range."""
        if not self.median:
            return 1
        spread = max(self.iqr / self.median, 1e-5)
        return max(1, min(6, math.ceil(-math.log10(spread)) + 1))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "task_spec":
            raise AttributeError(name)
        return getattr(self.task_spec, name)

    @staticmethod
    def merge(measurements: Iterable["Measurement"]) -> list["Measurement"]:
        """One measurement for each task, with the times of all of its measurements."""
        groups: dict[TaskSpec, list[Measurement]] = {}
        for m in measurements:
            groups.setdefault(m.task_spec, []).append(m)
        return [Measurement(1, [t for m in each for t in m.times], task) for task, each in groups.items()]

    def __repr__(self) -> str:
        name, unit = select_unit(self.median)
        n = len(self.times)
        lines = [f"{object.__repr__(self)}", self.task_spec.summarize()]
        shown = trim_sigfig(self.median / unit, self.significant_figures)
        if n > 1:
            lines += [f"  Median: {shown:g} {name}", f"  IQR:    {trim_sigfig(self.iqr / unit, 3):g} {name}"]
        else:
            lines += [f"  {trim_sigfig(self.median / unit, 4):g} {name}"]
        plural = "" if n == 1 else "s"
        threads = self.task_spec.num_threads
        lines += [
            f"  {n} measurement{plural}, {self.number_per_run} run{'' if self.number_per_run == 1 else 's'} "
            f"per measurement, {threads} thread{'' if threads == 1 else 's'}"
        ]
        if n > 1 and self.has_warnings:
            lines += ["  WARNING: the interquartile range is more than a tenth of the median."]
        return "\n".join(lines)
