"""``torch.autograd.profiler``: the older names of `flambeau.profiler`."""

from typing import Any, NoReturn

from flambeau.profiler import _profile, kineto_available  # noqa: F401  (the second for programs)
from flambeau.profiler._events import Event as FunctionEvent
from flambeau.profiler._events import EventList
from flambeau.profiler._profile import record_function
from flambeau_overrides.modes import _get_current_function_mode_stack
from flambeau_tensor.not_built import not_built

__all__ = ["EventList", "FunctionEvent", "emit_itt", "emit_nvtx", "profile", "record_function"]


class profile(_profile.profile):  # noqa: N801
    """A ``with`` block that records, see `flambeau.profiler.profile`.

    Args:
        enabled: whether it does.
        record_shapes, profile_memory, with_stack: as there.
        use_cpu, use_cuda, use_device, use_kineto: ignored; the CPU is always recorded.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Any = None,
    ) -> None:
        super().__init__(
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
        )
        self.enabled = enabled

    def __enter__(self) -> Any:
        return super().__enter__() if self.enabled else self

    function_events = property(lambda self: self.events())
    self_cpu_time_total = property(lambda self: self.events().self_cpu_time_total)

    def table(self, sort_by: str | None = None, **options: Any) -> str:
        """See `EventList.table`."""
        return self.events().table(sort_by=sort_by, **options)

    def total_average(self) -> Any:
        """One average of all."""
        return self.events().total_average()

    def __str__(self) -> str:
        return str(self.events())


class _Nothing:
    def __init__(self, enabled=True, record_shapes=False):
        self.enabled = enabled

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


class emit_nvtx(_Nothing):  # noqa: N801
    """Has no effect: there is no NVTX."""


class emit_itt(_Nothing):  # noqa: N801
    """Has no effect: there is no ITT."""


def _profiler_enabled() -> bool:
    """Whether something records in this thread."""
    return any(isinstance(mode, _profile.Recorder) for mode in _get_current_function_mode_stack())


def _disable_profiler() -> NoReturn:
    """Raise an error: only the profile that started a recording can end it."""
    raise not_built("torch.autograd._disable_profiler", "use stop() of the profile")
