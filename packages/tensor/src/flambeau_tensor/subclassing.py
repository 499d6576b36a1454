"""The behavior of subclasses of Tensor that override nothing: run the operation and return results of their own type.

For subclasses that leave ``__torch_function__`` unchanged, operators do the same in C;
``super().__torch_function__(...)`` calls the functions here. Also here: copying and pickling of tensors and subclasses.
"""

from flambeau_overrides import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    _disabled_torch_function_impl,
    metadata,
    register_base,
    register_namespace,
)
from flambeau_tensor._core.call import dispatching
from flambeau_tensor._core.call.binding import rewrap
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.call.sockets import sockets
from flambeau_tensor._core.elementwise.dtype import get_default_dtype
from flambeau_tensor._core.memory.subclass import inherit_syntax, shorten_dealloc
from flambeau_tensor._core.memory.tensor import Tensor, check_read, declare_dispatching
from flambeau_tensor._core.schema.declaring import METHOD
from flambeau_tensor._core.schema.registry import find_operator, set_attribute
from flambeau_tensor._kernels import interop


def _torch_function(cls, func, types, args=(), kwargs=None):
    """Run `func` without overrides and convert its tensors to this class, unless another type has precedence."""
    inherited = cls.__mro__  # the real inheritance, which a metaclass cannot override
    for t in types:
        if t not in inherited:
            return NotImplemented
    kwargs = kwargs or {}
    plain = cls is Tensor or getattr(func, "plain_result", False)
    merged = None
    if getattr(cls, "__torch_metadata__", None) and (not plain or getattr(func, "writes", False)):
        merged = metadata.merge(cls, func, args, kwargs)  # before any computation, since rules may raise
    with DisableTorchFunctionSubclass():
        result = func(*args, **kwargs)
    if not plain:
        result = rewrap(result, cls)
        if merged:
            metadata.attach(result, cls, merged, args, kwargs)
    return result


_handler = classmethod(_torch_function)


def _disabled_torch_dispatch_impl(func, types, args=(), kwargs=None):
    """The `__torch_dispatch__` of classes that need none, and of ``super()``."""
    with dispatching.Undispatched():
        return func(*args, **(kwargs or {}))


def handles_dispatch(cls):
    """Return True if a class of tensors has a `__torch_dispatch__` of its own."""
    return cls.__torch_dispatch__ is not _disabled_torch_dispatch_impl


def _inherited_handler(cls):
    return next(vars(base)["__torch_function__"] for base in cls.__mro__ if "__torch_function__" in vars(base))


def _init_subclass(cls, **options):
    super(Tensor, cls).__init_subclass__(**options)
    if handles_dispatch(cls):
        declare_dispatching(cls)
        if _inherited_handler(cls) is _handler:  # only __torch_dispatch__ determines results
            cls.__torch_function__ = _disabled_torch_function_impl
    shorten_dealloc(cls)
    inherit_syntax(cls)
    if metadata.declare(cls):
        if _inherited_handler(cls) is _handler:
            cls.__torch_function__ = classmethod(_torch_function)  # to be called, since C bypasses the inherited one


set_attribute("__torch_function__", _handler)
set_attribute("__torch_dispatch__", staticmethod(_disabled_torch_dispatch_impl))
set_attribute("__torch_metadata__", None)
set_attribute("__init_subclass__", classmethod(_init_subclass))
sockets.default_handler = _handler
register_base(Tensor)
register_namespace("torch.Tensor", Tensor)


def _check_class(cls, dispatch_sizes_strides_policy):
    if not (isinstance(cls, type) and Tensor in cls.__mro__):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. "
            "Make sure your class inherits from Tensor."
        )
    if dispatch_sizes_strides_policy not in (None, "sizes", "strides"):
        raise ValueError(f"Unknown dispatch_sizes_strides_policy: {dispatch_sizes_strides_policy}")


def _make_subclass(
    cls,
    data,
    require_grad=False,
    *,
    dispatch_sizes_strides_policy=None,
    dispatch_device=False,
    dispatch_layout=False,
):
    """Return an instance of `cls` on the memory of a tensor, without its history. Nothing is dispatched.

    For the remaining arguments, see `_make_wrapper_subclass`.
    """
    _check_class(cls, dispatch_sizes_strides_policy)
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {type(data).__name__}")
    with DisableTorchFunction():
        _, (_, storage, *geometry), _ = _reduce(data)
        geometry[4] = require_grad
        made = rebuild_over(cls, storage, *geometry)
    interop.let_class_answer(made, dispatch_sizes_strides_policy, dispatch_device, dispatch_layout)
    return made


set_attribute("_make_subclass", staticmethod(_make_subclass))


def _make_wrapper_subclass(
    cls,
    size,
    strides=None,
    storage_offset=None,
    memory_format=None,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
    dispatch_sizes_strides_policy=None,
    dispatch_device=False,
    dispatch_layout=False,
    _extra_dispatch_keys=None,
    storage_size=None,
):
    """Return an instance of `cls` with a geometry but without memory; its ``__torch_dispatch__`` handles all calls.

    With the policy "strides", the class is also called for strides; with "sizes", for sizes and strides. If it returns
    None, the geometry given here applies. `dispatch_device` and `dispatch_layout` make it called for these.
    """
    _check_class(cls, dispatch_sizes_strides_policy)
    if not handles_dispatch(cls):
        raise TypeError("Tensor subclass must define __torch_dispatch__")
    size = tuple(size)
    if strides is None and memory_format is not None:
        strides = find_operator("torch.empty")(size, memory_format=memory_format).stride()
    strides = None if strides is None else tuple(strides)
    made = interop.without_memory(cls, dtype or get_default_dtype(), size, strides, storage_offset or 0, requires_grad)
    interop.let_class_answer(made, dispatch_sizes_strides_policy, dispatch_device, dispatch_layout)
    return made


set_attribute("_make_wrapper_subclass", staticmethod(_make_wrapper_subclass))
share_storage = interop.share_storage


# --- copying and pickling -------------------------------------------------------------------------------------------
# The storage is pickled as a separate object, so tensors that share memory share it after loading, too. Pickles contain
# calls of PyTorch's functions. Data for another process of this library is not copied; plain tensors are sent without
# their class, because it may be called `torch.Tensor` here but not in the receiving process.


def rebuild_over(cls, storage, dtype, offset, size, stride, requires_grad, conj=False, neg=False):
    """Return a tensor of class `cls` (None: `Tensor`) on a storage."""
    cls = Tensor if cls is None else cls
    return interop.over_storage(cls, storage, dtype, offset, size, stride, requires_grad, conj, neg)


def geometry(self):
    """Return the properties that define a tensor: dtype, offset, sizes, strides, and whether it requires grad and is
    a conjugate or negative view."""
    return (
        self.dtype,
        self.storage_offset(),
        tuple(self.shape),
        self.stride(),
        interop.requires_grad(self),
        self.is_conj(),
        self.is_neg(),
    )


def _reduce(self):
    check_read(self, "__reduce_ex__")
    cls = None if type(self) is Tensor else type(self)
    return rebuild_over, (cls, self.untyped_storage(), *geometry(self)), self.__getstate__()


def reduce_for_process(tensor):
    """Reduce a tensor for another process; leaves remain leaves.

    Raises:
        RuntimeError: the tensor is the result of recorded operations.
    """
    if interop.requires_grad(tensor) and not interop.is_leaf(tensor):
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries: the history stays behind. To send the values alone, call detach() on the "
            "tensor before it is put on a queue, sent through a pipe, or returned by a worker."
        )
    if type(tensor).__reduce_ex__ is not Tensor.__reduce_ex__:
        return tensor.__reduce_ex__(2)
    _, arguments, state = reduced = _reduce(tensor)
    if not tensor.is_meta:
        return reduced
    cls, _, dtype, _, size, stride, requires_grad, *_ = arguments
    return _rebuild_meta, (cls, dtype, size, stride, requires_grad), state


def _rebuild_meta(cls, dtype, size, stride, requires_grad):
    made = find_operator("torch.empty_strided")(size, stride, dtype=dtype, device="meta", requires_grad=requires_grad)
    return made if cls is None else made.as_subclass(cls)


def _reduce_ex(self, protocol):
    check_read(self, "__reduce_ex__")
    from flambeau_tensor.serialization.naming import reduce_tensor

    return reduce_tensor(self, typed=False)


def _deepcopy(self, memo):
    if id(self) in memo:
        return memo[id(self)]
    check_read(self, "__deepcopy__")
    if not interop.is_leaf(self):
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
            f"at the moment; this one comes from {self.grad_fn!r}. Copy tensor.detach() instead."
        )
    from copy import deepcopy

    if interop.is_answered_for(self):
        copy, state = _answered_copy(self), self.__getstate__()
    else:
        rebuild, (cls, storage, *geometry), state = _reduce(self)
        copy = rebuild(cls, deepcopy(storage, memo), *geometry)
    memo[id(self)] = copy
    if state is not None:
        state = deepcopy(state, memo)
        if hasattr(copy, "__setstate__"):
            copy.__setstate__(state)
        else:
            _set_state(copy, state)
    interop.copy_grad(self, copy, lambda grad: deepcopy(grad, memo))
    return copy


def _answered_copy(self):
    """Copy an instance of a class without memory, by the class's handler of `clone`."""
    with dispatching.Dispatched():
        copy = find_operator("torch.clone")(self)
    if type(copy) is not type(self):
        raise RuntimeError(
            f"__deepcopy__() of {type(self).__name__}, whose __torch_dispatch__ handles all calls, needs a class for "
            "which cloning returns another instance of the same subclass, but clone() returns an instance of "
            f"{type(copy).__name__}. Define __deepcopy__() in the class, or let clone() return its instances."
        )
    return copy.requires_grad_() if interop.requires_grad(self) else copy


def _set_state(self, state):
    members, slots = state if isinstance(state, tuple) else (state, None)
    self.__dict__.update(members or {})
    for name, value in (slots or {}).items():
        setattr(self, name, value)


_HOW = {"variants": METHOD, "differentiable": False, "plain_result": True, "lazy": True, "meta": True}
Operator(
    "__reduce_ex__(Tensor self, int protocol) -> Object",
    _reduce_ex,
    doc="Python's pickling: storage and geometry; on device 'meta', the geometry alone.",
    data_dependent=True,
    **_HOW,
)
Operator(
    "__deepcopy__(Tensor self, Object memo) -> Tensor",
    _deepcopy,
    doc="Python's deep copy: the memory is copied once for all tensors that share it. Only leaves can be copied.",
    **_HOW,
)
