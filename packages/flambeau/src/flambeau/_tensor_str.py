"""``torch._tensor_str``: functions that Tensor subclasses call to print themselves."""

from collections.abc import Sequence
from typing import Any

from flambeau_tensor.printing import (  # noqa: F401
    PRINT_OPTS,
    get_printoptions,
    printoptions,
    set_printoptions,
    values_text,
    with_notes,
)


def _tensor_str(self: Any, indent: int) -> str:
    """The elements of a tensor in brackets, further lines indented."""
    from flambeau import _C

    with _C.DisableTorchFunctionSubclass():
        return values_text(self.detach().resolve_conj().resolve_neg().numpy(force=True), indent)


def _add_suffixes(tensor_str: str, suffixes: Sequence[str], indent: int, force_newline: bool) -> str:
    """A text with notes and the closing parenthesis."""
    return with_notes(tensor_str, suffixes, indent, force_newline)


def _str_intern(inp: Any, *, tensor_contents: str | None = None) -> str:
    """Return the ``repr`` of a tensor."""
    from flambeau import _C, Tensor

    with _C.DisableTorchFunctionSubclass():
        return Tensor.__repr__(inp, tensor_contents=tensor_contents)  # type: ignore[call-arg]  # not in the stub


_str = _str_intern
