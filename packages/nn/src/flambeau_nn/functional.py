"""``torch.nn.functional``: the operations of ``flambeau_nn.ops`` as functions without state."""

import flambeau_nn.ops as _ops
import flambeau_nn.packing as _packing  # noqa: F401  (says what handlers get)
from flambeau_nn.ops import activation as _activation
from flambeau_nn.ops.multi_head import multi_head_attention_forward as multi_head_attention_forward
from flambeau_tensor import Tensor as _Tensor
from flambeau_tensor import relu as _relu
from flambeau_tensor.extend import find_operator as _find_operator
from flambeau_tensor.extend import find_quickly as _find_quickly
from flambeau_tensor.extend import first_use as _first_use
from flambeau_tensor.extend import functions as _functions
from flambeau_tensor.extend import lazy_names as _lazy_names
from flambeau_tensor.lazy_attributes import attach as _attach

_find_quickly(__name__)
globals().update(_functions(_ops.NAMESPACE, lazy=False))
globals().update({_name: _find_operator(f"torch.{_name}") for _name in _ops.OF_TORCH})
relu_, elu_, leaky_relu_ = _relu.inplace, _activation.elu_.inplace, _activation.leaky_relu_.inplace


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """:func:`hardtanh` in place.

    Raises:
        NotImplementedError: the input is complex.
        TypeError: the input is not a tensor.

    >>> torch.nn.functional.hardtanh_(torch.tensor([-2.0, 0.5, 2.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if not isinstance(input, _Tensor):
        raise TypeError(f"hardtanh_(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return _activation.clamped(input, min_val, max_val, True)


# The modes of `grid_sample` as numbers, which `torch.grid_sampler` takes.
GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def _first_named(name):
    return _first_use("torch" if name in _ops.LATE_OF_TORCH else _ops.NAMESPACE, name)


# Names that attention layers of other packages import.
_OF_ATTENTION = {
    "_canonical_mask": "flambeau_nn.ops.multi_head:canonical_mask",
    "_mha_shape_check": "flambeau_nn.ops.multi_head:_check_shapes",
    **dict.fromkeys(("_in_projection", "_in_projection_packed", "_none_or_dtype"), "flambeau_nn.private_names"),
}
__getattr__ = _attach(
    __name__, "torch.nn.functional", _OF_ATTENTION, find=_first_named, modules={"grad": "flambeau_nn.grad"}
)[0]


def __dir__():
    return sorted({*globals(), *_lazy_names(_ops.NAMESPACE), *_ops.LATE_OF_TORCH})
