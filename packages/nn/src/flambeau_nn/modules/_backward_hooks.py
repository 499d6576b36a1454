"""Hooks on the gradients of modules.

Inputs and outputs of the module pass through an identity function, whose backward receives their gradients and
calls the hooks. Imported when the first such hook is called.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from flambeau_autograd import Function, is_grad_enabled
from flambeau_tensor import Tensor

if TYPE_CHECKING:
    from flambeau_autograd.graph import Node
    from flambeau_nn.modules.module import Module

Seen = Callable[[tuple[Any, ...]], tuple[Any, ...]]


class BackwardHookFunction(Function):
    """Return the tensors unchanged; in backward, pass their gradients through ``seen``, which returns replacements.

    A missing gradient is None, or zeros if ``zeros`` is true.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(seen: Seen, zeros: bool, *tensors: Tensor) -> tuple[Tensor, ...]:
        return tensors

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.seen, zeros, *tensors = inputs
        ctx.set_materialize_grads(zeros)
        ctx.mark_non_differentiable(*(o for t, o in zip(tensors, output, strict=True) if not t.requires_grad))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
        return None, None, *ctx.seen(grads)


def _checked(grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a hook returned, if it consists of tensors and None."""
    for grad in grads:
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(grad).__name__}'")
    return grads


def _spread(values: Sequence[Any], places: Sequence[int] | None, length: int) -> tuple[Any, ...]:
    """``values`` at their places in a tuple of None."""
    out = [None] * length
    for place, value in zip(places or (), values, strict=True):
        out[place] = value
    return tuple(out)


class GradientHooks:
    """The backward hooks of one call of a module."""

    def __init__(self, module: Module, hooks: list[Callable[..., Any]], pre_hooks: list[Callable[..., Any]]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_output: tuple[Any, ...] | None = None
        self.input_places: list[int] | None = None
        self.output_places: list[int] | None = None
        self.inputs = self.outputs = 0

    def _watch(self, values: tuple[Any, ...], seen: Seen, zeros: bool) -> tuple[tuple[Any, ...], list[int] | None]:
        """Return ``values`` with tensors passed through the function, and their indices; None if none requires grad."""
        places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
        if not (is_grad_enabled() and any(values[i].requires_grad for i in places)):
            return values, None
        watched = BackwardHookFunction.apply(seen, zeros, *(values[i] for i in places))
        out = list(values)
        for place, value in zip(places, watched, strict=True):
            out[place] = value
        return (tuple(out) if type(values) is tuple else type(values)(*out)), places

    def watch_input(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments for forward."""
        self.inputs = len(args)
        args, self.input_places = self._watch(args, self._see_input, True)
        return args

    def watch_output(self, result: Any) -> Any:
        """Wrap the tensors in the result of the module."""
        outputs = result if isinstance(result, tuple) else (result,)
        if not isinstance(result, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                f"received {type(result)}",
                stacklevel=4,
            )
        self.outputs = len(outputs)
        outputs, self.output_places = self._watch(outputs, self._see_output, False)
        return outputs if isinstance(result, tuple) else outputs[0]

    def _see_output(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        grad_output = _spread(grads, self.output_places, self.outputs)
        for hook in self.pre_hooks:
            changed = hook(self.module, grad_output)
            if changed is None:
                continue
            if len(changed) != len(grad_output):
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, got "
                    f"{len(changed)}, but expected {len(grad_output)}"
                )
            grad_output = _checked(changed)
        if self.input_places is None:
            self._without_input_gradients(grad_output)
        else:
            self.grad_output = grad_output
        return tuple(grad_output[i] for i in self.output_places or ())

    def _without_input_gradients(self, grad_output: tuple[Any, ...]) -> None:
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since "
            "no inputs require gradients.",
            stacklevel=5,
        )
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.inputs, grad_output)
            if changed is not None and not (isinstance(changed, tuple) and all(g is None for g in changed)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return "
                    "None or None for all gradients."
                )

    def _see_input(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.grad_output is None:  # no gradient came through the output, as in double backward
            return grads
        grad_input = _spread(grads, self.input_places, self.inputs)
        for hook in self.hooks:
            changed = hook(self.module, grad_input, self.grad_output)
            if changed is None:
                continue
            if len(changed) != len(grad_input):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, got "
                    f"{len(changed)}, but expected {len(grad_input)}"
                )
            grad_input = _checked(changed)
        self.grad_output = None
        return tuple(grad_input[i] for i in self.input_places or ())


def _first_tensor(value: Any) -> Tensor:
    """The first tensor in an output that may be a tensor, a dict or a sequence."""
    while not isinstance(value, Tensor):
        value = next(v for v in value.values() if isinstance(v, Tensor)) if isinstance(value, dict) else value[0]
    return value


def _reason_to_warn(node: Node, args: tuple[Any, ...], result: Any) -> str | None:
    """Why hooks on ``node`` do not get the gradients of all inputs and outputs of the module; None if they do."""
    for name, values in ("return", (result,) if isinstance(result, Tensor) else result), ("take as input", args):
        if not isinstance(values, tuple) or not all(isinstance(value, Tensor) for value in values):
            part = "grad_output" if name == "return" else "grad_input"
            return f"on a Module that does not {name} a single Tensor or a tuple of Tensors is deprecated: {part}"
    ends = {t.grad_fn for t in ((result,) if isinstance(result, Tensor) else result)} - {None}
    if len(ends) > 1:
        return "when outputs are generated by different autograd Nodes is deprecated: grad_output"
    if {t.grad_fn for t in args} - {None} != {following for following, _ in node.next_functions}:
        return "when the forward contains multiple autograd Nodes is deprecated: grad_input"
    return None


def watch_last_operation(module: Module, hooks: list[Callable[..., Any]], args: tuple[Any, ...], result: Any) -> None:
    """The older hooks: on the node that made the output."""
    node = _first_tensor(result).grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(lambda grad_input, grad_output, hook=hook: hook(module, grad_input, grad_output))
    reason = _reason_to_warn(node, args, result)
    if reason is not None:
        warnings.warn(
            f"Using a non-full backward hook {reason} misses gradients. Use register_full_backward_hook instead.",
            FutureWarning,
            stacklevel=4,
        )
