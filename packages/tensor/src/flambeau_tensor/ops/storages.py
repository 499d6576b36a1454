"""Tensors on given storages, other sizes in the same storage, shared memory and files mapped as memory."""

import itertools
import operator
import warnings
from math import prod

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.call.thread_state import is_grad_enabled, is_inference_mode
from flambeau_tensor._core.elementwise.dtype import c_type_name, get_default_dtype, type_name
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import FUNCTION, METHOD
from flambeau_tensor._kernels import factories, interop
from flambeau_tensor.ops.attributes import suggest_memory_format
from flambeau_tensor.options import check_device, check_layout, preserve_format
from flambeau_tensor.packing import apply

_ON_TENSORS = {"variants": METHOD, "differentiable": False}


def _set(input, storage, offset, size, stride):
    if interop.requires_grad(input) and is_grad_enabled():
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
            if interop.is_leaf(input)
            else "set_(): the tensor has a history, which would be lost"
        )
    if input.is_inference() and not is_inference_mode():
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed: set_() gives it other memory. "
            "Make a clone first."
        )
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if size is None:
        size = (len(storage) // input.itemsize - offset,)
    size = tuple(size)
    stride = tuple(stride or [*itertools.accumulate(size[:0:-1], operator.mul, initial=1)][::-1][: len(size)])
    reach = (offset + 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=False))) * input.itemsize
    if all(size) and reach >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    if all(size) and reach > len(storage):
        storage.resize_(reach)
    window = interop.over_storage(Tensor, storage, input.dtype, offset, size, stride, False)
    if interop.requires_grad(input):
        input.data = window
    else:
        interop.set_window(input, window)
    return input


def _set_storage(input, source, storage_offset=0, size=None, stride=None):
    from flambeau_tensor.storage import TypedStorage, UntypedStorage

    if isinstance(source, TypedStorage):
        if source.dtype is not input.dtype:
            raise RuntimeError(
                f"Expected a Storage of type {c_type_name(hash(input.dtype))} or an UntypedStorage, but "
                f"got type {type_name(source.dtype)} for argument 1 'storage'"
            )
        source = source.untyped()
    elif not isinstance(source, UntypedStorage):
        raise TypeError(
            f"set_(): argument 'source' (position 1) must be Tensor or Storage, not {type(source).__name__}"
        )
    return _set(input, source, storage_offset, size, stride)


def _set_tensor(input, source, storage_offset=None, size=None, stride=None):
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {c_type_name(hash(source.dtype))} to a tensor of type "
            f"{c_type_name(hash(input.dtype))}"
        )
    if storage_offset is None:
        storage_offset, size, stride = source.storage_offset(), source.shape, source.stride()
    return _set(input, source.untyped_storage(), storage_offset, size, stride)


def _set_nothing(input):
    from flambeau_tensor.storage import UntypedStorage

    return _set(input, UntypedStorage(0), 0, (0,), None)


_PLACE = "int storage_offset, int[] size, int[] stride=[]) -> Tensor(a!)"
for _schema, _function in (
    ("set_(Tensor(a!) self) -> Tensor(a!)", _set_nothing),
    ("set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)", _set_tensor),
    ("set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, " + _PLACE, _set_tensor),
    ("set_.source_Storage(Tensor(a!) self, Storage source) -> Tensor(a!)", _set_storage),
    ("set_.source_Storage_storage_offset(Tensor(a!) self, Storage source, " + _PLACE, _set_storage),
):
    Operator(
        _schema,
        _function,
        variants=METHOD,
        composite=True,
        object_state=True,
        doc="""
Use the memory of a storage or of another tensor: all of it, or a tensor of shape `size` from `storage_offset` on with
the strides `stride` (by default contiguous). A storage that is too small grows.

    >>> import flambeau_tensor as ft
    >>> x = ft.arange(6)
    >>> ft.empty(0, dtype=ft.int64).set_(x, 1, (2, 2), (3, 1))
    tensor([[1, 2],
            [4, 5]])
""",
    )


def _storage(input):
    from flambeau_tensor.storage import TypedStorage, warn_of_typed_storages

    warn_of_typed_storages()
    return TypedStorage(wrap_storage=input.untyped_storage(), dtype=input.dtype, _internal=True)


def _storage_type(input):
    from flambeau_tensor.storage import LEGACY, _dtype_to_storage_type_map

    return LEGACY[_dtype_to_storage_type_map()[_storage(input).dtype]]


def _typed_storage(input):
    from flambeau_tensor.storage import TypedStorage

    return TypedStorage(wrap_storage=input.untyped_storage(), dtype=input.dtype, _internal=True)


Operator(
    "storage(Tensor self) -> Object",
    _storage,
    **_ON_TENSORS,
    plain_result=True,
    lazy=True,
    data_dependent=True,
    meta=True,
    doc="The storage of the tensor as a `torch.TypedStorage` of its dtype. Deprecated: use `untyped_storage()`.",
)
Operator(
    "storage_type(Tensor self) -> Object",
    _storage_type,
    **_ON_TENSORS,
    plain_result=True,
    lazy=True,
    data_dependent=True,
    meta=True,
    doc="The class of `storage()`, such as `torch.FloatStorage`. Deprecated: use `dtype`.",
)
Operator(
    "_typed_storage(Tensor self) -> Object",
    _typed_storage,
    **_ON_TENSORS,
    plain_result=True,
    lazy=True,
    data_dependent=True,
    meta=True,
    doc="The storage of the tensor as a `torch.TypedStorage` of its dtype.",
)


def _share_memory(input):
    input.untyped_storage().share_memory_()
    return input


Operator(
    "share_memory_(Tensor(a!) self) -> Tensor(a!)",
    _share_memory,
    **_ON_TENSORS,
    lazy=True,
    object_state=True,
    doc="""
Move the memory of the tensor, and of all tensors that share it, to memory that forked processes share. Arrays that were
created from the tensor before keep the old memory.
""",
)


def _from_file(filename, shared, size, dtype, layout, device, pin_memory, requires_grad):
    from flambeau_tensor.storage import UntypedStorage

    check_device(device)
    check_layout(layout)
    dtype = dtype or get_default_dtype()
    storage = UntypedStorage.from_file(filename, bool(shared), size * dtype.itemsize)
    t = interop.over_storage(Tensor, storage, dtype, 0, (size,), (1,), False)
    return t.requires_grad_() if requires_grad else t


from_file = Operator(
    "from_file(str filename, bool? shared=None, int? size=0, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=False, bool requires_grad=False) -> "
    "Tensor",
    _from_file,
    variants=FUNCTION,
    differentiable=False,
    lazy=True,
    doc="""
The first `size` elements of a file, as memory. With `shared`, writes go to the file, which is made, or made longer,
where needed; without, they stay in this process.

Raises:
    RuntimeError: the file cannot be opened, or is shorter.
""",
)

resize_ = Operator(
    "resize_(Tensor(a!) self, int[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
    factories.resize_,
    variants=METHOD,
    differentiable=False,
    lazy=True,
    doc="Change the sizes in place, growing the storage where needed.",
)


def _resize_as(input, the_template, memory_format):
    if memory_format is preserve_format:
        memory_format = suggest_memory_format(the_template)
    return resize_(input, tuple(the_template.shape), memory_format=memory_format)


Operator(
    "resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
    _resize_as,
    composite=True,
    variants=FUNCTION | METHOD,
    doc="Change the sizes in place to those of another tensor, growing the storage where needed.",
)


def _resized(name, input, sizes):
    warnings.warn(f"non-inplace {name} is deprecated", stacklevel=3)
    if prod(sizes) != input.numel():
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, sizes))} ({prod(sizes)} elements in total), but the given tensor "
            f"has a size of {'x'.join(map(str, input.shape))} ({input.numel()} elements). autograd's resize can only "
            "change the shape of a given tensor, while preserving the number of elements. "
        )
    return input.contiguous().view(sizes)


Operator(
    "resize(Tensor self, int[] sizes) -> Tensor",
    lambda input, sizes: _resized("resize", input, (sizes,) if isinstance(sizes, int) else sizes),
    variants=METHOD,
    composite=True,
    doc="Deprecated: `reshape` with a warning.",
)
Operator(
    "resize_as(Tensor self, Tensor tensor) -> Tensor",
    lambda input, tensor: _resized("resize_as", input, tuple(tensor.shape)),
    variants=METHOD,
    composite=True,
    doc="Deprecated: `reshape` to the shape of `tensor`, with a warning.",
)
apply("torch.Tensor", {"storage": "self!", "share_memory_": "self!"})
