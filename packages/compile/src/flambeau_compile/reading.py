"""The names that code can read and change, from its instructions; and the origin of code."""

from __future__ import annotations

import dis
import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import numpy

# Names by which a program can access attributes that its instructions do not name.
_BY_STRING = frozenset(
    ("getattr", "hasattr", "setattr", "delattr", "vars", "dir", "__dict__", "__getattribute__", "attrgetter")
)
_ATTRIBUTES = frozenset(
    ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR", "LOAD_SUPER_ATTR", "IMPORT_FROM", "IMPORT_NAME")
)
_GLOBALS = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"))


class Names(NamedTuple):
    """The names that one code object uses.

    Args:
        globals: variables of the module, or builtins.
        stored: those of them that it sets.
        attributes: attributes, and strings that may be names of some.
        by_string: whether it may access attributes by computed strings.
        imported: modules.
        identity: whether it tests the identity of objects other than constants.
        catches: whether it may catch an error.
    """

    globals: frozenset[str]
    stored: frozenset[str]
    attributes: frozenset[str]
    by_string: bool
    imported: frozenset[str]
    identity: bool
    catches: bool


_known: dict[int, tuple[CodeType, Names]] = {}


def names_of(code: CodeType) -> Names:
    """Return the names in a code object itself, without the functions in it."""
    found = _known.get(id(code))
    if found is None:
        if len(_known) > 10_000:
            _known.clear()
        found = _known[id(code)] = code, _read(code)
    return found[1]


def _read(code: CodeType) -> Names:
    variables: set[str] = set()
    stored: set[str] = set()
    imported: set[str] = set()
    attributes = {text for constant in code.co_consts for text in _strings(constant)}
    for kind, name in _named(code):
        if kind == "IMPORT_NAME":
            imported.add(name)
        if kind in _GLOBALS:
            variables.add(name)
            if kind in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                stored.add(name)
        elif kind in _ATTRIBUTES or kind.startswith("LOAD_SUPER"):
            attributes.add(name)
    by_string = not _BY_STRING.isdisjoint(variables) or not _BY_STRING.isdisjoint(attributes)
    identity = "id" in variables or _compares_identity(code)
    used = {dis.opname[number] for number in code.co_code[::2]} if code.co_exceptiontable else set()
    catches = "CHECK_EXC_MATCH" in used or ("PUSH_EXC_INFO" in used and "WITH_EXCEPT_START" not in used)
    catches |= "suppress" in variables or "suppress" in attributes
    return Names(
        frozenset(variables),
        frozenset(stored),
        frozenset(attributes),
        by_string,
        frozenset(imported),
        identity,
        catches,
    )


# The number of bits by which an instruction's argument is shifted to the left of the index of its name.
_SHIFTS = {"LOAD_GLOBAL": 1}
if sys.version_info >= (3, 12):
    _SHIFTS.update(LOAD_ATTR=1, LOAD_SUPER_ATTR=2)
_NAMING = {number: (dis.opname[number], _SHIFTS.get(dis.opname[number], 0)) for number in dis.hasname}


def _named(code: CodeType) -> Iterator[tuple[str, str]]:
    """Yield the instructions with names. `dis` yields the same, but takes twenty times as long."""
    names, data, extended = code.co_names, code.co_code, 0
    for number, low in zip(data[::2], data[1::2], strict=True):
        if number in _NAMING:
            kind, shift = _NAMING[number]
            yield kind, names[(extended | low) >> shift]
        extended = (extended | low) << 8 if number == dis.EXTENDED_ARG else 0


def _compares_identity(code: CodeType) -> bool:
    """Whether code tests the identity of objects, rather than of constants."""
    numbers = code.co_code[::2]
    at = [i for i, number in enumerate(numbers) if number == _IS]
    return any(numbers[i - 1] != _CONSTANT for i in at)


_IS, _CONSTANT = dis.opmap["IS_OP"], dis.opmap["LOAD_CONST"]


def _strings(constant: object) -> list[str]:
    if isinstance(constant, str):
        return [constant] if constant.isidentifier() else []
    if isinstance(constant, (tuple, frozenset)):
        return [text for item in constant for text in _strings(item)]
    return []


def nested(code: CodeType) -> list[CodeType]:
    """The code of the functions that are written inside a function, at any depth."""
    found = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += [constant, *nested(constant)]
    return found


# --- code owners ----------------------------------------------------------------------------------------------------

_OWN = ("overrides", "tensor", "autograd", "nn", "cext", "data", "distributions", "fx", "compile")
_OWN_PACKAGES = ("flambeau", *(f"flambeau_{name}" for name in _OWN))
_LIBRARY = tuple(sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib"))
_NUMPY = str(Path(numpy.__file__).parent) + os.sep


@lru_cache(maxsize=4096)
def whose(file: str) -> str:
    """Return the origin of a code object, given its file.

    ``"flambeau"``, ``"import"`` for the import system, ``"library"`` for the rest of Python and for NumPy, or
    ``"user"``.
    """
    if file.startswith("<frozen"):
        return "import" if "importlib" in file or "zipimport" in file else "library"
    for name in _OWN_PACKAGES:  # code of one that is not loaded does not run
        package = sys.modules.get(name)
        if package is not None and file.startswith(str(Path(package.__file__ or "").parent) + os.sep):
            return "flambeau"
    if file.startswith(_NUMPY):
        return "library"
    if file.startswith(_LIBRARY) and "site-packages" not in file and "dist-packages" not in file:
        return "import" if "importlib" in file else "library"
    return "user"


def is_foreign(name: str | None) -> bool:
    """Whether a module belongs to Python, NumPy or this project; those change only in known ways."""
    if not name:
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    if file:
        return whose(file) != "user"
    top = name.partition(".")[0]
    return name != "__main__" and (top in sys.stdlib_module_names or top == "numpy" or top in _OWN_PACKAGES)


def is_own(name: str | None) -> bool:
    """Return True if a module belongs to this project, whose modules may also be named ``torch``."""
    top = (name or "").partition(".")[0]
    return top in _OWN_PACKAGES or (top == "torch" and sys.modules.get("torch") is sys.modules.get("flambeau"))


def imports(frame: FrameType | None, below: FrameType) -> bool:
    """Return True if a frame above another one runs because a module is being loaded."""
    while frame is not None and frame is not below:
        if whose(frame.f_code.co_filename) == "import":
            return True
        frame = frame.f_back
    return False


# --- where something is set -----------------------------------------------------------------------------------------

_STORES = {
    "attribute": ("STORE_ATTR", "DELETE_ATTR"),
    "globals": ("STORE_GLOBAL", "DELETE_GLOBAL"),
    "cell": ("STORE_DEREF", "DELETE_DEREF"),
    "item": ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE", "BINARY_OP"),
}


def place_of_store(codes: list[CodeType], kind: str, name: object) -> str:
    """``file:line`` of the first instruction that sets something of that kind and name, or ``""``."""
    for code in codes:
        line = code.co_firstlineno
        for instruction in dis.get_instructions(code):
            line = _line(instruction) or line
            if instruction.opname in _STORES.get(kind, ()) and (kind == "item" or instruction.argval == name):
                return f"{code.co_filename}:{line}"
    return ""


def _line(instruction: dis.Instruction) -> int | None:
    position = instruction.positions
    return None if position is None else position.lineno


# The instructions that read what a store of each kind sets.
_LOADS = {
    "attribute": ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"),
    "globals": ("LOAD_GLOBAL", "LOAD_NAME"),
    "cell": ("LOAD_DEREF", "LOAD_CLOSURE"),
}
_SKIPPED = frozenset(("CACHE", "SWAP", "COPY", "PRECALL", "NOP", "EXTENDED_ARG", "PUSH_NULL", "RESUME"))
_OBJECTS = ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_FAST_BORROW")


def only_counted(codes: list[CodeType], kind: str, name: object) -> bool:
    """Return True if all code that reads or sets a variable or attribute only adds a constant to it."""
    counts = 0  # stores that are not such an addition
    for code in codes:
        instructions = [i for i in dis.get_instructions(code) if i.opname not in _SKIPPED]
        for at, instruction in enumerate(instructions):
            if instruction.opname in _LOADS[kind] and instruction.argval == name:
                if kind == "cell" and instruction.opname == "LOAD_CLOSURE":
                    continue  # passes the variable to an inner function
                after = instructions[at + 1 : at + 5]
                if not _counts(after, kind, name):
                    return False
                counts -= 1
            elif instruction.opname in _STORES[kind] and instruction.argval == name:
                counts += 1
            elif instruction.opname.startswith("LOAD_FAST") and kind == "cell" and instruction.argval == name:
                return False
    return counts == 0


def _counts(after: list[dis.Instruction], kind: str, name: object) -> bool:
    if (
        len(after) < 3
        or after[0].opname not in ("LOAD_CONST", "LOAD_SMALL_INT")
        or type(after[0].argval) not in (int, float)
    ):
        return False
    if after[1].opname != "BINARY_OP" or after[1].argrepr not in ("+=", "-=", "+", "-"):
        return False
    rest = after[2:]
    if kind == "attribute" and rest[0].opname in _OBJECTS and len(rest) > 1:
        rest = rest[1:]
    return rest[0].opname in _STORES[kind] and rest[0].argval == name
