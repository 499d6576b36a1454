"""``torch.utils.benchmark``: how long statements take.

>>> import flambeau as torch
>>> from flambeau.utils.benchmark import Timer
>>> Timer("x + x", globals={"x": torch.ones(3)}).timeit(10).number_per_run
10
"""

from typing import Any

from flambeau.utils.benchmark.measurement import Measurement, TaskSpec, select_unit, trim_sigfig
from flambeau.utils.benchmark.timer import Language, Timer, timer

__all__ = ["Language", "Measurement", "TaskSpec", "Timer", "select_unit", "timer", "trim_sigfig"]


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import left_out

    raise left_out("torch.utils.benchmark", name)
