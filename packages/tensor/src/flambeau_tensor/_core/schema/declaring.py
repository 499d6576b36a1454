"""The words that declarations are written with: under which names users find an operator, which dtypes its kernel
takes, and of which dtype the result is.

>>> FUNCTION | METHOD
<Variants.FUNCTION|METHOD: 3>
>>> REALS == BOOLS | INTS | FLOATS
True
"""

import sys
from enum import Enum, Flag
from types import FunctionType


class Variants(Flag):
    """Under which names users find an operator."""

    FUNCTION = 1
    METHOD = 2
    INPLACE = 4  # the method ``name_``
    INPLACE_FUNCTION = 8  # the same, and a function


class Dtypes(Flag):
    """Families of dtypes."""

    BOOLS = 1
    INTS = 2  # uint8 among them
    UNSIGNED = 4  # uint16, uint32 and uint64
    FLOATS = 8
    COMPLEX = 16
    HALF_COMPLEX = 32


class Result(Enum):
    """The dtype of a result, where it follows from that of the operands. Otherwise it is the dtype itself."""

    SAME = "same"
    REAL_PART = "real"  # the dtype of the real parts
    WIDE = "wide"  # int64 for integers


FUNCTION, METHOD, INPLACE, INPLACE_FUNCTION = Variants
BOOLS, INTS, UNSIGNED, FLOATS, COMPLEX, HALF_COMPLEX = Dtypes
REALS = BOOLS | INTS | FLOATS
USUAL = REALS | COMPLEX
EVERY = USUAL | UNSIGNED | HALF_COMPLEX
SAME, REAL_PART, WIDE = Result


def bits(name, option, value, kind):
    """The number of a set of flags; TypeError for anything else."""
    if type(value) is not kind:
        examples = " | ".join(member.name for member in list(kind)[:2])
        raise TypeError(f"{name}: {option} takes {kind.__name__}, such as {examples}, not {value!r}")
    return value.value


def names(name, option, value):
    """Names in the order given; TypeError for one string, of which each letter would be a name."""
    if type(value) not in (tuple, set, frozenset) or not all(type(each) is str for each in value):
        raise TypeError(f"{name}: {option} takes a set or tuple of names, not {value!r}")
    return tuple(value)


def call_site():
    """Where an operator is declared, as code and the place in it, for `line_of`: the line of the module that does it,
    which a package's own helpers are passed by for; inside of a function, the outermost call in its file. Lines are
    looked up on request: most are never needed."""
    frame = found = sys._getframe(1)
    package, file = _package(frame), frame.f_code.co_filename
    while frame is not None and _package(frame) == package:
        if frame.f_code.co_name == "<module>":
            found = frame
            break
        if frame.f_code.co_filename == file:
            found = frame
        frame = frame.f_back
    return found.f_code, found.f_lasti


def _package(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0]


def line_of(code, place):
    """``"file:line"``, of what `call_site` returned."""
    for start, end, line in code.co_lines():
        if start <= place < end and line is not None:
            return f"{code.co_filename}:{line}"
    return f"{code.co_filename}:{code.co_firstlineno}"


def check_function(schema, function):
    """Raise TypeError for what is not a function, or does not take a schema's arguments, which it gets by position."""
    if not callable(function):
        raise TypeError(f"{schema.name}: a kernel or a function is needed, not {function!r}")
    if type(function) is not FunctionType:
        return
    code, given = function.__code__, len(schema.arguments)
    if code.co_flags & 4:  # *args
        return
    if not code.co_argcount - len(function.__defaults__ or ()) <= given <= code.co_argcount:
        parameters = ", ".join(code.co_varnames[: code.co_argcount])
        raise TypeError(
            f"{schema.name}: {function.__name__}({parameters}) at {code.co_filename}:{code.co_firstlineno} does "
            f"not take the {given} arguments of {schema}"
        )
