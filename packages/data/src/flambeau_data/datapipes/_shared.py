"""Helpers shared by iterable and map-style pipes: arguments, their checks, and lengths."""

import inspect
import warnings
from collections.abc import Callable, Sized
from functools import partial
from importlib.util import find_spec
from typing import Any

from flambeau_data.datapipes.datapipe import DataChunk


def check_several(datapipes: tuple[Any, ...], kind: type) -> None:
    """Raise an error if there is no pipe, or one of another kind."""
    if not datapipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(pipe, kind) for pipe in datapipes):
        raise TypeError(f"Expected all inputs to be `{kind.__name__}`")


def length(pipe: Any, source: Any) -> int:
    """The length of a pipe that has as many items as its source.

    Raises:
        TypeError: the source has no length.
    """
    if isinstance(source, Sized):
        return len(source)
    raise TypeError(f"{type(pipe).__name__} instance doesn't have valid length")


def check_function(fn: Any) -> None:
    """Warn if pickling a pipe with this function would fail: Python's pickle refuses it, and dill is not installed.

    Raises:
        TypeError: `fn` cannot be called.
    """
    if not callable(fn):
        raise TypeError(f"A callable function is expected, but {type(fn)} is provided.")
    while isinstance(fn, partial):
        fn = fn.func
    local, unnamed = "<locals>" in getattr(fn, "__qualname__", ""), getattr(fn, "__name__", "") == "<lambda>"
    if (local or unnamed) and find_spec("dill") is None:
        warnings.warn(
            f"{'Local' if local else 'Lambda'} function is not supported by pickle, please use regular python "
            "function or `functools.partial` instead.",
            stacklevel=4,
        )


def check_columns(fn: Callable[..., Any], input_col: Any) -> None:
    """Raise a ValueError if a function cannot be called with as many arguments as there are columns."""
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # of compiled functions
        return
    count = len(input_col) if isinstance(input_col, (list, tuple)) else 1
    try:
        signature.bind(*range(count))
    except TypeError as error:
        name = getattr(fn, "__name__", repr(fn))
        raise ValueError(f"The function {name} cannot take {count} columns: {error}.") from None


class Batching:
    """Lists of `batch_size` items."""

    def __init__(
        self, datapipe: Any, batch_size: int, drop_last: bool = False, wrapper_class: Callable[[Any], Any] = DataChunk
    ) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe = datapipe
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.wrapper_class = wrapper_class

    def __len__(self) -> int:
        items = length(self, self.datapipe)
        return items // self.batch_size if self.drop_last else -(-items // self.batch_size)
