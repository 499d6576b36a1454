"""``torch.distributed.distributed_c10d``: the same names as ``torch.distributed``."""

from functools import partial

from flambeau import distributed
from flambeau_tensor.lazy_attributes import attach as _attach

__getattr__, __dir__ = _attach(__name__, "torch.distributed.distributed_c10d", find=partial(getattr, distributed))


def _get_default_group():
    distributed.get_rank()
