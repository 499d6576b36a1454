"""NumPy's protocols: the behavior of tensors in NumPy's functions.

Universal functions (`np.sin(tensor)`, `array + tensor`) call the corresponding torch function, so that gradients,
subclasses and types with `__torch_function__` take part. If torch has no such function, or it accepts no number
(`np.maximum(tensor, 1.0)`), the function is computed on arrays and the result is converted to a tensor.
"""

import numpy as np

from flambeau_overrides import is_tensor_like
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import METHOD
from flambeau_tensor._core.schema.registry import functions, set_attribute
from flambeau_tensor._kernels import interop
from flambeau_tensor.ops.factories import as_tensor

# NumPy's functions with another name in torch; most have the same name.
_RENAMED = {
    "conjugate": "conj",
    "degrees": "rad2deg",
    "equal": "eq",
    "fabs": "abs",
    "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "radians": "deg2rad",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
}
_cache = {}


def _function_of(ufunc):
    """Return the corresponding torch function, or None."""
    if not _cache:
        found = functions("torch", lazy=False)
        for name in (value.__name__ for value in vars(np).values() if isinstance(value, np.ufunc)):
            _cache[name] = found.get(_RENAMED.get(name, name))
    return _cache.get(ufunc.__name__)


def _array_ufunc(self, ufunc, method, *inputs, out=(), **options):
    if any(_knows_better(x) for x in inputs):
        return NotImplemented
    into_tensor = any(isinstance(x, Tensor) for x in out)
    function = None if method != "__call__" or options or (out and not into_tensor) else _function_of(ufunc)
    if function is not None and _takes(function, inputs):
        operands = [_operand(x) for x in inputs]
        return function(*operands, out=out[0]) if out else function(*operands)
    if into_tensor:
        raise TypeError(f"{ufunc.__name__}(): argument 'out' must be an array: torch has no such function")
    if out:
        options["out"] = out
    results = getattr(ufunc, method)(*[np.asarray(x) if isinstance(x, Tensor) else x for x in inputs], **options)
    if out or results is None:
        return results
    if isinstance(results, tuple):
        return tuple(self.__array_wrap__(result) for result in results)
    return self.__array_wrap__(results)


def _knows_better(x):
    """Whether an operand is not a tensor and implements universal functions itself, so that it must be asked next."""
    return not is_tensor_like(x) and getattr(type(x), "__array_ufunc__", _PLAIN) is not _PLAIN


_PLAIN = np.ndarray.__array_ufunc__


def _takes(function, inputs):
    """Whether a function accepts the Python numbers among the operands."""
    arguments = function.default.schema.arguments
    return all(
        arguments[slot].name in function.numbers
        for slot, x in enumerate(inputs)
        if isinstance(x, (int, float, complex))
    )


def _operand(x):
    if isinstance(x, (int, float, complex)) or is_tensor_like(x):
        return x
    converted = interop.from_array_operand(x if isinstance(x, np.generic) else np.asarray(x))
    return x if converted is None else converted


def _array(self, dtype, copy):
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(
                f"Unable to avoid copy while creating an array of {np.dtype(dtype)} from a tensor of {self.dtype}"
            )
        return array.astype(dtype)
    return array.copy() if copy else array


def _method(schema, function, **options):
    return Operator(schema, function, composite=True, variants=METHOD, **options)


_method(
    "__array__(Tensor self, Object dtype=None, bool? copy=None) -> Object",
    _array,
    plain_result=True,
    doc="The elements as a NumPy array, which shares memory if dtype and `copy` allow it.",
)
_method(
    "__array_wrap__(Tensor self, Object array, Object context=None, bool return_scalar=False) -> Tensor",
    lambda self, array, context, return_scalar: as_tensor(array),
    doc="The result of a NumPy function of this tensor, as a tensor that shares the array's memory.",
)
set_attribute("__array_ufunc__", _array_ufunc)
set_attribute("__array_priority__", 1000)  # for array classes that check nothing else


# --- the array API standard -----------------------------------------------------------------------------------------

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")  # each includes the earlier ones


def _array_namespace(self, /, *, api_version=None):
    """Return the namespace of the array API standard: the module ``flambeau_tensor.array_api``."""
    if api_version not in (None, *_VERSIONS):
        raise ValueError(f"__array_namespace__(): version {api_version!r} is not one of {', '.join(_VERSIONS)}")
    from flambeau_tensor import array_api

    return array_api


def _to_device(self, device, /, *, stream=None):
    """`to(device)` under the array API standard's name."""
    return self.to(device)


set_attribute("__array_namespace__", _array_namespace)
set_attribute("to_device", _to_device)
