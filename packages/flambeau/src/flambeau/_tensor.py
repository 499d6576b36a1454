"""``torch._tensor``: where PyTorch has its class of tensors, and what files of subclasses call."""

from flambeau import Tensor as Tensor
from flambeau_tensor.serialization.rebuilding import _rebuild_from_type_v2 as _rebuild_from_type_v2
