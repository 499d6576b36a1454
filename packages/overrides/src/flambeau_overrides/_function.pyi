from collections.abc import Callable
from typing import Any

class OverridableFunction:
    __wrapped__: Callable[..., Any]
    __name__: str
    __qualname__: str
    def __init__(self, function: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class OverridableMethod(OverridableFunction):
    def __get__(self, instance: object, owner: type | None = None) -> Any: ...
