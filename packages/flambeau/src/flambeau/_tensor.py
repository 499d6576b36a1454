"""``torch._tensor``: the module of the tensor class in PyTorch, and functions that pickled subclasses call."""

from typing import Any

from flambeau import Tensor as Tensor
from flambeau_tensor.serialization.rebuilding import _rebuild_from_type_v2 as _rebuild_from_type_v2


def _convert(ret: Any, cls: type) -> Any:
    """Return `ret` with plain tensors, also those in tuples and lists, converted to instances of `cls`."""
    if cls is Tensor:
        return ret
    if isinstance(ret, Tensor):
        return ret if isinstance(ret, cls) else ret.as_subclass(cls)
    if isinstance(ret, (tuple, list)):
        return type(ret)(_convert(each, cls) for each in ret)
    return ret
