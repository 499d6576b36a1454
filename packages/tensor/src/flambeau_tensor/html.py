"""The notebook display of tensors: a small table under a line with dtype and shape.

Like `printing`, which supplies the texts of the cells, this works on a NumPy array and a few plain values.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from flambeau_tensor._core.call.sockets import sockets
from flambeau_tensor.printing import _cells

EDGE = 5  # rows and columns shown at either end of a dimension
_CELL = "text-align:right;font-family:monospace;white-space:pre;padding:0 .5em"


def describe(tensor: Any) -> str | None:
    """Return the HTML table of a tensor; None if its elements must not be read or do not exist."""
    if sockets.describe_layers is not None and sockets.describe_layers(tensor)[0] is not None:
        return None
    if tensor.device.type != "cpu":
        return None
    notes = [] if type(tensor).__name__ == "Tensor" else [type(tensor).__name__]
    if getattr(tensor, "requires_grad", False):
        notes.append("requires grad")
    return tensor_html(sockets.as_array(tensor), str(tensor.dtype), notes)


def tensor_html(array: np.ndarray, dtype_name: str, notes: Sequence[str] = ()) -> str:
    """Return the HTML table of a tensor's values; if there are more than two dimensions, of the first matrix.

    >>> tensor_html(np.array([1, 2]), "torch.int64")[:57]
    '<div><small>torch.int64, shape (2,)</small><table><tbody>'
    """
    shape = tuple(array.shape)
    told = [dtype_name, f"shape {shape}", *notes]
    if array.size == 0:
        return f"<div><small>{escape(', '.join([*told, 'no elements']))}</small></div>"
    if array.ndim > 2:
        told.append(f"here [{', '.join('0' * (array.ndim - 2))}]")
        array = array[(0,) * (array.ndim - 2)]
    matrix = array.reshape((1, -1)) if array.ndim < 2 else array
    rows, columns = (_kept(n) for n in matrix.shape)
    shown = matrix[np.ix_([i for i in rows if i is not None], [j for j in columns if j is not None])]
    cells = iter(_cells(shown.reshape(-1))[0])
    lines = []
    for row in rows:
        texts = ["⋮" if row is None else "…" if column is None else next(cells) for column in columns]
        lines.append("<tr>" + "".join(f'<td style="{_CELL}">{escape(text)}</td>' for text in texts) + "</tr>")
    return f"<div><small>{escape(', '.join(told))}</small><table><tbody>{''.join(lines)}</tbody></table></div>"


def _kept(n: int) -> list[int | None]:
    """Return the indices of a dimension that are shown; None stands for those in between."""
    return list(range(n)) if n <= 2 * EDGE + 1 else [*range(EDGE), None, *range(n - EDGE, n)]
