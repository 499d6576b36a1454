"""Autograd around a compiled program: a node in the graph whose backward is also a program.

The backward is traced together with the call: autograd computes the gradients of the results for placeholders, also
under a Tracer. Values that forward steps write and backward steps read are stored in between, like saved tensors. If a
gradient is itself differentiated, the function runs again, recorded, so derivatives of every order are correct.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

from flambeau_autograd import Function, is_grad_enabled, set_grad_enabled
from flambeau_autograd.extend import grad_between
from flambeau_autograd.func import vjp
from flambeau_compile._arguments import hooks_of, tensors_in, versions_of
from flambeau_compile._entry import BUSY, OTHER, Entry
from flambeau_compile._results import of_classes, rebuilt
from flambeau_compile.graph import Buffer, Check, Program, Step, Window, moved
from flambeau_compile.instances import opened
from flambeau_compile.symbols import like
from flambeau_tensor import Tensor, zeros
from flambeau_tensor.random import get_rng_state, set_rng_state


class Joint:
    """The forward and the backward program of one captured call.

    Args:
        function: the captured function.
        forward: its Entry; it returns (differentiable results, the others, saved tensors).
        backward: the Entry of (inputs, saved tensors, gradients) -> gradients of the inputs.
        inputs: the inputs for which gradients are computed: indices of tensor arguments, and captured tensors.
        structure: the structure of the result, with Outputs and similar placeholders for tensors.
        outputs: the indices of differentiable tensors among all results.
        reached: for each of these, the indices of the inputs that its gradient reaches.
        views: for each result None, or its derivation from another one, see `outputs.View`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: list[Any],
        outputs: list[int],
        reached: list[set[int]],
        structure: Any,
        views: list[Any],
    ) -> None:
        self.function, self.inputs, self.outputs, self.structure = function, inputs, outputs, structure
        self.reached, self.views = reached, views
        self.places: list[tuple[int, bool]] = []  # of each differentiable result, see `places_of`
        self.classes: list[Any] = []  # for each result, its subclass of Tensor or None
        self.stored: list[tuple[Any, Any]] = []  # Places, and the values that each call stores there, as in `structure`
        self.shapes: list[Any] = []  # (shape, dtype) of each differentiable result
        self.saves = False  # whether an eager backward frees saved tensors and cannot run twice
        # values that the backward program reads: indices of arguments, and captured tensors
        self.needed: list[Any] = []
        self.read: list[Any] = []  # values that either program may read, in the same form
        self.once: str | None = None  # why the function may not run again for a call
        self.draws = False  # whether it draws random numbers
        self.forward: Entry
        self.backward: Entry

    def call(self, entry: Entry, tensors: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the forward program, and add one node to the graph, even if the caller does not record: the function
        itself did."""
        if not is_grad_enabled():
            with set_grad_enabled(True):
                return self.call(entry, tensors, args, kwargs)
        inputs = [tensors[o] if isinstance(o, int) else o for o in self.inputs]
        results = _Node.apply(self, _Given(entry, tensors, args, kwargs), *inputs)
        if results is None:
            return BUSY if entry.busy else OTHER
        own = iter(results)
        outputs: list[Any] = []
        for view in self.views:
            outputs.append(next(own) if view is None else view.of(outputs, tensors))
        made = of_classes(outputs, self.classes)
        result = rebuilt(self.structure, made, tensors)
        for place, found in self.stored:
            place.set(rebuilt(found, made, tensors))
        return result


class _Given:
    """The arguments of a call, in an object: tensors in tuples and lists would be inputs of the node."""

    def __init__(self, entry: Entry, tensors: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.entry, self.tensors, self.args, self.kwargs = entry, tensors, args, kwargs


class _Node(Function):
    """The node of a joint program; its context holds the saved tensors."""

    @staticmethod
    def forward(ctx: Any, joint: Joint, given: _Given, *inputs: Any) -> Any:
        entry, tensors = given.entry, given.tensors
        ctx.random = get_rng_state() if joint.draws else None
        ctx.outside = None if entry.numbers is None else entry.numbers.outside()
        found = entry.run_on(tensors)
        if found is NotImplemented:
            return None
        results, saved = found
        ctx.joint, ctx.entry, ctx.inputs, ctx.tensors = joint, entry, inputs, tensors
        ctx.args, ctx.kwargs = given.args, given.kwargs
        if joint.saves:  # autograd checks whether it was modified or freed
            needed = [tensors[o] if isinstance(o, int) else o for o in joint.needed]
            ctx.save_for_backward(*(*saved, *needed) or (_SOMETHING,))
        else:  # eager calls can go backward again
            ctx.unsaved = saved
        ctx.kept = len(saved)
        ctx.versions = versions_of(joint.read, tensors)
        different = set(joint.outputs)
        ctx.mark_non_differentiable(*(r for i, r in enumerate(results) if i not in different))
        ctx.set_materialize_grads(False)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        joint = ctx.joint
        saved = ctx.saved_tensors[: ctx.kept] if joint.saves else ctx.unsaved
        wanted = [grads[i] for i in joint.outputs]
        reached = set().union(*(r for g, r in zip(wanted, joint.reached, strict=True) if g is not None))
        if is_grad_enabled():
            return (None,) * 2 + _only(reached, _recorded(joint, ctx, wanted))
        pairs = zip(wanted, joint.shapes, strict=True)
        wanted = [zeros(shape, dtype=dtype) if g is None else g for g, (shape, dtype) in pairs]
        given = [*ctx.tensors, *saved, *(_dense(g) for g in wanted)]
        found = joint.backward.run_on(given)
        while found is NotImplemented and joint.backward.busy:  # in another thread
            time.sleep(0)
            found = joint.backward.run_on(given)
        if found is NotImplemented:  # perhaps a parameter was given another dtype in the meantime
            found = joint.backward.run_on(given, joint.backward.converted())
        if found is NotImplemented:
            found = [g if g is None else g.detach() for g in _recorded(joint, ctx, wanted)]
        return (None,) * 2 + _only(reached, found)


_SOMETHING = zeros(())  # saved by nodes that save nothing, so that their graph is freed after backward


def _only(reached: set[int], gradients: Any) -> tuple[Any, ...]:
    """Return gradients only for inputs that the given gradients reach; eager calls compute no others."""
    return tuple(g if i in reached else None for i, g in enumerate(gradients))


def _dense(gradient: Any) -> Any:
    """Return a gradient in the form that the backward program needs."""
    return gradient if gradient.is_contiguous() else gradient.contiguous()


def _recorded(joint: Joint, ctx: Any, grads: list[Any]) -> tuple[Any, ...]:
    """Compute gradients that have a history: the function runs again, and autograd differentiates it.

    Raises:
        RuntimeError: another run would differ from the call.
    """
    reason = joint.once or ctx.entry.why()
    if reason is None and ctx.outside is not None and ctx.outside != ctx.entry.numbers.outside():
        reason = "a number that it reads was set"
    if reason is None and ctx.versions != versions_of(joint.read, ctx.tensors):
        reason = "a tensor that it read was written to afterwards"
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
            results = _at(joint.places, joint.function(*ctx.args, **ctx.kwargs))
            pairs = [(t, g) for t, g in zip(results, grads, strict=True) if g is not None]
            wanted, given = tuple(t for t, _ in pairs), tuple(g for _, g in pairs)
            return grad_between(wanted, tuple(ctx.inputs), given, create_graph=True)
    finally:
        if joint.draws:
            set_rng_state(now)


def _transformed(joint: Joint, ctx: Any, ended: list[Any], grads: list[Any]) -> tuple[Any, ...]:
    """Compute the gradients with a separate transform, which may run inside `vmap`, as in `jacrev`."""

    def again(*given: Any) -> tuple[Any, ...]:
        places = {id(t): g for t, g in zip(ended, given, strict=True)}
        results = _at(joint.places, joint.function(*_replaced(ctx.args, places), **_replaced(ctx.kwargs, places)))
        return tuple(t for t, g in zip(results, grads, strict=True) if g is not None)

    given = tuple(g for g in grads if g is not None)
    found = dict(zip(map(id, ended), vjp(again, *ended)[1](given), strict=True))
    return tuple(found.get(id(t)) for t in ctx.inputs)


def places_of(wanted: list[Any], returned: list[Any]) -> list[tuple[int, bool]]:
    """Return the index of each tensor among those that a function returned, or (True) that of a view of it."""
    found = []
    for t in wanted:
        place = next((i for i, each in enumerate(returned) if each is t), None)
        of_view = place is None
        if place is None:
            place = next(i for i, each in enumerate(returned) if each._base is t)
        found.append((place, of_view))
    return found


def _at(places: list[tuple[int, bool]], result: Any) -> list[Any]:
    returned = tensors_in(opened(result))
    return [returned[i]._base if of_view else returned[i] for i, of_view in places]


def _replaced(o: Any, places: dict[int, Any]) -> Any:
    """Arguments with other tensors in the places of some."""
    if isinstance(o, (tuple, list)):
        return like(o, [_replaced(each, places) for each in o])
    if isinstance(o, dict):
        return {name: _replaced(each, places) for name, each in o.items()}
    return places.get(id(o), o)


class without_hooks:  # noqa: N801
    """A context in which the hooks of some tensors do not run: autograd calls them when the gradients arrive."""

    def __init__(self, tensors: list[Any]) -> None:
        self.hooks = [(hooks, dict(hooks)) for t in tensors for hooks in hooks_of(t)]

    def __enter__(self) -> None:
        for hooks, _ in self.hooks:
            hooks.clear()

    def __exit__(self, *exc: object) -> None:
        for hooks, before in self.hooks:
            hooks.update(before)


# --- graphs ---------------------------------------------------------------------------------------------------------


def _nodes(tensor: Any, sources: list[Any]) -> Iterator[tuple[Any, int]]:
    """Generate the nodes between a tensor and its sources or leaves, which come last, each with an output number."""
    ends = {(id(t.grad_fn), t.output_nr) for t in sources if t.grad_fn is not None}
    found: set[tuple[int, int]] = set()
    left = [(tensor.grad_fn, tensor.output_nr)]
    while left:
        node, output = left.pop()
        if node is None or (id(node), output) in found:
            continue
        found.add((id(node), output))
        yield node, output
        if (id(node), output) not in ends:
            left.extend(node.next_functions)


def kept_objects(results: list[Any], sources: list[Any], known: frozenset[int]) -> list[Any]:
    """Return the objects that custom Functions keep for a backward, of those whose addresses are known."""
    found: dict[int, Any] = {}
    left = [vars(node) for t in results for node, _ in _nodes(t, sources) if getattr(node, "__dict__", None)]
    while left:
        value = left.pop()
        if id(value) in known:
            found[id(value)] = value
        elif isinstance(value, (list, tuple, dict)):
            left.extend(value.values() if isinstance(value, dict) else value)
    return [value for value in found.values() if not isinstance(value, Tensor)]


def reached(tensor: Any, sources: list[Any]) -> set[int]:
    """Which of some tensors the gradient of a tensor reaches: numbers."""
    places = {(id(t.grad_fn), t.output_nr): i for i, t in enumerate(sources) if t.grad_fn is not None}
    leaves = {id(t): i for i, t in enumerate(sources) if t.grad_fn is None}
    found = set()
    for node, output in _nodes(tensor, sources):
        number = places.get((id(node), output))
        if number is None and node.name().endswith("AccumulateGrad"):
            number = leaves.get(id(node.variable))
        if number is not None:
            found.add(number)
    return found


def _own(tensor: Any, sources: list[Any]) -> Iterator[Any]:
    """Yield the nodes between a tensor and others, without leaves and without the nodes of the others."""
    ends = {id(t.grad_fn) for t in sources}
    for node, _ in _nodes(tensor, sources):
        if id(node) not in ends and not node.name().endswith("AccumulateGrad"):
            yield node


def saves(tensor: Any, sources: list[Any]) -> bool:
    """Return True if a backward from a tensor to others finds anything that it frees."""
    return any(node._saves for node in _own(tensor, sources))


def has_hooks(tensor: Any, sources: list[Any]) -> bool:
    """Return True if a hook must be called while gradients flow from a tensor to others."""
    return any(node._has_hooks for node in _own(tensor, sources))


def histories(results: list[Any]) -> dict[int, tuple[Any, int]] | None:
    """By the number of each result that requires grad its node, None for a leaf, and which of its outputs it is."""
    found = {i: t for i, t in enumerate(results) if t is not None and t.requires_grad}
    of_views = (i for i, t in found.items() if t.grad_fn is None and t._is_view())  # derived from their bases
    return {i: (found[i].grad_fn, found[i].output_nr) for i in found.keys() - set(of_views)} or None


def are_spent(results: list[Any], sources: list[Any]) -> bool:
    """Return True if all graphs of results are over."""
    found = [t for t in results if t is not None and t.requires_grad and t.grad_fn is not None]
    return all(t.grad_fn._is_spent and any(node._is_spent and node._saves for node in _own(t, sources)) for t in found)


# --- two programs out of one --------------------------------------------------------------------------------------


def halves(program: Program, first: int, results: list[Window], gradients: list[Window], given: set[int]) -> tuple[
    Program, Program, list[Buffer]
]:  # fmt: skip
    """Split a program at a step: return both parts, and the buffers that the first keeps for the second.

    Args:
        program: the whole program; only the second part writes to `gradients`.
        first: the index of the second part's first step.
        results: the results of the first part.
        gradients: the results of the second part, each in its own memory.
        given: buffers that the second part's caller provides, in addition to those that existed before.
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
    forward.remove_copies()
    copies: dict[int, Buffer] = {}
    for buffer in program.buffers:
        copy = Buffer(buffer.index, buffer.nbytes, buffer.tensor)
        if any(buffer is b for b in kept):
            copy.tensor = _KEPT
        copy.lasts = buffer.index in {w.buffer.index for w in gradients}
        copies[buffer.index] = copy
    backward.buffers = list(copies.values())
    backward.steps = [moved(step, copies) for step in needed]
    backward.remove_copies()
    return forward, backward, kept


_KEPT = object()  # the placeholder for tensors that the forward program keeps


def _needed(steps: list[Step], wanted: set[int]) -> list[Step]:
    part = Program()
    part.steps = steps
    kept: list[Step] = []
    for step in reversed(steps):
        if (
            isinstance(step, Check)
            or any(w.buffer.tensor is not None for w in step.written())
            or {w.buffer.index for w in step.written()} & wanted
        ):
            kept.append(step)
            wanted |= {w.buffer.index for w in step.windows()}
    return kept[::-1]
