"""Finds the names that a pickle uses without running it, by following the strings on its stack and in its memo."""

import copyreg
import pickletools

from flambeau_tensor.serialization.naming import spelled

_PUTS = ("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE")
_GETS = ("GET", "BINGET", "LONG_BINGET")
_UNKNOWN = object()  # not a string
_MARK = object()


def names_in(data: bytes) -> "list[str]":
    """Return the full names of all classes and functions that loading a pickle would look up, in order.

    Names that the pickle's strings do not determine are replaced with ``?``: names that it computes, and all names
    after an instruction that cannot be read.
    """
    found: list[str] = []
    stack: list = []
    memo: dict = {}
    operations = pickletools.genops(data)
    while True:
        try:
            op, argument, _ = next(operations)
            _follow(op, argument, stack, memo, found)
        except StopIteration:
            return found
        except (IndexError, ValueError):
            return [*found, "?"]


def _follow(op, argument, stack, memo, found):
    name = op.name
    if name in _PUTS:
        memo[len(memo) if name == "MEMOIZE" else int(argument)] = stack[-1]
    elif name in _GETS:
        stack.append(memo.get(int(argument), _UNKNOWN))
    elif name == "DUP":
        stack.append(stack[-1])
    elif name == "MARK":
        stack.append(_MARK)
    elif name == "STACK_GLOBAL":
        attribute, module = stack.pop(), stack.pop()
        parts = (part if isinstance(part, str) else "?" for part in (module, attribute))
        found.append(".".join(parts))
        stack.append(_UNKNOWN)
    else:
        if name in ("GLOBAL", "INST"):
            found.append(".".join(spelled(*argument.split(" ", 1))))
        elif name.startswith("EXT"):
            found.append(".".join(copyreg._inverted_registry.get(argument, ("?", "?"))))
        _take(op, stack)
        text = isinstance(argument, str) and name not in ("GLOBAL", "INST")
        stack.extend(argument if text else _UNKNOWN for _ in op.stack_after)


def _take(op, stack):
    """Pop the operands of an instruction."""
    before = op.stack_before
    if pickletools.markobject in before:
        while stack[-1] is not _MARK:
            stack.pop()
        stack.pop()
        before = before[: before.index(pickletools.markobject)]
    for _ in before:
        stack.pop()
