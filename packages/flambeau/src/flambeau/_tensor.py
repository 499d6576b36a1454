"""``torch._tensor``: where PyTorch has its class of tensors, and what files of subclasses call."""

from typing import Any

from flambeau import Tensor as Tensor
from flambeau_tensor.serialization.rebuilding import _rebuild_from_type_v2 as _rebuild_from_type_v2


def _convert(ret: Any, cls: type) -> Any:
    """`ret` with its plain tensors as instances of `cls`, through tuples and lists."""
    if cls is Tensor:
        return ret
    if isinstance(ret, Tensor):
        return ret if isinstance(ret, cls) else ret.as_subclass(cls)
    if isinstance(ret, (tuple, list)):
        return type(ret)(_convert(each, cls) for each in ret)
    return ret
