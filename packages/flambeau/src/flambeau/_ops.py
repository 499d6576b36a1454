"""``torch._ops``: the classes of the contents of ``torch.ops``."""

from flambeau_cext import ops as ops
from flambeau_cext.overloads import OpOverload as OpOverload
from flambeau_cext.overloads import OpOverloadPacket as OpOverloadPacket
from flambeau_tensor.extend import OperatorHandle as OperatorBase  # noqa: F401
from flambeau_tensor.lazy_attributes import attach as _attach

__getattr__, __dir__ = _attach(__name__, "torch._ops", unlisted=True)
