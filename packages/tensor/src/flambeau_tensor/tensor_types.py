"""The types of tensors by dtype, such as ``torch.FloatTensor``, which are older than dtypes.

>>> import flambeau_tensor as ft
>>> isinstance(ft.FloatTensor(2, 3), ft.FloatTensor), isinstance(ft.LongTensor([1, 2]), ft.FloatTensor)
(True, False)
"""

import copyreg

from flambeau_overrides import DisableTorchFunction
from flambeau_tensor._core.elementwise.dtype import all_dtypes, set_default_dtype, type_name
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.ops.factories import construct
from flambeau_tensor.options import strided
from flambeau_tensor.storage import YOUNGER


class tensortype(type):
    """The metaclass of these types. They create tensors and recognize theirs; they have no instances themselves."""

    def __call__(cls, *args, **options):
        return construct(cls.dtype, args, **options)

    def __instancecheck__(cls, value):
        if not isinstance(value, Tensor):
            return False
        with DisableTorchFunction():  # querying the class calls no handler
            return value.dtype is cls.dtype

    def __getattr__(cls, name):
        return getattr(Tensor, name)

    def __reduce__(cls):
        return tensor_type, (cls.__name__,)


copyreg.pickle(tensortype, tensortype.__reduce__)
_types: dict[str, type] = {}


def tensor_type(name: str) -> type:
    """Return the type with a name: an element type's name in PyTorch's messages, or "Tensor". AttributeError if there
    is none.

    >>> tensor_type("FloatTensor")
    <class 'torch.FloatTensor'>
    """
    if name not in _types:
        found = [
            d for d in all_dtypes() if f"{type_name(d)}Tensor" == name and d.name not in YOUNGER and not d.is_complex
        ]
        if not found:
            raise AttributeError(f"module 'torch' has no attribute {name!r}")
        _types[name] = tensortype(
            name,
            (),
            {
                "__module__": "torch",
                "__doc__": f"Tensors of dtype {found[0]!r}.",
                "dtype": found[0],
                "layout": strided,
                "is_cuda": False,
                "is_sparse": False,
            },
        )
    return _types[name]


def set_default_tensor_type(t: "type | str") -> None:
    """Set the default dtype to that of a type, such as ``torch.DoubleTensor``, given as the type or its name.

    Raises:
        TypeError: it is not a tensor type, its elements are not floating point, or it belongs to another device.

    >>> import flambeau_tensor as ft
    >>> set_default_tensor_type("torch.DoubleTensor")
    >>> ft.ones(2).dtype
    torch.float64
    >>> set_default_tensor_type("torch.FloatTensor")
    """
    if isinstance(t, str):
        if t.startswith("torch.cuda."):
            raise TypeError(f"type {t} not available. Torch not compiled with CUDA enabled.")
        t = tensor_type(t.removeprefix("torch."))
    if not isinstance(t, tensortype):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    if not t.dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    set_default_dtype(t.dtype)


def typename(obj: object) -> str:
    """Return the name of an object's type with its module; for a tensor, the type of its dtype.

    >>> import flambeau_tensor as ft
    >>> typename(ft.FloatTensor(2)), typename(3)
    ('torch.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    module, name = "", ""
    if getattr(obj, "__module__", None) not in (None, "builtins"):
        module = f"{obj.__module__}."
    if hasattr(obj, "__qualname__"):
        name = obj.__qualname__
    elif hasattr(obj, "__name__"):
        name = obj.__name__
    else:
        name = obj.__class__.__name__
    return module + name


__getattr__, __dir__ = _attach(__name__, "torch", find=tensor_type)
