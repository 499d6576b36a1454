"""A table of measurements: tasks in rows, their descriptions in columns."""

from collections.abc import Sequence
from typing import Any

from flambeau.utils.benchmark.measurement import Measurement, select_unit, trim_sigfig

_UNIT_NAMES = {"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds"}
_BEST, _GOOD, _WORST, _BOLD, _END = "\033[92m", "\033[34m", "\033[31m", "\033[1m", "\033[0m"


class Compare:
    """Prints measurements in tables, one per label.

    Rows are sub-labels, grouped by the number of threads and, if there is more than one, marked with the environment;
    columns are descriptions.

    Args:
        results: the measurements.

    Raises:
        ValueError: one of the results is not a measurement.

    >>> import flambeau as torch
    >>> from flambeau.utils.benchmark import Compare, Timer
    >>> x = torch.ones(100)
    >>> times = [Timer("x + 1", globals={"x": x}, label="sum", sub_label="100", description=d).timeit(10) for d in "ab"]
    >>> print(str(Compare(times)).splitlines()[1].split())
    ['|', 'a', '|', 'b']
    """

    def __init__(self, results: Sequence[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._trimmed = self._colored = self._warned = False
        self.extend_results(results)

    def extend_results(self, results: Sequence[Measurement]) -> None:
        """Add measurements.

        Args:
            results: the measurements.

        Raises:
            ValueError: one of the results is not a measurement.
        """
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Print no more digits than the spread of the measurements allows."""
        self._trimmed = True

    def colorize(self, rowwise: bool = False) -> None:
        """Color the best and the worst times.

        Args:
            rowwise: accepted; the best and worst times are those of each row.
        """
        self._colored = True

    def highlight_warnings(self) -> None:
        """Mark times that vary much."""
        self._warned = True

    def print(self) -> None:
        """Print the tables."""
        print(self)

    def __str__(self) -> str:
        merged = Measurement.merge(self._results)
        labels: dict[Any, list[Measurement]] = {}
        for m in merged:
            labels.setdefault(m.task_spec.label or "", []).append(m)
        return "\n".join(self._table(label, found) for label, found in labels.items())

    def _table(self, label: str, found: list[Measurement]) -> str:
        columns = list(dict.fromkeys(_description(m) for m in found))
        environments = {m.task_spec.env for m in found}
        unit, size = select_unit(max(m.median for m in found))
        cells: dict[tuple[Any, ...], dict[str, Measurement]] = {}
        for m in found:
            row = (m.task_spec.num_threads, m.task_spec.env if len(environments) > 1 else None, _row_name(m))
            cells.setdefault(row, {})[_description(m)] = m
        digits = 1
        if self._trimmed:
            shown = [trim_sigfig(m.median / size, m.significant_figures) for m in found]
            digits = 0 if all(x == int(x) for x in shown) else 1
        names = {row: (f"  ({row[1]})  " if row[1] else " " * 6) + row[2] for row in cells}
        name_width = max(map(len, names.values()))
        texts = {row: {c: self._number(m, size, digits) for c, m in by.items()} for row, by in cells.items()}
        widths = [max(len(c), *(len(t.get(c, "")) for t in texts.values())) for c in columns]
        head = " " * name_width + "".join(f"  |  {c.center(w)}" for c, w in zip(columns, widths, strict=True))
        lines = [f"[{f' {label} ':-^{len(head) - 2}}]", head]
        threads = None
        for row, by in sorted(cells.items(), key=lambda item: item[0][0]):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(len(head), "-"))
            parts = [self._cell(by, texts[row], c, w) for c, w in zip(columns, widths, strict=True)]
            lines.append(names[row].ljust(name_width) + "".join(f"  |  {p}" for p in parts))
        return "\n".join([*lines, "", f"Times are in {_UNIT_NAMES[unit]} ({unit}).", ""])

    def _number(self, m: Measurement, size: float, digits: int) -> str:
        value = m.median / size
        if self._trimmed:
            value = trim_sigfig(value, m.significant_figures)
        mark = "! " if self._warned and m.has_warnings else ""
        return f"{mark}{value:.{digits}f}"

    def _cell(self, by: dict[str, Measurement], texts: dict[str, str], column: str, width: int) -> str:
        text = f"{texts.get(column, ''):>{width}}"
        if not self._colored or column not in by:
            return text
        times = [m.median for m in by.values()]
        mine, best, worst = by[column].median, min(times), max(times)
        if mine <= best:
            return f"{_BEST}{_BOLD}{text}{_END}{_END}"
        return f"{_WORST if mine >= worst and mine > 1.5 * best else _GOOD}{text}{_END}"


def _description(m: Measurement) -> str:
    return m.task_spec.description or ""


def _row_name(m: Measurement) -> str:
    return m.task_spec.sub_label or m.task_spec.stmt
