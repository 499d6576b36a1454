"""What a function reads in Python, and what it changes there."""

from typing import Any


class Recording:
    """A context in which a function runs; see `checks` and `effects` afterwards."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.checks: Any = None
        self.effects: list[Any] = []

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *error: Any) -> None:
        return None
