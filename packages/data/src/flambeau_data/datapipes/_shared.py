"""Helpers shared by iterable and map-style pipes: arguments, their checks, and lengths."""

from collections.abc import Callable
from typing import Any

from flambeau_data.datapipes.datapipe import DataChunk


def check_several(datapipes: tuple[Any, ...], kind: type) -> None:
    """Raise an error if there is no pipe, or one of another kind."""
    if not datapipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(pipe, kind) for pipe in datapipes):
        raise TypeError(f"Expected all inputs to be `{kind.__name__}`")


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
        items = len(self.datapipe)
        return items // self.batch_size if self.drop_last else -(-items // self.batch_size)
