"""The text around eager's loops along one dimension of dense tensors, which have two forms: along and across."""

from math import prod

from flambeau_compile.graph import C_TYPES, Window

COLUMNS = 512  # of one call of a loop across


def along_dimension(x: Window, dim: int, along: str, across: str, out: str | None = None) -> tuple[str, int]:
    """Return calls of a loop for all runs along a dimension, and the number of adjacent elements there.

    Args:
        x: the operand, dense; the result has the same shape.
        dim: the dimension.
        along: a call for one run, with ``{x}``, ``{out}`` for its addresses and ``{n}`` for its length.
        across: a call for ``{m}`` columns; ``{inner}`` is the number of elements between two rows.
        out: the dtype of the result, if it is different.
    """
    sizes = x.sizes or (1,)
    dim += len(sizes) if dim < 0 else 0
    outer, n, inner = prod(sizes[:dim]), sizes[dim], prod(sizes[dim + 1 :])
    kind, target = C_TYPES[x.dtype], C_TYPES[out or x.dtype]
    read, written = f"(const {kind} *)$1$", f"({target} *)$0$"
    if inner == 1:
        call = along.format(x=f"{read} + r * {n}", out=f"{written} + r * {n}", n=n)
        return f"for (fl_size r = 0; r < {outer}; r++) {{ {call} }}", inner
    at = f"r * {n * inner} + c"
    call = across.format(x=f"{read} + {at}", out=f"{written} + {at}", n=n, inner=inner, m="m")
    return (
        f"for (fl_size r = 0; r < {outer}; r++) for (fl_size c = 0; c < {inner}; c += {COLUMNS}) {{ "
        f"const fl_size m = {inner} - c < {COLUMNS} ? {inner} - c : {COLUMNS}; {call} }}",
        inner,
    )
