"""Suggestions in errors about names: a note with the known name that was probably meant.

Programs compare messages, which are PyTorch's, so suggestions are notes. Python and notebooks show notes below
messages.
"""

from collections.abc import Iterable
from typing import TypeVar

Error = TypeVar("Error", bound=Exception)


def unexpected_keyword(function: str, name: str, known: Iterable[str]) -> TypeError:
    """Return the error for a call with a keyword that its function does not have.

    >>> error = unexpected_keyword("sum", "keep_dim", ["dim", "keepdim", "dtype"])
    >>> error, error.__notes__
    (TypeError("sum() got an unexpected keyword argument 'keep_dim'"), ["Did you mean: 'keepdim'?"])
    """
    return suggesting(TypeError(f"{function}() got an unexpected keyword argument '{name}'"), name, known)


def suggesting(error: Error, name: str, known: Iterable[str]) -> Error:
    """Return the error, with a note if one of the known names resembles `name`."""
    from difflib import get_close_matches

    for meant in get_close_matches(name, known, n=1, cutoff=0.6):
        error.add_note(f"Did you mean: '{meant}'?")
    return error
