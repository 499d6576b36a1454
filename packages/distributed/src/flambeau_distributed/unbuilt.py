"""The parts of ``torch.distributed`` that are not built: the names exist, and raise an error when they are called."""

from collections.abc import Callable
from typing import NoReturn

from flambeau_tensor.not_built import class_not_built as _class_not_built
from flambeau_tensor.not_built import function_not_built as _function_not_built


def function_not_built(name: str, why: str = "") -> Callable[..., NoReturn]:
    """Return a function of ``torch.distributed`` that raises an error, because it is not built."""
    return _function_not_built(f"torch.distributed.{name}", why)


def class_not_built(name: str, why: str = "") -> type:
    """Return a class of ``torch.distributed`` without instances, which raises an error when it is called."""
    return _class_not_built(f"torch.distributed.{name}", why)
