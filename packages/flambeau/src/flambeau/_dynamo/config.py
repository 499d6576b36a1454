"""Settings of PyTorch's compiler. ``recompile_limit`` holds here, too; the others can be set, and change nothing."""

import sys
from contextlib import ContextDecorator
from types import ModuleType
from typing import Any

from flambeau_compile.api import settings

cache_size_limit = 8
recompile_limit = 8
accumulated_cache_size_limit = 256
suppress_errors = False
verbose = False
dynamic_shapes = True
automatic_dynamic_shapes = True
assume_static_by_default = True
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
optimize_ddp = True


class patch(ContextDecorator):  # noqa: N801
    """Other settings for a ``with`` block or a function: a dict, or by name.

    >>> import flambeau as torch
    >>> with torch._dynamo.config.patch(recompile_limit=64):
    ...     torch._dynamo.config.recompile_limit
    64
    """

    def __init__(self, arguments: Any = None, value: Any = None, **changes: Any) -> None:
        self.changes = {arguments: value} if isinstance(arguments, str) else {**(arguments or {}), **changes}

    def __enter__(self) -> None:
        module = sys.modules[__name__]
        self.before = {name: getattr(module, name) for name in self.changes}
        for name, value in self.changes.items():
            setattr(module, name, value)

    def __exit__(self, *raised: object) -> None:
        for name, value in self.before.items():
            setattr(sys.modules[__name__], name, value)


class _Settings(ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("recompile_limit", "cache_size_limit"):  # one setting, under its new and its old name
            settings["recompile_limit"] = value
            super().__setattr__("recompile_limit", value)
            name = "cache_size_limit"
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Settings
