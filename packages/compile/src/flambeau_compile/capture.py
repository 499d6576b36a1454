"""Capturing a call: it runs under a Tracer, and the trace becomes an Entry.

The results of the captured call are those of eager mode, whether or not a program is built.
"""

from collections.abc import Callable, Collection
from threading import Thread
from typing import Any, NamedTuple

import flambeau_tensor as ft
from flambeau_autograd.extend import grad_between
from flambeau_cext.errors import CompileError
from flambeau_compile import build, joint, plans, schedules
from flambeau_compile._arguments import hooks_of, tensors_in
from flambeau_compile._call import thread_word
from flambeau_compile._entry import Entry
from flambeau_compile._numbers import reader
from flambeau_compile._results import Output
from flambeau_compile.effects import Place
from flambeau_compile.graph import COMPUTED, ITEMSIZE, Buffer, Program, Uncompilable, Window, draws
from flambeau_compile.instances import opened, remade
from flambeau_compile.looping import MARKS
from flambeau_compile.lowering import may_fail
from flambeau_compile.outputs import WIDE, Outputs, spot, spotted
from flambeau_compile.printing import uncollected
from flambeau_compile.sizes import Forms
from flambeau_compile.symbols import Table, copied, numbers_in, plain, symbols_in
from flambeau_compile.trace import Trace
from flambeau_compile.watching import Recording
from flambeau_tensor.extend import Tracer, window
from flambeau_tensor.extend import Window as Seen


class Captured(NamedTuple):
    """The outcome of a captured call: its result, an entry, and the reason if the entry has no program."""

    result: Any
    entry: Entry | None  # None: another run decides
    reason: str | None
    building: Thread | None = None  # builds the program meanwhile
    follow: tuple[Any, ...] = ()  # places of numbers for another run to follow
    fixed: tuple[Any, ...] = ()  # followed numbers whose values mattered to Python
    asks_types: bool = False  # whether the program tests types, so that numbers cannot be followed
    unknown: tuple[Any, ...] = ()  # containers for another run to compare with before
    settles: bool = True  # whether the reason may be one that exists only the first time


@uncollected()
def capture(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    fast: bool = False,
    settles: bool = False,
    wait: bool = True,
    followed: list[Any] | None = None,
    fixed: Collection[Any] | None = (),
    known: Collection[Any] = (),
    forms: Forms | None = None,
) -> Captured:
    """Run a call and build a program from it.

    Args:
        function, args, kwargs: the call.
        fast: whether last digits may differ.
        settles: whether to wait for the next call if the run changed state that may only change the first time.
        wait: whether to build the program before returning.
        followed: the locations of numbers that the program reads at each call, see `symbols.Table`.
        fixed: the names of places of numbers that cannot be followed; None if none can.
        known: the ``unknown`` of earlier runs.
        forms: programs for other sizes of the same arguments, whose libraries this one may share.

    Raises:
        CompileError: the C compiler is missing, or fails.
    """
    tensors = tensors_in((args, kwargs))
    before = [(window(t), _marks(t)) for t in tensors]
    table = Table(followed or [])
    places = [source for source in table.sources if isinstance(source, Place)]
    tracer = Tracer()
    given = table.put(args, kwargs)
    entry = Entry(given, thread_word())
    try:
        # its reference values have Symbols in these places
        recording = Recording(function, args, kwargs, places, known=tuple(known), trace=tracer.records)
        with recording, tracer:
            result = function(*given[0], **given[1])
    except Exception:
        table.restore()
        if table.sources and not _changes(tracer.records):
            fixed = () if _failed(tracer) else tuple(table.sources)
            return Captured(function(*args, **kwargs), None, "a number cannot be followed", fixed=fixed)
        raise
    finally:
        table.restore()
    seen = tensors, before
    found = _captured(entry, function, recording, tracer, result, table, seen, fast, settles, wait, fixed, forms)
    return found._replace(fixed=tuple(table.fixed()), asks_types=recording.asks_types)


def _captured(entry: Entry, function: Any, recording: Recording, tracer: Tracer, result: Any, table: Table,
              seen: tuple[list[Any], list[Any]], fast: bool, settles: bool, wait: bool, fixed: Collection[Any] | None,
              forms: Forms | None) -> Captured:  # fmt: skip
    """Return the outcome of a finished run; `seen` are the tensors among its arguments, with their previous state."""
    blocking = [effect for effect in recording.effects if effect.replay is None]
    returned = result
    result = opened(result, recording.made)
    if table.sources:
        for effect in recording.effects:
            if effect.kind == "number":
                effect.replay.place.set(plain(effect.replay.symbol))
        for container in recording.changed:
            plain(container)
        returned = remade(plain(copied(result))) if next(symbols_in(result), None) is not None else returned
    follow = tuple(effect.follow for effect in blocking if effect.follow is not None)
    progress = settles or (
        fixed is not None and any(e.follow is not None and e.follow.name not in fixed for e in blocking)
    )
    if blocking and progress and all(effect.settles for effect in blocking):
        return Captured(returned, None, str(blocking[0]), follow=follow, unknown=tuple(recording.unknown))
    first = next((e for e in recording.effects if e.kind == "attribute_tensor" and e.settles), None)
    if first is not None and settles and not blocking:
        return Captured(returned, None, str(first))
    failed = _failed(tracer)
    if failed:  # elements may decide whether there is an error
        return Captured(returned, None, f"it catches an error of {failed[0].__torch_name__}", settles=False)
    try:
        if blocking:
            raise Uncompilable(str(blocking[0]))
        if table.sources and recording.asks_types:
            raise Uncompilable("it checks the types of numbers that change")
        finish = _Finish(entry, function, *seen, recording.checks, fast, wait, settles, forms)
        finish.follow(table, result, recording.effects)
        if recording.returns_numbers:
            finish.returned = {id(number): number for _, number in numbers_in(result)}
        finish.captured, finish.compares = recording.captured, recording.compares_identity
        finish.met, finish.catches = recording.met, recording.catches
        finish.pin(recording.captured)
        if recording.compares_identity:
            entry.guards.keep_apart([t for t in recording.captured if not any(t is given for given in seen[0])])
        finish.stay(recording.captured, tracer.records)
        finish.reached = [source.tensor for source in recording.tensors.values()]
        finish.run(tracer.records, result, recording.effects)
    except _Unsettled as unsettled:
        return Captured(returned, None, str(unsettled))
    except build.Building as building:
        return Captured(returned, None, str(building), building.thread)
    except Exception as error:  # the call itself succeeded, and its result is returned
        entry.refuse(recording.checks)
        known = isinstance(error, (Uncompilable, CompileError, OSError))
        return Captured(returned, entry, str(error) if known else f"an error of the compiler itself: {error!r}")
    return Captured(returned, entry, None)


def _failed(tracer: Tracer) -> list[Any]:
    """The operators whose kernels raised an error."""
    return [record[1] for record in tracer.records if record[0] == "failed"]


def _changes(records: list[Any]) -> bool:
    """Whether a run that ended early may have changed something."""
    for record in records:
        if record[0] in ("grad_read", "failed") or record[0] in MARKS:
            continue
        if isinstance(record[0], str) or record[0].writes or draws(record[0]):
            return True
        if any(a.write and given is not None for a, given in zip(record[0].schema.arguments, record[1], strict=True)):
            return True
    return False


class _Unsettled(Exception):
    """The backward changed Python state that may only change the first time, or read a number that was followed."""


class _Finish:
    """From records to an Entry with a program."""

    def __init__(self, entry: Entry, function: Any, tensors: list[Any], before: list[Seen], checks: Any, fast: bool,
                 wait: bool, settles: bool, forms: Forms | None) -> None:  # fmt: skip
        self.entry, self.function, self.tensors, self.before = entry, function, tensors, before
        self.checks, self.fast, self.wait, self.settles = checks, fast, wait, settles
        self.forms = forms
        self.trace = Trace()
        self.b = self.trace.b
        self.arguments: dict[int, int] = {}  # index of a buffer -> the argument that shows it
        self.shared: list[tuple[int, int]] = []  # pairs of arguments that show one buffer
        self.updates: list[Any] = []
        self.grads: dict[int, tuple[Any, Any]] = {}
        self.read: dict[int, Any] = {}  # id of a tensor whose gradient was read -> that gradient
        self.found: list[tuple[Any, int]] = []  # gradients and attributes that are read like arguments; their numbers
        self.compares = False  # whether the function tests the identity of objects
        self.captured: list[Any] = []  # tensors that the function reached otherwise than as arguments
        self.reached: list[Any] = []  # tensors that are reachable from Python objects
        self.required: dict[int, tuple[Any, bool]] = {}  # tensors, and whether they required grad before
        self.symbols: dict[Any, int] = {}  # (number of a Symbol, dtype) -> the argument that has it
        self.given_numbers: list[Any] = []  # tensors that stood for numbers
        self.returned: dict[int, Any] = {}  # by id, numbers that are only returned
        self.taken: dict[int, Window] = {}  # by id, those that were taken out of tensors
        self.schedules: list[schedules.Call] = []  # steps of schedules, in order
        self.tokens: list[Any] = []  # keeps their ids
        self.catches = False  # whether the function may catch errors
        self.met: frozenset[int] = frozenset()  # addresses of objects that existed before
        self.table = Table([])  # of the numbers that are followed

    def run(self, records: list[Any], result: Any, effects: list[Any]) -> None:
        for i, (t, (seen, marks)) in enumerate(zip(self.tensors, self.before, strict=True)):
            now = window(t)
            if _geometry(now) != _geometry(seen):
                raise Uncompilable("it changes the memory of an argument")
            if _marks(t) != marks:
                raise Uncompilable("it changes an argument's history or hooks, or whether it requires grad")
            self.argument(seen, i)
        places = [e.replay for e in effects if e.kind == "attribute_tensor"]
        for place in places:
            if isinstance(place.tensor, ft.Tensor):
                number = self.entry.read_place(place, place.tensor)
                self.argument(window(place.tensor), number)
                self.found.append((place.tensor, number))
            else:
                self.entry.empty_places.append(place)
        self.lower(records)
        self.guard_memory()
        outside = {id(t) for t in self.captured} - self.made
        outputs = Outputs(self.b, self.tensors, self.arguments, self.symbols, self.taken, self.found, outside)
        outputs.met = self.met
        structure = outputs.structure(result)
        stored = [(place, outputs.structure(place.get())) for place in places]
        stored += [(call, outputs.structure((call.args, call.kwargs))) for call in self.schedules]
        if self.compares and any(not isinstance(found, Output) for _, found in stored):
            raise Uncompilable("it compares objects, and stores an existing tensor in an attribute")
        numbers = [e.replay for e in effects if e.kind == "number"]
        set_numbers = [(reader(n.place), outputs.structure(n.symbol)) for n in numbers]
        counters = [e.replay for e in effects if e.kind == "counter"]
        self.demand()
        if any(
            t is not None and t.requires_grad and t.grad_fn is None and t._is_view() and w.buffer.tensor is None
            for t, w in zip(outputs.results, outputs.windows, strict=True)
        ):
            raise Uncompilable("it returns a view, made under no_grad, of a tensor that requires grad")
        if outputs.histories and not joint.are_spent(outputs.results, self.tensors):
            if self.entry.infers:
                raise Uncompilable("it records a history in inference mode")
            self.entry.set_replays(counters, set_numbers)
            self.differentiable(outputs, structure, effects, result, stored)
            return
        self.entry.set_replays(counters, [*stored, *set_numbers])
        n = len(outputs.results)
        nothing = object()
        pairs = [pair for o, pair in self.grads.items() if self.read.get(o, nothing) is not pair[1]]
        set_grads = outputs.grads(pairs, self.made)
        if any(t is not None and t.grad_fn is not None for t in outputs.results[n:]):
            raise Uncompilable("it sets gradients that have a history")
        self.entry.set_histories(joint.histories(outputs.results))
        (plan,), _ = self.planned(self.whole)
        self.fill(self.entry, plan, self.arguments, structure, outputs, set_grads)
        self.entry.set_guards(self.checks, self.updates)

    def follow(self, table: Table, result: Any, effects: list[Any]) -> None:
        """Give the program the numbers that it reads, returns and stores."""
        self.table = table
        if not table.sources:
            return
        handed = [*symbols_in(result), *(s for e in effects if e.kind == "number" for s in symbols_in(e.replay.symbol))]
        for symbol in handed:
            if table.tensor(symbol, WIDE[type(symbol.value)]) is None:
                raise Uncompilable(f"it computes a number that is too large: {symbol.value}")
        first = self.entry.read_numbers(table.finished(), list(table.tensors.values()))
        for i, (key, tensor) in enumerate(table.tensors.items()):
            self.symbols[key] = first + i
            self.given_numbers.append(tensor)
            self.argument(window(tensor), first + i)

    def demand(self) -> None:
        """Require of outer tensors whose `requires_grad` the function sets that it is the same as before."""
        for t, before in self.required.values():
            if id(t) in self.made:
                continue
            if t.requires_grad != before:
                raise Uncompilable("it changes whether a tensor requires grad")
            if not any(t is given for given in self.tensors):
                self.entry.demands.append((t, before))

    def stay(self, captured: list[Any], records: list[Any]) -> None:
        """Raise an error if the memory of a captured tensor may have changed."""
        if not captured:
            return
        first: dict[int, Seen] = {}
        for record in records:
            if not isinstance(record[0], str):
                for seen in _seen_in(record[1]):
                    first.setdefault(id(seen.tensor), seen)
        for t in captured:
            if id(t) in first and _geometry(first[id(t)]) != _geometry(window(t)):
                raise Uncompilable("it changes the memory of a tensor")

    def pin(self, captured: list[Any]) -> None:
        """Have arguments that show memory of captured tensors do so in later calls."""
        if not self.tensors:
            return
        spans = [(s.address, s.address + s.nbytes, s.tensor) for s in map(window, captured)]
        for i, t in enumerate(self.tensors):
            seen = window(t)
            first, last = seen.address, seen.address + seen.nbytes
            for low, high, other in spans:
                if first < high and low < last or t is other:
                    self.entry.pin(i, other)

    def guard_memory(self) -> None:
        """Guard each buffer that existed before by tensors that are reachable from Python objects.

        A program may first access memory through a temporary tensor, such as ``t.data``, which does not change when the
        other tensor gets new memory.

        Memory of unreachable tensors was created from numbers and lists, which are guarded themselves.

        Raises:
            Uncompilable: an unreachable tensor has memory of another library, which may change unnoticed.
        """
        known = {id(t) for t in self.reached}
        known.update(id(w.buffer.tensor) for update in self.trace.updates for w in update.windows())
        by_address: dict[int, list[Any]] = {}
        for t in self.reached:
            by_address.setdefault(window(t).address, []).append(t)
        for buffer in self.b.program.given():
            if buffer.index in self.arguments or id(buffer.tensor) in known:
                continue
            seen = window(buffer.tensor)
            found = by_address.get(seen.address)
            if found is not None:
                buffer.tensor = found[0]
                self.entry.guards.stay(found[1:])
            elif seen.is_lent:
                raise Uncompilable("it reads memory of another library, which may change unnoticed")

    def argument(self, seen: Seen, number: int) -> None:
        """Note that an argument is a window on a buffer, or that it is one of several that are."""
        first = self.arguments.setdefault(self.b.window(seen).buffer.index, number)
        if first != number:
            self.shared.append((first, number))

    def lower(self, records: list[Any]) -> None:
        for record in records:
            if not isinstance(record[0], str):
                if record[0].name == "as_strided":
                    self.entry.guards.pin_regions(self.tensors)
                if not (self.returned and self.take(*record)):
                    self.trace.call(*record)
            elif record[0] in MARKS:
                self.trace.mark(*record)
            elif record[0] == "refuse":
                raise Uncompilable(record[1])
            elif record[0] == "schedule":
                self.schedules.append(schedules.Call.of(record, self.number))
            elif record[0] == "update":
                if self.schedules:
                    raise Uncompilable("a schedule's step comes before a step of an optimizer")
                self.updates.append(record[1])
                self.trace.update(record[1])
            elif record[0] == "grad_set":
                self.grads[id(record[1])] = self.owner(record[1]), record[2]
            elif record[0] == "grad_read":
                self.read_grad(record[1], record[2])
            elif record[0] == "requires_grad":
                self.required.setdefault(id(record[1]), record[1:])

    def number(self, tensor: Any) -> Any:
        """Return something that stands for the present number in a tensor in results.

        Raises:
            Uncompilable: it has several elements, or programs do not compute in its dtype.
        """
        window_of = self.b.window(window(tensor))
        if tensor.numel() != 1 or window_of.dtype not in COMPUTED:
            raise Uncompilable("a schedule receives a tensor that is not a number")
        place = self.b.temporary("float64", ())
        token = object()
        self.tokens.append(token)
        self.taken[id(token)] = self.trace.copy(window_of._replace(sizes=(), strides=()), place)
        return token

    def take(self, op: Any, arguments: Any, result: Any) -> bool:
        """Return True if a number was taken out of a tensor that is only returned."""
        if (
            self.returned.get(id(result)) is not result
            or op.name not in ("item", "__float__")
            or id(result) in self.taken
        ):
            return False
        window = self.b.window(arguments[0])
        if window.dtype not in COMPUTED:
            return False
        place = self.b.temporary(str(WIDE[type(result)]).removeprefix("torch."), ())
        self.taken[id(result)] = self.trace.copy(window._replace(sizes=(), strides=()), place)
        return True

    def read_grad(self, owner: Any, gradient: Any) -> None:
        """A gradient that was there before is read like an argument, unless the function itself set it."""
        if id(owner) in self.grads or id(owner) in self.read or (gradient is None and id(owner) in self.made):
            return
        self.read[id(owner)] = gradient
        number = self.entry.read_grad(self.owner(owner), gradient)
        if number is not None:
            self.argument(window(gradient), number)
            self.found.append((gradient, number))

    @property
    def made(self) -> set[int]:
        """Ids of the tensors that the function made, rather than being given."""
        found: set[int] = self.b.storages.made
        return found

    def owner(self, tensor: Any) -> Any:
        """Return the owner of a gradient: a tensor, or the index of an argument."""
        return next((i for i, t in enumerate(self.tensors) if t is tensor), tensor)

    def planned(self, make: Callable[..., plans.Found], *settings: Any) -> plans.Found:
        """The plans of the trace, found in the cache or made."""
        general = None if self.forms is None else (self.forms.scalars > 0, *sorted(self.forms.changing))
        key = plans.key_of(self.trace.words(), self.entry.state, general, *settings)
        found = plans.find(key)
        if found is None:
            found = make(*settings)
            plans.store(key, found)
        return found

    def whole(self) -> plans.Found:
        """The plan of a call in one program."""
        self.trace.lower()
        self.b.program.remove_dead_steps()
        self.b.program.remove_copies()
        return plans.Found([self.plan(self.b.program)], [])

    def plan(self, program: Program) -> plans.Plan:
        """Print a program, and let it share the library of programs for other sizes."""
        if self.forms is None:
            return plans.plan_of(program)
        return self.forms.shared(plans.plan_of(program, self.forms.changing, scalars=self.forms.scalars > 0))

    def fill(self, entry: Entry, plan: plans.Plan, arguments: dict[int, int], structure: Any, outputs: Outputs,
             grads: list[Any]) -> None:  # fmt: skip
        """Build a program and store it in an entry."""
        address = build.load(plan.text, fast=self.fast, level=plan.level, wait=self.wait)
        keep = [buffer.tensor for buffer in self.b.program.given()]
        entry.set_program(
            address, plan.functions, len(plan.addresses), plan.fixed, plan.arena, self.trace.coefficients, keep
        )
        written, read = set(plan.written), set(plan.read)
        places = []
        for slot, buffer in enumerate(self.b.program.buffers[i] for i in plan.addresses[: plan.fixed]):
            origin = arguments.get(buffer.index, buffer.tensor)
            if origin is not None and (not entry.follows or buffer.index in read | written):
                places.append((slot, origin, buffer.nbytes, buffer.index in written))
        entry.set_given(places)
        failing = [(number, early) for number, _, _, early in plan.kernels if may_fail(self.trace.calls[number][0])]
        if self.catches and not all(early for _, early in failing):
            name = next(self.trace.calls[number][0].__torch_name__ for number, early in failing if not early)
            raise Uncompilable(f"it may catch an error of {name}, before which it writes to memory of its caller")
        entry.rewinds = plan.draws and (plan.checks or bool(failing))
        entry.set_shared(self.shared)
        slots = {index: slot for slot, index in enumerate(plan.addresses)}
        entry.set_result(structure, outputs.described(slots), grads)
        kernels = []
        for number, arguments_of, results, early in plan.kernels:
            op, given = self.trace.calls[number][:2]
            spots = tuple(None if r is None else spot(r) for r in results)
            entry.add_opaque(op, spotted(given, arguments_of), spots, early and not entry.follows)
            kernels.append(op.__torch_name__)
        entry.about.update(source=plan.text, library=address, steps=plan.steps, level=plan.level, kernels=kernels)

    # --- with autograd around -------------------------------------------------------------------------------------

    def once(self, forward: plans.Plan, effects: list[Any]) -> str | None:
        """Why the function may not run once more for one call, if so."""
        if effects:
            return f"it changes what it reads ({effects[0]})"
        if any(self.b.program.buffers[i].tensor is not None for i in forward.written):
            return "it writes to tensors that were there before"
        if any(isinstance(o, ft.Generator) for number, *_ in forward.kernels for o in self.trace.calls[number][1]):
            return "it draws from a generator of its own"
        return None

    def inputs(self, results: list[Any]) -> tuple[list[Any], list[Any], list[set[int]]]:
        """Return the inputs that the gradients of results reach.

        Three lists: indices of arguments and captured tensors; the tensors; and for each result, the inputs that it
        reaches.
        """
        arguments = {**dict(enumerate(self.tensors)), **{number: t for t, number in self.found}}
        inputs: list[Any] = [i for i, t in arguments.items() if t.requires_grad]
        known = {id(t) for t in arguments.values()}
        given = self.b.program.given()
        inputs += [x.tensor for x in given if x.tensor.requires_grad and id(x.tensor) not in known]
        sources = [arguments[o] if isinstance(o, int) else o for o in inputs]
        reached = set().union(*(joint.reached(t, sources) for t in results))
        inputs = [o for i, o in enumerate(inputs) if i in reached]
        sources = [t for i, t in enumerate(sources) if i in reached]
        return inputs, sources, [joint.reached(t, sources) for t in results]

    def gradients(self, results: list[Any], sources: list[Any], given: list[Any]) -> tuple[list[Any], Any]:
        """Add the steps of a backward; return a window for each gradient, or None, and the checks of values it read."""
        b = self.b
        self.table.late.clear()
        kept = joint.kept_objects(results, sources, self.met)
        with joint.without_hooks(sources), Recording(_backward, kept=kept) as recording, Tracer() as tracer:
            gradients = _backward(results, sources, given)
        if self.table.late:
            raise _Unsettled("its backward reads a number that changes")
        if recording.effects:
            what = f"its backward does more than compute gradients: {recording.effects[0]}"
            raise (_Unsettled if self.settles and all(e.settles for e in recording.effects) else Uncompilable)(what)
        self.lower(tracer.records)
        windows: list[Any] = []
        for t in gradients:
            if t is None:
                windows.append(None)
                continue
            w = b.window(window(t))
            windows.append(self.trace.copy(w, b.temporary_like(w)))
        return windows, recording.checks

    def halves(self, results: Any, gradients: Any, seeds: Any) -> plans.Found:
        """The plans of a call and of its backward."""
        self.trace.lower()
        program = self.b.program
        forward, backward, kept = joint.halves(program, self.trace.first, list(results), list(gradients), set(seeds))
        dtypes = [(buffer.index, _dtype(buffer, program)) for buffer in kept]
        return plans.Found([self.plan(forward), self.plan(backward)], dtypes)

    def differentiable(self, outputs: Outputs, structure: Any, effects: list[Any], result: Any,
                       stored: list[tuple[Any, Any]]) -> None:  # fmt: skip
        """Two programs, and one node in the graph."""
        b = self.b
        if self.updates or self.grads or self.schedules:
            raise Uncompilable(
                "it sets gradients, or steps an optimizer or schedule, and returns results with a history"
            )
        views = outputs.views()
        own = [i for i, view in enumerate(views) if view is None]
        results, made_windows = [outputs.results[i] for i in own], [outputs.windows[i] for i in own]
        differentiable = [i for i, t in enumerate(results) if t.requires_grad]
        if any(results[i].grad_fn is None for i in differentiable):
            raise Uncompilable("it returns leaves that require grad together with results that have a history")
        inputs, sources, reached = self.inputs([results[i] for i in differentiable])
        if any(joint.has_hooks(t, sources) for t in outputs.results if t.requires_grad):
            raise Uncompilable("it registers hooks on its own tensors, which backward calls")
        placeholders = [ft.ones(results[i].shape, dtype=results[i].dtype) for i in differentiable]
        self.trace.divide()
        seeds = [b.window(window(g)).buffer.index for g in placeholders]
        wanted = [results[i] for i in differentiable]
        windows, checks = self.gradients(wanted, sources, placeholders)
        found = [w for w in windows if w is not None]
        (forward, backward), kept = self.planned(self.halves, *map(tuple, (made_windows, found, seeds)))
        written = (b.program.buffers[i].tensor for i in forward.written)
        if any(t is not None and t.requires_grad for t in written):
            raise Uncompilable("it writes to tensors that require grad")
        node = joint.Joint(self.function, inputs, differentiable, reached, structure, views)
        node.classes, node.stored = outputs.classes(), stored
        given = [x for x in b.program.given() if x.index not in seeds]
        node.read = [self.arguments.get(x.index, x.tensor) for x in given]
        node.saves = any(joint.saves(results[i], sources) for i in differentiable)
        node.shapes = [(t.shape, t.dtype) for t in placeholders]
        node.once, node.draws = self.once(forward, effects), forward.draws
        if backward.checks and node.once is not None:
            raise Uncompilable(f"its backward reads a number of a tensor, and {node.once}")
        node.places = joint.places_of(wanted, tensors_in(result)) if node.once is None else []
        node.needed = [self.arguments.get(x.index, x.tensor) for x in given if x.index in backward.read]
        kept_windows = [_whole(b.program.buffers[index], dtype) for index, dtype in kept]
        saved = Outputs.of_windows(b, [*made_windows, *kept_windows])
        n = len(made_windows)
        made = {w.buffer.index: i for i, w in enumerate(made_windows)}
        saved.bases[n:] = [made.get(index) for index, _ in kept]  # results that are kept are not views
        pair = tuple(Output(i) for i in range(n)), [Output(n + i) for i in range(len(kept))]
        self.fill(self.entry, forward, self.arguments, pair, saved, [])
        self.entry.set_guards(self.checks, [])
        examples = [ft.empty(w.sizes, dtype=getattr(ft, w.dtype)) for w in kept_windows]
        met = [*self.tensors, *self.given_numbers, *(t for t, _ in self.found)]
        again = Entry(((*met, *examples, *placeholders), {}), 0)
        again.follows = True  # like tensors that autograd saves
        places = dict(self.arguments)
        places.update({index: len(met) + i for i, (index, _) in enumerate(kept)})
        places.update({seed: len(met) + len(kept) + i for i, seed in enumerate(seeds)})
        result = tuple(None if w is None else Output(found.index(w)) for w in windows)
        self.fill(again, backward, places, result, Outputs.of_windows(b, found), [])
        again.set_guards(checks, [])
        node.backward = again
        self.entry.joint = node


def _backward(results: list[Any], sources: list[Any], gradients: list[Any]) -> Any:
    """Return the gradients of tensors, computed as autograd will compute them in backward."""
    return grad_between(tuple(results), tuple(sources), tuple(gradients))


def _geometry(seen: Seen) -> Any:
    return seen.address, seen.offset, seen.sizes, seen.strides


def _marks(t: Any) -> Any:
    return t.requires_grad, t.grad_fn is None, t.retains_grad, [list(hooks) for hooks in hooks_of(t)]


def _seen_in(o: Any) -> list[Seen]:
    if isinstance(o, (tuple, list)):
        return [seen for each in o for seen in _seen_in(each)]
    return [o] if isinstance(o, Seen) else []


def _dtype(buffer: Buffer, program: Program) -> str:
    """Return the dtype that is written to a buffer."""
    return next(w.dtype for step in program.steps for w in step.written() if w.buffer is buffer)


def _whole(buffer: Buffer, dtype: str) -> Window:
    """All of a buffer."""
    n = buffer.nbytes // ITEMSIZE[dtype]
    return Window(buffer, dtype, 0, (n,), (1,))
