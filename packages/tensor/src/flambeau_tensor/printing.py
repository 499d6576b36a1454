"""The text form of tensors.

Everything here works on a NumPy array and a few plain values, never on the tensor's own operations, so that printing
a tensor cannot call back into a subclass or a mode. The module is imported when the first tensor is printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from numbers import Real
from operator import index
from types import SimpleNamespace
from typing import Any

import numpy as np

_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

PRINT_OPTS = SimpleNamespace(**_PROFILES["default"], sci_mode=None)


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: float | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set the print options of tensors, for the whole process.

    ``None`` leaves an option unchanged, except for ``sci_mode``, where it means "decide for each tensor". A call that
    omits ``sci_mode`` resets it to None.

    Args:
        precision: digits after the decimal point of floating point numbers (4).
        threshold: number of elements above which a tensor is summarized (1000).
        edgeitems: elements shown at either end of a summarized dimension (3); 0 shows the size alone.
        linewidth: characters per line (80); may be ``math.inf``.
        profile: ``"default"``, ``"short"`` or ``"full"``: sets the four options above; explicit options take
            precedence.
        sci_mode: always (``True``) or never (``False``) use scientific notation.

    Raises:
        TypeError: an option is not a number of the kind described.
        ValueError: an option is negative or not a number, or the profile is unknown.

    Example:
        >>> from flambeau_tensor import tensor
        >>> set_printoptions(precision=2)
        >>> tensor([1.12345])
        tensor([1.12])
        >>> set_printoptions(profile="default")
    """
    if profile is not None and profile not in _PROFILES:
        known = ", ".join(map(repr, _PROFILES))
        raise ValueError(f"set_printoptions(): argument 'profile' must be one of {known}, not {profile!r}")
    given = {
        "precision": _count("precision", precision),
        "threshold": _limit("threshold", threshold),
        "edgeitems": _count("edgeitems", edgeitems),
        "linewidth": _limit("linewidth", linewidth),
    }
    vars(PRINT_OPTS).update(_PROFILES.get(profile or "", {}))
    vars(PRINT_OPTS).update((name, value) for name, value in given.items() if value is not None)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """Return a copy of the current print options, by name.

    Example:
        >>> get_printoptions()["precision"]
        4
    """
    return dict(vars(PRINT_OPTS))


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Context manager and decorator that sets print options temporarily; accepts the arguments of
    :func:`set_printoptions`.

    Raises:
        TypeError: the option does not exist.

    Example:
        >>> from flambeau_tensor import tensor
        >>> with printoptions(precision=1):
        ...     print(tensor([0.25]))
        tensor([0.2])
    """
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        vars(PRINT_OPTS).update(before)


def _count(name: str, value: Any) -> int | None:
    if value is None:
        return None
    try:
        return _limit(name, index(value))
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"set_printoptions(): argument '{name}' must be int, not {kind}") from None


def _limit(name: str, value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, Real):
        raise TypeError(f"set_printoptions(): argument '{name}' must be a real number, not {type(value).__name__}")
    if not value >= 0:
        raise ValueError(f"set_printoptions(): argument '{name}' must not be negative or nan, got {value}")
    return value


def tensor_repr(
    tensor: Any,
    *,
    as_array: Callable[[Any], np.ndarray],
    default_dtype: Callable[[], Any],
    name: str = "tensor",
    device: str | None = None,
    suffixes: Sequence[str] = (),
    tensor_contents: str | None = None,
) -> str:
    """Return ``repr(tensor)``.

    Args:
        tensor: anything with ``shape``, ``dtype``, ``requires_grad`` and ``grad_fn``.
        as_array: returns the values of a tensor as an array; not called if there are no values to show.
        default_dtype: returns the current default floating point dtype.
        name: the text before the parenthesis; for subclasses, the class name.
        device: the device to show, for tensors without values (``"meta"``).
        suffixes: additional ``key=value`` texts at the end.
        tensor_contents: text that replaces the values.
    """
    if device is None and tensor_contents is None:
        array = as_array(tensor)
    else:
        array = np.broadcast_to(np.float32(0), tuple(tensor.shape))  # the shape without the memory
    try:
        grad_fn = getattr(tensor, "grad_fn", None)
        grad_fn_name = None if grad_fn is None else type(grad_fn).__name__
    except RuntimeError:  # a view whose history was invalidated by an in-place operation
        grad_fn_name = "Invalid"
    text = format_array(
        array,
        dtype_name=str(tensor.dtype),
        default_dtype_name=str(default_dtype()),
        name=name,
        device=device,
        requires_grad=getattr(tensor, "requires_grad", False),
        grad_fn_name=grad_fn_name,
        suffixes=suffixes,
        contents=tensor_contents,
    )
    # Parameters of other classes are shown as such here; nn.Parameter has its own line.
    return f"Parameter({text})" if name != "tensor" and getattr(tensor, "_is_param", False) else text


def tensor_format(tensor: Any, spec: str, *, as_array: Callable[[Any], np.ndarray], text_alone: bool = False) -> str:
    """Return ``format(tensor, spec)``: formatted as a number for a plain 0-d tensor, otherwise ``str(tensor)``.

    Raises:
        TypeError: ``spec`` is not empty and the tensor has dimensions, is of a subclass, or has no elements.
    """
    if len(tensor.shape) == 0 and not text_alone:
        return as_array(tensor).item().__format__(spec)
    return object.__format__(tensor, spec)


def format_array(
    array: np.ndarray,
    *,
    dtype_name: str,
    default_dtype_name: str = "torch.float32",
    name: str = "tensor",
    device: str | None = None,
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    suffixes: Sequence[str] = (),
    contents: str | None = None,
) -> str:
    """Return the text of a tensor with these values and properties; ``contents`` replaces the values.

    Example:
        >>> format_array(np.array([1.5, 2]), dtype_name="torch.float64")
        'tensor([1.5000, 2.0000], dtype=torch.float64)'
    """
    indent = len(name) + 1
    if contents is None:
        contents = "..." if device is not None else values_text(array, indent)

    notes = []
    if device is not None:
        notes.append(f"device='{device}'")
    # The size is shown if the brackets do not show it.
    if device is not None or (array.size == 0 and array.ndim != 1) or (array.size and PRINT_OPTS.edgeitems == 0):
        notes.append(f"size={tuple(array.shape)}")
    evident = {default_dtype_name}
    if device is None and array.size:
        default_is_double = default_dtype_name == "torch.float64"
        evident |= {"torch.complex128" if default_is_double else "torch.complex64", "torch.int64", "torch.bool"}
    if dtype_name not in evident:
        notes.append(f"dtype={dtype_name}")
    if grad_fn_name is not None:
        notes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        notes.append("requires_grad=True")
    notes.extend(suffixes)

    return with_notes(f"{name}({contents}", notes, indent)


def with_notes(text: str, notes: Sequence[str], indent: int, new_line: bool = False) -> str:
    """Append notes and the closing parenthesis to a text; notes that do not fit go to further lines."""
    column = len(text) - text.rfind("\n") + 1
    for note in notes:
        if new_line or column + len(note) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * indent + note
            column, new_line = indent + len(note), False
        else:
            text += ", " + note
            column += len(note) + 2
    return text + ")"


def values_text(array: np.ndarray, indent: int) -> str:
    """Return the elements of an array in brackets; further lines are indented."""
    if array.size == 0:
        return "[]"
    if array.ndim == 0:
        return _cells(array.reshape(1))[0][0]
    shown, edge = array, None
    if array.size > PRINT_OPTS.threshold:
        edge = PRINT_OPTS.edgeitems
        if edge == 0:
            return "[...]"
        kept = (np.r_[:edge, n - edge : n] if n > 2 * edge else np.arange(n) for n in array.shape)
        shown = array[np.ix_(*kept)]
    cells, width = _cells(shown.reshape(-1))
    return _brackets(iter(cells), array.shape, edge, indent, width)


def _brackets(cells: Iterator[str], shape: tuple[int, ...], edge: int | None, indent: int, width: int) -> str:
    """Put the cells of ``shape``, in order, into nested brackets; a cell and its comma count as ``width + 2``."""
    summarized = edge is not None and shape[0] > 2 * edge
    count = 2 * edge if summarized else shape[0]
    new_line = "\n" + " " * (indent + 1)
    if len(shape) > 1:
        items = [_brackets(cells, shape[1:], edge, indent + 1, width) for _ in range(count)]
        if summarized:
            items.insert(edge, "...")
        separator = "," + "\n" * (len(shape) - 2) + new_line
    else:
        items = list(islice(cells, count))
        if summarized:
            items.insert(edge, " ...")
        room = (PRINT_OPTS.linewidth - indent) / (width + 2)
        per_line = int(min(max(1, room), len(items)))
        items = [", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)]
        separator = "," + new_line
    return "[" + separator.join(items) + "]"


def _cells(values: np.ndarray) -> tuple[list[str], int]:
    """Return the right-aligned texts of a 1-d array's elements, and the width for the layout of lines."""
    if values.dtype.kind == "c":
        real, real_width = _cells(values.real)
        imag, imag_width = _float_texts(values.imag)
        signed = (text if text.startswith("-") else "+" + text for text in imag)
        return [f"{a}{b}j" for a, b in zip(real, signed, strict=True)], real_width + imag_width + 1
    if values.dtype.kind == "f":
        texts, width = _float_texts(values)
    else:
        texts = [str(value) for value in values.tolist()]
        width = max(map(len, texts))
    return [text.rjust(width) for text in texts], width


def _float_texts(values: np.ndarray) -> tuple[list[str], int]:
    """Return unpadded texts in one notation for all values, and the length of the longest nonzero finite one."""
    with np.errstate(invalid="ignore"):  # the cast of a signaling NaN
        values = values.astype(np.float64, copy=False)
    finite = np.isfinite(values)
    ordinary = finite & (values != 0)
    decisive = values[ordinary]
    whole = bool((decisive == np.ceil(decisive)).all())
    scientific = bool(PRINT_OPTS.sci_mode and decisive.size)
    if PRINT_OPTS.sci_mode is None and decisive.size:
        magnitude = np.abs(decisive)
        largest, smallest = float(magnitude.max()), float(magnitude.min())
        scientific = largest > 1e8 or largest / smallest > 1000 or (not whole and smallest < 1e-4)
    digits = 0 if whole and not scientific else PRINT_OPTS.precision
    spec = f".{digits}{'e' if scientific else 'f'}"
    texts = [format(number, spec) for number in values.tolist()]
    if whole and not scientific:
        texts = [text + "." if is_finite else text for text, is_finite in zip(texts, finite.tolist(), strict=True)]
    width = max((len(text) for text, counts in zip(texts, ordinary.tolist(), strict=True) if counts), default=1)
    return texts, width
