"""``torch.distributed.autograd``: gradients across processes, which are not built."""

from flambeau.distributed import class_not_built as _class
from flambeau.distributed import function_not_built as _function

context = _class("autograd.context")
backward = _function("autograd.backward")
get_gradients = _function("autograd.get_gradients")


def is_available() -> bool:
    """False."""
    return False
