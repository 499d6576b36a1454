"""Elements picked by indices, and added at them."""

from math import prod
from typing import Any

from flambeau_compile.exporting.forms import flat_place, form, nest, wrapped
from flambeau_compile.graph import Window


def _spread(index: Window, d: int, x: Window) -> tuple[str, str, str]:
    """Return loops over an index of `gather`, the position in it, and the position in `x` that it selects."""
    heads, names = nest(*index.sizes)
    own = flat_place(names, index.sizes)
    names[d] = "k"
    return heads, own, flat_place(names, x.sizes)


@form("torch.gather")
def gather(b: Any, args: Any, out: Window) -> Any:
    x, dim, index = args[:3]
    if not x.sizes or x.dtype != out.dtype:
        return NotImplemented
    heads, own, place = _spread(index, wrapped(dim, x.sizes), x)
    b.loops(f"{heads} {{ const int64_t k = $2$[{own}]; $0$[{own}] = $1$[{place}]; }}", [], [x, index], out)
    return None


@form("torch.scatter_add")
def scatter_add(b: Any, args: Any, out: Window) -> Any:
    x, dim, index, source = args[:4]
    if not x.sizes or source.sizes != index.sizes:
        return NotImplemented
    heads, own, place = _spread(index, wrapped(dim, x.sizes), x)
    n = x.numel
    b.loops(f"for (ptrdiff_t i = 0; i < {n}; i++) $0$[i] = $1$[i]; {heads} {{ const int64_t k = $2$[{own}]; "
            f"$0$[{place}] += $3$[{own}]; }}", [], [x, index, source], out)  # fmt: skip
    return None


@form("torch.nn.functional.embedding", "torch.index_select")
def rows_by_index(b: Any, args: Any, out: Window) -> Any:
    if b.operator.endswith("embedding"):
        index, table, dim = args[0], args[1], 0
        if args[3] is not None:
            return NotImplemented
    else:
        table, dim, index = args[:3]
    if not table.sizes or wrapped(dim, table.sizes) != 0:
        return NotImplemented
    n = prod(table.sizes[1:])
    b.loops(f"for (ptrdiff_t i = 0; i < {index.numel}; i++) for (ptrdiff_t j = 0; j < {n}; j++) "
            f"$0$[i * {n} + j] = $2$[$1$[i] * {n} + j];", [], [index, table], out)  # fmt: skip
    return None


@form("torch.index_add")
def index_add(b: Any, args: Any, out: Window) -> Any:
    x, dim, index, source, alpha = args[:5]
    if not x.sizes or wrapped(dim, x.sizes) != 0 or alpha != 1:
        return NotImplemented
    n = prod(x.sizes[1:])
    b.loops(f"for (ptrdiff_t i = 0; i < {x.numel}; i++) $0$[i] = $1$[i]; for (ptrdiff_t i = 0; i < {index.numel}; i++) "
            f"for (ptrdiff_t j = 0; j < {n}; j++) $0$[$2$[i] * {n} + j] += $3$[i * {n} + j];",
            [], [x, index, source], out)  # fmt: skip
    return None


@form("torch._ops.index")
def index(b: Any, args: Any, out: Window) -> Any:
    x, indices = args[:2]
    if len(indices) != 1 or not isinstance(indices[0], Window) or indices[0].dtype != "int64":
        return NotImplemented
    n, rows = prod(x.sizes[1:]), x.sizes[0]
    b.loops(f"for (ptrdiff_t i = 0; i < {indices[0].numel}; i++) {{ const int64_t k = $1$[i] < 0 "
            f"? $1$[i] + {rows} : $1$[i]; "
            f"for (ptrdiff_t j = 0; j < {n}; j++) $0$[i * {n} + j] = $2$[k * {n} + j]; }}",
            [], [indices[0], x], out)  # fmt: skip
    return None


@form("torch.nn.functional.one_hot")
def one_hot(b: Any, args: Any, out: Window) -> Any:
    index, n = args[0], out.sizes[-1]
    b.loops(f"for (ptrdiff_t i = 0; i < {index.numel}; i++) for (ptrdiff_t j = 0; j < {n}; j++) "
            f"$0$[i * {n} + j] = $1$[i] == j;", [], [index], out)  # fmt: skip
