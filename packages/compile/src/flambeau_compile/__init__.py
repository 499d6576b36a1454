"""flambeau-compile: functions of tensors, and whole training steps, as C.

>>> import flambeau_tensor as ft
>>> from flambeau_compile import compile
>>> f = compile(lambda x: x.sin() + 1)
>>> f(ft.zeros(2))
tensor([1., 1.])
"""

import flambeau_compile._compiled  # noqa: F401  (loads the compiled modules)
from flambeau_compile.api import (
    OptimizedModule,
    compile,
    compile_in_place,
    explain,
    is_compiling,
    reset,
    set_stance,
)
from flambeau_compile.errors import InvalidBackend, Unsupported

__all__ = [
    "InvalidBackend",
    "OptimizedModule",
    "Unsupported",
    "compile",
    "compile_in_place",
    "explain",
    "is_compiling",
    "reset",
    "set_stance",
]
__version__ = "0.1.0"
