"""``torch._ops``: the classes of the contents of ``torch.ops``, and operators that take functions."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from flambeau._dispatch_keys import DispatchKey, is_below_autograd
from flambeau.utils._pytree import tree_leaves
from flambeau_cext import ops as ops
from flambeau_cext.dispatch.python_dispatch import TorchDispatchMode, _get_current_dispatch_mode, _pop_mode_temporarily
from flambeau_cext.overloads import OpOverload as OpOverload
from flambeau_cext.overloads import OpOverloadPacket as OpOverloadPacket
from flambeau_overrides import handle_torch_function, has_torch_function
from flambeau_tensor import Tensor, is_inference
from flambeau_tensor.extend import OperatorHandle as OperatorBase  # noqa: F401
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.subclassing import handles_dispatch

# The keys whose implementations serve another key, in their order of precedence.
_SERVE_BACKENDS = ("CompositeExplicitAutogradNonFunctional", "CompositeExplicitAutograd", "CompositeImplicitAutograd")
_SERVE_AUTOGRAD = ("CompositeImplicitAutograd", "Autograd")


class HigherOrderOperator(ABC):
    """Base class of operators that take functions, with implementations by dispatch key, mode and subclass.

    Subclasses define ``__call__``, which passes the arguments to that of this class. It runs the implementation for the
    innermost TorchDispatchMode, then that for a subclass of Tensor among the arguments, then that for the key
    ``Autograd`` unless recording is excluded, then that for the device. Inside transforms such as ``vmap``, the
    operators that an implementation calls are transformed.

    Args:
        name: its name in ``torch.ops.higher_order``.
        cacheable: has no effect: calls are not cached.

    Raises:
        NotImplementedError: a call has no implementation.

    >>> class Twice(HigherOrderOperator):
    ...     def __call__(self, function, x):
    ...         return super().__call__(function, x)
    >>> twice = Twice("twice")
    >>> @twice.py_impl(torch._C.DispatchKey.CompositeImplicitAutograd)
    ... def _(function, x):
    ...     return function(function(x))
    >>> twice(torch.exp, torch.zeros(1))
    tensor([2.7183])
    """

    namespace = "higher_order"

    def __init__(self, name: str, *, cacheable: bool = False, supports_training_input_mutation: bool = False) -> None:
        self.__name__, self._name, self._cacheable = name, name, cacheable
        self.__module__ = "torch.ops.higher_order"
        self._kernels: dict[Any, Callable[..., Any]] = {}
        self._skipped: set[Any] = set()
        setattr(ops.higher_order, name, self)

    def name(self) -> str:
        """Return its name."""
        return self._name

    def __str__(self) -> str:
        return self._name

    def cacheable(self) -> bool:
        """Whether it was declared with `cacheable`."""
        return self._cacheable

    def py_impl(self, k: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that registers the implementation for a DispatchKey, a mode or a subclass of Tensor.

        The implementation for a mode receives the mode as its first argument.

        Raises:
            RuntimeError: there is one already.
        """

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            if k in self._kernels:
                raise RuntimeError(f"Trying to override a python impl for {k} on operator {self._name}")
            self._kernels[k] = function
            self._skipped.discard(k)
            return function

        return register

    def py_autograd_impl(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Register `function` for calls that record; other calls run the implementation for the device."""

        def autograd(*args: Any, **kwargs: Any) -> Any:
            from flambeau import _C, is_grad_enabled

            leaves = tree_leaves((args, kwargs))
            if is_grad_enabled() and any(isinstance(x, Tensor) and x.requires_grad for x in leaves):
                return function(*args, **kwargs)
            with _C._AutoDispatchBelowAutograd():
                return self(*args, **kwargs)

        self.py_impl(DispatchKey["Autograd"])(autograd)
        return function

    def fallthrough(self, dispatch_key: Any) -> None:
        """Ignore a key: its calls run the next implementation."""
        self._skipped.add(dispatch_key)

    def has_kernel_for_dispatch_key(self, k: Any) -> bool:
        """Whether an implementation is registered for the key itself."""
        return k in self._kernels

    @abstractmethod
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the implementation that the arguments choose."""
        leaves = tree_leaves((args, kwargs))
        overriding = tuple(x for x in leaves if isinstance(x, Tensor))
        if has_torch_function(overriding):
            return handle_torch_function(self, overriding, *args, **kwargs)
        mode = _get_current_dispatch_mode()
        if mode is not None:
            return self._call_mode(mode, args, kwargs)
        for x in overriding:
            if handles_dispatch(type(x)):
                if type(x) not in self._kernels:
                    raise NotImplementedError(f"There was no rule registered for HOP {self} and subclass {type(x)}.")
                found = self._kernels[type(x)](*args, **kwargs)
                if found is not NotImplemented:
                    return found
        return self._kernel(overriding)(*args, **kwargs)

    def _call_mode(self, mode: TorchDispatchMode, args: Any, kwargs: Any) -> Any:
        with _pop_mode_temporarily():
            kernel = self._kernels.get(type(mode))
            if kernel is not None:
                return kernel(mode, *args, **kwargs)
            if mode.supports_higher_order_operators:
                return mode.__torch_dispatch__(self, (), args, kwargs)
        raise NotImplementedError(
            f"There was no rule registered for HigherOrderOperator {self} and mode {mode}: register one with py_impl, "
            "or set supports_higher_order_operators of the mode to True, which passes these operators to its "
            "__torch_dispatch__."
        )

    def _kernel(self, tensors: tuple[Tensor, ...]) -> Callable[..., Any]:
        """Return the implementation for the device of the tensors, or for recording calls with them."""
        device = "Undefined" if not tensors else "Meta" if any(t.is_meta for t in tensors) else "CPU"
        keys = [device]
        if tensors and not is_below_autograd() and not all(is_inference(t) for t in tensors):
            keys.insert(0, f"Autograd{device}")
        for name in keys:
            others = _SERVE_AUTOGRAD if name.startswith("Autograd") else _SERVE_BACKENDS
            if DispatchKey[name] in self._skipped:
                continue
            for candidate in (name, *others):
                if DispatchKey[candidate] in self._kernels:
                    return self._kernels[DispatchKey[candidate]]
            raise NotImplementedError(
                f"could not find kernel for HigherOrderOperator {self} at dispatch key DispatchKey.{name}"
            )
        raise NotImplementedError(f"HigherOrderOperator {self} ignores all keys of these arguments: {keys}")


__getattr__, __dir__ = _attach(__name__, "torch._ops", unlisted=True)
