"""Finding the forward call behind an error in backward, and the first NaN."""

from __future__ import annotations

from typing import Any

from flambeau_autograd._engine.graph import engine as _engine
from flambeau_autograd._engine.graph.settings import Setting as _Setting
from flambeau_autograd._engine.graph.settings import Since as _Since
from flambeau_autograd._engine.graph.settings import Within as _Within
from flambeau_autograd._engine.levels.layers import all_examples

_mode = _Setting((False, True), _engine.set_anomaly)  # whether it is on, and looks for NaN


def is_anomaly_enabled() -> bool:
    """Return True if anomaly mode is on.

    >>> is_anomaly_enabled()
    False
    """
    return _mode.value[0]


def is_anomaly_check_nan_enabled() -> bool:
    """Return True if anomaly mode looks for NaN.

    >>> with torch.autograd.set_detect_anomaly(True, check_nan=False):
    ...     print(is_anomaly_check_nan_enabled())
    False
    """
    return _mode.value[1]


def _checked(mode: Any, check_nan: bool) -> tuple[bool, bool]:
    for name, value in (("mode", mode), ("check_nan", check_nan)):
        if not isinstance(value, bool):
            raise TypeError(f"set_detect_anomaly(): argument '{name}' must be bool, not {type(value).__name__}")
    return mode, check_nan


def note_traceback(node: Any) -> None:
    """Store on ``node`` the traceback of its recording, and the node whose backward recorded it."""
    import traceback

    node.metadata["traceback_"] = traceback.format_stack()
    node.metadata["parent_"] = _engine.running_node()


def check_nan(node: Any, gradients: Any) -> None:
    """Raise if NaN is among the gradients that ``node`` computed."""
    if _mode.value[1]:
        for i, g in enumerate(gradients):
            if g is not None and bool((g := all_examples(g)).ne(g).any()):
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def explain(node: Any) -> None:
    """Warn with the traceback of the forward call that created ``node``."""
    import warnings

    lines = node.metadata.get("traceback_")
    if lines is None:
        warnings.warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly "
            "during forward pass for more information.",
            UserWarning,
            stacklevel=2,
        )
        return
    warnings.warn(
        f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(lines)}",
        UserWarning,
        stacklevel=2,
    )
    parent = node.metadata.get("parent_")
    while parent is not None:
        warnings.warn(
            f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that "
            f"induced the previous calculation:\n{''.join(parent.metadata.get('traceback_', ()))}",
            UserWarning,
            stacklevel=2,
        )
        parent = parent.metadata.get("parent_")


class set_detect_anomaly(_Since):
    """Turn anomaly mode on or off, immediately or, as a context, until the end of the block.

    Raises:
        TypeError: the mode is not a bool.

    >>> with set_detect_anomaly(True):
    ...     print(torch.is_anomaly_enabled())
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__(_mode, _checked(mode, check_nan))


class detect_anomaly(_Within):
    """Enable anomaly detection inside the block: forward calls store their traceback, an error in backward shows the
    traceback of its forward call, and a NaN gradient raises an error. This is slow; use it for debugging only.

    Raises:
        RuntimeError: backward computes a NaN; a warning shows the forward call.

    >>> x = torch.tensor(-1.0, requires_grad=True)
    >>> with torch.autograd.detect_anomaly():
    ...     x.sqrt().backward()
    Traceback (most recent call last):
        ...
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        import warnings

        super().__init__(_mode, _checked(True, check_nan))
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
            "enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )
