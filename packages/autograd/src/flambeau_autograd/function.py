"""Custom operations with user-defined derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from flambeau_autograd._engine.function import apply as _function
from flambeau_autograd._engine.function import context as _context

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "NestedIOFunction", "once_differentiable"]


_F = TypeVar("_F", bound=Callable[..., Any])


class FunctionCtx:
    """The ``ctx`` of ``forward``, ``setup_context``, ``backward`` and ``jvp``, through which they share data.

    Besides the methods here it accepts any attribute. Tests may use a manually created instance in place of the real
    one.
    """

    __slots__ = ()
    if TYPE_CHECKING:  # attributes of the compiled class
        to_save: Any
        saved_for_forward: Any
        saved_tensors: tuple[Any, ...]
        dirty_tensors: Any
        non_differentiable: Any
        materialize_grads: bool
        needs_input_grad: tuple[bool, ...]

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors, inputs or outputs of forward, for ``backward``, which reads them from ``ctx.saved_tensors``."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for ``jvp``."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Declare which inputs forward has changed in place; forward must also return them."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Declare which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether ``backward`` receives zeros (the default) or None for outputs without a gradient."""
        self.materialize_grads = value


class BackwardCFunction(_context.Context, FunctionCtx):
    """Base of the nodes of custom Functions: ``Square.apply(x).grad_fn`` is a ``SquareBackward``."""

    __slots__ = ()

    def apply(self, *grads: Any) -> Any:
        """Call the user's backward with the gradients of the outputs and return its result."""
        return self(*grads)

    def apply_jvp(self, *tangents: Any) -> Any:
        """Run the user's jvp on the tangents of the arguments."""
        return self._forward_cls.jvp(self, *tangents)


def _node_class(cls: type) -> type:
    module = getattr(cls, "__module__", BackwardCFunction.__module__)  # type() may be called without one
    return type(
        cls.__name__ + "Backward", (BackwardCFunction,), {"__slots__": (), "__module__": module, "_forward_cls": cls}
    )


class Function:
    """Base class of custom differentiable operations: define ``forward`` and ``backward`` in a subclass, and call
    ``apply``.

    Either ``forward(ctx, *args)`` computes the result and saves on ``ctx`` what ``backward(ctx, *grads)`` needs, or
    ``forward(*args)`` only computes and ``setup_context(ctx, inputs, output)`` saves. ``backward`` receives a gradient
    for each output and returns one for each argument of forward (None for arguments that are not tensors).

    Raises:
        RuntimeError: the class is called instead of ``apply`` of a subclass.

    >>> class Exp(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         result = x.exp()
    ...         ctx.save_for_backward(result)
    ...         return result
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         result, = ctx.saved_tensors
    ...         return grad * result
    >>> x = torch.zeros(2, requires_grad=True)
    >>> Exp.apply(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """

    _backward_cls: type
    generate_vmap_rule = False
    clear_saved_tensors_on_access = False  # free the saved tensors when backward has read them once
    boxed_grads_call = False  # if True: backward(ctx, grads) gets one list with the only references to the gradients
    _is_lifted = False  # its forward applies another Function at outer levels

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        import warnings

        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself. Instantiating an autograd function will raise an error "
            "in a future version.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method."
        )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._backward_cls = _node_class(cls)
        inherited = next(c.__dict__["apply"] for c in cls.__mro__ if "apply" in c.__dict__)
        if isinstance(inherited, _function.Apply):  # not defined by the user
            cls.apply = _function.Apply(cls)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: ``forward(ctx, *args)``, or ``forward(*args)`` if there is a ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Save on ``ctx`` what the derivative needs; ``inputs`` are forward's arguments, ``output`` is its result."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of forward's arguments from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = staticmethod(lambda ctx, *grad_outputs: Function.backward(ctx, *grad_outputs))

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Compute the tangents of the outputs from those of forward's arguments."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Run on a batch; returns the outputs and their batch dimensions."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod "
            "or set generate_vmap_rule=True."
        )

    apply = _function.Apply()


Function._backward_cls = _node_class(Function)
_function.set_base(Function)
_context.set_base_backward(Function.backward, Function.vjp)


def _signature(forward: Callable[..., Any]) -> tuple[Any, list[str], bool]:
    import inspect

    found = getattr(forward, "_flambeau_signature", None)
    if found is None:
        signature = inspect.signature(forward)
        kinds = {p.name: p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in signature.parameters.values()}
        found = signature, [name for name, simple in kinds.items() if simple], all(kinds.values())
        try:
            forward._flambeau_signature = found  # type: ignore[attr-defined]  # on the function, to go with it
        except AttributeError:
            pass
    return found


def bind(
    forward: Callable[..., Any], with_ctx: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of ``forward`` in its order, and those that it takes by keyword only; defaults filled in."""
    signature, names, simple = _signature(forward)
    if simple and not kwargs and not with_ctx and len(args) == len(names):
        return args, kwargs
    try:
        bound = signature.bind(*((None, *args) if with_ctx else args), **kwargs)
    except TypeError as error:
        raise TypeError(f"forward() {error}") from None
    if not with_ctx:
        bound.apply_defaults()
    return bound.args[1:] if with_ctx else bound.args, bound.kwargs


def parameter_names(cls: type[Function], n: int, keywords: Sequence[str]) -> list[str]:
    """The names of the ``n`` arguments that ``cls.apply`` was given, those called ``keywords`` last."""
    signature, names, _ = _signature(cls.forward)
    if cls.setup_context is Function.setup_context:
        names = names[1:]  # ctx
    rest = next((p.name for p in signature.parameters.values() if p.kind is p.VAR_POSITIONAL), "")
    n -= len(keywords)
    return [*names[:n], *(f"{rest}[{i}]" for i in range(n - len(names))), *keywords]


def once_differentiable(backward: _F) -> _F:
    """Mark a ``backward`` that is not differentiable: differentiating it raises an error."""
    from functools import wraps

    from flambeau_autograd.grad_mode import is_grad_enabled, no_grad

    @wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            outputs = backward(ctx, *grads)
        if not is_grad_enabled():
            return outputs
        message = "trying to differentiate twice a function that was marked with @once_differentiable"
        several = isinstance(outputs, tuple)
        marked = tuple(
            _context.delayed_error(o, message, ctx, grads) if hasattr(o, "requires_grad") else o
            for o in (outputs if several else (outputs,))
        )
        return marked if several else marked[0]

    wrapper.once_differentiable = True  # type: ignore[attr-defined]
    return cast(_F, wrapper)


class InplaceFunction(Function):
    """A Function with an ``inplace`` flag, for compatibility."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A Function whose arguments may hold tensors in tuples, lists and dicts, as those of every Function may; for
    compatibility."""
