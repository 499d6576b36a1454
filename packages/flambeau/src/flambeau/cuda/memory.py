"""``torch.cuda.memory``: those of ``torch.cuda``'s names that programs look for here."""

from functools import partial

from flambeau import cuda
from flambeau_tensor.lazy_attributes import attach as _attach

__getattr__, __dir__ = _attach(__name__, "torch.cuda.memory", find=partial(getattr, cuda))
