"""Reading and writing elements by indices and masks, as nodes of ONNX.

A mask becomes the indices of its true elements (``NonZero``), so the size of the selection is determined at run time.
"""

from typing import Any

from flambeau.onnx.graph import Graph, OnnxExporterError, axis_of, dtype_of, operator


@operator("torch.nn.functional.embedding")
def embedding(g: Graph, index: Any, weight: Any, *rest: Any) -> str:
    return g.add("Gather", g.value(weight), g.value(index), axis=0)


@operator("torch.index_select")
def index_select(g: Graph, x: Any, dim: int, index: Any, *rest: Any) -> str:
    return g.add("Gather", g.value(x), g.value(index), axis=axis_of(dim, x))


@operator("torch.gather")
def gather(g: Graph, x: Any, dim: int, index: Any, *rest: Any) -> str:
    return g.add("GatherElements", g.value(x), g.value(index), axis=axis_of(dim, x))


@operator("torch._ops.scatter")
def scatter(g: Graph, x: Any, dim: int, index: Any, source: Any, value: Any = None, reduce: Any = None) -> str:
    if reduce is not None:
        raise OnnxExporterError("torch.onnx.export: scatter with reduce cannot be exported to ONNX; use scatter_add")
    dtype, places = dtype_of(x.tensor), g.value(index)
    if isinstance(source, (int, float)) or source is None or source.tensor.ndim == 0:
        number = g.value(value if source is None else source, dtype)
        source = g.add("Expand", number, g.add("Shape", places))
    else:
        source = g.value(source, dtype)
    return g.add("ScatterElements", g.value(x), places, source, axis=axis_of(dim, x))


@operator("torch.scatter_add")
def scatter_add(g: Graph, x: Any, dim: int, index: Any, source: Any) -> str:
    names = (g.value(t) for t in (x, index, source))
    return g.add("ScatterElements", *names, axis=axis_of(dim, x), reduction="add")


@operator("torch.index_add")
def index_add(g: Graph, x: Any, dim: int, index: Any, source: Any, alpha: Any = 1) -> str:
    dtype, axis, n = dtype_of(x.tensor), axis_of(dim, x), x.tensor.ndim
    order = [axis, *(d for d in range(n) if d != axis)]
    added = g.value(source, dtype) if alpha == 1 else g.add("Mul", g.value(source, dtype), g.constant(alpha, dtype))
    places = g.add("Unsqueeze", g.value(index, "int64"), g.constant([-1], "int64"))
    made = g.add("ScatterND", _permuted(g, g.value(x), order), places, _permuted(g, added, order), reduction="add")
    return _permuted(g, made, [order.index(d) for d in range(n)])


@operator("torch.nn.functional.one_hot")
def one_hot(g: Graph, index: Any, classes: Any) -> str:
    return g.add("OneHot", g.value(index), g.value(classes, "int64"), g.constant([0, 1], "int64"), axis=-1)


class _Places:
    """Indices of some dimensions of a tensor, which come first, as ``GatherND`` expects.

    Attributes:
        dims: the dimensions.
        names: for each dimension, the value that contains its indices.
        ndim: the number of dimensions of the selection that replace them.
        at: the position of these dimensions in the result.
    """

    def __init__(self, g: Graph, x: Any, indices: Any) -> None:
        self.g, self.x, self.rank = g, x, x.tensor.ndim
        self.dims: list[int] = []
        self.names: list[str] = []
        sizes: set[Any] = set()
        dim = 0
        given = [d for d, i in enumerate(indices) if i is not None]
        for i in indices:
            if i is None:
                dim += 1
            elif dtype_of(i.tensor) == "bool":
                places = g.add("NonZero", g.value(i))
                for k in range(i.tensor.ndim):
                    self._take(dim + k, g.add("Gather", places, g.constant(k, "int64"), axis=0))
                dim += i.tensor.ndim
                sizes.add(("mask", id(i.tensor)))
            else:
                self._take(dim, g.value(i, "int64"))
                dim += 1
                sizes.add(("index", i.sizes))
        if not self.dims or any(dtype_of(indices[d].tensor) == "uint8" for d in given):
            raise OnnxExporterError("torch.onnx.export: indexing by this kind of mask cannot be exported to ONNX")
        self.ndim = max(1 if kind == "mask" else len(shape) for kind, shape in sizes)
        together = given == list(range(given[0], given[-1] + 1))
        self.at = self.dims[0] if together else 0
        if len(sizes) > 1:  # to one shape: each plus zeros of all others' shape
            total = self.names[0]
            for other in self.names[1:]:
                total = g.add("Add", total, other)
            zeros = g.add("Mul", total, g.constant(0, "int64"))
            self.names = [g.add("Add", name, zeros) for name in self.names]

    def _take(self, dim: int, name: str) -> None:
        self.dims.append(dim)
        self.names.append(name)

    def first(self) -> str:
        """The tensor with the indexed dimensions before the others."""
        return _permuted(self.g, self.g.value(self.x), self._order())

    def _order(self) -> list[int]:
        return [*self.dims, *(d for d in range(self.rank) if d not in self.dims)]

    def back(self, name: str) -> str:
        """Restore the original order of dimensions after `first`."""
        order = self._order()
        return _permuted(self.g, name, [order.index(d) for d in range(self.rank)])

    def stacked(self) -> str:
        """The indices of all dimensions along a last one."""
        last = self.g.constant([-1], "int64")
        return self.g.add("Concat", *(self.g.add("Unsqueeze", name, last) for name in self.names), axis=-1)

    def result(self, name: str) -> str:
        """Return the result of ``GatherND`` with its new dimensions in the right position."""
        n, total = self.ndim, self.ndim + self.rank - len(self.dims)
        return _permuted(self.g, name, [*range(n, n + self.at), *range(n), *range(n + self.at, total)])

    def picked(self, name: str) -> str:
        """The other way."""
        n, total = self.ndim, self.ndim + self.rank - len(self.dims)
        return _permuted(self.g, name, [*range(self.at, self.at + n), *range(self.at), *range(self.at + n, total)])


def _permuted(g: Graph, name: str, order: list[int]) -> str:
    return name if order == list(range(len(order))) else g.add("Transpose", name, perm=order)


@operator("torch._ops.index")
def index(g: Graph, x: Any, indices: Any) -> str:
    places = _Places(g, x, indices)
    if len(places.dims) == 1:
        return g.add("Gather", g.value(x), places.names[0], axis=places.dims[0])
    return places.result(g.add("GatherND", places.first(), places.stacked()))


@operator("torch.index_put", "torch.Tensor.index_put_")
def index_put(g: Graph, x: Any, indices: Any, values: Any, accumulate: bool = False) -> str:
    dtype = dtype_of(x.tensor)
    mask = indices[0]
    alone = len(indices) == 1 and mask is not None and dtype_of(mask.tensor) == "bool"
    if alone and not accumulate and values.tensor.ndim == 0:
        last = list(range(mask.tensor.ndim, x.tensor.ndim))
        chosen = g.add("Unsqueeze", g.value(mask), g.constant(last, "int64")) if last else g.value(mask)
        return g.add("Where", chosen, g.value(values, dtype), g.value(x))
    places = _Places(g, x, indices)
    first, at = places.first(), places.stacked()
    shape = g.add("Shape", places.result(g.add("GatherND", first, at)))
    wide = places.picked(g.add("Expand", g.value(values, dtype), shape))
    return places.back(g.add("ScatterND", first, at, wide, reduction="add" if accumulate else "none"))


def _true(g: Graph, mask: Any, x: Any) -> tuple[str, str]:
    """Return a tensor and the positions where a mask is true, both in their common broadcast shape."""
    shape = g.add("Shape", g.add("Where", g.value(mask), g.value(x), g.value(x)))
    wide = g.add("NonZero", g.add("Expand", g.value(mask), shape))
    return g.add("Expand", g.value(x), shape), g.add("Transpose", wide, perm=[1, 0])


@operator("torch.masked_select")
def masked_select(g: Graph, x: Any, mask: Any, *rest: Any) -> str:
    return g.add("GatherND", *_true(g, mask, x))


@operator("torch.masked_scatter")
def masked_scatter(g: Graph, x: Any, mask: Any, source: Any) -> str:
    wide, places = _true(g, mask, x)
    flat = g.add("Reshape", g.value(source, dtype_of(x.tensor)), g.constant([-1], "int64"))
    count = g.add("Shape", places, start=0, end=1)
    return g.add("ScatterND", wide, places, g.add("Slice", flat, g.constant([0], "int64"), count))


@operator("torch.nonzero")
def nonzero(g: Graph, x: Any, *rest: Any) -> Any:
    places = g.add("NonZero", g.value(x))
    if True not in rest:
        return g.add("Transpose", places, perm=[1, 0])
    return tuple(g.add("Gather", places, g.constant(k, "int64"), axis=0) for k in range(x.tensor.ndim))
