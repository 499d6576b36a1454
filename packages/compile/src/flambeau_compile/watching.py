"""Records one run of a function: the values that it reads from Python objects, and the changes that it makes there."""

from __future__ import annotations

import builtins
import inspect
import os
import random
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from flambeau_compile import _dicts, _objects, _records, _watch, effects, reaching, reading, returning
from flambeau_compile._arguments import attributes_of, tensors_in
from flambeau_compile._listen import Listener
from flambeau_compile._watch import Checks
from flambeau_compile.effects import Effect, Place
from flambeau_compile.reaching import Source
from flambeau_compile.schedules import Schedules
from flambeau_nn.modules.module import GLOBAL, Module  # type: ignore[attr-defined]
from flambeau_nn.optim import optimizer
from flambeau_nn.optim.optimizer import Optimizer
from flambeau_tensor import Tensor

__all__ = ["Recording", "Source"]


class Recording:
    """Observes a function while it runs, and compares the state before and after.

    Args:
        function: the function to call: a function, a method, a module or any callable.
        args: its arguments.
        kwargs: its keyword arguments.
        followed: locations of numbers that the program reads at each call, which need no record.
        kept: further objects that the function reaches.
        known: containers that the function reaches in ways that only a run shows: the `unknown` of the last one.

        trace: the records of the Tracer at work.

    After the block:

    - ``checks.hold()`` returns whether all values that the run read are unchanged; ``checks.why()`` describes a change.
    - ``effects`` are its changes and external calls, see `Effect`.
    - ``captured`` are the tensors that were reached in another way than as arguments.
    - ``unknown`` are containers that were reached after the run, but not before, so that changes would go unnoticed.
    - ``made`` are the objects that the run created and initialized, by their ids.
    - ``tensors`` maps ``id(tensor)`` to the path by which a tensor in Python objects was reached.

    The contents of arguments that are not tensors are watched; the caller must check that the next call has the same
    arguments.

    >>> scale = [2.0]
    >>> def f(x):
    ...     return x * scale[0]
    >>> with Recording(f, (3.0,), {}) as recording:
    ...     _ = f(3.0)
    >>> recording.checks.hold()
    True
    >>> scale[0] = 3.0
    >>> recording.checks.hold(), recording.checks.why()
    (False, 'scale[0] was set: 2.0 -> 3.0')
    """

    checks: Checks
    effects: list[Effect]
    tensors: dict[int, Source]
    captured: list[Tensor]

    def __init__(
        self,
        function: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        followed: Sequence[Place] = (),
        kept: Sequence[Any] = (),
        known: Sequence[Any] = (),
        trace: Sequence[Any] = (),
    ) -> None:
        self.function = function
        self.kept = kept
        self._trace = trace
        self.met: frozenset[int] = frozenset()  # addresses of the objects that existed before
        self.followed = followed
        self.changed: list[Any] = []  # containers that differ after the run
        self.asks_types = False  # whether the program's code names `type`
        self.returns_numbers = False  # whether numbers taken out of tensors are only returned
        self.arguments = _named(function, args, kwargs or {})
        self.effects = []
        self.unknown: list[Any] = []
        self.made: dict[int, Any] = {}
        self._calls: list[Effect] = []
        self._ran: list[types.FunctionType] = []
        self._written_inside: set[int] = set()
        self._attributes: set[str] = set()  # that any code names
        self._own_attributes: set[str] = set()  # that the program's code names
        self.catches = False  # whether the program's code may catch errors
        self.compares_identity = False  # whether the program's code tests the identity of objects
        self._by_string = False
        self._environment = False
        self._before = reaching.Walk(keep=True)
        for name, value in self.arguments.items():
            self._before.reach(value, None, name, "name")
        self._before.reach(function, None, _root_name(function), "name")
        for value in kept:
            self._before.reach(value, None, type(value).__name__, "name")
        for value in known:
            self._before.reach(value, None, type(value).__name__, "name")
        self._before.reach(np.random.mtrand._rand, None, "numpy.random", "name")
        self._hooks(self._before)
        self._before.drain()
        self._listener = Listener(self._hear_function, self._hear_builtin)

    def __enter__(self) -> Self:
        self._caller = sys._getframe(1)
        self._listener.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._listener.stop()
        try:
            self._conclude(exc[0] is not None)
        finally:  # release all objects of the function
            del self._listener, self._before, self._caller, self._ran

    def _conclude(self, failed: bool) -> None:
        if self._listener.error is not None:
            raise RuntimeError("the run could not be observed") from self._listener.error
        if failed:
            return
        self.met, self._alive = frozenset(self._before.seen), self._before.seen  # so that no address is used again
        self.made = {key: value for key, value in self._listener.initialized.items() if key not in self.met}
        self.returns_numbers = returning.returns_its_numbers(self.function, [f.__code__ for f in self._ran])
        excluded = self._find_effects()
        self._find_reads(excluded)

    # --- while it runs

    def _hear_function(self, function: types.FunctionType) -> None:
        code = function.__code__
        whose = reading.whose(code.co_filename)
        if whose == "import":
            return
        if reading.imports(sys._getframe(1), self._caller):
            return
        names = reading.names_of(code)
        self._attributes |= names.attributes
        if whose == "user":
            self._ran.append(function)
            self._written_inside.update(map(id, reading.nested(code)))
            self._own_attributes |= names.attributes
            self.asks_types |= "type" in names.globals
            self.compares_identity |= names.identity
            self.catches |= names.catches
            self._by_string |= names.by_string
            if not self._is_local(function):
                self._before.reach(function, None, function.__name__, "name")
                self._before.drain()
        elif whose == "library":
            self._by_string |= names.by_string
            self._environment |= code.co_filename == os.__file__ or code.co_filename == "<frozen os>"

    def _hear_builtin(self, builtin: Any, frame: types.FrameType) -> None:
        effect = effects.of_call(builtin, frame, self._caller)
        if effect is not None:
            self._calls.append(effect)

    def _is_local(self, function: types.FunctionType) -> bool:
        """Whether the run made a function."""
        if id(function) in self._before.seen:
            return False
        if any(self._listener.made(cell) for cell in function.__closure__ or ()):
            return True
        return id(function.__code__) in self._written_inside

    # --- afterwards

    def _find_effects(self) -> dict[int, set[Any]]:
        """Compares with before; returns the keys, by container, that each call changes."""
        codes = list({id(f.__code__): f.__code__ for f in self._ran}.values())
        excluded: dict[int, set[Any]] = {}
        for place in self.followed:
            excluded.setdefault(id(place.owner), set()).add(place.key)
            if place.kind == "attribute" and hasattr(place.owner, "__dict__"):
                excluded.setdefault(id(vars(place.owner)), set()).add(place.key)
        found = []
        schedules = Schedules(self._trace, self._own_attributes)
        for record in self._before.records:
            if record.is_same():
                continue
            container, owner = self._before.containers[id(record)]
            self.changed.append(container)
            if schedules.covers(record, container, self._before.containers, excluded):
                continue
            if isinstance(record, _records.LooseRecord):
                effect = _hidden_effect(record, container, codes)
                if effect is not None:
                    found.append(effect)
                continue
            parts = record.parts() if isinstance(record, _objects.ClassRecord) else [record]
            for part in parts:
                for key, before, value in part.changes():
                    if before is _watch.MISSING and isinstance(owner, Module) and _is_late(key, value):
                        continue
                    effect = effects.of_change(part, owner, key, before, value, codes)
                    found.append(effect)
                    if effect.replay is not None:
                        excluded.setdefault(id(container), set()).add(key)
        found += schedules.read()
        self._schedules = schedules
        if self._listener.replaced:
            found.append(Effect("call", "", "a profile function was set"))
        self.effects = [*self._calls, *{effect[:3]: effect for effect in found}.values()]
        return excluded

    def _find_reads(self, excluded: dict[int, set[Any]]) -> None:
        names = None if self._by_string else frozenset(self._attributes)
        walk = reaching.Walk(keep=False, names=names, excluded=excluded, own_names=frozenset(self._own_attributes))
        self._schedules.guard(walk)
        root = self.function
        if not isinstance(root, types.FunctionType):
            self._root(walk, root, _root_name(root))
        for name, value in self.arguments.items():
            self._root(walk, value, name)
        for value in self.kept:
            record = walk.add(_records.RootRecord(None, type(value).__name__, "name", value), value)
            walk.reach(value, record, None, "same")
        walk.drain()
        lookups: dict[int, tuple[dict[str, Any], set[str]]] = {}
        for function in self._ran:
            self._read_by(walk, function, lookups)
        imported = sorted(set().union(*(reading.names_of(f.__code__).imported for f in self._ran)))
        if imported:
            loaded = walk.add(_dicts.NamesRecord(None, "sys.modules", "name", sys.modules, imported), sys.modules)
            for name in imported:
                walk.reach(sys.modules.get(name), loaded, name, "item")
        missing: set[str] = set()
        for around, used in lookups.values():
            present = sorted(used - excluded.get(id(around), set()))
            record = walk.add(_dicts.NamesRecord(None, None, "globals", around, present), around)
            missing |= used - around.keys()
            # Later entries take precedence: the contents of optimizers have better names elsewhere.
            for name in sorted(used & around.keys(), key=lambda name: (not isinstance(around[name], Optimizer), name)):
                walk.reach(around[name], record, name, "name")
        if missing:
            walk.add(
                _dicts.NamesRecord(None, "builtins", "name", builtins.__dict__, sorted(missing)), builtins.__dict__
            )
        if self._environment:
            walk.reach(os.environ._data, None, "os.environ", "name")  # type: ignore[attr-defined]
        walk.drain()
        walk.meet_class(Tensor)  # programs may replace its methods
        walk.drain()
        if any(isinstance(value, (Module, Optimizer)) for value in walk.seen.values()):
            self._hooks(walk)
            walk.drain()
        self._judge(walk)
        self._judge_tensors()
        self.tensors = {**walk.tensors, **self._before.tensors}
        self.captured = list(walk.captured.values())
        self.checks = Checks(walk.records, [GLOBAL])
        self.names = names

    def _hooks(self, walk: reaching.Walk) -> None:
        """Record the hooks of all modules and optimizers."""
        walk.state(GLOBAL, None, "hooks of all modules", "name")
        walk.reach(optimizer._global_pre_hooks, None, "hooks of all optimizers", "name")
        walk.reach(optimizer._global_post_hooks, None, "hooks of all optimizers", "name")

    def _root(self, walk: reaching.Walk, value: Any, name: str) -> None:
        """Record an argument, or a part of one; the caller compares the type and structure of lists and dicts."""
        if isinstance(value, Tensor):
            walk.reach(value, None, name, "name")
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                self._root(walk, item, f"{name}[{i}]")
        elif isinstance(value, dict):
            for key, item in value.items():
                self._root(walk, item, f"{name}[{key!r}]")
        elif not _watch.is_plain(value):
            record = walk.add(_records.RootRecord(None, name, "name", value), value)
            walk.reach(value, record, None, "same")

    def _read_by(self, walk: reaching.Walk, function: types.FunctionType, lookups: dict[int, Any]) -> None:
        """Record the values that one executed function has read."""
        around = function.__globals__
        names = reading.names_of(function.__code__)
        lookups.setdefault(id(around), (around, set()))[1].update(names.globals)
        if not self._is_local(function):
            record = walk.add(_objects.FunctionRecord(None, function.__qualname__, "name", function), function)
            walk.reach(function.__defaults__, record, "__defaults__", "attribute")
            walk.reach(function.__kwdefaults__, record, "__kwdefaults__", "attribute")
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if not self._listener.made(cell):
                walk.cell(cell, name)

    def _judge(self, walk: reaching.Walk) -> None:
        """Add values that could not be watched to the effects."""
        for _, why in walk.unwatchable:
            self.effects.append(Effect("unwatchable", "", why))
        if walk.cut:
            self.effects.append(Effect("unwatchable", "", f"more than {reaching.MOST:,} objects are reached"))
        for record in walk.records:
            container, _ = walk.containers[id(record)]
            if id(container) in self._before.seen or not isinstance(container, (dict, list, set)):
                continue
            if isinstance(record, _dicts.NamesRecord) or container is os.environ.__dict__.get("_data"):
                continue
            if (
                record.parent is not None
                and record.style == "fields"
                and isinstance(record.parent, _objects.ObjectRecord)
            ):
                continue
            what = f"{record.path()} was not reachable before the function ran, and may have changed since then"
            self.effects.append(Effect("other", "", what, settles=True))
            self.unknown.append(container)

    def _judge_tensors(self) -> None:
        """Check queries of the program's code about tensors that may differ for each call."""
        for name in sorted(_HIDDEN & self._own_attributes):
            self.effects.append(Effect("unwatchable", "", f"it reads {name} of a tensor"))
        for name, value in self.arguments.items():
            for t in tensors_in(value):
                if read := sorted(self._own_attributes & attributes_of(t).keys()):
                    self.effects.append(Effect("unwatchable", "", f"it reads {read[0]} of {name}, which is a tensor"))


# Properties of tensors that programs do not compare.
_HIDDEN = frozenset(
    (
        "_version",
        "_base",
        "data_ptr",
        "storage_offset",
        "untyped_storage",
        "next_functions",
        "retains_grad",
        "output_nr",
    )
)


def _named(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by the names of their parameters."""
    target = function.forward if isinstance(function, Module) else function
    try:
        bound = inspect.signature(target).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return {**{f"argument {i}": value for i, value in enumerate(args)}, **kwargs}
    return dict(bound.arguments)


def _root_name(function: Any) -> str:
    if isinstance(function, (types.MethodType, Module)):
        return "self"
    return getattr(function, "__name__", "function")


def _hidden_effect(record: Any, container: Any, codes: list[types.CodeType]) -> Effect | None:
    """Return the effect of a state change that a compiled function cannot follow."""
    where = effects._mention(record, codes)
    if type(container) is type(np.random.mtrand._rand) or isinstance(container, (np.random.Generator, random.Random)):
        return Effect("call", where, f"{record.path()} draws random numbers")
    if hasattr(container, "cache_info"):
        return Effect("unwatchable", where, f"{record.path()} returned what it had computed before (lru_cache)")
    return Effect("other", where, f"{record.path()} was changed")


def _is_late(name: str, value: Any) -> bool:
    """Whether an attribute of a module is created at the first access, and still has its initial value."""
    late = "_hooks" in name or name in ("_non_persistent_buffers_set", "_is_full_backward_hook")
    return late and (value is None or value == {} or value == set())
