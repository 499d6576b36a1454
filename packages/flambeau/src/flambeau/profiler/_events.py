"""The contents of a profile: events, their averages, tables and traces."""

import json

SORT = {"cpu_time": "self_cpu_time_total", "cuda_time": "device_time"}


class Event:
    """One call of an operator, or one run of a block with a name. Times are in microseconds."""

    def __init__(self, name, kind, thread, start, shapes=None, stack=()):
        self.name = self.key = name
        self.kind, self.thread, self.start, self.end = kind, thread, start, start
        self.input_shapes, self.stack = shapes or [], list(stack)
        self.cpu_parent, self.cpu_children = None, []
        self.memory = self.cpu_memory_usage = 0
        self.count = 1

    is_user_annotation = property(lambda self: self.kind == "user_annotation")
    cpu_time = cpu_time_total = property(lambda self: (self.end - self.start) / 1e3)
    self_cpu_memory_usage = property(
        lambda self: self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)
    )

    @property
    def self_cpu_time_total(self):
        """The time excluding inner events."""
        return self.cpu_time - sum(child.cpu_time for child in self.cpu_children)

    def __repr__(self):
        return f"<FunctionEvent name={self.name} cpu_time={_time(self.cpu_time)} input_shapes={self.input_shapes}>"


class Average:
    """The events with the same name (and, if requested, the same shapes)."""

    def __init__(self, first):
        self.key, self.input_shapes, self.stack = first.key, first.input_shapes, first.stack
        self.is_user_annotation = first.is_user_annotation
        self.count, self.cpu_time_total, self.self_cpu_time_total = 0, 0.0, 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.device_time = self.device_time_total = self.self_device_time_total = 0.0

    cpu_time = property(lambda self: self.cpu_time_total / self.count if self.count else 0.0)

    def add(self, event):
        """Count an event, too."""
        self.count += event.count
        for name in ("cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage"):
            setattr(self, name, getattr(self, name) + getattr(event, name))
        return self

    def __repr__(self):
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={_time(self.self_cpu_time_total)} "
            f"cpu_time={_time(self.cpu_time)} count={self.count}>"
        )


class EventList(list):
    """Events or averages.

    Args:
        events: these.
        memory: whether tables have columns of memory.
    """

    def __init__(self, events=(), memory=False):
        super().__init__(events)
        self._memory = memory

    @property
    def self_cpu_time_total(self):
        """The time of all events, none counted twice."""
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """Average events by name; if requested, also by shapes, and by the innermost lines of the stack."""
        found = {}
        for event in self:
            key = (event.key, str(event.input_shapes) if group_by_input_shapes else "", *event.stack[:group_by_stack_n])
            if key not in found:
                found[key] = Average(event)
                found[key].stack = event.stack[:group_by_stack_n]
                if not group_by_input_shapes:
                    found[key].input_shapes = ""
            found[key].add(event)
        return EventList(found.values(), self._memory)

    def total_average(self):
        """One average of all."""
        total = None
        for event in self:
            total = Average(event) if total is None else total
            total.add(event)
        if total is not None:
            total.key = "Total"
        return total

    def table(
        self,
        sort_by=None,
        row_limit=100,
        max_src_column_width=75,
        max_name_column_width=55,
        max_shapes_column_width=80,
        header=None,
        top_level_events_only=False,
        time_unit=None,
    ):
        """Return a text with one line for each entry.

        Args:
            sort_by: the attribute to sort by, the largest first: ``"cpu_time_total"``, ``"self_cpu_time_total"``,
                ``"count"``, …
            row_limit: the maximum number of lines; -1 for all.
            header: a line above the table.
            top_level_events_only: whether to omit events inside other events.
        """
        entries = [e for e in self if not (top_level_events_only and getattr(e, "cpu_parent", None))]
        if sort_by is not None:
            if entries and not hasattr(entries[0], sort_by):
                raise AttributeError(f"sort_by: there is no column {sort_by!r}")
            entries.sort(key=lambda e: getattr(e, sort_by), reverse=True)
        total = self.self_cpu_time_total
        heads = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
        heads += ["CPU Mem", "Self CPU Mem"] if self._memory else []
        heads += ["# of Calls"]
        shapes = any(e.input_shapes for e in entries)
        heads += ["Input Shapes"] if shapes else []
        rows = []
        for e in entries[: None if row_limit < 0 else row_limit]:
            times = e.self_cpu_time_total, e.cpu_time_total
            row = [
                _short(e.key, max_name_column_width),
                _share(times[0], total),
                _time(times[0]),
                _share(times[1], total),
                _time(times[1]),
                _time(e.cpu_time),
            ]
            row += [_bytes(e.cpu_memory_usage), _bytes(e.self_cpu_memory_usage)] if self._memory else []
            row += [str(e.count)]
            row += [_short(str(e.input_shapes), max_shapes_column_width)] if shapes else []
            rows.append(row)
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        rule = "  ".join("-" * width for width in widths)
        line = "  ".join
        out = [header] if header else []
        out += [rule, line(h.rjust(w) for h, w in zip(heads, widths, strict=True)), rule]
        out += [line(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([*out, rule, f"Self CPU time total: {_time(total)}", ""])

    def __str__(self):
        return self.table()

    def export_chrome_trace(self, path, metadata=()):
        """Write the events for chrome://tracing or Perfetto."""
        import os

        trace = [
            {
                "ph": "X",
                "cat": e.kind,
                "name": e.name,
                "pid": os.getpid(),
                "tid": e.thread,
                "ts": e.start / 1e3,
                "dur": e.cpu_time,
                "args": {"Input Dims": e.input_shapes} if e.input_shapes else {},
            }
            for e in self
        ]
        opened = open
        if str(path).endswith(".gz"):
            import gzip

            opened = gzip.open
        with opened(path, "wt") as f:
            json.dump({"schemaVersion": 1, "traceEvents": trace, **dict(metadata)}, f)


def _share(part, total):
    return f"{100 * part / total:.2f}%" if total else "NaN"


def _time(us):
    """Three digits after the point, and a unit."""
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= size:
            return f"{us / size:.3f}{unit}"
    return f"{us:.3f}us"


def _bytes(n):
    for size, unit in ((2**30, "GB"), (2**20, "MB"), (2**10, "KB")):
        if abs(n) >= size:
            return f"{n / size:.2f} {unit}"
    return f"{n} B"


def _short(text, width):
    return text if width is None or len(text) <= width else text[: width - 3] + "..."
