"""The derivatives of what is declared for handlers alone."""

from typing import Any

try:
    from flambeau_autograd.extend import derivative
except ImportError:  # nothing is recorded, then

    def derivative(*args: Any, **formulas: Any) -> None:
        """There is nobody to tell."""


__all__ = ["derivative"]
