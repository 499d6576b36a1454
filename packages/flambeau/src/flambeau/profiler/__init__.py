"""``torch.profiler``: the calls of a program, and their times.

A mode observes the calls, like ``__torch_function__`` handlers: every function of torch that the program calls, in the
thread that records. Calls inside a composition, and those of backward, are attributed to the outer call.

>>> import flambeau as torch
>>> with torch.profiler.profile() as p:
...     x = torch.ones(2).exp()
>>> [e.key for e in p.events()]
['aten::ones', 'aten::exp']
"""

import sys
from collections.abc import Callable
from enum import Enum

from flambeau.profiler._profile import profile as profile
from flambeau.profiler._profile import record_function as record_function
from flambeau.profiler._profile import tensorboard_trace_handler as tensorboard_trace_handler
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


class ProfilerActivity(Enum):
    """The kinds of activity that are profiled.

    Raises:
        ValueError: the value does not exist.

    >>> ProfilerActivity.CPU.name
    'CPU'
    """

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3


class ProfilerAction(Enum):
    """The profiler's action for a step.

    Raises:
        ValueError: the value does not exist.

    >>> [action.name for action in ProfilerAction]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE']
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set:
    """``{ProfilerActivity.CPU}``.

    >>> [activity.name for activity in supported_activities()]
    ['CPU']
    """
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """False.

    >>> kineto_available()
    False
    """
    return False


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Return a function from the number of a step to the action for it.

    Args:
        wait, warmup, active: the number of successive steps of each kind.
        repeat: the number of cycles; 0 means no limit.
        skip_first: the number of steps to skip at the beginning.
        skip_first_wait: if not 0, the first round has no ``wait``.

    Raises:
        AssertionError: a number is negative, or ``active`` 0.

    >>> plan = schedule(wait=1, warmup=0, active=2, repeat=1)
    >>> [plan(step).name for step in range(4)]
    ['NONE', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError("Invalid profiler schedule arguments")

    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        length = wait + warmup + active
        if repeat and step >= repeat * length:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def _default_schedule_fn(_: int) -> ProfilerAction:
    """Return the action of `profile` without a schedule: record every step."""
    return ProfilerAction.RECORD


profiler = sys.modules[__name__]  # PyTorch has all of this there


__getattr__, __dir__ = _attach(__name__, "torch.profiler", unlisted=True)
