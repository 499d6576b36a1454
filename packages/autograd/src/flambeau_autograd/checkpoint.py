"""Activation checkpointing: tensors that a function would save for backward are recomputed when backward needs them.

Two ways do this. With ``use_reentrant=False`` the function runs recorded, and each tensor that would be saved is
replaced by a placeholder; the first placeholder that backward reads runs the function again and collects what it saves
this time. With ``use_reentrant=True`` the function runs unrecorded as one custom Function, whose backward runs it again
recorded and differentiates that: older, and with more restrictions.
"""

from __future__ import annotations

import contextlib
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import flambeau_tensor as torch
from flambeau_autograd._engine.function.apply import apply_in, context_of
from flambeau_autograd._engine.graph.backward import backward as _backward
from flambeau_autograd._engine.graph.engine import current_run, queue_callback, runs_to_all_leaves
from flambeau_autograd._engine.graph.settings import Setting, Within
from flambeau_autograd._engine.levels.layers import without_history
from flambeau_autograd._engine.levels.tape_level import TapeLevel
from flambeau_autograd.function import Function
from flambeau_autograd.grad_mode import enable_grad, is_grad_enabled, no_grad
from flambeau_autograd.graph import saved_tensors_hooks
from flambeau_autograd.selective_checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)
from flambeau_tensor import Tensor
from flambeau_tensor.random import fork_rng, get_rng_state, set_rng_state

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


class CheckpointError(RuntimeError):
    """The function computed something else when it ran again.

    >>> issubclass(CheckpointError, RuntimeError)
    True
    """


def noop_context_fn() -> tuple[Any, Any]:
    """The default ``context_fn``: two contexts that do nothing.

    >>> noop_context_fn()[0] is not None
    True
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


_early_stop, _debug = Setting(None), Setting(None)  # None: the arguments of the call decide


def set_checkpoint_early_stop(enable: bool) -> Within:
    """Inside the block, decide for all calls of `checkpoint` whether running again ends with the last tensor needed.

    >>> x = torch.ones(1, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).backward()
    >>> x.grad
    tensor([0.5403])
    """
    return Within(_early_stop, enable)


def set_checkpoint_debug_enabled(enabled: bool | None) -> Within:
    """Inside the block, decide for all calls of `checkpoint` whether they keep a log for errors; None: each its own.

    >>> with set_checkpoint_debug_enabled(False):
    ...     y = torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(1, requires_grad=True), use_reentrant=False)
    >>> y
    tensor([0.8415], grad_fn=<SinBackward0>)
    """
    return Within(_debug, enabled)


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Run ``function(*args, **kwargs)`` without saving tensors for backward; backward runs it again from its arguments.

    Args:
        function: the function to run. It must compute the same when it runs again.
        use_reentrant: False is recommended: it works with `torch.autograd.grad`, keywords, tensors in containers and
            nested calls, and stops running again as soon as possible. True does not record the first run. Default,
            with a warning: True.
        context_fn: returns two contexts, for the first run and for running again. Not if reentrant.
        determinism_check: ``"default"`` compares shapes and dtypes of what is saved both times; ``"none"`` does not.
        debug: if both runs do not match, list the calls of both in the error. Not if reentrant.
        early_stop: end running again with the last tensor needed. Not if reentrant.
        preserve_rng_state: draw the same random numbers again. Default: True.

    Returns:
        The result of ``function``.

    Raises:
        CheckpointError: in backward, if running again saved other tensors.
        ValueError: an argument is not allowed.

    >>> x = torch.tensor([0.5, 1.0], requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> torch.allclose(x.grad, (x.sin().exp() * x.cos()).detach())
    True
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "use_reentrant=False is recommended; the default is True for the sake of old programs.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    log = None
    if debug if _debug.value is None else _debug.value:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        log = _Log()
        context_fn = log.contexts
    first, again = context_fn()
    if not is_grad_enabled():
        return function(*args, **kwargs)
    early_stop = early_stop if _early_stop.value is None else _early_stop.value
    frame = _Frame(function, args, kwargs, preserve, again, early_stop, determinism_check == "default", log)
    completed = False
    with saved_tensors_hooks(frame.pack, frame.unpack), first:
        result = function(*args, **kwargs)
        completed = True
    if not completed:
        raise RuntimeError(
            "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception "
            "raised during the checkpointed forward. This is not supported because checkpoint cannot "
            "return a value for a failed forward."
        )
    frame.completed = True
    return result


_kept: list[Callable[[], Callable[[], contextlib.AbstractContextManager[Any]]]] = []


def keep_for_second_run(remember: Callable[[], Callable[[], contextlib.AbstractContextManager[Any]]]) -> None:
    """Register state that a second run must restore.

    ``remember()`` is called at the first run and returns a function that creates the context of the second run. Higher
    packages register their own state.
    """
    _kept.append(remember)


def _remembered() -> Callable[[], contextlib.AbstractContextManager[Any]]:
    makers = [remember() for remember in _kept]

    @contextlib.contextmanager
    def contexts():  # type: ignore[no-untyped-def]
        with contextlib.ExitStack() as stack:
            for make in makers:
                stack.enter_context(make())
            yield

    return contexts


# --- not reentrant --------------------------------------------------------------------------------------------------


class _Stop(BaseException):
    """Ends a function that is run again: all that is needed was saved. No `except Exception` of its may catch it."""


class _Placeholder:
    """Stands in a node for the tensor number ``index`` that the function saved."""

    __slots__ = ("__weakref__", "index")

    def __init__(self, index: int) -> None:
        self.index = index


class _Inputs(Function):
    """Saves the function's tensor arguments as a node would: checked for changes, and by the hooks that are set."""

    @staticmethod
    def forward(ctx: Any, anchor: Tensor, *tensors: Tensor) -> Any:
        ctx.save_for_backward(*tensors)
        return anchor * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise AssertionError("no gradient flows here")


class _Frame:
    """One call of `checkpoint`."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: Any,
        kwargs: Any,
        preserve: bool,
        again: Any,
        early_stop: bool,
        check: Any,
        log: Any,
    ) -> None:
        self.function, self.again, self.early_stop, self.check, self.log = function, again, early_stop, check, log
        self.rng_state = get_rng_state() if preserve else None
        self.first_run = _remembered()
        self.completed = False
        self.placeholders: list[Any] = []  # weak references, in order of saving
        self.forms: list[Any] = []  # shape and dtype of each, if they are compared
        self.recomputed: Any = {}  # number of a run of backward -> {index: tensor} that it has yet to read
        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)]
        self.recorded = [t.requires_grad for t in tensors]
        anchor = torch.empty(0, requires_grad=True)
        self.inputs = apply_in(context_of(_Inputs), None, anchor, *tensors).grad_fn  # with the levels that they have
        self.args = [None if isinstance(a, torch.Tensor) else a for a in args]
        self.kwargs = {k: None if isinstance(a, torch.Tensor) else a for k, a in kwargs.items()}
        self.places = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor)]
        self.names = [k for k, a in kwargs.items() if isinstance(a, torch.Tensor)]

    def pack(self, tensor: Tensor) -> Any:
        placeholder = _Placeholder(len(self.placeholders))
        self.placeholders.append(weakref.ref(placeholder))
        if self.check:
            self.forms.append((tuple(tensor.shape), tensor.dtype))
        return placeholder

    def unpack(self, placeholder: Any) -> Any:
        run = current_run()
        values = self.recomputed.get(run) if run is not None else None
        if values is None or placeholder.index not in values:  # the first to ask, or asks a second time
            values = self.recompute()
            if run is not None:
                if run not in self.recomputed:
                    queue_callback(lambda: self.recomputed.pop(run, None))
                self.recomputed[run] = values
        return values.pop(placeholder.index)

    def recompute(self) -> Any:
        """Run the function again; return the tensors it saves that may still be needed."""
        again = _Again(self)
        args, kwargs = list(self.args), dict(self.kwargs)
        try:
            self.run_again(again, args, kwargs)
        except _Stop as stop:
            if stop.args[0] is not again:
                raise
        again.compare()
        return again.values

    def run_again(self, again: Any, args: Any, kwargs: Any) -> Any:
        """Record the function's run, with its tensors in place of those that ``args`` and ``kwargs`` lack."""
        with TapeLevel(internal=True) as level:
            # A tensor on the tape of a transform that has ended (such as `vjp`) is replaced, so that it can be recorded
            # again.
            tensors = iter(
                [
                    level.wrap(t) if recorded and not t.requires_grad else t
                    for t, recorded in zip(self.inputs.saved_tensors, self.recorded, strict=True)
                ]
            )
            for i in self.places:
                args[i] = next(tensors)
            for name in self.names:
                kwargs[name] = next(tensors)
            with fork_rng(enabled=self.rng_state is not None):
                if self.rng_state is not None:
                    set_rng_state(self.rng_state)
                with (
                    enable_grad(),
                    self.first_run(),
                    self.again,
                    saved_tensors_hooks(again.pack, lambda tensor: tensor),
                ):
                    self.function(*args, **kwargs)


class _Again:
    """One time that a frame's function is run again."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.count = 0
        self.values: dict[int, Any] = {}
        self.differing: list[Any] = []

    def pack(self, tensor: Tensor) -> Any:
        frame, index = self.frame, self.count
        self.count += 1
        if index >= len(frame.placeholders):
            if frame.completed:
                self.fail("trying to save more tensors during recomputation than during the original forward pass.")
            return tensor  # the first run is still active: it contains a backward pass
        if frame.placeholders[index]() is not None:
            self.values[index] = without_history(tensor)  # the tangent is kept
            if frame.check and frame.forms[index] != (tuple(tensor.shape), tensor.dtype):
                self.differing.append(
                    f"tensor at position {index}:\nsaved metadata: {_form(*frame.forms[index])}\n"
                    f"recomputed metadata: {_form(tensor.shape, tensor.dtype)}"
                )
        if frame.early_stop and self.count == len(frame.placeholders):
            raise _Stop(self)
        return tensor

    def compare(self) -> None:
        frame = self.frame
        if self.count < len(frame.placeholders):
            self.fail(
                "A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(frame.placeholders)}\n"
                f"Number of tensors saved during recomputation: {self.count}."
            )
        if self.differing:
            self.fail(
                "Recomputed values for the following tensors have different metadata than during the forward "
                "pass.\n" + "\n".join(self.differing)
            )

    def fail(self, message: str) -> NoReturn:
        log = self.frame.log
        tail = log.text() if log is not None else "Tip: pass debug=True to checkpoint() to see the calls of both runs."
        raise CheckpointError(f"torch.utils.checkpoint: {message}\n{tail}")


def _form(shape: Sequence[int], dtype: torch.dtype) -> str:
    return f"{{'shape': {torch.Size(shape)}, 'dtype': {dtype}}}"


class _Log:
    """The calls of the first run and of running again, for errors."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    def contexts(self) -> Any:
        return self.mode(), self.mode()

    def mode(self) -> Any:
        from flambeau_overrides.modes import TorchFunctionMode

        lines: list[str] = []
        self.runs.append(lines)

        class Log(TorchFunctionMode):
            def __torch_function__(
                self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                shown = ", ".join([_shown(a) for a in args] + [f"{k}={_shown(a)}" for k, a in (kwargs or {}).items()])
                lines.append(f"{getattr(function, '__name__', function)}({shown})")
                result = function(*args, **(kwargs or {}))
                lines[-1] += f" -> {_shown(result)}"
                return result

        return Log()

    def text(self) -> str:
        titles = ("Calls of the original forward:", "Calls of the recomputation:")
        return "\n\n".join("\n".join([title, *run]) for title, run in zip(titles, self.runs, strict=False))


def _shown(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(_shown(v) for v in value) + ")"
    return repr(value)


# --- reentrant ------------------------------------------------------------------------------------------------------


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same arguments with tensors detached, which require grad if they did.

    Raises:
        RuntimeError: the inputs are not a tuple.

    >>> x = torch.ones(1, requires_grad=True) * 2
    >>> detach_variable((x, "text"))
    (tensor([2.], requires_grad=True), 'text')
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(a.detach().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in inputs)


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """Return the devices of tensor arguments other than the CPU, and the states of their generators: both are empty.

    >>> get_device_states(torch.ones(1))
    ([], [])
    """
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """Restore generators of other devices than the CPU to the states that `get_device_states` returned.

    Raises:
        RuntimeError: there is such a device among `devices`.

    >>> set_device_states([], [])
    """
    if devices:
        raise RuntimeError(f"set_device_states(): there is no device {devices[0]}")


def check_backward_validity(inputs: Any) -> None:
    """Warn if no tensor among ``inputs`` requires grad.

    Raises:
        TypeError: the inputs cannot be iterated over.

    >>> check_backward_validity([torch.ones(1, requires_grad=True)])
    """
    if not any(a.requires_grad for a in inputs if isinstance(a, torch.Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


class CheckpointFunction(Function):
    """``checkpoint(..., use_reentrant=True)`` as a Function."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.function = function
        ctx.rng_state = get_rng_state() if preserve else None
        ctx.first_run = _remembered()
        ctx.args = [None if isinstance(a, torch.Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if not runs_to_all_leaves():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can either "
                "set use_reentrant=False, or call .backward() without passing the `inputs` argument."
            )
        given = list(ctx.args)
        for i, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            given[i] = tensor
        args = detach_variable(tuple(given))
        with fork_rng(enabled=ctx.rng_state is not None):
            if ctx.rng_state is not None:
                set_rng_state(ctx.rng_state)
            with enable_grad(), ctx.first_run():
                outputs = ctx.function(*args)
        if isinstance(outputs, torch.Tensor):
            outputs = (outputs,)
        wanted = [
            (o, g) for o, g in zip(outputs, grads, strict=True) if isinstance(o, torch.Tensor) and o.requires_grad
        ]
        if not wanted:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        _backward([o for o, _ in wanted], [g for _, g in wanted])
        return (None, None, *(a.grad if isinstance(a, torch.Tensor) else None for a in args))


# --- chains of functions --------------------------------------------------------------------------------------------


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run a sequence of functions in ``segments`` parts, all except the last under `checkpoint`.

    Args:
        functions: a ``torch.nn.Sequential``, or the functions or modules themselves in order.
        segments: the number of parts.
        input: the argument of the first function.
        use_reentrant, preserve_rng_state: see `checkpoint`.

    Raises:
        ZeroDivisionError: ``segments`` is 0. Errors of the functions propagate.

    >>> steps = [torch.sin, torch.exp, torch.tanh, torch.cos]
    >>> x = torch.tensor([0.5, 1.0], requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint_sequential(steps, 2, x, use_reentrant=False)
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed "
            "explicitly. use_reentrant=False is recommended; the default is True for the sake of old "
            "programs.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children() if hasattr(functions, "children") else functions)
    size = len(functions) // segments
    start = 0
    for _ in range(segments - 1):
        input = checkpoint(
            _chain(functions[start : start + size]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
        start += size
    return _chain(functions[start:])(input)


def _chain(functions: Any) -> Callable[..., Any]:
    def run(value: Any) -> Any:
        for function in functions:
            value = function(value)
        return value

    return run
