"""Side effects of a function: changes of Python state, and calls of external functions."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, CellType, CodeType, FrameType, FunctionType, NoneType
from typing import Any, NamedTuple

from flambeau_compile import _dicts, _objects, _records, _watch, reading
from flambeau_compile._watch import MISSING
from flambeau_compile.symbols import Symbol
from flambeau_tensor import Tensor

__all__ = ["Counter", "Effect", "Place"]


class Effect(NamedTuple):
    """An effect of a run that a compiled function would not have.

    Args:
        kind: ``"attribute_tensor"``, a tensor or None was replaced by another tensor; ``"counter"``, a constant was
            added to a number that is not read otherwise; ``"number"``, a number was replaced by a computed one;
            ``"other"``, another change; ``"call"``, a call of a function with external effects; ``"unwatchable"``, a
            value was read that cannot be watched.
        where: ``file:line``, or the empty string.
        what: a description.
        replay: a `Place` for ``"attribute_tensor"``, a `Counter` for ``"counter"``, a `Number` for ``"number"``,
            otherwise None.
        settles: whether the change may be one that only happens the first time, such as replacing None, or one that can
            be followed the next time.
        follow: a `Place` whose number must be followed the next time, or None.
    """

    kind: str
    where: str
    what: str
    replay: Any = None
    settles: bool = False
    follow: Any = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class Place(NamedTuple):
    """The place of a value.

    Args:
        owner: an object, dict, list or cell.
        key: the attribute's name, the key or the index.
        kind: ``"attribute"``, ``"item"`` or ``"cell"``.
        tensor: the tensor that stood there before the run, for ``"attribute_tensor"``.
    """

    owner: Any
    key: Any
    kind: str
    tensor: Tensor | None = None

    @property
    def name(self) -> tuple[Any, ...]:
        """What makes it the same place as another one."""
        return id(self.owner), self.key, self.kind

    def get(self) -> Any:
        """Return the current value."""
        if self.kind == "attribute":
            return getattr(self.owner, self.key)
        return self.owner.cell_contents if self.kind == "cell" else self.owner[self.key]

    def find(self, default: Any) -> Any:
        """Return the current value, or a default if the place no longer exists."""
        try:
            return self.get()
        except (AttributeError, LookupError, ValueError):
            return default

    def set(self, value: Any) -> None:
        """Put something else there."""
        if self.kind == "attribute":
            setattr(self.owner, self.key, value)
        elif self.kind == "cell":
            self.owner.cell_contents = value
        else:
            self.owner[self.key] = value


def place_in(record: Any, key: Any) -> Place:
    """The place of a key that a record has."""
    container = record.container()
    return Place(container, key, "cell" if isinstance(container, CellType) else "item")


class Counter(NamedTuple):
    """A number to which each run adds the same."""

    place: Place
    delta: int | float

    def add(self) -> None:
        """Add it once."""
        self.place.set(self.place.get() + self.delta)


class Number(NamedTuple):
    """A number that a run stored in a place: its Symbol, or a constant."""

    place: Place
    symbol: Any


# --- changes --------------------------------------------------------------------------------------------------------


def of_change(record: Any, owner: Any, key: Any, before: Any, value: Any, codes: list[CodeType]) -> Effect:
    """The effect that a difference between two states of a container is."""
    what = _watch.describe(record, key, before, value)
    kind = store_kind(record)
    where = reading.place_of_store(codes, kind, key) or _mention(record, codes)
    place = None if owner is None or key is None else _place(owner, key, kind)
    if place is not None:
        if (before is None or isinstance(before, Tensor)) and isinstance(value, Tensor):
            return Effect("attribute_tensor", where, what, place._replace(tensor=before), settles=before is None)
        number = value.value if type(value) is Symbol else value
        if type(before) is Symbol and type(number) in (int, float) and isinstance(before, type(number)):
            return Effect("number", where, what, Number(place, value))
        if type(value) is Symbol:  # the previous value may have been read, so it must be followed, too
            return Effect("other", where, what, settles=True, follow=place)
        if type(before) is type(value) and type(value) in (int, float):
            codes_that_name = [code for code in codes if _names(code, kind, key)]
            if kind != "item" and codes_that_name and reading.only_counted(codes, kind, key):
                delta = value - before
                if before + delta == value and not any(_string_reads(code, key) for code in codes):
                    return Effect("counter", where, what, Counter(place, delta))
                return Effect("other", where, what)
            what = f"{what} (it is also read, so each call differs)"
            return Effect("other", where, what, settles=True, follow=place)
    if before is MISSING and kind == "item" and isinstance(value, (int, float, Tensor)):
        what = f"{what} (return it, and keep it outside)"
    return Effect("other", where, what, settles=before is MISSING or before is None)


def store_kind(record: Any) -> str:
    """Return the kind of instruction that sets entries of a record's container."""
    if isinstance(record, _records.CellRecord):
        return "cell"
    if isinstance(record, _dicts.NamesRecord):
        return "globals" if record.style == "globals" else "attribute"
    if isinstance(record, (_objects.ObjectRecord, _objects.ClassRecord, _objects.FunctionRecord)):
        return "attribute"
    return "attribute" if record.style == "fields" else "item"


def _place(owner: Any, key: Any, kind: str) -> Place | None:
    if kind == "globals":
        return Place(owner, key, "item")
    if isinstance(owner, CellType):
        return Place(owner, key, "cell")
    return Place(owner, key, kind)


def _names(code: CodeType, kind: str, key: Any) -> bool:
    if kind == "cell":
        return key in code.co_freevars or key in code.co_cellvars
    return key in code.co_names


def _string_reads(code: CodeType, key: Any) -> bool:
    """Whether code may read an attribute by a string that is its name, or by a computed string."""
    return reading.names_of(code).by_string or key in code.co_consts


def _mention(record: Any, codes: list[CodeType]) -> str:
    """The first line of the code that names a container which was changed in a way that no instruction shows."""
    names = []
    while record is not None:
        if isinstance(record.key, str):
            names.append(record.key.rpartition(".")[2])
        record = record.parent
    for name in names:
        for code in codes:
            if name in code.co_names or name in code.co_varnames or name in code.co_freevars:
                return f"{code.co_filename}:{_line_of_name(code, name)}"
    return ""


def _line_of_name(code: CodeType, name: str) -> int:
    for instruction in dis.get_instructions(code):
        if instruction.argval == name and instruction.positions is not None and instruction.positions.lineno:
            return instruction.positions.lineno
    return code.co_firstlineno


# --- calls ----------------------------------------------------------------------------------------------------------

_WORLD = frozenset(
    (
        "time",
        "_random",
        "posix",
        "nt",
        "_io",
        "io",
        "_socket",
        "_ssl",
        "select",
        "signal",
        "_posixsubprocess",
        "fcntl",
        "mmap",
        "_ctypes",
        "_pickle",
        "_warnings",
        "_queue",
        "_multiprocessing",
        "termios",
        "syslog",
        "readline",
        "_sqlite3",
        "_curses",
        "_tkinter",
        "resource",
        "_contextvars",
        "_winapi",
        "msvcrt",
        "winsound",
    )
)
_BUILTINS = {
    "print": "call",
    "open": "call",
    "input": "call",
    "breakpoint": "call",
    "exec": "unwatchable",
    "eval": "unwatchable",
    "globals": "unwatchable",
}
_HARMLESS = frozenset(("fspath", "cpu_count", "getpid", "register_at_fork", "_path_normpath", "lock"))
_THREADS = frozenset(("start_new_thread", "start_joinable_thread", "start_new"))
_CLOCKS = frozenset(("now", "today", "utcnow"))


def of_call(builtin: Callable[..., Any], frame: FrameType, below: FrameType) -> Effect | None:
    """The effect that a call of a compiled function is, or None. The recorded function runs above the frame `below`."""
    kind = _kind_of_call(builtin)
    if builtin is sys._getframe and (
        reading.whose(frame.f_code.co_filename) == "user" or frame.f_globals.get("__name__") == "inspect"
    ):
        kind = "call"  # its result depends on the caller
    if kind is None:
        return None
    called = _name(builtin)
    caller: FrameType | None = frame
    while caller is not None and caller is not below and (whose := reading.whose(caller.f_code.co_filename)) != "user":
        if whose in ("flambeau", "import"):
            return None  # code of this library, or of the import system
        called = f"{caller.f_globals.get('__name__', '')}.{caller.f_code.co_qualname}"
        caller = caller.f_back
    if caller is None or caller is below or reading.imports(caller, below):
        return None
    return Effect(kind, f"{caller.f_code.co_filename}:{caller.f_lineno}", f"{called}() is called")


def _kind_of_call(builtin: Any) -> str | None:
    owner, name = getattr(builtin, "__self__", None), builtin.__name__
    if owner is None or isinstance(owner, type(sys)):
        module = owner.__name__ if owner is not None else builtin.__module__
        if module == "builtins":
            return _BUILTINS.get(name)
        if module == "_thread":
            return "call" if name in _THREADS else None
    else:
        kind = owner if isinstance(owner, type) else type(owner)
        if isinstance(owner, type) and name in _CLOCKS and kind.__module__ == "datetime":
            return "call"
        homes = (base for base in kind.__mro__ if not isinstance(base.__dict__.get(name), (NoneType, FunctionType)))
        module = next((base.__module__ for base in homes), kind.__module__)
    if module in _WORLD:
        return None if name in _HARMLESS else "call"
    return None if reading.is_foreign(module) or module is None else "call"


def _name(builtin: Any) -> str:
    owner = getattr(builtin, "__self__", None)
    module = getattr(owner, "__name__", None) if isinstance(owner, type(sys)) else builtin.__module__
    if isinstance(builtin, BuiltinFunctionType) and owner is not None and not isinstance(owner, type(sys)):
        return builtin.__qualname__
    module = {"posix": "os", "nt": "os", "_io": "io", "_warnings": "warnings"}.get(module or "", module)
    return builtin.__name__ if module in (None, "builtins", "io") else f"{module}.{builtin.__name__}"
