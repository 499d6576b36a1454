"""The constants of declarations: the names under which users find an operator, the dtypes that its kernel accepts, and
the dtype of its result.

>>> FUNCTION | METHOD
<Variants.FUNCTION|METHOD: 3>
>>> REALS == BOOLS | INTS | FLOATS
True
"""

import sys
from enum import Enum, Flag
from types import FunctionType


class Variants(Flag):
    """The names under which users find an operator."""

    FUNCTION = 1
    METHOD = 2
    INPLACE = 4  # the method ``name_``
    INPLACE_FUNCTION = 8  # the same method, and a function


class Dtypes(Flag):
    """Families of dtypes."""

    BOOLS = 1
    INTS = 2  # including uint8
    UNSIGNED = 4  # uint16, uint32 and uint64
    FLOATS = 8
    COMPLEX = 16
    HALF_COMPLEX = 32


class Result(Enum):
    """The dtype of a result that follows from the operands' dtype. Declarations of other results give the dtype."""

    SAME = "same"
    REAL_PART = "real"  # the dtype of the real part
    WIDE = "wide"  # int64 for integers


FUNCTION, METHOD, INPLACE, INPLACE_FUNCTION = Variants
BOOLS, INTS, UNSIGNED, FLOATS, COMPLEX, HALF_COMPLEX = Dtypes
REALS = BOOLS | INTS | FLOATS
USUAL = REALS | COMPLEX
EVERY = USUAL | UNSIGNED | HALF_COMPLEX
SAME, REAL_PART, WIDE = Result


def bits(name, option, value, kind):
    """Return a set of flags as a number; TypeError for anything else."""
    if type(value) is not kind:
        examples = " | ".join(member.name for member in list(kind)[:2])
        raise TypeError(f"{name}: {option} takes {kind.__name__}, such as {examples}, not {value!r}")
    return value.value


def names(name, option, value):
    """Return the names as a tuple; TypeError for a string, whose letters would count as names."""
    if type(value) not in (tuple, set, frozenset) or not all(type(each) is str for each in value):
        raise TypeError(f"{name}: {option} takes a set or tuple of names, not {value!r}")
    return tuple(value)


def call_site():
    """Return where an operator is declared, as a code object and a position in it, for `line_of`.

    This is the line of the declaring module, skipping the package's own helpers; inside a function, it is the
    outermost call in the same file. The line number is computed on request, since most are never needed."""
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
    """Return the result of `call_site` as ``"file:line"``."""
    for start, end, line in code.co_lines():
        if start <= place < end and line is not None:
            return f"{code.co_filename}:{line}"
    return f"{code.co_filename}:{code.co_firstlineno}"


def check_function(schema, function):
    """Raise TypeError for an object that is not a function, or does not accept a schema's arguments by position."""
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
