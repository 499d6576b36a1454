"""Whether a function only returns the numbers that it reads from tensors, according to its instructions.

``return loss.item()`` reads a number that Python code does not use: a program returns it like a tensor.
"""

import dis
from types import CodeType, FunctionType, MethodType
from typing import Any

from flambeau_compile.reading import names_of, whose
from flambeau_nn import Module

_NUMBER, _ITEM, _FLOAT = "number", "item", "float"  # the known kinds of values on the stack
_ONE = frozenset(("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_CONST", "LOAD_SMALL_INT", "LOAD_DEREF"))
_IDLE = frozenset(("CACHE", "NOP", "PRECALL", "KW_NAMES", "EXTENDED_ARG", "RESUME"))
_PAIRS = frozenset(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP", "IS_OP", "CONTAINS_OP"))
_BUILDS = {"BUILD_TUPLE": (1, 0), "BUILD_LIST": (1, 0), "BUILD_MAP": (2, 0), "BUILD_CONST_KEY_MAP": (1, 1)}


def returns_its_numbers(function: Any, ran: list[CodeType]) -> bool:
    """Whether a function only returns the numbers that it reads from tensors, and code that it calls reads none.

    Args:
        function: the compiled function.
        ran: the program's code that ran.
    """
    if isinstance(function, Module):
        function = function.forward
    elif not isinstance(function, (FunctionType, MethodType)):
        function = vars(type(function)).get("__call__")
    if isinstance(function, MethodType):
        function = function.__func__
    while isinstance(function, FunctionType) and whose(function.__code__.co_filename) == "flambeau":
        function = getattr(function, "__wrapped__", None)  # such as the function that `no_grad` decorates
    if not isinstance(function, FunctionType):
        return False
    own = function.__code__
    for code in ran:
        names = names_of(code)
        if code is not own and ("item" in names.attributes or "tolist" in names.attributes or "float" in names.globals):
            return False
    instructions = [part for i in dis.get_instructions(own) if i.opname not in _IDLE for part in _parts(i)]
    starts = [n for n, i in enumerate(instructions) if _takes(i)]
    return bool(starts) and all(_only_returned(instructions, n) for n in starts)


def _parts(i: dis.Instruction) -> list[dis.Instruction]:
    """Return an instruction, or the two instructions that a combined one of CPython 3.13 represents."""
    if not i.opname.startswith(("LOAD_FAST", "STORE_FAST")) or not isinstance(i.argval, tuple):
        return [i]
    second = i.opname.rindex("_LOAD" if "_LOAD" in i.opname else "_STORE") + 1
    names = i.opname[: second - 1], i.opname[second:]
    return [i._replace(opname=name, argval=argval) for name, argval in zip(names, i.argval, strict=True)]


def _takes(i: dis.Instruction) -> bool:
    if i.opname in ("LOAD_METHOD", "LOAD_ATTR"):
        return bool(i.argval == "item")
    return i.opname == "LOAD_GLOBAL" and i.argval == "float"


def _only_returned(instructions: list[dis.Instruction], start: int) -> bool:
    """Whether the number that a call returns is only returned, and not used otherwise."""
    run = _Run()
    for n in range(start, len(instructions)):
        i = instructions[n]
        if n > start and i.is_jump_target:
            return False
        if i.opname == "RETURN_VALUE":
            return run.pop() == _NUMBER
        if not run.step(i):
            return False
    return False


class _Run:
    """The known contents of the stack."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.numbers: set[Any] = set()  # variables that hold one

    def pop(self, n: int = 1) -> Any:
        """Pop values; return whether a number is among them, or the kind of a single one."""
        taken = [self.stack.pop() if self.stack else None for _ in range(n)]
        return taken[0] if n == 1 else _NUMBER if _NUMBER in taken else None

    def step(self, i: dis.Instruction) -> bool:
        """Run one instruction; return False if it uses a number or is not supported."""
        name, stack = i.opname, self.stack
        if name in _ONE:
            stack.append(_NUMBER if i.opname.startswith("LOAD_FAST") and i.argval in self.numbers else None)
        elif name == "PUSH_NULL":
            stack.append(None)
        elif name == "LOAD_GLOBAL":
            stack.extend([_FLOAT if i.argval == "float" else None] * (1 + ((i.arg or 0) & 1)))
        elif name in ("LOAD_METHOD", "LOAD_ATTR"):
            if self.pop() == _NUMBER:
                return False
            method = name == "LOAD_METHOD" or "NULL" in i.argrepr or "self" in i.argrepr
            stack.extend([_ITEM if i.argval == "item" else None] * (2 if method else 1))
        elif name == "CALL":
            return self._call(i.arg or 0)
        elif name in _BUILDS:
            each, more = _BUILDS[name]
            n = each * (i.arg or 0) + more
            stack.append(self.pop(n) if n > 1 else _NUMBER if n and self.pop() == _NUMBER else None)
        elif name in _PAIRS:
            if self.pop(2) == _NUMBER:
                return False
            stack.append(None)
        elif name == "STORE_FAST":
            (self.numbers.add if self.pop() == _NUMBER else self.numbers.discard)(i.argval)
        elif name == "SWAP" and i.arg == 2:
            last, first = self.pop(), self.pop()
            stack.extend((last, first))
        elif name == "POP_TOP":
            return bool(self.pop() != _NUMBER)
        else:
            return False
        return True

    def _call(self, n: int) -> bool:
        given = self.pop(n) if n > 1 else self.pop() if n else None
        called = {self.pop(), self.pop()}
        taken = (_ITEM in called and n == 0) or (_FLOAT in called and n == 1)
        self.stack.append(_NUMBER if taken else None)
        return taken or (given != _NUMBER and _NUMBER not in called)
