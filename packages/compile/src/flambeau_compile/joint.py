"""Autograd around a compiled program: one node in the graph, whose backward is a program, too.

The backward is traced along with the call: autograd computes the gradients of the results for placeholders, under a
Tracer as well. What the forward steps wrote and the backward steps read is kept from one to the other, like any saved
tensor. Where a gradient is itself differentiated, the function runs once more, recorded: every order of derivative is
right.
"""

import time
from collections.abc import Callable
from typing import Any

from flambeau_autograd import Function, grad, is_grad_enabled, set_grad_enabled
from flambeau_autograd.func import vjp
from flambeau_compile._arguments import tensors_in
from flambeau_compile._entry import BUSY, OTHER, Entry
from flambeau_compile.graph import Buffer, Program, Step, Window
from flambeau_tensor.random import get_rng_state, set_rng_state


class Joint:
    """The forward and the backward program of one captured call.

    Args:
        function: what was captured.
        forward: its Entry; it returns (results that are differentiable, the others, saved tensors).
        backward: the Entry of (inputs, saved tensors, gradients) -> gradients of the inputs.
        inputs: what gradients are computed for: numbers of tensors among the arguments, and captured tensors.
        rebuild: from the tensors that the forward program returns to what the function returns.
        outputs: which tensors among the results are differentiable: numbers, in the order of all results.
    """

    def __init__(self, function: Callable[..., Any], inputs: list[Any], outputs: list[int], rebuild: Any) -> None:
        self.function, self.inputs, self.outputs, self.rebuild = function, inputs, outputs, rebuild
        self.needed: list[Any] = []  # what the backward program reads: numbers of arguments, and captured tensors
        self.once: str | None = None  # why the function may not run again for a call
        self.draws = False  # whether it draws random numbers
        self.forward: Entry
        self.backward: Entry

    def call(self, entry: Entry, tensors: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the forward program, and put one node into the graph."""
        inputs = [tensors[o] if isinstance(o, int) else o for o in self.inputs]
        results = _Node.apply(self, entry, tensors, args, kwargs, *inputs)
        if results is None:
            return BUSY if entry.busy else OTHER
        return self.rebuild(results, tensors)


class _Node(Function):
    """The node; its context keeps the saved tensors."""

    @staticmethod
    def forward(ctx: Any, joint: Joint, entry: Entry, tensors: list[Any], args: Any, kwargs: Any, *inputs: Any) -> Any:
        ctx.random = get_rng_state() if joint.draws else None
        ctx.outside = None if entry.numbers is None else entry.numbers.outside()
        found = entry.run_on(tensors)
        if found is NotImplemented:
            return None
        results, saved = found
        ctx.joint, ctx.entry, ctx.args, ctx.kwargs, ctx.inputs, ctx.tensors = (
            joint,
            entry,
            args,
            kwargs,
            inputs,
            tensors,
        )
        # What eager calls save: whether it is as it was, and whether it is still there, is for autograd to say.
        ctx.save_for_backward(*saved, *(tensors[o] if isinstance(o, int) else o for o in joint.needed))
        ctx.kept = len(saved)
        different = set(joint.outputs)
        ctx.mark_non_differentiable(*(r for i, r in enumerate(results) if i not in different))
        ctx.set_materialize_grads(True)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        joint = ctx.joint
        saved = ctx.saved_tensors[: ctx.kept]
        wanted = [grads[i] for i in joint.outputs]
        if is_grad_enabled():
            return (None,) * 5 + _recorded(joint, ctx, wanted)
        given = [*ctx.tensors, *saved, *(_dense(g) for g in wanted)]
        found = joint.backward.run_on(given)
        while found is NotImplemented and joint.backward.busy:  # in another thread
            time.sleep(0)
            found = joint.backward.run_on(given)
        if found is NotImplemented:
            return (None,) * 5 + tuple(g if g is None else g.detach() for g in _recorded(joint, ctx, wanted))
        return (None,) * 5 + tuple(found)


def _dense(gradient: Any) -> Any:
    """A gradient as the backward program takes it."""
    return gradient if gradient.is_contiguous() else gradient.contiguous()


def _recorded(joint: Joint, ctx: Any, grads: list[Any]) -> tuple[Any, ...]:
    """The gradients with a history of their own: the function runs once more, and autograd differentiates it.

    Raises:
        RuntimeError: another run would not do what the call did.
    """
    reason = joint.once or ctx.entry.why() or joint.backward.why()
    if reason is None and ctx.outside is not None and ctx.outside != ctx.entry.numbers.outside():
        reason = "a number that it reads was set"
    if reason is not None:
        name = getattr(joint.function, "__qualname__", type(joint.function).__name__)
        raise RuntimeError(
            f"torch.compile: gradients of {name} that are themselves differentiated need another run of it, which "
            f"would not do what the call did: {reason}. Such calls need torch.compiler.set_stance('force_eager')."
        )
    now = get_rng_state() if joint.draws else None
    try:
        if joint.draws:
            set_rng_state(ctx.random)
        ended = [t for t in ctx.inputs if not t.requires_grad]  # of a transform that is over
        if ended:
            return _transformed(joint, ctx, ended, grads)
        with set_grad_enabled(True):
            results = tensors_in(joint.function(*ctx.args, **ctx.kwargs))
            wanted = [results[i] for i in joint.outputs]
            return grad(wanted, ctx.inputs, grads, create_graph=True, allow_unused=True)
    finally:
        if joint.draws:
            set_rng_state(now)


def _transformed(joint: Joint, ctx: Any, ended: list[Any], grads: list[Any]) -> tuple[Any, ...]:
    """The gradients by a transform of its own, which may run inside of `vmap`, as `jacrev` has it."""

    def again(*given: Any) -> tuple[Any, ...]:
        places = {id(t): g for t, g in zip(ended, given, strict=True)}
        results = tensors_in(joint.function(*_replaced(ctx.args, places), **_replaced(ctx.kwargs, places)))
        return tuple(results[i] for i in joint.outputs)

    found = dict(zip(map(id, ended), vjp(again, *ended)[1](tuple(grads)), strict=True))
    return tuple(found.get(id(t)) for t in ctx.inputs)


def _replaced(o: Any, places: dict[int, Any]) -> Any:
    """Arguments with other tensors in the places of some."""
    if isinstance(o, (tuple, list)):
        items = [_replaced(each, places) for each in o]
        return type(o)(*items) if hasattr(o, "_fields") else type(o)(items)
    if isinstance(o, dict):
        return {name: _replaced(each, places) for name, each in o.items()}
    return places.get(id(o), o)


# --- two programs out of one --------------------------------------------------------------------------------------


def halves(program: Program, first: int, results: list[Window], gradients: list[Window], given: set[int]) -> tuple[
    Program, Program, list[Buffer]
]:  # fmt: skip
    """The program up to a step and the one from it on, and the buffers that the first keeps for the second.

    Args:
        program: both, one after the other; only the second part writes to `gradients`.
        first: the number of the second part's first step.
        results: what the first part returns.
        gradients: what the second part returns, each in memory of its own.
        given: buffers that the second part's caller gives it beside those that were there before.
    """
    forward, backward = Program(), Program()
    second = program.steps[first:]
    needed = _needed(second, {w.buffer.index for w in gradients})
    reads = {w.buffer.index for step in needed for w in step.windows()}
    made = {w.buffer.index for step in program.steps[:first] for w in step.written()}
    kept = [b for b in program.buffers if b.index in reads & made and b.tensor is None and b.index not in given]
    forward.buffers = program.buffers
    forward.steps = program.steps[:first]
    for buffer in (*kept, *(w.buffer for w in results)):
        buffer.lasts = True
    forward.remove_dead_steps()
    copies: dict[int, Buffer] = {}
    for buffer in program.buffers:
        copy = Buffer(buffer.index, buffer.nbytes, buffer.tensor)
        if any(buffer is b for b in kept):
            copy.tensor = _KEPT
        copy.lasts = buffer.index in {w.buffer.index for w in gradients}
        copies[buffer.index] = copy
    backward.buffers = list(copies.values())
    backward.steps = [moved(step, copies) for step in needed]
    return forward, backward, kept


_KEPT = object()  # stands for the tensor that shows what the forward program keeps


def _needed(steps: list[Step], wanted: set[int]) -> list[Step]:
    part = Program()
    part.steps = steps
    kept: list[Step] = []
    for step in reversed(steps):
        if (
            any(w.buffer.tensor is not None for w in step.written())
            or {w.buffer.index for w in step.written()} & wanted
        ):
            kept.append(step)
            wanted |= {w.buffer.index for w in step.windows()}
    return kept[::-1]


def moved(o: Any, buffers: dict[int, Buffer]) -> Any:
    """A step, or what stands in it, over other buffers of the same numbers."""
    if isinstance(o, Window):
        return o._replace(buffer=buffers[o.buffer.index])
    if isinstance(o, tuple):
        items = [moved(each, buffers) for each in o]
        return type(o)(*items) if hasattr(o, "_fields") else tuple(items)
    return o
