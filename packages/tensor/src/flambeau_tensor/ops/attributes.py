"""Properties of tensors (shape, dtype, strides, …), conversions of dtype, copies, and Python's protocols."""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import (
    CONVERSIONS,
    _dtype_by_name,
    all_dtypes,
    get_default_dtype,
    refuse_named,
    type_name,
)
from flambeau_tensor._core.memory.tensor import Tensor, describe
from flambeau_tensor._core.schema.declaring import FUNCTION, METHOD
from flambeau_tensor._core.schema.registry import alias, define_property, find_operator
from flambeau_tensor._kernels import conversions, interop
from flambeau_tensor._kernels import factories as kernels
from flambeau_tensor.not_built import OF_TENSORS
from flambeau_tensor.options import META, check_device
from flambeau_tensor.options import device as torch_device


def _fact(schema, kernel, doc, variants=METHOD, syntax=(), **options):
    return Operator(
        schema,
        kernel,
        variants=variants,
        differentiable=False,
        plain_result=True,
        lazy=True,
        syntax=syntax,
        doc=doc,
        **{"meta": True, **options},
    )


def _elements(schema, kernel, doc, variants=METHOD, syntax=(), meta=True):
    return _fact(schema, kernel, doc, variants, syntax, data_dependent=True, meta=meta)


_NO_ITEM = RuntimeError("Tensor.item() cannot be called on meta tensors")


def _property(name, returns, kernel, doc, **options):
    define_property(
        name,
        Operator(
            f"{name}(Tensor self) -> {returns}",
            kernel,
            namespace="torch._get",
            variants=FUNCTION,
            differentiable=False,
            plain_result=True,
            lazy=True,
            meta=True,
            doc=doc,
            **options,
        ),
    )


_property("shape", "Size", kernels.shape, "The sizes, a `torch.Size`.")
_property("dtype", "ScalarType", kernels.dtype, "The element type.")
_property("ndim", "int", kernels.dim, "The number of dimensions.")
_property("itemsize", "int", kernels.itemsize, "Bytes of one element.")
_property("nbytes", "int", kernels.nbytes, "Bytes of all elements.")
_property("_base", "Tensor?", kernels.base, "The tensor that this is a view of.", object_state=True)
_property("_version", "int", kernels.version, "The number of writes to the memory.")
_property(
    "device",
    "Device",
    conversions.device,
    "The device: the CPU, or 'meta' for tensors without memory.",
)
_property("layout", "Layout", conversions.layout, "`torch.strided`.")
for _name in "cuda sparse sparse_csr quantized mkldnn mps xpu nested ipu maia mtia vulkan xla".split():
    _property(f"is_{_name}", "bool", lambda input: False, "Always False: tensors are dense and on the CPU.")
_property("is_meta", "bool", kernels.is_meta, "Whether the tensor is on device 'meta' and has no memory.")
_property("is_cpu", "bool", conversions.is_cpu, "Whether the tensor is on the CPU.")
_property("name", "str?", lambda input: None, "Always None; PyTorch keeps the name for compatibility.")
_property("names", "Object", lambda input: (None,) * input.ndim, "The names of the dimensions: None for each.")

size = _fact(
    "size(Tensor self, int? dim=None) -> Size",
    kernels.size,
    "The sizes, or one of them.",
    aten=("size(Tensor self) -> int[]", "size.int(Tensor self, int dim) -> int"),
)
stride = _fact(
    "stride(Tensor self, int? dim=None) -> int[]",
    kernels.stride,
    "The strides in elements, all or one of them.",
    aten=("stride(Tensor self) -> int[]", "stride.int(Tensor self, int dim) -> int"),
)
dim = _fact("dim(Tensor self) -> int", kernels.dim, "The number of dimensions.")
numel = _fact("numel(Tensor self) -> int", kernels.numel, "The number of elements.", FUNCTION | METHOD)
element_size = _fact("element_size(Tensor self) -> int", kernels.itemsize, "Bytes of one element.")
is_contiguous = _fact(
    "is_contiguous(Tensor self, *, MemoryFormat? memory_format=None) -> bool",
    kernels.is_contiguous,
    "Whether the elements are contiguous in memory.",
    aten=(
        "is_contiguous(Tensor self) -> bool",
        "is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool",
    ),
)
storage_offset = _fact(
    "storage_offset(Tensor self) -> int",
    kernels.storage_offset,
    "The offset of the first element in the storage, in elements.",
)
data_ptr = _elements("data_ptr(Tensor self) -> int", kernels.data_ptr, "The address of the first element.")
untyped_storage = _elements("untyped_storage(Tensor self) -> Storage", kernels.storage, "The storage of the tensor.")
is_floating_point = _fact(
    "is_floating_point(Tensor self) -> bool",
    kernels.is_floating_point,
    "Whether the dtype is a real floating-point dtype.",
    FUNCTION | METHOD,
)
is_complex = _fact(
    "is_complex(Tensor self) -> bool", kernels.is_complex, "Whether the dtype is complex.", FUNCTION | METHOD
)
is_signed = _fact(
    "is_signed(Tensor self) -> bool", kernels.is_signed, "Whether the dtype has a sign.", FUNCTION | METHOD
)
is_nonzero = _elements(
    "is_nonzero(Tensor self) -> bool",
    kernels.is_nonzero,
    "Whether the one element is not zero.",
    FUNCTION | METHOD,
    {"bool"},
    meta=_NO_ITEM,
)
is_set_to = _fact(
    "is_set_to(Tensor self, Tensor tensor) -> bool",
    lambda a, b: kernels_same(a, b),
    "Whether both tensors have the same memory, offset, sizes and strides.",
)
item = _elements("item(Tensor self) -> Scalar", interop.item, "The one element as a Python number.", meta=_NO_ITEM)
tolist = _elements(
    "tolist(Tensor self) -> Data",
    interop.tolist_,
    "Nested lists of Python numbers.",
    meta=NotImplementedError("Cannot copy out of meta tensor; no data!"),
)
numpy = _elements(
    "numpy(Tensor self, *, bool force=False) -> Object",
    interop.numpy,
    "A NumPy array over the same memory; `force` allows it for tensors that require grad.",
    meta=TypeError(
        "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
    ),
)
is_conj = _fact(
    "is_conj(Tensor self) -> bool",
    kernels.is_conj,
    "Whether the tensor is a conjugate view, as `conj` returns.",
    FUNCTION | METHOD,
)
is_neg = _fact(
    "is_neg(Tensor self) -> bool",
    kernels.is_neg,
    "Whether the tensor is a negative view, such as the imaginary part of a conjugate view.",
    FUNCTION | METHOD,
)
suggest_memory_format = Operator(
    "suggest_memory_format(Tensor self) -> MemoryFormat",
    kernels.suggest_memory_format,
    namespace="torch._ops",
    variants=FUNCTION,
    differentiable=False,
    lazy=True,
    meta=True,
    doc="The memory format that the order of the strides suggests.",
)
is_inference = _fact(
    "is_inference(Tensor self) -> bool",
    kernels.is_inference,
    "Whether the tensor was created in inference mode.",
    FUNCTION | METHOD,
)


def _is_pinned(input, device):
    if not isinstance(device, str | torch_device | None):
        raise TypeError(
            "is_pinned(): argument 'device' (position 1) must be torch.device, not " + type(device).__name__
        )
    if device is not None:
        torch_device(device)  # raises if the name is unknown
    return False


is_pinned = _fact(
    "is_pinned(Tensor self, Device? device=None) -> bool", _is_pinned, "Always False: memory is never page-locked."
)
get_device = _fact("get_device(Tensor self) -> int", lambda input: -1, "-1, the CPU.", FUNCTION | METHOD)
is_shared = _fact(
    "is_shared(Tensor self) -> bool",
    lambda input: input.untyped_storage().is_shared(),
    "Whether forked processes share the memory.",
)
alias("nelement", numel, same=True)
alias("ndimension", dim, same=True)


def kernels_same(a, b):
    """Whether storage, offset, sizes and strides are equal."""
    here, there = ((t.storage_offset(), t.shape, t.stride(), t.dtype) for t in (a, b))
    return here == there and a.untyped_storage() is b.untyped_storage()


# --- copies and conversions -----------------------------------------------------------------------------------------

clone = Operator(
    "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
    kernels.clone,
    lazy=True,
    doc="A copy in new memory, with the same order of dimensions unless a memory format is given.",
)
contiguous = Operator(
    "contiguous(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
    kernels.contiguous,
    variants=METHOD,
    doc="The tensor itself if it is contiguous in `memory_format`, else a contiguous copy.",
)
to_copy = Operator(
    "to_copy(Tensor self, ScalarType dtype, MemoryFormat? memory_format=None) -> Tensor",
    kernels.to_copy,
    namespace="torch._ops",
    variants=FUNCTION,
    lazy=True,
    doc="A copy in another dtype.",
)
copy_ = Operator(
    "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
    kernels.copy_,
    variants=METHOD,
    numbers={"src"},
    lazy=True,
    meta=True,
    doc="Copy the elements of `src`, broadcast and converted, into the tensor.",
)
fill_ = Operator(
    "fill_(Tensor(a!) self, Tensor value) -> Tensor(a!)",
    kernels.fill_,
    variants=FUNCTION | METHOD,
    numbers={"value"},
    lazy=True,
    doc="Set all elements to one value.",
)
fill = Operator(
    "fill(Tensor self, Tensor value) -> Tensor",
    lambda input, value: fill_(clone(input), value),
    composite=True,
    variants=FUNCTION,
    numbers={"value"},
    doc="A tensor filled with one value, with the size and dtype of `input`.",
)
zero_ = Operator(
    "zero_(Tensor(a!) self) -> Tensor(a!)",
    kernels.zero_,
    variants=FUNCTION | METHOD,
    lazy=True,
    doc="Set all elements to zero.",
)


def _applied(name, input, others, callable):
    if any(map(interop.requires_grad, (input, *others))):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    for i, other in enumerate(others):
        if other.dtype is not input.dtype:
            word = "other" if len(others) == 1 else "xy"[i]
            raise TypeError(
                f"{name}: expected torch.{type_name(input.dtype)}Tensor for '{word}' (got "
                f"torch.{type_name(other.dtype)}Tensor)"
            )
    columns = [t.expand(tuple(input.shape)).reshape((-1,)).tolist() for t in (input, *others)]
    values = []
    for row in zip(*columns, strict=True):
        value = callable(*row)
        if isinstance(value, Tensor):
            interop.from_data([value], input.dtype)  # raises unless it has one element
        elif not any(hasattr(value, method) for method in ("__float__", "__index__", "__complex__")):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        values.append(value)
    return copy_(input, interop.from_data(values, input.dtype).reshape(tuple(input.shape)))


_CALLED = {"variants": METHOD, "composite": True}
Operator(
    "apply_(Tensor(a!) self, Callable callable) -> Tensor(a!)",
    lambda input, callable: _applied("apply_", input, (), callable),
    **_CALLED,
    doc="Call a Python function with each element, and write what it returns in its place. Slow.",
)
Operator(
    "map_(Tensor(a!) self, Tensor tensor, Callable callable) -> Tensor(a!)",
    lambda input, tensor, callable: _applied("map_", input, (tensor,), callable),
    **_CALLED,
    doc="Call a Python function with each element and that of another tensor of the same dtype, broadcast, and "
    "write what it returns to the first one's place. Slow.",
)
Operator(
    "map2_(Tensor(a!) self, Tensor x, Tensor y, Callable callable) -> Tensor(a!)",
    lambda input, x, y, callable: _applied("map2_", input, (x, y), callable),
    **_CALLED,
    doc="`map_` with the elements of two other tensors.",
)
as_subclass = Operator(
    "as_subclass(Tensor(a) self, Class cls) -> Tensor(a)",
    kernels.as_subclass,
    variants=METHOD,
    plain_result=True,
    object_state=True,
    doc="The same data as an instance of a Tensor subclass.",
)


to_meta = Operator(
    "to_meta(Tensor self, ScalarType? dtype, MemoryFormat? memory_format=None) -> Tensor",
    lambda input, dtype, memory_format: find_operator("torch.empty_like")(
        input, dtype=dtype, device=META, memory_format=memory_format
    ),
    namespace="torch._ops",
    variants=FUNCTION,
    lazy=True,
    meta=True,
    doc="A tensor on device 'meta' with the geometry of a copy.",
)


_TO = "bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor(a)"
to = Operator(
    "to.dtype(Tensor(a) self, ScalarType dtype, " + _TO,
    conversions.to_dtype,
    composite=True,
    variants=METHOD,
    doc="The tensor converted to a dtype and a memory format; the tensor itself if nothing changes.",
)
Operator(
    "to.other(Tensor(a) self, Tensor tensor, " + _TO,
    conversions.to_other,
    composite=True,
    variants=METHOD,
    doc="The tensor converted to the dtype of another and to a memory format; the tensor itself if nothing changes.",
)
Operator(
    "to.device(Tensor(a) self, Device? device=None, ScalarType? dtype=None, " + _TO,
    conversions.to_device,
    composite=True,
    variants=METHOD,
    doc="The tensor on a device, in a dtype and a memory format; the tensor itself if nothing changes.",
)


for _name, _dtype in CONVERSIONS.items():
    Operator(
        f"{_name}(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        conversions.converter(_name, _dtype),
        composite=True,
        variants=METHOD,
        doc=f"Converted to {_dtype_by_name(_dtype)!r}.",
    )


def _of_type(input, dtype, non_blocking):
    if dtype == "torch.Tensor":
        return to(input, get_default_dtype())
    found = [d for d in all_dtypes() if f"torch.{type_name(d)}Tensor" == dtype]
    if not found:
        raise ValueError(f"invalid type: '{dtype}'")
    return to(input, found[0])


def _of_class(input, dtype, non_blocking):
    if dtype is None:  # as without an argument
        return input.type()
    refuse_named(dtype, "type")
    if not isinstance(dtype, type):
        raise TypeError("dtype must be a type, str, or dtype object")
    name = "torch.Tensor" if dtype is Tensor else f"{dtype.__module__}.{dtype.__qualname__}".removeprefix("builtins.")
    if name.startswith("torch.cuda."):
        check_device("cuda")
    return _of_type(input, name, non_blocking)


Operator(
    "type(Tensor self, *, bool non_blocking=False) -> str",
    lambda input, non_blocking: f"torch.{'meta.' * input.is_meta}{type_name(input.dtype)}Tensor",
    variants=METHOD,
    differentiable=False,
    plain_result=True,
    meta=True,
    doc="The name of the tensor's type, such as `torch.FloatTensor`.",
)
Operator(
    "type.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False) -> Tensor(a)",
    lambda input, dtype, non_blocking: to(input, dtype),
    composite=True,
    variants=METHOD,
    doc="The tensor converted to a dtype.",
)
Operator(
    "type.name(Tensor(a) self, str dtype, bool non_blocking=False) -> Tensor(a)",
    _of_type,
    composite=True,
    variants=METHOD,
    doc="The tensor converted to the type of a name, such as `torch.FloatTensor`.",
)
Operator(
    "type.class(Tensor(a) self, Class dtype, bool non_blocking=False) -> Tensor(a)",
    _of_class,
    composite=True,
    variants=METHOD,
    doc="The tensor converted to the dtype of a type such as `torch.FloatTensor`.",
)
type_as = Operator(
    "type_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    lambda input, other: to(input, other.dtype),
    composite=True,
    variants=METHOD,
    doc="Converted to the dtype of `other`.",
)
cpu = Operator(
    "cpu(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
    conversions.cpu,
    composite=True,
    variants=METHOD,
    doc="The tensor itself, or a copy if another memory format is given.",
)


def _refuse_device(name):
    def refuse(input, device):
        if device is not None and torch_device(device).type != name:
            raise RuntimeError(f"Invalid device, must be {name} device")
        check_device(name)

    return refuse


for _name in ("cuda", "xpu"):
    Operator(
        f"{_name}(Tensor(a) self, Device? device=None) -> Tensor(a)",
        _refuse_device(_name),
        composite=True,
        variants=METHOD,
        doc="Always raises an error: tensors are on the CPU.",
    )
resolve_conj = Operator(
    "resolve_conj(Tensor(a) self) -> Tensor(a)",
    conversions.resolved,
    composite=True,
    doc="A copy with conjugated elements of a conjugate view; other tensors are returned unchanged.",
)
resolve_neg = Operator(
    "resolve_neg(Tensor(a) self) -> Tensor(a)",
    conversions.resolved,
    composite=True,
    doc="A copy with negated elements of a negative view; other tensors are returned unchanged.",
)


# --- Python's protocols ---------------------------------------------------------------------------------------------


for _name, _kernel in ("int", conversions.as_int), ("float", conversions.as_float), ("complex", conversions.as_complex):
    _elements(f"__{_name}__(Tensor self) -> Scalar", _kernel, f"Python's `{_name}()`.", METHOD, {_name}, _NO_ITEM)
_elements(
    "__index__(Tensor self) -> int",
    conversions.as_index,
    "Python's index protocol, for integer tensors of one element.",
    METHOD,
    {"index"},
    _NO_ITEM,
)
_fact("__len__(Tensor self) -> int", conversions.length, "The size of the first dimension.", METHOD, {"len"})


def _contains(input, element):
    if isinstance(element, Tensor) or isinstance(element, (int, float, complex)):
        return bool((input == element).any())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


Operator(
    "__contains__(Tensor self, Object element) -> bool",
    _contains,
    composite=True,
    variants=METHOD,
    plain_result=True,
    syntax={"contains"},
    doc="Whether an element equals `element`.",
)
_fact(
    "__repr__(Tensor self, *, Object tensor_contents=None) -> str",
    lambda input, contents: describe(input, contents=contents),
    "Python's `repr()`: as many numbers as `set_printoptions` says, and what else there is to say.",
    METHOD,
    {"repr"},
)
_fact(
    "__format__(Tensor self, str format_spec) -> str",
    describe,
    "Python's `format()`: that of the number in a tensor without dimensions, else the text of `str()`.",
    METHOD,
)


def _names(input):
    lacking = {name for names in OF_TENSORS for name in names.split()}
    return sorted({*object.__dir__(input)} - lacking)


_fact("__dir__(Tensor self) -> Names", _names, "Python's `dir()`.", METHOD)
Operator(
    "__reversed__(Tensor self) -> Tensor",
    lambda input: input.flip((0,)) if input.ndim else input,
    composite=True,
    variants=METHOD,
    doc="Python's `reversed()`: flipped along the first dimension.",
)
