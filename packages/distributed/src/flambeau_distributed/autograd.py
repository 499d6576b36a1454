"""``torch.distributed.autograd``: gradients across processes, which are not built."""

from flambeau_distributed.unbuilt import class_not_built as _class
from flambeau_distributed.unbuilt import function_not_built as _function

context = _class("autograd.context")
backward = _function("autograd.backward")
get_gradients = _function("autograd.get_gradients")


def is_available() -> bool:
    """False."""
    return False
