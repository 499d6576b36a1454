"""The derivatives of operators that are declared only for handlers."""

from typing import Any

try:
    from flambeau_autograd.extend import derivative
except ImportError:  # nothing is recorded, then

    def derivative(*args: Any, **formulas: Any) -> None:
        """Do nothing: autograd is not installed."""


__all__ = ["derivative"]
