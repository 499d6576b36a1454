"""What of ``torch.distributed`` is not built: the names are here, and say so when they are called."""

from collections.abc import Callable
from typing import NoReturn

from flambeau_tensor.not_built import class_not_built as _class_not_built
from flambeau_tensor.not_built import function_not_built as _function_not_built


def function_not_built(name: str, why: str = "") -> Callable[..., NoReturn]:
    """A function of ``torch.distributed`` that says that it is not built."""
    return _function_not_built(f"torch.distributed.{name}", why)


def class_not_built(name: str, why: str = "") -> type:
    """A class of ``torch.distributed`` that says that it is not built when it is made. Nothing is an instance."""
    return _class_not_built(f"torch.distributed.{name}", why)
