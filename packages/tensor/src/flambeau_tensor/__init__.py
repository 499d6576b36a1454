"""Tensors with PyTorch's semantics on NumPy: storage, views, operators and their kernels.

>>> import flambeau_tensor as ft
>>> ft.tensor([1.0, 2.0]) + 1
tensor([2., 3.])
"""

import math as _math
import sys as _sys

from flambeau_overrides import register_namespace as _register_namespace
from flambeau_tensor import _compiled  # noqa: F401  (finds the compiled modules)
from flambeau_tensor import ops as _ops  # noqa: F401  (importing declares)
from flambeau_tensor import packing as _packing  # noqa: F401  (says what handlers get)
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import (
    SHORT_NAMES as _SHORT_NAMES,
)
from flambeau_tensor._core.elementwise.dtype import (
    DType as dtype,
)
from flambeau_tensor._core.elementwise.dtype import (
    all_dtypes as _all_dtypes,
)
from flambeau_tensor._core.elementwise.dtype import get_default_dtype, set_default_dtype
from flambeau_tensor._core.elementwise.dtype import (
    named_dtypes as _named_dtypes,
)
from flambeau_tensor._core.elementwise.parallel import get_num_threads, set_num_threads
from flambeau_tensor._core.memory.tensor import Size, Tensor
from flambeau_tensor._core.schema.namespace import find_quickly as _find_quickly
from flambeau_tensor._core.schema.registry import first_use as _first_use
from flambeau_tensor._core.schema.registry import functions as _functions
from flambeau_tensor._core.schema.registry import import_declarations as _import_declarations
from flambeau_tensor._core.schema.registry import lazy_names as _lazy_names
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.ops import contraction as _contraction
from flambeau_tensor.ops import joining as _joining
from flambeau_tensor.options import (
    can_cast,
    channels_last,
    channels_last_3d,
    contiguous_format,
    device,
    layout,
    memory_format,
    preserve_format,
    promote_types,
    strided,
)

__version__ = "0.1.0"
_dlpack = _import_declarations("flambeau_tensor.dlpack")
from_dlpack, to_dlpack = _dlpack.from_dlpack, _dlpack.to_dlpack
_import_declarations("flambeau_tensor.subclassing")  # gives Tensor the behavior of subclasses
pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None


def is_tensor(obj: object) -> bool:
    """Return True if an object is a tensor.

    >>> is_tensor(Tensor([1.0])), is_tensor(1.0)
    (True, False)
    """
    return isinstance(obj, Tensor)


__all__ = [  # the operators of torch's own namespace are added below
    "Operator",
    "Size",
    "Tensor",
    "can_cast",
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "device",
    "dtype",
    "e",
    "from_dlpack",
    "get_default_dtype",
    "get_num_threads",
    "inf",
    "is_tensor",
    "layout",
    "memory_format",
    "nan",
    "newaxis",
    "pi",
    "preserve_format",
    "promote_types",
    "set_default_dtype",
    "set_num_threads",
    "strided",
    "to_dlpack",
]

_named = {_sys.intern(d.name): d for d in (*_all_dtypes(), *_named_dtypes())}
_named |= {short: _named[name] for short, name in _SHORT_NAMES.items()}
_named |= {_sys.intern(f.__name__): f for f in (*_joining.TORCH_FUNCTIONS, *_contraction.TORCH_FUNCTIONS)}

# Names that `import flambeau as torch` takes over besides the operators, and names that it looks up here on first use.
TORCH_NAMES = (*(name for name in __all__ if name != "Operator"), *_named)
_KINDS = ("Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double")
LAZY_NAMES = {
    name: f".{module}"
    for module, names in {
        "serialization": ("save", "load"),
        "printing": ("set_printoptions", "printoptions"),
        "numeric_limits": ("finfo", "iinfo"),
        "random": (
            "manual_seed",
            "seed",
            "initial_seed",
            "get_rng_state",
            "set_rng_state",
            "Generator",
            "default_generator",
            "fork_rng",
        ),
        "options": ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn"),
        "checks": (
            "_assert",
            "_assert_tensor_metadata",
            "_check",
            "_check_index",
            "_check_not_implemented",
            "_check_tensor_all",
            "_check_tensor_all_with",
            "_check_type",
            "_check_value",
            "_check_with",
        ),
        "storage": (
            "is_storage",
            "TypedStorage",
            "UntypedStorage",
            *(f"{kind}Storage" for kind in (*_KINDS, "ComplexFloat", "ComplexDouble")),
        ),
        "tensor_types": ("set_default_tensor_type", "typename", *(f"{kind}Tensor" for kind in _KINDS)),
        "default_device": ("set_default_device", "get_default_device"),
        "switches": (
            "are_deterministic_algorithms_enabled",
            "get_deterministic_debug_mode",
            "get_float32_matmul_precision",
            "get_num_interop_threads",
            "is_deterministic_algorithms_warn_only_enabled",
            "is_warn_always_enabled",
            "set_deterministic_debug_mode",
            "set_float32_matmul_precision",
            "set_flush_denormal",
            "set_num_interop_threads",
            "set_warn_always",
            "use_deterministic_algorithms",
        ),
    }.items()
    for name in names
}

_named |= _functions("torch", lazy=False)
globals().update(_named)
__all__ += (*_named, *_lazy_names("torch"))
_find_quickly(__name__)
_register_namespace("torch", _sys.modules[__name__])
for _name in ("fft", "functional", "linalg", "special"):
    _register_namespace(f"torch.{_name}", f"flambeau_tensor.{_name}")


_modules = ("fft", "functional", "linalg", "masked", "random", "signal", "special")
__getattr__ = _attach(__name__, __name__, LAZY_NAMES, _modules, find=lambda name: _first_use("torch", name))[0]
