"""``torch._subclasses.fake_tensor``: tensors with sizes, dtypes and a device, and without elements.

A fake tensor wraps a tensor on device ``'meta'`` and reports another device. Programs run on fake tensors to determine
the properties of their results without using memory or time.

>>> import flambeau as torch
>>> from flambeau._subclasses.fake_tensor import FakeTensorMode
>>> with FakeTensorMode():
...     y = torch.nn.Linear(1000, 10)(torch.randn(10**6, 1000))
>>> y.shape, y.device
(torch.Size([1000000, 10]), device(type='cpu'))
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import flambeau as torch
from flambeau.utils._pytree import tree_flatten, tree_unflatten
from flambeau_cext.dispatch.python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from flambeau_tensor.extend import NoMetaKernel, dispatching

_META = torch.device("meta")
_READ = ("_local_scalar_dense", "item", "equal", "is_nonzero")  # operators that return values of elements to Python


class UnsupportedFakeTensorException(RuntimeError):
    """Raised for a tensor that cannot be converted to a fake tensor."""


class DynamicOutputShapeException(RuntimeError):
    """Raised for operators whose result sizes depend on elements.

    >>> str(DynamicOutputShapeException("aten.nonzero.default"))
    'aten.nonzero.default'
    """

    def __init__(self, func: object) -> None:
        super().__init__(str(func))
        self.func = func


class DataDependentOutputException(RuntimeError):
    """Raised when elements of a fake tensor are read: ``x.item()``, ``if x > 0``.

    >>> str(DataDependentOutputException("aten.equal.default"))
    'aten.equal.default'
    """

    def __init__(self, func: object) -> None:
        super().__init__(str(func))
        self.func = func


class UnsupportedOperatorException(RuntimeError):
    """Raised by an operator that does not define the properties of its results.

    >>> str(UnsupportedOperatorException("mylib.f.default"))
    'mylib.f.default'
    """

    def __init__(self, func: object) -> None:
        super().__init__(str(func))
        self.func = func


class FakeTensor(torch.Tensor):
    """A tensor without elements that reports a device. `FakeTensorMode` creates them.

    Args:
        fake_mode: the mode that created it.
        elem: a tensor on device ``'meta'``.
        device: the device that it reports.
        constant: the value of a tensor that was created from a number in the program, which may be read.
    """

    fake_device: torch.device
    fake_mode: "FakeTensorMode"
    constant: torch.Tensor | None
    elem: torch.Tensor

    @staticmethod
    def __new__(
        cls,
        fake_mode: "FakeTensorMode",
        elem: torch.Tensor,
        device: torch.device | str,
        constant: torch.Tensor | None = None,
    ) -> Self:
        if not elem.is_meta:
            raise AssertionError(f"elem.device.type must be 'meta', got {elem.device.type}")
        self = torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            elem.shape,
            elem.stride(),
            elem.storage_offset(),
            dtype=elem.dtype,
            requires_grad=elem.requires_grad,
            dispatch_sizes_strides_policy="sizes",
            dispatch_device=True,
        )
        self.elem, self.fake_mode, self.constant = elem.detach(), fake_mode, constant
        self.fake_device = torch.device(device)
        return self

    @property
    def _is_fake(self) -> bool:
        return True

    def __repr__(self, *, tensor_contents: object = None) -> str:
        parts = ["...", f"size={tuple(self.shape)}"]
        if self.fake_device.type != "cpu":
            parts.append(f"device='{self.fake_device}'")
        if self.dtype is not torch.get_default_dtype():
            parts.append(f"dtype={self.dtype}")
        if self.grad_fn is not None:
            parts.append(f"grad_fn=<{type(self.grad_fn).__name__}>")
        elif self.requires_grad:
            parts.append("requires_grad=True")
        return f"FakeTensor({', '.join(parts)})"

    def numpy(self, *, force: bool = False) -> Any:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def tolist(self) -> Any:
        return [self[i].tolist() for i in range(len(self))] if self.ndim else self.item()

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = tree_flatten((args, kwargs or {}))[0]
        mine = next(t for t in given if isinstance(t, FakeTensor))
        if func in _FACTS:
            return _FACTS[func](mine)
        with mine.fake_mode:
            return func(*args, **(kwargs or {}))


_FACTS: dict[Any, Callable[[FakeTensor], Any]] = {
    torch.ops.prim.device.default: lambda t: t.fake_device,
    torch.ops.aten.sym_size.default: lambda t: t.elem.shape,
    torch.ops.aten.sym_stride.default: lambda t: t.elem.stride(),
    torch.ops.aten.sym_storage_offset.default: lambda t: t.elem.storage_offset(),
    torch.ops.aten.sym_numel.default: lambda t: t.elem.numel(),
    torch.ops.aten.dim.default: lambda t: t.elem.dim(),
    torch.ops.aten.is_contiguous.default: lambda t: t.elem.is_contiguous(),
}


class FakeTensorMode(TorchDispatchMode):
    """A context in which new tensors are fake, and operators on fake tensors return fake tensors.

    Args:
        allow_fallback_kernels: accepted; there are no fallback kernels.
        allow_non_fake_inputs: whether operators accept tensors with elements together with fake ones.
        shape_env, static_shapes, export: accepted, without effect: sizes are numbers.

    Raises:
        AssertionError: by operators, for tensors with elements and for fake tensors of another mode.
        DataDependentOutputException: by operators that return Python values, such as ``item()``.
        DynamicOutputShapeException: by operators whose result sizes depend on elements, such as ``nonzero()``.

    >>> import flambeau as torch
    >>> mode = FakeTensorMode()
    >>> with mode:
    ...     x = torch.empty(2, 3)
    >>> x.t(), mode.from_tensor(torch.ones(4))
    (FakeTensor(..., size=(3, 2)), FakeTensor(..., size=(4,)))
    """

    def __init__(
        self,
        *,
        allow_fallback_kernels: bool = True,
        allow_non_fake_inputs: bool = False,
        shape_env: Any = None,
        static_shapes: bool | None = None,
        export: bool = False,
    ) -> None:
        super().__init__()
        self.allow_fallback_kernels, self.allow_non_fake_inputs = allow_fallback_kernels, allow_non_fake_inputs
        self.shape_env, self.static_shapes, self.export = shape_env, static_shapes is not False, export
        self.fake_tensor_converter = FakeTensorConverter()

    def from_tensor(self, tensor: torch.Tensor, **options: Any) -> torch.Tensor:
        """Return a fake tensor with the properties of a tensor; the same one for the same tensor.

        Args:
            tensor: the tensor to represent.
            options: accepted and ignored.
        """
        return self.fake_tensor_converter.from_real_tensor(self, tensor)

    def __torch_dispatch__(
        self, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given, form = tree_flatten((args, kwargs or {}))
        fakes = [t for t in given if isinstance(t, FakeTensor)]
        for t in fakes:
            if t.fake_mode is not self:
                raise AssertionError(f"Mixing fake modes NYI {t.fake_mode=} vs {self=}")
        if func is torch.ops.aten.lift_fresh.default and not fakes:
            return self._constant(args[0])
        if len(fakes) == 1 and fakes[0].constant is not None and func._opname in _READ:
            return func(*(fakes[0].constant if a is fakes[0] else a for a in args), **(kwargs or {}))
        device = next((t.fake_device for t in fakes if t.ndim), fakes[0].fake_device if fakes else torch.device("cpu"))
        asked = [a for a in given if isinstance(a, torch.device)]
        args, kwargs = tree_unflatten([self._plain(a, func) for a in given], form)
        out = self._run(func, args, kwargs)
        wrapped = self._wrapped(out, _with_index(asked[0]) if asked else device)
        given_args, given_kwargs = tree_unflatten(given, form)
        return return_and_correct_aliasing(func, given_args, given_kwargs, wrapped)

    def _run(self, func: Any, args: Any, kwargs: Any) -> Any:
        try:
            return func(*args, **kwargs)
        except NoMetaKernel as error:
            kind: Any = DynamicOutputShapeException if func._namespace == "aten" else UnsupportedOperatorException
            raise kind(func) from error
        except RuntimeError as error:
            if func._opname in _READ:
                raise DataDependentOutputException(func) from error
            raise

    def _constant(self, real: torch.Tensor) -> torch.Tensor:
        with dispatching.Undispatched():
            made = FakeTensor(self, _to_meta(real), real.device, constant=real if real.numel() == 1 else None)
        return made

    def _plain(self, value: Any, func: Any) -> Any:
        """Convert an argument for an operator: tensors and devices become those of 'meta'."""
        if isinstance(value, torch.device):
            return _META
        if isinstance(value, FakeTensor):
            return value.elem
        if not isinstance(value, torch.Tensor):
            return value
        if not (self.allow_non_fake_inputs or value.is_meta or value.ndim == 0):
            raise AssertionError(
                "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
                f"'allow_non_fake_inputs'. Found in {func}"
            )
        with dispatching.Undispatched():
            return _to_meta(value)

    def _wrapped(self, out: Any, device: torch.device) -> Any:
        found, form = tree_flatten(out)
        with dispatching.Undispatched():
            return tree_unflatten(
                [FakeTensor(self, t, device) if isinstance(t, torch.Tensor) and t.is_meta else t for t in found], form
            )


@contextmanager
def unset_fake_temporarily() -> Iterator["FakeTensorMode | None"]:
    """Deactivate the innermost `FakeTensorMode` of this thread in a block; yield it, or None if there is none.

    >>> import flambeau as torch
    >>> with FakeTensorMode(), unset_fake_temporarily():
    ...     torch.ones(2)
    tensor([1., 1.])
    """
    stack = dispatching.mode_stack()
    inside = next((i for i, mode in enumerate(reversed(stack)) if isinstance(mode, FakeTensorMode)), None)
    if inside is None:
        yield None
        return
    fake = stack[-1 - inside]
    _beneath(inside, dispatching.pop_mode)
    try:
        yield fake
    finally:
        _beneath(inside, lambda: dispatching.push_mode(fake))


def _beneath(count: int, change: Callable[[], object]) -> None:
    """Change the stack of modes beneath the innermost `count` modes."""
    modes = [dispatching.pop_mode() for _ in range(count)]
    change()
    for mode in reversed(modes):
        dispatching.push_mode(mode)


class FakeTensorConverter:
    """Converts tensors to fake tensors; each has one fake tensor as long as both exist."""

    def __init__(self) -> None:
        from flambeau.utils.weak import WeakIdKeyDictionary

        self.made: Any = WeakIdKeyDictionary()

    def from_real_tensor(self, fake_mode: FakeTensorMode, t: torch.Tensor, **options: Any) -> torch.Tensor:
        """The fake tensor of a mode that looks like a tensor; a parameter stays one.

        Args:
            fake_mode: the mode.
            t: the tensor.
            options: accepted and ignored.

        Raises:
            AssertionError: it is a fake tensor of another mode.
        """
        if isinstance(t, FakeTensor):
            if t.fake_mode is not fake_mode:
                raise AssertionError("Mixing fake modes NYI")
            return t
        if t.is_sparse:
            raise UnsupportedFakeTensorException("sparse tensors")
        if t in self.made:
            found: torch.Tensor = self.made[t]
            return found
        with dispatching.Undispatched():
            made: torch.Tensor = FakeTensor(fake_mode, _to_meta(t), t.device)
            if t.requires_grad:
                made.requires_grad_()
        if isinstance(t, torch.nn.Parameter):
            made._is_param = True  # type: ignore[attr-defined]
        self.made[t] = made
        return made


def _to_meta(t: torch.Tensor) -> torch.Tensor:
    t = t.detach()
    return torch.empty_strided(tuple(t.shape), t.stride(), dtype=t.dtype, device="meta")


def _with_index(device: torch.device) -> torch.device:
    return torch.device(device.type, 0) if device.type == "cuda" and device.index is None else device


def is_fake(x: object) -> bool:
    """Return True if something is a fake tensor.

    >>> import flambeau as torch
    >>> is_fake(torch.ones(2)), is_fake(FakeTensorMode().from_tensor(torch.ones(2)))
    (False, True)
    """
    return isinstance(x, FakeTensor)


def maybe_get_fake_mode(t: object) -> FakeTensorMode | None:
    """The mode of a fake tensor, None for anything else.

    >>> maybe_get_fake_mode(3) is None
    True
    """
    return t.fake_mode if isinstance(t, FakeTensor) else None
