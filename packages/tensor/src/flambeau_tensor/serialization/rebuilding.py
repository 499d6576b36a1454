"""Functions that files call to rebuild tensors: ``torch._utils`` and ``torch._tensor``, as far as files use them."""

import threading
from contextlib import contextmanager
from importlib import import_module

from flambeau_tensor import pytorch_names
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import interop
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.not_built import not_built
from flambeau_tensor.storage import TypedStorage, UntypedStorage

KINDS_NOT_BUILT = (
    "qtensor",
    "nested_tensor",
    "wrapper_subclass",
    "device_tensor_from_numpy",
    "device_tensor_from_cpu_tensor",
)


def _ints(values):
    if not isinstance(values, (tuple, list)) or not all(type(v) is int for v in values):
        raise TypeError(f"sizes and strides are tuples of ints, not {values!r}")
    return tuple(values)


def _tensor(storage, dtype, storage_offset, size, stride, requires_grad, metadata):
    if not isinstance(storage, UntypedStorage):
        raise TypeError(f"a tensor needs a storage, not {type(storage).__name__}")
    if type(storage_offset) is not int:
        raise TypeError(f"the offset of a tensor is an int, not {type(storage_offset).__name__}")
    metadata = metadata or {}
    return interop.over_storage(
        Tensor,
        storage,
        dtype,
        storage_offset,
        _ints(size),
        _ints(stride),
        bool(requires_grad),
        bool(metadata.get("conj")),
        bool(metadata.get("neg")),
    )


def _rebuild_tensor(storage, storage_offset, size, stride):
    return _rebuild_tensor_v2(storage, storage_offset, size, stride, False, None)


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    if not isinstance(storage, TypedStorage):
        raise TypeError(f"a tensor needs a typed storage, not {type(storage).__name__}")
    return _tensor(storage.untyped(), storage.dtype, storage_offset, size, stride, requires_grad, metadata)


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    storage = storage.untyped() if isinstance(storage, TypedStorage) else storage
    return _tensor(storage, dtype, storage_offset, size, stride, requires_grad, metadata)


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    make = find_operator("torch.empty_strided")
    return make(_ints(size), _ints(stride), dtype=dtype, device="meta", requires_grad=bool(requires_grad))


def _rebuild_from_type_v2(func, new_type, args, state):
    made = func(*args)
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    set_state(made, state)
    return made


def set_state(obj, state):
    """Set the state of an object from a file, as Python does."""
    if state is None:
        return
    setter = getattr(type(obj), "__setstate__", None)
    if setter is not None:
        setter(obj, state)
        return
    members, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    obj.__dict__.update(members or {})
    for name, value in (slots or {}).items():
        setattr(obj, name, value)


_waiting = threading.local()


@contextmanager
def storages_follow():
    """Rebuild sparse tensors, whose indices must be checked, when the block ends and storages have been read."""
    before, _waiting.steps = getattr(_waiting, "steps", None), []
    try:
        yield
        for step in _waiting.steps:
            step()
    finally:
        _waiting.steps = before


def _rebuild_sparse_tensor(layout, data):
    module = pytorch_names.local_name("torch.sparse")
    if module == "torch.sparse":
        raise ImportError("sparse tensors need the package flambeau, which is not imported")
    sparse = import_module(module)
    steps = getattr(_waiting, "steps", None)
    if steps is None:
        return sparse._rebuilt(layout, data)
    made, step = sparse._rebuilt_later(layout, data)
    steps.append(step)
    return made


def _refusing(kind):
    def rebuild(*args):
        raise not_built(f"torch._utils._rebuild_{kind}")

    rebuild.__name__ = rebuild.__qualname__ = f"_rebuild_{kind}"
    return rebuild


globals().update({f"_rebuild_{kind}": _refusing(kind) for kind in KINDS_NOT_BUILT})


_BESIDE = """
    ExceptionWrapper KeyErrorMessage _element_size _flatten_dense_tensors _get_device_module
    _get_available_device_type _get_device_index _set_obj_state _unflatten_dense_tensors
    is_compiling
""".split()


def _of_parameters(name):
    if name not in ("_rebuild_parameter", "_rebuild_parameter_with_state"):
        return None
    module = pytorch_names.local_name("torch.nn.parameter")
    if module == "torch.nn.parameter":
        raise ImportError("parameters need the package flambeau-nn, which is not imported")
    return getattr(import_module(module), name)


_names = dict.fromkeys(_BESIDE, "flambeau_tensor.private_names")
__getattr__, __dir__ = _attach(__name__, "torch._utils", _names, find=_of_parameters)
