"""``torch.utils.benchmark``: measuring the execution time of statements.

>>> import flambeau as torch
>>> from flambeau.utils.benchmark import Timer
>>> Timer("x + x", globals={"x": torch.ones(3)}).timeit(10).number_per_run
10
"""

from flambeau.utils.benchmark.compare import Compare
from flambeau.utils.benchmark.measurement import Measurement, TaskSpec, select_unit, trim_sigfig
from flambeau.utils.benchmark.timer import Language, Timer, timer
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["Compare", "Language", "Measurement", "TaskSpec", "Timer", "select_unit", "timer", "trim_sigfig"]


__getattr__, __dir__ = _attach(__name__, "torch.utils.benchmark", modules={"utils": __name__}, unlisted=True)
