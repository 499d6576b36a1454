from collections.abc import Callable
from typing import Any

from flambeau_overrides._packing import Packing

class OverridableFunction:
    __wrapped__: Callable[..., Any]
    __packing__: Packing | None
    __name__: str
    __qualname__: str
    def __init__(self, function: Callable[..., Any], packing: Packing | None = None) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class OverridableMethod(OverridableFunction):
    def __get__(self, instance: object, owner: type | None = None) -> Any: ...
