"""The walk over all objects that a function can reach, which creates their records."""

from __future__ import annotations

import abc
import array
import collections
import contextlib
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import ipaddress
import logging
import operator
import pathlib
import random
import re
import threading
import types
import typing
import uuid
import weakref
import zoneinfo
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from flambeau_compile import _dicts, _objects, _records, _watch, reading
from flambeau_compile._arguments import hooks_of
from flambeau_compile.symbols import Symbol
from flambeau_nn.modules.module import Module
from flambeau_nn.optim.optimizer import FusedOptimizer, Optimizer
from flambeau_tensor import Tensor

LONG = 4096  # items of a sequence or set beyond which comparing would cost more than computing
LARGE = 1 << 16  # bytes of an array that are compared at each call
MOST = 20_000  # records

# Options of optimizers that an update reads at each call. Code of a program that names one reads it only once.
read_at_each_call = {"lr", "betas", "eps", "weight_decay"}

_FIELDLESS = (Module, *[base for base in Module.__mro__ if base is not object])  # their state has names of its own
_MODULE_STATE = frozenset(("training", "forward"))
_GROUPS = ("_parameters", "_buffers", "_modules")
_LOGGER = frozenset(("level", "disabled", "parent", "manager", "_disable", "disable", "propagate"))
_LOCKS = (type(threading.Lock()), type(threading.RLock()), threading.Condition, threading.Event, threading.Semaphore)

# Objects whose contents never change, or only in ways that no program notices.
_UNCHANGING: tuple[Any, ...] = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.ClassMethodDescriptorType,
    types.CodeType,
    types.GenericAlias,
    types.UnionType,
    type(NotImplemented),
    range,
    slice,
    re.Pattern,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    datetime.tzinfo,
    zoneinfo.ZoneInfo,
    decimal.Decimal,
    fractions.Fraction,
    uuid.UUID,
    pathlib.PurePath,
    enum.Enum,
    np.generic,
    np.dtype,
    np.ufunc,
    dataclasses.Field,
    operator.itemgetter,
    collections._tuplegetter,  # type: ignore[attr-defined]
    typing.TypeVar,
    ipaddress._BaseAddress,
    logging.Handler,
    logging.Formatter,
    type(abc.ABC._abc_impl),  # type: ignore[attr-defined]
    *_LOCKS,
)
# C classes whose fields are walked separately, or cannot change.
_OPEN = (
    list,
    tuple,
    dict,
    set,
    frozenset,
    BaseException,
    int,
    float,
    complex,
    str,
    bytes,
    *Module.__mro__[:-1],
    np.ndarray,
    collections.deque,
    types.SimpleNamespace,
)
_NUMPY_RANDOM = (np.random.Generator, np.random.RandomState)


class Source(NamedTuple):
    """The path by which a tensor was reached.

    Args:
        tensor: the tensor.
        path: as a program would write it: ``net.0.weight``.
        owner: the object, dict, list or cell that contains it.
        key: the attribute's name, the key or the index.
        kind: ``"attribute"``, ``"item"``, ``"cell"`` or ``"argument"``.
    """

    tensor: Tensor
    path: str
    owner: Any
    key: Any
    kind: str


class Walk:
    """Creates the records of all objects that are reachable from some roots.

    Args:
        keep: keeps all values alive and records everything, to detect changes. Otherwise only entries in `names` are
            recorded, which the executed code has read.
        names: names of attributes that the code uses, None for all.
        excluded: by the address of a container, keys that may change.
        own_names: the names that the program's own code uses.
    """

    def __init__(
        self,
        keep: bool,
        names: frozenset[str] | None = None,
        excluded: dict[int, set[Any]] | None = None,
        own_names: frozenset[str] = frozenset(),
    ) -> None:
        self.keep, self.names = keep, names
        self.excluded = excluded or {}
        self.own_names = own_names
        self.records: list[Any] = []
        self.seen: dict[int, Any] = {}
        # by the record's address: the recorded container, and its owner
        self.containers: dict[int, tuple[Any, Any]] = {}
        self.tensors: dict[int, Source] = {}
        self.captured: dict[int, Tensor] = {}  # tensors that are reachable without the arguments
        self.unwatchable: list[tuple[str, str]] = []
        self.cut = False
        self._due: list[tuple[Any, Any, Any, str]] = []
        self._options: dict[int, frozenset[str]] = {}

    # --- the walk

    def reach(self, value: Any, parent: Any, key: Any, style: str) -> None:
        """Take a value into the walk; `drain` does the rest."""
        if type(value) is Symbol:
            return
        if isinstance(value, Tensor) and parent is not None:
            self.captured[id(value)] = value
        if not _watch.is_plain(value) and id(value) not in self.seen:
            self._due.append((value, parent, key, style))

    def drain(self) -> None:
        """Process all pending objects and their contents."""
        while self._due:
            value, parent, key, style = self._due.pop()
            if id(value) in self.seen:
                continue
            self.seen[id(value)] = value
            if len(self.records) > MOST:
                self.cut = True
                self._due.clear()
                return
            self._meet(value, parent, key, style)

    def add(self, record: Any, container: Any, owner: Any = None) -> Any:
        """Append a record of a container, which belongs to an object."""
        self.records.append(record)
        self.containers[id(record)] = container, container if owner is None else owner
        return record

    def not_watchable(self, parent: Any, key: Any, style: str, value: Any, why: str) -> None:
        """Note that something cannot be watched."""
        if not self.keep:
            path = _watch.Record(parent, key, style).path()
            self.unwatchable.append((path, f"{path}, {why}, cannot be watched ({type(value).__name__})"))

    def _meet(self, value: Any, parent: Any, key: Any, style: str) -> None:
        kind = type(value)
        if isinstance(value, Tensor):
            self._tensor(value, parent, key, style)
        elif isinstance(value, (list, tuple)):
            self._sequence(value, parent, key, style)
        elif isinstance(value, dict):
            self._dict(value, parent, key, style)
        elif isinstance(value, types.FunctionType):
            self._function(value, parent, key, style)
        elif isinstance(value, types.ModuleType):
            self._module(value, parent, key, style)
        elif isinstance(value, type):
            self.meet_class(value)
        elif isinstance(value, np.ndarray):
            self._array(value, parent, key, style)
        elif isinstance(value, _UNCHANGING):
            pass
        elif (meet := _MEETINGS.get(kind)) is not None:
            meet(self, value, parent, key, style)
        elif isinstance(value, (*_NUMPY_RANDOM, random.Random)):
            if self.keep:
                self.add(_records.LooseRecord(parent, key, style, value, _random_state, True), value)
        elif _objects.made_by_python(kind) or isinstance(value, types.SimpleNamespace):
            self.state(value, parent, key, style)
        elif (
            not reading.is_foreign(kind.__module__)
            or (kind.__module__ or "").partition(".")[0] not in ("numpy",)
            and not _is_own(kind)
        ):
            self.not_watchable(parent, key, style, value, "an object whose state is hidden")

    # --- containers

    def _tensor(self, value: Tensor, parent: Any, key: Any, style: str) -> None:
        owner = self.containers.get(id(parent), (None, None))[1]
        kind = (
            "argument"
            if owner is None
            else "cell"
            if isinstance(owner, types.CellType)
            else "item"
            if style in ("item", "name")
            else "attribute"
        )
        self.tensors[id(value)] = Source(value, _watch.Record(parent, key, style).path(), owner, key, kind)
        if parent is None and not self.keep:  # an argument, which may die: its attributes are not compared
            if not reading.is_foreign(type(value).__module__):
                self.meet_class(type(value))
        elif getattr(value, "__dict__", None):
            self.state(value, parent, key, style)
        for hooks in hooks_of(value):
            self.reach(hooks, None, "hooks of a tensor", "name")

    def _sequence(self, value: Any, parent: Any, key: Any, style: str) -> None:
        if len(value) > LONG:
            self.not_watchable(parent, key, style, value, f"which has {len(value)} items")
            return
        record = self.add(
            _records.SequenceRecord(parent, key, style, value, frozenset(self.excluded.get(id(value), ())), self.keep),
            value,
        )
        for i in range(len(value) - 1, -1, -1):
            self.reach(
                tuple.__getitem__(value, i) if isinstance(value, tuple) else list.__getitem__(value, i),
                record,
                i,
                "item",
            )
        self._subclass(value, (list, tuple), parent, key, style)

    def _dict(self, value: dict[Any, Any], parent: Any, key: Any, style: str) -> None:
        skipped = self._options.get(id(value), frozenset()) | self.excluded.get(id(value), set())
        if len(value) > LONG:
            self.not_watchable(parent, key, style, value, f"which has {len(value)} items")
            return
        record = self.add(
            _dicts.DictRecord(parent, key, style, value, skipped=frozenset(skipped), keep=self.keep), value
        )
        for k, v in reversed(list(dict.items(value))):
            self.reach(v, record, k, "item")
            self.reach(k, record, k, "item")
        self._subclass(
            value, (dict, collections.OrderedDict, collections.defaultdict, collections.Counter), parent, key, style
        )

    def _subclass(self, value: Any, plain: tuple[type, ...], parent: Any, key: Any, style: str) -> None:
        """Record the state of an instance of a subclass of list, dict, … besides its items."""
        if (
            type(value) not in plain
            and _objects.made_by_python(type(value))
            and not reading.is_foreign(type(value).__module__)
        ):
            self.state(value, parent, key, style)

    def _set(self, value: Any, parent: Any, key: Any, style: str) -> None:
        if len(value) > LONG:
            self.not_watchable(parent, key, style, value, f"which has {len(value)} items")
            return
        record = self.add(_records.SetRecord(parent, key, style, value, self.keep), value)
        for item in value:
            self.reach(item, record, item, "item")

    def _loose(self, value: Any, parent: Any, key: Any, style: str) -> None:
        look = (
            tuple
            if isinstance(value, collections.deque)
            else _pairs
            if isinstance(value, types.MappingProxyType)
            else _bytes
        )
        record = self.add(_records.LooseRecord(parent, key, style, value, look, self.keep), value)
        for i, item in enumerate(look(value)):
            self.reach(item, record, i, "item")

    def _array(self, value: np.ndarray[Any, Any], parent: Any, key: Any, style: str) -> None:
        if value.nbytes > LARGE or value.dtype.hasobject:
            self.not_watchable(parent, key, style, value, f"which has {value.nbytes:,} bytes")
            return
        self.add(_records.ArrayRecord(parent, key, style, value), value)

    def cell(self, cell: Any, key: str) -> None:
        """A variable that functions share."""
        if id(cell) in self.seen:
            return
        self.seen[id(cell)] = cell
        record = _records.CellRecord(None, key, "name", cell, self.keep)
        if self.excluded.get(id(cell)) is None:
            self.records.append(record)
        self.containers[id(record)] = cell, cell
        try:
            self.reach(cell.cell_contents, record, key, "same")
        except ValueError:  # it is empty
            pass

    # --- objects

    def state(self, value: Any, parent: Any, key: Any, style: str) -> None:
        """The class, the attributes and the slots of an object."""
        kind = type(value)
        names, marks = self._narrow(value)
        skipped = frozenset(self.excluded.get(id(value), set()) | self._skip(value))
        slots = []
        for base in kind.__mro__:
            if base is object or isinstance(value, Tensor):
                continue
            if not _objects.made_by_python(base):
                if not issubclass(base, _OPEN) and not _is_own(base):
                    self.not_watchable(parent, key, style, value, "an object whose state is hidden")
                    return
                continue
            slots += [
                d
                for d in vars(base).values()
                if type(d) is types.MemberDescriptorType and (names is None or d.__name__ in names)
            ]
        record = _objects.ObjectRecord(parent, key, style, value, slots, skipped, keep=self.keep)
        self.add(record, value)
        self.meet_class(kind)
        for descriptor in slots:
            with contextlib.suppress(AttributeError):  # it was not set
                self.reach(descriptor.__get__(value), record, descriptor.__name__, "attribute")
        state = object.__getattribute__(value, "__dict__") if hasattr(kind, "__dict__") and _has_dict(value) else None
        if type(state) is not dict:
            return
        skipped |= frozenset(self.excluded.get(id(state), ()))
        inside = self.add(
            _dicts.DictRecord(record, None, "fields", state, names, marks, skipped, self.keep), state, value
        )
        self.seen[id(state)] = state
        for k, v in reversed(list(state.items())):
            if k in self._skip(value) or not (
                names is None or k in names or (isinstance(k, str) and marks and k.startswith(marks))
            ):
                continue
            if k in _GROUPS and isinstance(value, Module) and type(v) is dict:
                self._group(v, inside, value)
            else:
                self.reach(v, inside, k, "attribute")

    def _group(self, group: dict[str, Any], parent: Any, module: Any) -> None:
        """Parameters, buffers or modules: to programs, attributes of the module."""
        if id(group) in self.seen:
            return
        self.seen[id(group)] = group
        record = _dicts.DictRecord(
            parent, None, "fields", group, skipped=frozenset(self.excluded.get(id(group), ())), keep=self.keep
        )
        self.add(record, group, module)
        for k, v in reversed(list(group.items())):
            self.reach(v, record, k, "attribute")

    def _narrow(self, value: Any) -> tuple[frozenset[str] | None, str]:
        """Return the names of the relevant attributes, or None for all, and the prefix of further ones."""
        if isinstance(value, (logging.Logger, logging.Manager)):
            return _LOGGER, ""
        if self.names is None:
            return None, ""
        is_module = False
        for base in type(value).__mro__:
            if base in _FIELDLESS:
                is_module = True
            elif (
                base is not object and reading.is_foreign(base.__module__) and base.__module__ not in ("abc", "typing")
            ):
                return None, ""
        return (self.names | _MODULE_STATE, "_") if is_module else (self.names, "__")

    def _skip(self, value: Any) -> frozenset[str]:
        """Return the attributes whose changes are internal to this library."""
        if isinstance(value, FusedOptimizer):
            if not self._options.get(id(value)):
                self._options[id(value)] = frozenset(("state",))
                if not self.keep and not value.defaults.get("differentiable"):
                    options = frozenset(read_at_each_call) - self.own_names
                    for group in value.param_groups:
                        self._options[id(group)] = options
            return frozenset(("state", "_opt_called"))
        if not isinstance(value, Optimizer):
            return frozenset()
        unread = not self.keep and self.names is not None and "state" not in self.names
        return frozenset(("state", "_opt_called") if unread else ("_opt_called",))

    def meet_class(self, cls: type) -> None:
        """Record a class, its bases, and their attributes."""
        if id(cls) in self.seen and self.seen[id(cls)] is not cls or ("class", id(cls)) in self._classes:
            return
        self._classes.add(("class", id(cls)))
        if not _objects.can_change(cls):
            return
        if type(cls) is not type and not reading.is_foreign(type(cls).__module__):
            self.meet_class(type(cls))
        own = not reading.is_foreign(cls.__module__)
        if self.keep and not own:
            return
        record = _objects.ClassRecord(None, cls.__qualname__, "", cls, self._class_names, self.keep)
        self.add(record, cls)
        for base in cls.__mro__:
            if reading.is_foreign(base.__module__):
                continue
            names = self._class_names(base)
            for k, v in list(vars(base).items()):
                if names is None or k in names:
                    self.reach(v, record, k, "attribute")

    @functools.cached_property
    def _classes(self) -> set[tuple[str, int]]:
        return set()

    def _class_names(self, base: type) -> frozenset[str] | None:
        if base is Tensor:
            return self.own_names
        return None if reading.is_foreign(base.__module__) else self.names

    def _module(self, value: types.ModuleType, parent: Any, key: Any, style: str) -> None:
        """Record the names of a Python module that the code uses."""
        state = value.__dict__
        foreign = reading.is_foreign(value.__name__)
        late: dict[str, Any] = {}
        if self.keep:
            if foreign:
                return
            record: Any = self.add(
                _dicts.DictRecord(
                    parent, key, style, state, keep=True, skipped=frozenset(("__builtins__", "__warningregistry__"))
                ),
                state,
                value,
            )
            names: Iterable[str] = state
        elif self.names is None and not foreign:
            names = [n for n in state if not n.startswith("__")]
            record = self.add(_dicts.NamesRecord(parent, key, style, state, names), state, value)
        else:
            candidates = set(self.own_names if foreign else self.names or ())
            names = sorted(candidates if "__getattr__" in state else candidates & state.keys())
            names = [n for n in names if n not in self.excluded.get(id(state), ())]
            late = {n: _late(value, n) for n in names if n not in state}  # the lookup may store it
            record = self.add(_dicts.NamesRecord(parent, key, style, state, names), state, value)
        for n in list(names):
            v = state.get(n, late.get(n))
            if not foreign or isinstance(v, (types.ModuleType, list, dict, set)):
                self.reach(v, record, n, "attribute")

    # --- functions

    def _function(self, value: types.FunctionType, parent: Any, key: Any, style: str) -> None:
        """Record, before a run, what a function could reach. After it, functions that ran have records of their own."""
        whose = reading.whose(value.__code__.co_filename)
        if (self.keep and whose == "user") or (value.__dict__ and whose in ("user", "library")):
            self.reach(value.__dict__, None, f"vars({value.__name__})", "name")
        if not self.keep or whose != "user":
            return
        stored: set[str] = set()
        variables: set[str] = set()
        for code in (value.__code__, *reading.nested(value.__code__)):
            names = reading.names_of(code)
            stored |= names.stored
            variables |= names.globals
        around = value.__globals__
        if stored:
            self.add(_dicts.NamesRecord(None, None, "globals", around, sorted(stored), True), around)
        for name in variables:
            if name in around:
                self.reach(around[name], None, name, "name")
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            self.cell(cell, name)
        self.reach(value.__defaults__, None, f"{value.__name__}.__defaults__", "name")
        self.reach(value.__kwdefaults__, None, f"{value.__name__}.__kwdefaults__", "name")

    def _method(self, value: types.MethodType, parent: Any, key: Any, style: str) -> None:
        self.reach(value.__func__, parent, key, style)
        self.reach(value.__self__, parent, key, style)

    def _partial(self, value: functools.partial[Any], parent: Any, key: Any, style: str) -> None:
        record = _watch.Record(parent, key, style)
        for name in ("keywords", "args", "func"):
            self.reach(getattr(value, name), record, name, "attribute")

    def _wrapper(self, value: Any, parent: Any, key: Any, style: str) -> None:
        record = _watch.Record(parent, key, style)
        for name in ("fget", "fset", "fdel", "__func__", "func", "__wrapped__"):
            found = getattr(value, name, None)
            if found is not None:
                self.reach(found, record, name, "attribute")

    def _cache(self, value: Any, parent: Any, key: Any, style: str) -> None:
        if self.keep:
            self.add(_records.LooseRecord(parent, key, style, value, _hits, True), value)
        self._wrapper(value, parent, key, style)

    def _reference(self, value: Any, parent: Any, key: Any, style: str) -> None:
        record = self.add(_records.ReferenceRecord(parent, key, style, value), value)
        if isinstance(value(), Tensor):  # a program would keep it alive
            self.not_watchable(parent, key, style, value, "a weak reference to a tensor")
        self.reach(value(), record, None, "same")

    def _hidden(self, value: Any, parent: Any, key: Any, style: str) -> None:
        self.not_watchable(parent, key, style, value, "which goes on from call to call")


def _late(module: types.ModuleType, name: str) -> Any:
    """Return an attribute that a module of this library looks up on first access, or None."""
    return getattr(module, name, None) if reading.is_own(module.__name__) else None


def _is_own(kind: type) -> bool:
    return reading.is_own(kind.__module__)


def _has_dict(value: Any) -> bool:
    try:
        object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False
    return True


def _bytes(value: Any) -> tuple[bytes]:
    return (bytes(value),)


def _pairs(value: Any) -> tuple[Any, ...]:
    return tuple(part for pair in value.items() for part in pair)


def _hits(value: Any) -> tuple[int]:
    return (value.cache_info().hits,)


def _random_state(generator: Any) -> tuple[Any]:
    if isinstance(generator, random.Random):
        return (repr(generator.getstate()) if type(generator) is not random.SystemRandom else "",)
    if isinstance(generator, np.random.RandomState):
        return (repr([part.tobytes() if isinstance(part, np.ndarray) else part for part in generator.get_state()]),)
    return (repr(generator.bit_generator.state),)


_MEETINGS: dict[Any, Any] = {
    set: Walk._set,
    frozenset: Walk._set,
    collections.deque: Walk._loose,
    bytearray: Walk._loose,
    array.array: Walk._loose,
    types.MappingProxyType: Walk._loose,
    types.MethodType: Walk._method,
    functools.partial: Walk._partial,
    property: Walk._wrapper,
    staticmethod: Walk._wrapper,
    classmethod: Walk._wrapper,
    functools.cached_property: Walk._wrapper,
    functools._lru_cache_wrapper: Walk._cache,
    weakref.ref: Walk._reference,
    weakref.KeyedRef: Walk._reference,
    types.GeneratorType: Walk._hidden,
}
