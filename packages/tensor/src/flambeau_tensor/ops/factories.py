"""Making tensors: from data, by size, by example, and by rule (ranges, identity)."""

import numpy as np

from flambeau_overrides import DisableTorchFunction, handle_torch_function, has_torch_function_unary
from flambeau_tensor._core.call.forwarding import overloads
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.call.sockets import sockets
from flambeau_tensor._core.elementwise.dtype import (
    DType,
    c_type_name,
    get_default_dtype,
    type_name,
)
from flambeau_tensor._core.memory.storage import Storage
from flambeau_tensor._core.memory.tensor import Size, Tensor
from flambeau_tensor._core.schema.declaring import FUNCTION, METHOD
from flambeau_tensor._core.schema.registry import find_operator, set_attribute
from flambeau_tensor._kernels import factories as kernels
from flambeau_tensor._kernels import interop, pointwise, ranges
from flambeau_tensor._kernels.dlpack import from_capsule
from flambeau_tensor.options import check_device, check_layout
from flambeau_tensor.options import device as as_device

_OPTIONS = (
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, bool requires_grad=False"
)
_REST = "Tensor(a!)? out=None, OPTIONS) -> Tensor"


def _factory(schema, kernel, doc, variants=FUNCTION, **options):
    return Operator(
        schema.replace("OPTIONS", _OPTIONS),
        kernel,
        variants=variants,
        differentiable=False,
        lazy=True,
        doc=doc,
        **options,
    )


empty = _factory(
    "empty(int[] size, *, Tensor(a!)? out=None, OPTIONS, MemoryFormat? memory_format=None) -> Tensor",
    kernels.empty,
    "An uninitialized tensor of the given size.",
)
zeros = _factory("zeros(int[] size, *, Tensor(a!)? out=None, OPTIONS) -> Tensor", kernels.zeros, "A tensor of zeros.")
ones = _factory("ones(int[] size, *, Tensor(a!)? out=None, OPTIONS) -> Tensor", kernels.ones, "A tensor of ones.")
full = _factory(
    "full(int[] size, Scalar fill_value, *, Tensor(a!)? out=None, OPTIONS) -> Tensor",
    kernels.full,
    "A tensor filled with one value; the dtype is by default that of the value.",
)
_LIKE = f"{_OPTIONS}, MemoryFormat? memory_format=None"
empty_like = _factory(
    f"empty_like(Tensor self, *, {_LIKE}) -> Tensor",
    kernels.empty_like,
    "An uninitialized tensor of the size and dtype of `input`.",
)
zeros_like = _factory(
    f"zeros_like(Tensor self, *, {_LIKE}) -> Tensor",
    kernels.zeros_like,
    "A tensor of zeros with the size and dtype of `input`.",
)
ones_like = _factory(
    f"ones_like(Tensor self, *, {_LIKE}) -> Tensor",
    kernels.ones_like,
    "A tensor of ones with the size and dtype of `input`.",
)
full_like = _factory(
    f"full_like(Tensor self, Scalar fill_value, *, {_LIKE}) -> Tensor",
    kernels.full_like,
    "A tensor filled with one value, with the size and dtype of `input`.",
)
empty_strided = _factory(
    "empty_strided(int[] size, int[] stride, *, OPTIONS) -> Tensor",
    kernels.empty_strided,
    "An uninitialized tensor with the given sizes and strides.",
)


def _empty_permuted(size, physical_layout, **options):
    n = len(size)
    if len(physical_layout) != n:
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {n} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    strides, step = [None] * n, 1
    for i, d in enumerate(physical_layout):
        if not 0 <= d < n:
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {n - 1}, but got {d} at index "
                f"{i}).  NB: negative dims not currently supported; file an issue if you want it."
            )
        if physical_layout.index(d) != i:
            raise RuntimeError("Duplicate dim not allowed")
    for d in reversed(physical_layout):
        strides[d] = step
        step *= max(size[d], 1)
    return empty_strided(size, strides, **options)


empty_permuted = _factory(
    "empty_permuted(int[] size, int[] physical_layout, *, OPTIONS) -> Tensor",
    lambda size, physical_layout, dtype, layout, device, pin_memory, requires_grad: _empty_permuted(
        size, physical_layout, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    ),
    "An uninitialized tensor without gaps, whose dimensions lie in memory in the order of `physical_layout`, largest "
    "steps first.",
    composite=True,
)
new_empty = _factory(
    "new_empty(Tensor self, int[] size, *, OPTIONS) -> Tensor",
    kernels.new_empty,
    "An uninitialized tensor of another size and the dtype of `input`.",
    METHOD,
)


def _new(input, dtype, requires_grad, make):
    t = make(dtype=dtype or input.dtype)
    return t.requires_grad_() if requires_grad else t


def _declare_new(name, make):
    def kernel(input, size, dtype, layout, device, pin_memory, requires_grad):
        check_device(device)
        check_layout(layout)
        return _new(input, dtype, requires_grad, lambda dtype: make(size, dtype=dtype))

    return _factory(
        f"{name}(Tensor self, int[] size, *, OPTIONS) -> Tensor",
        kernel,
        f"`torch.{name[4:]}` with the dtype of `input`.",
        METHOD,
    )


new_zeros = _declare_new("new_zeros", zeros)
new_ones = _declare_new("new_ones", ones)


def _new_full(input, size, fill_value, dtype, layout, device, pin_memory, requires_grad):
    check_layout(layout)
    return _new(input, dtype, requires_grad, lambda dtype: full(size, fill_value, dtype=dtype))


def _new_tensor(input, data, dtype, layout, device, pin_memory, requires_grad):
    check_layout(layout)
    return tensor(data, dtype=dtype or input.dtype, requires_grad=requires_grad)


def _new_empty_strided(input, size, stride, dtype, layout, device, pin_memory, requires_grad):
    check_layout(layout)
    return _new(input, dtype, requires_grad, lambda dtype: empty_strided(size, stride, dtype=dtype))


new_full = _factory(
    "new_full(Tensor self, int[] size, Scalar fill_value, *, OPTIONS) -> Tensor",
    _new_full,
    "`torch.full` with the dtype of `input`.",
    METHOD,
)
new_tensor = _factory(
    "new_tensor(Tensor self, Data data, *, OPTIONS) -> Tensor",
    _new_tensor,
    "`torch.tensor` with the dtype of `input`.",
    METHOD,
)
new_empty_strided = _factory(
    "new_empty_strided(Tensor self, int[] size, int[] stride, *, OPTIONS) -> Tensor",
    _new_empty_strided,
    "`torch.empty_strided` with the dtype of `input`.",
    METHOD,
)


tensor = _factory(
    "tensor(Data data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False, "
    "bool pin_memory=False) -> Tensor",
    interop.tensor,
    "A fresh tensor with the values of `data`: a number, nested sequences, an array or a tensor. "
    "Python floats become the default dtype, ints int64, bools bool. A subclass becomes a plain tensor.",
    plain_result=True,
)
from_numpy = _factory(
    "from_numpy(Buffer ndarray) -> Tensor",
    interop.from_numpy_,
    "A tensor over the memory of a NumPy array. A read-only array gives a tensor that cannot be written to.",
)


def _as_tensor(data, dtype, device):
    if isinstance(data, Tensor):
        return data.to(device, dtype)
    if isinstance(data, np.ndarray) and all(s >= 0 for s in data.strides):
        return from_numpy(data).to(device, dtype)
    return interop.from_data(data, dtype).to(device)


as_tensor = Operator(
    "as_tensor(Data data, ScalarType? dtype=None, Device? device=None) -> Tensor",
    _as_tensor,
    composite=True,
    variants=FUNCTION,
    doc="`data` as a tensor, sharing memory with a tensor or NumPy array where possible.",
)


def _asarray(obj, dtype, device, copy, requires_grad):
    if type(obj).__name__ == "PyCapsule":
        obj = from_capsule(obj)
    elif isinstance(obj, Storage):
        dtype = dtype or get_default_dtype()
        obj = interop.over_storage(Tensor, obj, dtype, 0, (len(obj) // dtype.itemsize,), (1,), False)
    elif isinstance(obj, (bytes, bytearray, memoryview)) or (
        hasattr(obj, "__buffer__") and not isinstance(obj, (Tensor, np.ndarray, np.generic))
    ):
        obj = frombuffer(obj, dtype=dtype or get_default_dtype())
    if copy is False:
        if not isinstance(obj, (Tensor, np.ndarray)):
            if isinstance(obj, np.generic):
                raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        if dtype is not None and as_tensor(obj).dtype is not dtype:
            have, wanted = type_name(as_tensor(obj).dtype), type_name(dtype)
            raise ValueError(f"can't alias tensor with dtype '{have}' into dtype '{wanted}'.")
    if copy and isinstance(obj, Tensor):
        t = obj.clone().to(device, dtype or obj.dtype)
    else:
        t = interop.from_data(obj, dtype).to(device) if copy else as_tensor(obj, dtype, device)
    if requires_grad is None or requires_grad is t.requires_grad:
        return t
    return t.requires_grad_() if requires_grad else t.detach()


asarray = Operator(
    "asarray(Data obj, *, ScalarType? dtype=None, Device? device=None, bool? copy=None, "
    "bool? requires_grad=None) -> Tensor",
    _asarray,
    composite=True,
    variants=FUNCTION,
    doc="`obj` as a tensor; `copy` forces or forbids a copy. Without `requires_grad`, a tensor keeps its history.",
)


frombuffer = _factory(
    "frombuffer(Buffer buffer, *, ScalarType dtype, int count=-1, int offset=0, bool requires_grad=False) -> Tensor",
    interop.frombuffer,
    "A one-dimensional tensor over the memory of an object with the buffer protocol. With an odd `offset` elements lie "
    "at addresses that are no multiple of their size: every processor that there are wheels for reads and writes them.",
)


# --- by rule --------------------------------------------------------------------------------------------------------


def _of_several(schema, kernel, doc, *signatures, numbers=()):
    """Declare a factory with several signatures."""
    op = _factory(f"{schema}, *, {_REST}", kernel, doc, numbers=numbers, namespace="torch._ops")
    overloads(
        op,
        *(f"{each}, *, {_REST}".replace("OPTIONS", _OPTIONS) for each in signatures),
        variants=FUNCTION,
        differentiable=False,
    )
    return op


arange = _of_several(
    "arange(Scalar end, Scalar start=0, Scalar step=1",
    ranges.arange,
    "Numbers from `start` (by default 0) up to but excluding `end`, `step` apart.",
    "arange(Scalar end",
    "arange.start(Scalar start, Scalar end",
    "arange.start_step(Scalar start, Scalar end, Scalar step=1",
)


range_ = _factory(
    "range(Scalar start=0, Scalar? end=None, Scalar step=1, *, Tensor(a!)? out=None, OPTIONS) -> Tensor",
    ranges.range_,
    "Numbers from `start` to `end` inclusive, `step` apart.",
)


# PyTorch's signatures, by the types of the ends.
_ENDS = {
    ".Tensor_Tensor": "Tensor start, Tensor end",
    ".Tensor_Scalar": "Tensor start, Scalar end",
    ".Scalar_Tensor": "Scalar start, Tensor end",
    "": "Scalar start, Scalar end",
}
linspace = _of_several(
    "linspace(Tensor start, Tensor end, int steps",
    ranges.linspace,
    "`steps` evenly spaced numbers from `start` to `end`, both included.",
    *(f"linspace{overload}({ends}, int steps" for overload, ends in _ENDS.items()),
    numbers={"start", "end"},
)


logspace = _of_several(
    "logspace(Tensor start, Tensor end, int steps, float base=10.0",
    ranges.logspace,
    "`steps` numbers from base**start to base**end, evenly spaced in the exponent.",
    *(f"logspace{overload}({ends}, int steps, float base=10.0" for overload, ends in _ENDS.items()),
    numbers={"start", "end"},
)


eye = _of_several(
    "eye(int n, int? m=None",
    ranges.eye,
    "A matrix with ones on the diagonal and zeros elsewhere.",
    "eye(int n",
    "eye.m(int n, int m",
)


def _scalar_tensor(s, dtype, layout, device, pin_memory, requires_grad):
    check_layout(layout)
    return tensor(s, dtype=dtype or get_default_dtype(), device=device, requires_grad=requires_grad)


scalar_tensor = _factory(
    "scalar_tensor(Scalar s, *, OPTIONS) -> Tensor",
    _scalar_tensor,
    "A tensor without dimensions that holds one value, by default in the default dtype.",
)


complex_ = Operator(
    "complex(Tensor real, Tensor imag, *, Tensor(a!)? out=None) -> Tensor",
    pointwise.complex,
    variants=FUNCTION,
    doc="A complex tensor from its real and imaginary parts.",
)


# --- torch.Tensor(...), torch.FloatTensor(...), Tensor.new(...) -----------------------------------------------------


def construct(dtype, args, /, *, device=None, data=None, size=None, **unknown):
    """Create a tensor from sizes, uninitialized: `torch.Tensor(2, 3)`; from a sequence: `torch.Tensor([1, 2])`; or
    from a tensor, whose memory is shared and whose dtype must be `dtype`. None means the default dtype, without this
    check."""
    if unknown:
        raise TypeError(f"new() got an unexpected keyword argument '{next(iter(unknown))}'")
    if device is not None:
        kind = as_device._make(device).type
        if kind != "cpu":
            raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {kind} was passed")
    if isinstance(data, Tensor):
        raise TypeError("new(): data must be a sequence (got Tensor)")
    if device is not None and args and isinstance(args[0], Tensor):
        raise RuntimeError(
            "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported."
            "  Use torch.tensor(...) or torch.as_tensor(...) instead."
        )
    if data is not None:
        args = (data,)
    if size is not None:
        args = (Size(size),)
    with DisableTorchFunction():
        return _constructed(dtype, args)


def _constructed(alike, args):
    dtype = alike or get_default_dtype()
    if not args:
        return empty((0,), dtype=dtype)
    if all(isinstance(a, (int, np.integer)) and not isinstance(a, bool) for a in args):
        return empty(tuple(int(a) for a in args), dtype=dtype)
    if len(args) == 1:
        data, kind = args[0], type(args[0]).__name__
        if isinstance(data, Tensor):
            if alike is not None and data.dtype is not alike:
                raise TypeError(
                    f"expected TensorOptions(dtype={c_type_name(alike.id)}) (got "
                    f"TensorOptions(dtype={c_type_name(data.dtype.id)}))"
                )
            return find_operator("torch._ops.alias")(data)
        if isinstance(data, Storage) or hasattr(data, "_untyped_storage"):
            return empty((0,), dtype=dtype).set_(data)
        if kind == "Size":
            return empty(tuple(data), dtype=dtype)
        if isinstance(data, (DType, str)):
            raise TypeError(f"new(): invalid data type '{kind}'")
        if not (hasattr(data, "__array__") or hasattr(data, "__len__")):
            raise TypeError(f"new(): data must be a sequence (got {kind})")
        return interop.from_data(data, dtype)
    raise TypeError(
        "new() received an invalid combination of arguments - got "
        f"({', '.join(type(a).__name__ for a in args)}), but expected sizes, or one sequence of numbers"
    )


def _new_like(self, *args, **options):
    """Create a tensor with the same dtype: `x.new(2, 3)` uninitialized, `x.new([1, 2])` from data, `x.new()` empty."""
    if has_torch_function_unary(self):
        return handle_torch_function(Tensor.new, (self,), self, *args, **options)
    return construct(self.dtype, args, **options)


_new_like.__name__ = _new_like.__qualname__ = "new"
set_attribute("new", _new_like)
sockets.construct = lambda *args, **options: construct(None, args, **options)
