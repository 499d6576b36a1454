"""Recording: a mode that notes when each function begins and ends. While nothing records, nothing is called."""

import os
import sys
import threading
from contextlib import ContextDecorator
from time import perf_counter_ns
from typing import Any

from flambeau_overrides import TorchFunctionMode
from flambeau_tensor import Tensor
from flambeau_tensor.extend import memory_stats
from flambeau_tensor.not_built import NotBuiltError

_recorders = threading.local()  # the recorder that is active in a thread


class Recorder(TorchFunctionMode):
    """Records events of one thread while it is entered.

    Python functions are replaced by the functions that they call, so the events are the calls of the program, each with
    the events inside it.
    """

    def __init__(self, shapes=False, memory=False, stack=False):
        super().__init__()
        self.events, self.open = [], []
        self.shapes, self.memory, self.stack = shapes, memory, stack

    def begin(self, name, kind, arguments=()):
        """Note that something began."""
        from flambeau.profiler._events import Event

        shapes = [list(a.shape) if isinstance(a, Tensor) else [] for a in arguments] if self.shapes else None
        event = Event(name, kind, threading.get_native_id(), 0, shapes, _lines() if self.stack else ())
        if self.open:
            event.cpu_parent = self.open[-1]
            event.cpu_parent.cpu_children.append(event)
        self.events.append(event)
        self.open.append(event)
        if self.memory:
            event.memory = memory_stats()["allocated"]
        event.start = event.end = perf_counter_ns()
        return event

    def end(self, event):
        """Note that it ended."""
        event.end = perf_counter_ns()
        if self.memory:
            event.cpu_memory_usage = memory_stats()["allocated"] - event.memory
        while self.open and self.open.pop() is not event:
            pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", str(func))
        if name in ("__get__", "__set__"):  # an attribute
            return func(*args, **(kwargs or {}))
        event = self.begin(f"aten::{name}", "cpu_op", args)
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.end(event)

    def __enter__(self):
        self._before = getattr(_recorders, "now", None)
        _recorders.now = self
        return super().__enter__()

    def __exit__(self, *error):
        _recorders.now = self._before
        return super().__exit__(*error)


def _lines():
    """The lines of the program that led here, the innermost first."""
    out, frame = [], sys._getframe(2)
    here = os.path.dirname(__file__)
    while frame is not None and len(out) < 32:
        code = frame.f_code
        if not code.co_filename.startswith(here):
            out.append(f"{code.co_filename}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back
    return out


class record_function(ContextDecorator):  # noqa: N801
    """A context or decorator that names a part of a program in the profile.

    Args:
        name: the name.
        args: additional information.

    >>> with torch.profiler.profile() as p:
    ...     with record_function("my part"):
    ...         _ = torch.ones(2) + 1
    >>> "my part" in {event.key for event in p.key_averages()}
    True
    """

    def __init__(self, name: str, args: str | None = None):
        self.name, self.args = name, args
        self._open: list[Any] = []

    def _recreate_cm(self):
        return type(self)(self.name, self.args)

    def __enter__(self):
        recorder = getattr(_recorders, "now", None)
        self._open.append((recorder, recorder and recorder.begin(self.name, "user_annotation")))
        return self

    def __exit__(self, kind, value, traceback):
        recorder, event = self._open.pop()
        if recorder is not None:
            recorder.end(event)


class profile:  # noqa: N801
    """Records the calls of a program and their times, in the thread that enters the block.

    Args:
        activities: ignored; the CPU is always recorded.
        schedule: a function from the number of a step to its action, see `schedule`; by default all steps are recorded.
        on_trace_ready: a function that is called with this object after the recorded steps.
        record_shapes: whether to record the sizes of tensors.
        profile_memory: whether to record allocated and freed bytes.
        with_stack: whether to record the source lines of calls.
        with_flops, with_modules: not built.

    Raises:
        TypeError: ``schedule`` is not callable.

    >>> import flambeau as torch
    >>> with profile() as p:
    ...     with record_function("twice"):
    ...         x = torch.ones(3).add(1).add(1)
    >>> [(e.key, e.count) for e in p.key_averages()]
    [('twice', 1), ('aten::ones', 1), ('aten::add', 2)]
    """

    def __init__(
        self,
        *,
        activities=None,
        schedule=None,
        on_trace_ready=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events=False,
        use_cuda=None,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
    ):
        for name, given in (("with_flops", with_flops), ("with_modules", with_modules)):
            if given:
                raise NotBuiltError(f"torch.profiler.profile({name}=True) is not built")
        self.schedule, self.on_trace_ready, self.acc_events = schedule, on_trace_ready, acc_events
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.step_num, self._metadata, self._kept = 0, {}, []
        self._recorder = self._step = None
        self.current_action = None

    def _plan(self, step):
        from flambeau.profiler import ProfilerAction

        return ProfilerAction.RECORD if self.schedule is None else self.schedule(step)

    def _set(self, action):
        """Start or stop recording, according to the action."""
        from flambeau.profiler import ProfilerAction

        wanted = action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None
        saved = self.current_action is ProfilerAction.RECORD_AND_SAVE
        if self._recorder is not None and (saved or not wanted):
            self._finish()
            if saved and self.on_trace_ready:
                self.on_trace_ready(self)
        if wanted and self._recorder is None:
            self._recorder = Recorder(self.record_shapes, self.profile_memory, self.with_stack)
            self._recorder.__enter__()
        if wanted and self.schedule is not None:
            self._step = record_function(f"ProfilerStep#{self.step_num}")
            self._step.__enter__()
        self.current_action = action

    def _finish(self):
        self._recorder.__exit__(None, None, None)
        self._kept = [*(self._kept if self.acc_events else ()), *self._recorder.events]
        self._recorder = None

    def start(self):
        """Begin."""
        self._set(self._plan(self.step_num))

    def stop(self):
        """Stop recording; the results are available from now on."""
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None
        if self._recorder is not None:
            self._finish()
            if self.on_trace_ready:
                self.on_trace_ready(self)
        self.current_action = None

    def step(self):
        """Begin the next step."""
        self.step_num += 1
        if self.schedule is not None:
            self._set(self._plan(self.step_num))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, traceback):
        self.stop()

    def events(self):
        """All events, in the order in which they began."""
        from flambeau.profiler._events import EventList

        return EventList(self._kept, self.profile_memory)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """One average per name; ``print(p.key_averages().table(sort_by="cpu_time_total"))``."""
        return self.events().key_averages(group_by_input_shape, group_by_stack_n)

    def add_metadata(self, key: str, value: str) -> None:
        """Add an entry to the trace's metadata."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """The same, for a text in JSON."""
        import json

        self._metadata[key] = json.loads(value)

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Write the events for chrome://tracing or Perfetto; compressed, if the path ends with ``.gz``.

        `use_python_export` is without effect: Python writes the file.
        """
        self.events().export_chrome_trace(path, self._metadata)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write a line for each stack, for flame graphs; for ``with_stack=True``."""
        with open(path, "w") as f:
            for e in self.events():
                if e.stack and getattr(e, metric) >= 1:
                    text = ";".join(line.replace(" ", "_") for line in (*reversed(e.stack), e.name))
                    f.write(f"{text} {int(getattr(e, metric))}\n")

    def toggle_collection_dynamic(self, enable, activities) -> None:
        """Begin or end to record meanwhile."""
        if enable and self._recorder is None:
            self._recorder = Recorder(self.record_shapes, self.profile_memory, self.with_stack)
            self._recorder.__enter__()
        elif not enable and self._recorder is not None:
            acc, self.acc_events = self.acc_events, True
            self._finish()
            self.acc_events = acc


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
):
    """Return a function for ``on_trace_ready`` that writes a trace to a folder for each cycle.

    Raises:
        FileNotFoundError: the folder cannot be created; raised when a trace is written.

    >>> import os
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with torch.profiler.profile(on_trace_ready=tensorboard_trace_handler(folder, worker_name="me")):
    ...         _ = torch.ones(2) + 1
    ...     print(len(os.listdir(folder)))
    1
    """

    def write(profiled):
        import socket
        import time

        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        profiled.export_chrome_trace(
            os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}")
        )

    return write
