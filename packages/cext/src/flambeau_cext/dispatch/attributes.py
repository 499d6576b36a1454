"""Attributes of a tensor without memory, if ``_make_wrapper_subclass`` declared that its class handles them.

See `dispatch_sizes_strides_policy`, `dispatch_device`, `dispatch_layout`.
"""

from collections.abc import Callable
from typing import Any

from flambeau_cext import ops
from flambeau_tensor import Size
from flambeau_tensor.extend import FUNCTION, Operator, dispatching

_FACTS: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("aten", "sym_size(Tensor self) -> int[]", lambda self: list(self.shape)),
    ("aten", "sym_size.int(Tensor self, int dim) -> int", lambda self, dim: self.shape[dim]),
    ("aten", "sym_stride(Tensor self) -> int[]", lambda self: list(self.stride())),
    ("aten", "sym_stride.int(Tensor self, int dim) -> int", lambda self, dim: self.stride(dim)),
    ("aten", "sym_numel(Tensor self) -> int", lambda self: self.numel()),
    ("aten", "sym_storage_offset(Tensor self) -> int", lambda self: self.storage_offset()),
    ("prim", "device(Tensor a) -> Device", lambda a: a.device),
    ("prim", "layout(Tensor a) -> Layout", lambda a: a.layout),
)
for _space, _schema, _fact in _FACTS:
    Operator(
        _schema,
        _fact,
        namespace=f"torch.ops.{_space}",
        variants=FUNCTION,
        composite=True,
        doc="What a tensor says of itself.",
    )

_aten: Any = ops.aten
_prim: Any = ops.prim
_size, _stride = _aten.sym_size.default, _aten.sym_stride.default
_dim, _numel = _aten.dim.default, _aten.sym_numel.default
_device, _layout = _prim.device.default, _prim.layout.default


def _one_or_all(kind: Callable[..., Any]) -> Callable[..., Any]:
    return lambda values, dim=None: kind(values) if dim is None else values[dim]


def _is_on(kind: str) -> Callable[[Any], bool]:
    return lambda device: device.type == kind


QUESTIONS = {
    name: dispatching.Question(of, func, answer)
    for name, of, func, answer in (
        ("torch.Tensor.shape.__get__", "sizes", _size, Size),
        ("torch.Tensor.size", "sizes", _size, _one_or_all(Size)),
        ("torch.Tensor.__len__", "sizes", _size, lambda sizes: sizes[0]),
        ("torch.Tensor.dim", "sizes", _dim, int),
        ("torch.Tensor.ndim.__get__", "sizes", _dim, int),
        ("torch.numel", "sizes", _numel, int),
        ("torch.Tensor.stride", "strides", _stride, _one_or_all(tuple)),
        ("torch.Tensor.storage_offset", "strides", _aten.sym_storage_offset.default, int),
        (
            "torch.Tensor.is_contiguous",
            "strides",
            _aten.is_contiguous.default,
            lambda found, memory_format=None: found,
        ),
        ("torch.Tensor.device.__get__", "device", _device, lambda device: device),
        ("torch.Tensor.is_meta.__get__", "device", _device, _is_on("meta")),
        ("torch.Tensor.is_cpu.__get__", "device", _device, _is_on("cpu")),
        ("torch.Tensor.is_cuda.__get__", "device", _device, _is_on("cuda")),
        ("torch.Tensor.layout.__get__", "layout", _layout, lambda layout: layout),
    )
}
