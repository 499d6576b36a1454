"""Settings that programs set and query. Results here never depend on the timing of threads, and products of float32
matrices are never rounded to fewer digits, so most settings are only stored.

>>> use_deterministic_algorithms(True)
>>> are_deterministic_algorithms_enabled(), get_deterministic_debug_mode()
(True, 2)
>>> use_deterministic_algorithms(False)
"""

import os
import warnings
from typing import Any

from flambeau_tensor._core.elementwise.parallel import set_flush_denormal

__all__ = [
    "are_deterministic_algorithms_enabled",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_warn_always_enabled",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "set_warn_always",
    "use_deterministic_algorithms",
]
_DEBUG_MODES = ("default", "warn", "error")
_PRECISIONS = ("highest", "high", "medium")
_state: dict[str, Any] = {
    "deterministic": False,
    "warn only": False,
    "precision": "highest",
    "warn always": False,
    "interop": os.cpu_count() or 1,
}
_warned: set[str] = set()


def _check_bool(name, argument, value, position):
    if type(value) is not bool:
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be bool, not {type(value).__name__}"
        )


# --- determinism ----------------------------------------------------------------------------------------------------


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Request operations whose results do not vary from run to run. All operations here are deterministic anyway.

    Raises:
        TypeError: the mode is not a bool.

    >>> use_deterministic_algorithms(True, warn_only=True)
    >>> get_deterministic_debug_mode()
    1
    >>> use_deterministic_algorithms(False)
    """
    _check_bool("use_deterministic_algorithms", "mode", mode, 1)
    _check_bool("use_deterministic_algorithms", "warn_only", warn_only, 2)
    _state["deterministic"], _state["warn only"] = mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """Return True if `use_deterministic_algorithms` is on.

    >>> are_deterministic_algorithms_enabled()
    False
    """
    return _state["deterministic"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return True if `use_deterministic_algorithms` was set with `warn_only`.

    >>> is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _state["warn only"]


def set_deterministic_debug_mode(debug_mode: "int | str") -> None:
    """Set `use_deterministic_algorithms` by a word or number: "default" (0), "warn" (1) or "error" (2).

    Raises:
        RuntimeError: the mode is neither "default", "warn" or "error" nor 0, 1 or 2.

    >>> set_deterministic_debug_mode("error")
    >>> are_deterministic_algorithms_enabled()
    True
    >>> set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = _DEBUG_MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """Return 0, 1 or 2, as for `set_deterministic_debug_mode`.

    >>> get_deterministic_debug_mode()
    0
    """
    if not _state["deterministic"]:
        return 0
    return 1 if _state["warn only"] else 2


# --- the rest -------------------------------------------------------------------------------------------------------


def set_float32_matmul_precision(precision: str) -> None:
    """Allow less exact products of float32 matrices: "highest", "high" or "medium". They are always exact here. Other
    words give a warning and change nothing.

    >>> set_float32_matmul_precision("high")
    >>> get_float32_matmul_precision()
    'high'
    >>> set_float32_matmul_precision("highest")
    """
    if precision not in _PRECISIONS:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect.",
            stacklevel=2,
        )
        return
    _state["precision"] = precision


def get_float32_matmul_precision() -> str:
    """Return the setting of `set_float32_matmul_precision`, "highest" by default.

    >>> get_float32_matmul_precision()
    'highest'
    """
    return _state["precision"]


def warn_once(text: str, stacklevel: int = 1, subject: str | None = None) -> None:
    """Warn once per process for each subject, by default the text; after ``set_warn_always(True)``, at each call.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warn_once("a sentence"), warn_once("a sentence"), len(found)
    (None, None, 1)
    """
    if (subject or text) not in _warned or _state["warn always"]:
        _warned.add(subject or text)
        warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)


def set_warn_always(b: bool) -> None:
    """Repeat warnings that are otherwise given once per process; Python's filters still apply to all of them.

    Raises:
        RuntimeError: the mode is not a bool.

    >>> set_warn_always(True)
    >>> is_warn_always_enabled()
    True
    >>> set_warn_always(False)
    """
    if type(b) is not bool:
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _state["warn always"] = b


def is_warn_always_enabled() -> bool:
    """Return the setting of `set_warn_always`.

    >>> is_warn_always_enabled()
    False
    """
    return _state["warn always"]


def set_num_interop_threads(num_threads: int) -> None:
    """Set the number of threads for TorchScript's parallel operations. It has no effect but is stored.

    Raises:
        RuntimeError: the number is not positive.

    >>> before = get_num_interop_threads()
    >>> set_num_interop_threads(3)
    >>> get_num_interop_threads()
    3
    >>> set_num_interop_threads(before)
    """
    if not isinstance(num_threads, int) or isinstance(num_threads, bool):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(num_threads).__name__}")
    if num_threads < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    _state["interop"] = num_threads


def get_num_interop_threads() -> int:
    """Return the setting of `set_num_interop_threads`, by default the number of processors.

    >>> get_num_interop_threads() >= 1
    True
    """
    return _state["interop"]
