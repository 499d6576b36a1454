"""Mapping between names in files and objects here."""

import _compat_pickle
from importlib import import_module

from flambeau_tensor import options, pytorch_names, storage, subclassing
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.call.overloads import OverloadSet
from flambeau_tensor._core.elementwise.dtype import DType, all_dtypes  # noqa: F401
from flambeau_tensor._core.memory.tensor import Size, Tensor, check_read
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import interop
from flambeau_tensor.not_built import missing
from flambeau_tensor.options import device
from flambeau_tensor.random import Generator
from flambeau_tensor.return_types import NamedResult
from flambeau_tensor.serialization import rebuilding

OBJECTS = {
    **{f"torch.{d.name}": d for d in all_dtypes()},
    **{f"torch.{name}": cls for name, cls in storage.LEGACY.items()},
    **{f"torch._utils.{name}": f for name, f in vars(rebuilding).items() if name.startswith("_rebuild")},
    "torch.Size": Size,
    "torch.Tensor": Tensor,
    "torch._C.Generator": Generator,
    "torch._tensor._rebuild_from_type_v2": rebuilding._rebuild_from_type_v2,
    "torch.device": device,
    "torch.serialization._get_layout": options._get_layout,
    "torch.storage.TypedStorage": storage.TypedStorage,
    "torch.storage.UntypedStorage": storage.UntypedStorage,
}
NAMES = {id(obj): name.rpartition(".")[::2] for name, obj in OBJECTS.items()}
OBJECTS |= {
    "torch.UntypedStorage": storage.UntypedStorage,
    "torch.TypedStorage": storage.TypedStorage,
    "torch._C.TensorBase": Tensor,
}


def name_of(obj, name: "str | None" = None) -> "tuple[str, str]":
    """Return PyTorch's module and the name in it by which files refer to a class or function.

    >>> name_of(storage.FloatStorage)
    ('torch', 'FloatStorage')
    """
    if id(obj) in NAMES:
        return NAMES[id(obj)]
    if isinstance(obj, (Operator, OverloadSet)):
        return obj.__torch_name__.rpartition(".")[::2]
    module = getattr(obj, "__module__", None) or ""
    name = name or getattr(obj, "__qualname__", None) or obj.__name__
    return pytorch_names.module_in_pytorch(module, name), name


def spelled(module: str, name: str) -> "tuple[str, str]":
    """Convert the Python 2 spelling of a name, which pickles of protocol 2 contain, to Python 3's."""
    if (module, name) in _compat_pickle.NAME_MAPPING:
        return _compat_pickle.NAME_MAPPING[module, name]
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name


def object_of(module: str, name: str):
    """Return the object for a name in a file, importing its module if necessary.

    Raises:
        ImportError, AttributeError: the object does not exist. NotBuiltError: PyTorch has it, but it is not built.
    """
    full = f"{module}.{name}"
    if full in OBJECTS:
        return OBJECTS[full]
    if full == "torch._C._VariableFunctionsClass":  # its attributes are the functions
        return import_module(pytorch_names.local_name("torch"))
    if module == "torch._C._nn":  # functions that are compiled in PyTorch
        module, full = "torch.nn.functional", f"torch.nn.functional.{name}"
    if full in pytorch_names.LOCAL_NAMES:
        module, _, name = pytorch_names.LOCAL_NAMES[full].rpartition(".")
    found = pytorch_names.local_name(module)
    if found == module and module.split(".")[0] == "torch":
        try:
            return find_operator(full)
        except AttributeError:
            raise missing(module, name) from None
    found = import_module(found)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def reduce_of(cls):
    """Return the function that reduces objects of a class for files, or None for Python's default."""
    if issubclass(cls, Tensor) and cls.__reduce_ex__ is Tensor.__reduce_ex__:
        return reduce_tensor
    if issubclass(cls, NamedResult):
        return lambda result: (type(result), (tuple(result), {}))
    return next(
        (pytorch_names.REDUCED[base] for base in cls.__mro__ if base in pytorch_names.REDUCED), _REDUCED.get(cls)
    )


def reduce_tensor(t, typed=True):
    """Reduce a tensor for files and pickles. Files represent the dtype by the type of the storage, if there is one."""
    check_read(t, "__reduce_ex__")
    rebuild, arguments = _reduce_elements(t, typed) if not t.is_meta else _reduce_geometry(t)
    state = t.__getstate__()
    cls = type(t)
    if cls is Tensor and not state:
        return rebuild, arguments
    return rebuilding._rebuild_from_type_v2, (rebuild, cls, arguments, state)


def _reduce_elements(t, typed):
    dtype, *where, requires_grad, conj, neg = subclassing.geometry(t)
    untyped = t.untyped_storage()
    # In pickles, several tensors may share an untyped storage; PyTorch creates none of these with requires_grad.
    if (typed or requires_grad) and dtype.name not in storage.YOUNGER:
        holder = storage.TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)
        rebuild, arguments = rebuilding._rebuild_tensor_v2, (holder, *where, requires_grad, _no_hooks())
    else:
        rebuild, arguments = rebuilding._rebuild_tensor_v3, (untyped, *where, requires_grad, _no_hooks(), dtype)
    bits = {name: True for name, on in (("conj", conj), ("neg", neg)) if on}
    if bits:
        arguments += (bits,)
    return rebuild, arguments


def _reduce_geometry(t):
    """Reduce a tensor on 'meta', which has no elements."""
    return rebuilding._rebuild_meta_tensor_no_storage, (t.dtype, tuple(t.shape), t.stride(), interop.requires_grad(t))


def _no_hooks():
    from collections import OrderedDict

    return OrderedDict()


_REDUCED = {
    type(NamedResult): lambda cls: cls.__name__,
    Operator: lambda op: op.name,
    OverloadSet: lambda op: op.__torch_name__,
}
