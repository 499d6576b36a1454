"""``torch._subclasses.fake_tensor``: no tensor is fake.

>>> import flambeau as torch
>>> from flambeau._subclasses.fake_tensor import is_fake
>>> is_fake(torch.ones(2))
False
"""

from typing import Any, NoReturn

from flambeau_tensor.not_built import not_built


class FakeTensor:
    """What PyTorch's compiler traces with. Nothing is an instance."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise not_built("torch._subclasses.FakeTensor")


class FakeTensorMode:
    """Makes fake tensors in PyTorch; raises here. ``torch.device('meta')`` does what programs want of it mostly."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise not_built("torch._subclasses.FakeTensorMode")


class UnsupportedFakeTensorException(RuntimeError):
    """Never raised here."""


class DynamicOutputShapeException(RuntimeError):
    """Never raised here."""


class DataDependentOutputException(RuntimeError):
    """Never raised here."""


def is_fake(x: object) -> bool:
    """False."""
    return False


def maybe_get_fake_mode(t: object) -> None:
    """None."""
