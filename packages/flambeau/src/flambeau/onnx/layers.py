"""Products, reductions, shapes and layers as nodes of ONNX."""

from typing import Any

import numpy as np

from flambeau.export.sizes import Size
from flambeau.onnx.graph import Graph, OnnxExporterError, axis_of, dtype_of, operator, static

_END = 2**31 - 1


def _axes(dim: Any, x: Any) -> list[int]:
    if dim is None or dim == ():
        return list(range(x.tensor.ndim))
    return [axis_of(d, x) for d in ((dim,) if isinstance(dim, int) else dim)]


# --- products -----------------------------------------------------------------------------------------------------


@operator("torch.mm", "torch.bmm", "torch.matmul", "torch.mv", "torch.dot")
def matmul(g: Graph, x: Any, y: Any, *rest: Any) -> str:
    return g.add("MatMul", g.value(x), g.value(y))


@operator("torch.addmm", "torch.baddbmm", "torch.addmv")
def addmm(g: Graph, bias: Any, x: Any, y: Any, beta: Any = 1, alpha: Any = 1, *rest: Any) -> str:
    dtype = dtype_of(x.tensor)
    product, addend = g.add("MatMul", g.value(x), g.value(y)), g.value(bias)
    if alpha != 1:
        product = g.add("Mul", product, g.constant(alpha, dtype))
    if beta != 1:
        addend = g.add("Mul", addend, g.constant(beta, dtype))
    return g.add("Add", product, addend)


@operator("torch.nn.functional.linear", "torch._C._nn.linear")
def linear(g: Graph, x: Any, weight: Any, bias: Any = None) -> str:
    more = [] if bias is None else [g.value(bias)]
    if x.tensor.ndim == 2:
        return g.add("Gemm", g.value(x), g.value(weight), *more, transB=1)
    product = g.add("MatMul", g.value(x), g.add("Transpose", g.value(weight), perm=[1, 0]))
    return g.add("Add", product, *more) if more else product


@operator("torch._C._nn.attention")
def attention(g: Graph, q: Any, k: Any, v: Any, mask: Any = None, causal: bool = False, scale: Any = None) -> Any:
    dtype, n = dtype_of(q.tensor), q.tensor.ndim
    turned = g.add("Transpose", g.value(k), perm=[*range(n - 2), n - 1, n - 2])
    scores = g.add("Mul", g.add("MatMul", g.value(q), turned), g.constant(scale, dtype))
    if causal:
        rows, columns = (g.add("Shape", g.value(t), start=n - 2, end=n - 1) for t in (q, k))
        ones = g.add("Expand", g.constant([[True]], "bool"), g.add("Concat", rows, columns, axis=0))
        kept = g.add("Cast", g.add("Trilu", g.add("Cast", ones, to=7), upper=0), to=9)
        scores = g.add("Where", kept, scores, g.constant(float("-inf"), dtype))
    if mask is not None:
        if dtype_of(mask.tensor) == "bool":
            scores = g.add("Where", g.value(mask), scores, g.constant(float("-inf"), dtype))
        else:
            scores = g.add("Add", scores, g.value(mask, dtype))
    return g.add("MatMul", g.add("Softmax", scores, axis=-1), g.value(v)), None


# --- reductions ---------------------------------------------------------------------------------------------------


def _reduced(kind: str) -> Any:
    def write(g: Graph, x: Any, dim: Any = None, keep: bool = False, *rest: Any) -> str:
        name = g.value(x)
        if kind == "ReduceSum" and dtype_of(x.tensor) == "bool":
            name = g.cast(name, "int64")
        return g.add(kind, name, g.constant(_axes(dim, x), "int64"), keepdims=int(bool(keep)))

    return write


operator("torch._ops.sum")(_reduced("ReduceSum"))
operator("torch._ops.mean")(_reduced("ReduceMean"))
operator("torch._ops.prod")(_reduced("ReduceProd"))
operator("torch.amax")(_reduced("ReduceMax"))
operator("torch.amin")(_reduced("ReduceMin"))
operator("torch.max.default")(_reduced("ReduceMax"))
operator("torch.min.default")(_reduced("ReduceMin"))


@operator("torch._ops.var", "torch._ops.std")
def var(g: Graph, x: Any, dim: Any = None, correction: Any = 1, keep: bool = False, *rest: Any) -> str:
    dtype, axes = dtype_of(x.tensor), g.constant(_axes(dim, x), "int64")
    name = g.value(x)
    away = g.add("Sub", name, g.add("ReduceMean", name, axes, keepdims=1))
    total = g.add("ReduceSumSquare", away, axes, keepdims=int(bool(keep)))
    sizes = g.add("ReduceProd", g.add("Gather", g.add("Shape", name), axes), keepdims=0)
    count = g.add("Sub", g.cast(sizes, dtype), g.constant(correction, dtype))
    result = g.add("Div", total, count)
    return g.add("Sqrt", result) if (g.op.functional or g.op).name == "std" else result


@operator("torch.linalg.vector_norm")
def vector_norm(g: Graph, x: Any, order: Any = 2, dim: Any = None, keep: bool = False, *rest: Any) -> str:
    kind = {1: "ReduceL1", 2: "ReduceL2"}.get(order)
    if kind is None:
        raise OnnxExporterError(f"torch.onnx.export: vector_norm of order {order} cannot be exported to ONNX")
    return g.add(kind, g.value(x), g.constant(_axes(dim, x), "int64"), keepdims=int(bool(keep)))


def _best(kind: str) -> Any:
    def write(g: Graph, x: Any, dim: Any = None, keep: bool = False, *rest: Any) -> str:
        if dim is None:
            return g.add(kind, g.add("Reshape", g.value(x), g.constant([-1], "int64")), axis=0, keepdims=0)
        return g.add(kind, g.value(x), axis=axis_of(dim, x), keepdims=int(bool(keep)))

    return write


operator("torch.argmax")(_best("ArgMax"))
operator("torch.argmin")(_best("ArgMin"))


def _extreme(kind: str, index: str) -> Any:
    def write(g: Graph, x: Any, dim: int, keep: bool = False, *rest: Any) -> Any:
        axis, name = axis_of(dim, x), g.value(x)
        value = g.add(kind, name, g.constant([axis], "int64"), keepdims=int(bool(keep)))
        return value, g.add(index, name, axis=axis, keepdims=int(bool(keep)))

    return write


operator("torch.max.dim")(_extreme("ReduceMax", "ArgMax"))
operator("torch.min.dim")(_extreme("ReduceMin", "ArgMin"))


@operator("torch.topk")
def topk(g: Graph, x: Any, k: Any, dim: int = -1, largest: bool = True, ordered: bool = True, *rest: Any) -> Any:
    return g.add("TopK", g.value(x), g.numbers([k]), axis=axis_of(dim, x), largest=int(largest), sorted=int(ordered),
                 outputs=2)  # fmt: skip


@operator("torch.sort.default", "torch.sort")
def sort(g: Graph, x: Any, dim: int = -1, descending: bool = False, *rest: Any) -> Any:
    axis = axis_of(dim, x)
    size = g.add("Shape", g.value(x), start=axis, end=axis + 1)
    return g.add("TopK", g.value(x), size, axis=axis, largest=int(descending), sorted=1, outputs=2)


@operator("torch.cumsum")
def cumsum(g: Graph, x: Any, dim: int, *rest: Any) -> str:
    return g.add("CumSum", g.value(x), g.constant(axis_of(dim, x), "int64"))


@operator("torch.softmax")
def softmax(g: Graph, x: Any, dim: int, *rest: Any) -> str:
    return g.add("Softmax", g.value(x), axis=axis_of(dim, x))


@operator("torch.log_softmax")
def log_softmax(g: Graph, x: Any, dim: int, *rest: Any) -> str:
    return g.add("LogSoftmax", g.value(x), axis=axis_of(dim, x))


# --- shapes -------------------------------------------------------------------------------------------------------


@operator("torch.reshape", "torch.Tensor.view.default", "torch.Tensor.view", "torch._ops.view")
def reshape(g: Graph, x: Any, sizes: Any) -> str:
    sizes = (sizes,) if isinstance(sizes, int) else sizes
    return g.add("Reshape", g.value(x), g.numbers(sizes), allowzero=1)


@operator("torch.flatten")
def flatten(g: Graph, x: Any, start: int = 0, end: int = -1) -> str:
    t = x.tensor
    if t.ndim == 0:
        return g.add("Reshape", g.value(x), g.constant([1], "int64"))
    first, last = axis_of(start, x), axis_of(end, x)
    before, after = (g.add("Shape", g.value(x), start=a, end=b) for a, b in ((0, first), (last + 1, t.ndim)))
    parts = [before] * (first > 0) + [g.constant([-1], "int64")] + [after] * (last + 1 < t.ndim)
    return g.add("Reshape", g.value(x), parts[0] if len(parts) == 1 else g.add("Concat", *parts, axis=0))


@operator("torch.permute")
def permute(g: Graph, x: Any, dims: Any) -> str:
    return g.add("Transpose", g.value(x), perm=[axis_of(d, x) for d in dims])


@operator("torch.transpose", "torch.swapaxes")
def transpose(g: Graph, x: Any, a: int, b: int) -> str:
    order = list(range(x.tensor.ndim))
    if order:
        a, b = axis_of(a, x), axis_of(b, x)
        order[a], order[b] = order[b], order[a]
    return g.add("Transpose", g.value(x), perm=order)


@operator("torch.t", "torch.adjoint", "torch.Tensor.T.__get__", "torch.Tensor.mT.__get__")
def t(g: Graph, x: Any) -> str:
    n = x.tensor.ndim
    return g.add("Transpose", g.value(x), perm=[*range(n - 2), n - 1, n - 2] if n > 1 else list(range(n)))


@operator("torch.unsqueeze")
def unsqueeze(g: Graph, x: Any, dim: int) -> str:
    axis = dim + x.tensor.ndim + 1 if dim < 0 else dim
    return g.add("Unsqueeze", g.value(x), g.constant([axis], "int64"))


@operator("torch._ops.squeeze", "torch.squeeze")
def squeeze(g: Graph, x: Any, dim: Any = None) -> str:
    axes = [a for a in _axes(dim, x) if x.sizes[a] == 1]
    return g.add("Squeeze", g.value(x), g.constant(axes, "int64")) if axes else g.value(x)


@operator("torch.Tensor.expand", "torch.broadcast_to")
def expand(g: Graph, x: Any, sizes: Any, *rest: Any) -> str:
    return g.add("Expand", g.value(x), g.numbers([1 if s == -1 else s for s in sizes]))


@operator("torch._ops.slice")
def slice_of(g: Graph, x: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> str:
    start, end = 0 if start is None else start, _END if end is None else end
    if not isinstance(end, Size) and end > _END:
        end = _END
    axis = g.constant([axis_of(dim, x)], "int64")
    return g.add("Slice", g.value(x), g.numbers([start]), g.numbers([end]), axis, g.constant([step], "int64"))


@operator("torch.narrow")
def narrow(g: Graph, x: Any, dim: int, start: Any, length: Any) -> str:
    end: Any = start + length
    if isinstance(start, Size) or isinstance(length, Size):
        first, count = g.numbers([start]), g.numbers([length])
        return g.add("Slice", g.value(x), first, g.add("Add", first, count), g.constant([axis_of(dim, x)], "int64"))
    return slice_of(g, x, dim, start, end)


@operator("torch.select")
def select(g: Graph, x: Any, dim: int, index: Any) -> str:
    return g.add("Gather", g.value(x), g.value(index, "int64"), axis=axis_of(dim, x))


@operator("torch.flip")
def flip(g: Graph, x: Any, dims: Any) -> str:
    axes = _axes(dims, x)
    n = len(axes)
    return g.add("Slice", g.value(x), *(g.constant([v] * n, "int64") for v in (-1, -_END)), g.constant(axes, "int64"),
                 g.constant([-1] * n, "int64"))  # fmt: skip


@operator("torch.cat")
def cat(g: Graph, tensors: Any, dim: int = 0, *rest: Any) -> str:
    kept = [x for x in tensors if x.sizes != (0,)] or list(tensors)
    return g.add("Concat", *map(g.value, kept), axis=axis_of(dim, kept[0]))


@operator("torch.stack")
def stack(g: Graph, tensors: Any, dim: int = 0, *rest: Any) -> str:
    axis = dim + tensors[0].tensor.ndim + 1 if dim < 0 else dim
    at = g.constant([axis], "int64")
    return g.add("Concat", *(g.add("Unsqueeze", g.value(x), at) for x in tensors), axis=axis)


@operator("torch.clone", "torch.detach", "torch.Tensor.contiguous", "torch.positive", "torch._ops.alias")
def identity(g: Graph, x: Any, *rest: Any) -> str:
    return g.value(x)


@operator("torch._ops.to_copy")
def to_copy(g: Graph, x: Any, dtype: Any = None, *rest: Any) -> str:
    return g.value(x) if dtype is None else g.value(x, str(dtype).removeprefix("torch."))


@operator("torch.Tensor.copy_")
def copy(g: Graph, x: Any, source: Any, *rest: Any) -> str:
    shape = g.add("Shape", g.value(x))
    return g.add("Expand", g.value(source, dtype_of(x.tensor)), shape)


@operator("torch.zeros", "torch.ones", "torch.full", "torch.empty")
def filled(g: Graph, result: Any, sizes: Any, *rest: Any) -> str | None:
    sizes = (sizes,) if isinstance(sizes, int) else sizes
    if not any(isinstance(s, Size) for s in sizes):
        return None
    dtype, name = dtype_of(result.tensor), g.op.name
    value = rest[0] if name == "full" else int(name == "ones")
    return g.add("Expand", g.constant(value, dtype), g.numbers(sizes))


filled.gets_result = True  # type: ignore[attr-defined]


@operator("torch.Tensor.new_zeros", "torch.Tensor.new_ones", "torch.Tensor.new_full", "torch.Tensor.new_empty")
def filled_anew(g: Graph, result: Any, x: Any, sizes: Any, *rest: Any) -> str:
    value = rest[0] if g.op.name == "new_full" else int(g.op.name == "new_ones")
    return g.add(
        "Expand", g.constant(value, dtype_of(result.tensor)), g.numbers((sizes,) if isinstance(sizes, int) else sizes)
    )


filled_anew.gets_result = True  # type: ignore[attr-defined]


@operator("torch.zeros_like", "torch.ones_like", "torch.empty_like", "torch.full_like")
def filled_like(g: Graph, result: Any, x: Any, *rest: Any) -> str:
    value = rest[0] if g.op.name == "full_like" else int(g.op.name == "ones_like")
    return g.add("Expand", g.constant(value, dtype_of(result.tensor)), g.add("Shape", g.value(x)))


filled_like.gets_result = True  # type: ignore[attr-defined]


@operator("torch.fill_", "torch.zero_")
def fill(g: Graph, x: Any, value: Any = 0) -> str:
    return g.add("Expand", g.value(value, dtype_of(x.tensor)), g.add("Shape", g.value(x)))


@operator("torch._ops.arange")
def arange(g: Graph, result: Any, end: Any, start: Any = 0, step: Any = 1, *rest: Any) -> str | None:
    if not any(isinstance(v, Size) for v in (start, end, step)):
        return None
    return g.add("Range", *(g.value(v, dtype_of(result.tensor)) for v in (start, end, step)))


arange.gets_result = True  # type: ignore[attr-defined]


@operator("torch.tril", "torch.triu")
def triangle(g: Graph, x: Any, diagonal: int = 0, *rest: Any) -> str:
    upper = int((g.op.functional or g.op).name == "triu")
    return g.add("Trilu", g.value(x), g.constant(diagonal, "int64"), upper=upper)


@operator("torch.pixel_shuffle")
def pixel_shuffle(g: Graph, x: Any, factor: int) -> str:
    return g.add("DepthToSpace", g.value(x), blocksize=factor, mode="CRD")


# --- layers -------------------------------------------------------------------------------------------------------


def _each(value: Any, n: int) -> list[int]:
    static(value, "a window's size")
    return [value] * n if isinstance(value, int) else list(value) * (n if len(value) == 1 else 1)


@operator("torch.convolution")
def convolution(g: Graph, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
                output_padding: Any, groups: int) -> str:  # fmt: skip
    n = weight.tensor.ndim - 2
    pads = _each(padding, n)
    attributes: dict[str, Any] = {
        "strides": _each(stride, n), "dilations": _each(dilation, n), "pads": pads + pads, "group": groups,
        "kernel_shape": list(weight.sizes[2:]),
    }  # fmt: skip
    if transposed:
        attributes["output_padding"] = _each(output_padding, n)
    more = [] if bias is None else [g.value(bias)]
    return g.add("ConvTranspose" if transposed else "Conv", g.value(x), g.value(weight), *more, **attributes)


@operator("torch._C._nn.im2col")
def im2col(g: Graph, x: Any, size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> str:
    """A convolution whose filters each pick one element of a window."""
    window, pads, channels = _each(size, 2), _each(padding, 2), x.sizes[-3]
    count = window[0] * window[1]
    picks = np.tile(np.eye(count).reshape(count, 1, *window), (channels, 1, 1, 1))
    made = g.add("Conv", _images(g, x, 2), g.constant(picks, dtype_of(x.tensor)), group=channels, kernel_shape=window,
                 strides=_each(stride, 2), dilations=_each(dilation, 2), pads=pads + pads)  # fmt: skip
    return _single(g, x, 2, g.add("Reshape", made, g.constant([0, channels * count, -1], "int64")))


def _pool(n: int) -> Any:
    def write(g: Graph, x: Any, size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil: bool = False,
              *rest: Any) -> Any:  # fmt: skip
        window, pads = _each(size, n), _each(padding, n)
        strides = window if stride in (None, ()) else _each(stride, n)
        name = _images(g, x, n)
        value = g.add("MaxPool", name, kernel_shape=window, strides=strides, pads=pads + pads,
                      dilations=_each(dilation, n), ceil_mode=int(ceil))  # fmt: skip
        return _single(g, x, n, value), None

    return write


def _images(g: Graph, x: Any, n: int) -> str:
    """Return a batch of images; a single image becomes a batch of one."""
    name = g.value(x)
    return g.add("Unsqueeze", name, g.constant([0], "int64")) if x.tensor.ndim == n + 1 else name


def _single(g: Graph, x: Any, n: int, name: str) -> str:
    return g.add("Squeeze", name, g.constant([0], "int64")) if x.tensor.ndim == n + 1 else name


def _average(n: int) -> Any:
    def write(g: Graph, x: Any, size: Any, stride: Any = None, padding: Any = 0, ceil: bool = False, whole: bool = True,
              *rest: Any) -> str:  # fmt: skip
        window, pads = _each(size, n), _each(padding, n)
        strides = window if stride in (None, ()) else _each(stride, n)
        value = g.add("AveragePool", _images(g, x, n), kernel_shape=window, strides=strides, pads=pads + pads,
                      ceil_mode=int(ceil), count_include_pad=int(whole))  # fmt: skip
        return _single(g, x, n, value)

    return write


def _adaptive(n: int) -> Any:
    def write(g: Graph, x: Any, sizes: Any) -> str:
        wanted = _each(sizes, n)
        name = _images(g, x, n)
        if wanted == [1] * n:
            return _single(g, x, n, g.add("GlobalAveragePool", name))
        have = x.sizes[-n:]
        if any(a % b for a, b in zip(have, wanted, strict=True)):
            raise OnnxExporterError("torch.onnx.export: adaptive pooling to a size that does not divide the image's")
        window = [a // b for a, b in zip(have, wanted, strict=True)]
        return _single(g, x, n, g.add("AveragePool", name, kernel_shape=window, strides=window))

    return write


for _n in (1, 2, 3):
    operator(f"torch.nn.functional.max_pool{_n}d_with_indices")(_pool(_n))
    operator(f"torch.nn.functional.avg_pool{_n}d")(_average(_n))
    operator(f"torch.nn.functional.adaptive_avg_pool{_n}d")(_adaptive(_n))


@operator("torch.nn.functional.layer_norm")
def layer_norm(g: Graph, x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> str:
    n = len(shape) if isinstance(shape, tuple) else 1
    dtype = dtype_of(x.tensor)
    scale = g.value(weight) if weight is not None else g.constant(np.ones(x.sizes[-n:]), dtype)
    more = [] if bias is None else [g.value(bias)]
    return g.add("LayerNormalization", g.value(x), scale, *more, axis=-n, epsilon=float(eps))


@operator("torch._C._nn.rms_rows")
def rms_rows(g: Graph, x: Any, shape: Any, weight: Any, eps: float) -> str:
    name = g.value(x)
    axes = g.constant(list(range(-len(shape) if isinstance(shape, tuple) else -1, 0)), "int64")
    mean = g.add("ReduceMean", g.add("Mul", name, name), axes, keepdims=1)
    result = g.add("Div", name, g.add("Sqrt", g.add("Add", mean, g.constant(float(eps), dtype_of(x.tensor)))))
    return result if weight is None else g.add("Mul", result, g.value(weight))


@operator("torch._C._nn.channel_norm")
def channel_norm(g: Graph, x: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    """Groups of channels; with no group, statistics of each channel over the batch."""
    dtype, t = dtype_of(x.tensor), x.tensor
    channels, name = x.sizes[1], g.value(x)
    if groups == 0:
        axes = g.constant([0, *range(2, t.ndim)], "int64")
        flat, shape = name, None
    else:
        shape = g.add("Shape", name)
        flat = g.add("Reshape", name, g.constant([0, groups, -1], "int64"))
        axes = g.constant([2], "int64")
    away = g.add("Sub", flat, g.add("ReduceMean", flat, axes, keepdims=1))
    variance = g.add("ReduceMean", g.add("Mul", away, away), axes, keepdims=1)
    result = g.add("Div", away, g.add("Sqrt", g.add("Add", variance, g.constant(eps, dtype))))
    if shape is not None:
        result = g.add("Reshape", result, shape)
    column = g.constant([channels, *[1] * (t.ndim - 2)], "int64")
    for kind, w in (("Mul", weight), ("Add", bias)):
        if w is not None:
            result = g.add(kind, result, g.add("Reshape", g.value(w), column))
    return result, None, None


@operator("torch._C._nn.channel_scale")
def channel_scale(g: Graph, x: Any, mean: Any, variance: Any, weight: Any, bias: Any, eps: float) -> str:
    dtype, count = dtype_of(x.tensor), [x.sizes[1]]
    scale = g.value(weight) if weight is not None else g.constant(np.ones(count), dtype)
    shift = g.value(bias) if bias is not None else g.constant(np.zeros(count), dtype)
    return g.add("BatchNormalization", g.value(x), scale, shift, g.value(mean), g.value(variance), epsilon=float(eps))


@operator("torch._C._nn.constant_pad_nd")
def constant_pad(g: Graph, x: Any, pad: Any, value: Any = 0) -> str:
    return g.add("Pad", g.value(x), _pads(g, x, pad), g.constant(value, dtype_of(x.tensor)))


@operator("torch._C._nn.pad_by_copies")
def pad_by_copies(g: Graph, x: Any, pad: Any, mode: str) -> str:
    kind = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]
    return g.add("Pad", g.value(x), _pads(g, x, pad), mode=kind)


def _pads(g: Graph, x: Any, pad: Any) -> str:
    n = x.tensor.ndim
    before, after = [0] * n, [0] * n
    for k in range(len(pad) // 2):
        before[n - 1 - k], after[n - 1 - k] = pad[2 * k], pad[2 * k + 1]
    return g.numbers(before + after)


@operator("torch._C._nn.resample")
def resample(g: Graph, x: Any, sizes: Any, mode: str, corners: Any, scales: Any, antialias: bool = False) -> str:
    kind = {"nearest": "nearest", "nearest-exact": "nearest", "bilinear": "linear", "linear": "linear",
            "trilinear": "linear", "bicubic": "cubic"}[mode]  # fmt: skip
    attributes: dict[str, Any] = {"mode": kind}
    if mode == "nearest":
        attributes.update(coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    elif mode == "nearest-exact":
        attributes.update(coordinate_transformation_mode="half_pixel", nearest_mode="round_prefer_floor")
    else:
        attributes["coordinate_transformation_mode"] = "align_corners" if corners else "half_pixel"
    if kind == "cubic":
        attributes["cubic_coeff_a"] = -0.75
    if antialias:
        attributes["antialias"] = 1
    head = g.add("Shape", g.value(x), start=0, end=2)
    return g.add("Resize", g.value(x), "", "", g.add("Concat", head, g.numbers(sizes), axis=0), **attributes)


# --- recurrent layers ---------------------------------------------------------------------------------------------


def _recurrent(g: Graph, kind: str, x: Any, states: list[Any], weights: list[Any], biases: list[Any], reverse: bool,
               order: tuple[int, ...], **attributes: Any) -> Any:  # fmt: skip
    """A layer of one direction; ``order`` are the gates as ONNX has them."""
    one = g.constant([0], "int64")
    hidden = states[0].sizes[-1]

    def gates(w: Any) -> str:
        parts = [g.add("Slice", g.value(w), g.constant([i * hidden], "int64"), g.constant([(i + 1) * hidden], "int64"),
                       g.constant([0], "int64")) for i in order]  # fmt: skip
        return parts[0] if len(parts) == 1 else g.add("Concat", *parts, axis=0)

    wide = [g.add("Unsqueeze", gates(w), one) for w in weights]
    bias = g.add("Unsqueeze", g.add("Concat", *map(gates, biases), axis=0), one) if biases else ""
    first = [g.add("Unsqueeze", g.value(s), one) for s in states]
    made = g.add(kind, g.value(x), *wide, bias, "", *first, hidden_size=hidden, outputs=1 + len(states),
                 direction="reverse" if reverse else "forward", **attributes)  # fmt: skip
    whole = g.add("Squeeze", made[0], g.constant([1], "int64"))
    return (whole, *(g.add("Squeeze", s, one) for s in made[1:]), None)


@operator("torch._C._nn.lstm_layer")
def lstm_layer(g: Graph, x: Any, lengths: Any, h: Any, c: Any, wi: Any, wh: Any, bi: Any, bh: Any, projection: Any,
               reverse: bool, *rest: Any) -> Any:  # fmt: skip
    if lengths is not None or projection is not None:
        raise OnnxExporterError(
            "torch.onnx.export: packed sequences and projections of LSTM cannot be exported to ONNX"
        )
    return _recurrent(g, "LSTM", x, [h, c], [wi, wh], [] if bi is None else [bi, bh], reverse, (0, 3, 1, 2))


@operator("torch._C._nn.rnn_layer")
def rnn_layer(g: Graph, x: Any, lengths: Any, h: Any, wi: Any, wh: Any, bi: Any, bh: Any, mode: str, reverse: bool,
              *rest: Any) -> Any:  # fmt: skip
    if lengths is not None:
        raise OnnxExporterError("torch.onnx.export: packed sequences cannot be exported to ONNX")
    biases = [] if bi is None else [bi, bh]
    if mode == "GRU":
        return _recurrent(g, "GRU", x, [h], [wi, wh], biases, reverse, (1, 0, 2), linear_before_reset=1)
    activation = "Tanh" if "TANH" in mode.upper() else "Relu"
    return _recurrent(g, "RNN", x, [h], [wi, wh], biases, reverse, (0,), activations=[activation])
