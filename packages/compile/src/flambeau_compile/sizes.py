"""One library for calls that differ in sizes.

Programs for several sizes of the same arguments usually have the same text apart from numbers: bounds of loops,
strides, divisors. When a second size comes, programs are printed in a general form, which does not depend on the
remainders of sizes. From the second text of a form on, the numbers that differ become inputs of the program, so that
further sizes need no C compiler. Each size is still traced, and a library is only shared if the program's own text is
the same apart from these inputs, so a function that computes something else for some sizes is safe.
"""

import re
import struct
from typing import Any

from flambeau_compile.plans import Plan
from flambeau_compile.printing import PRELUDE

MOST = 256  # programs of one function that may share libraries
SCALARS = 4  # programs of one function that are printed for their size alone, since they are tiny
REBUILT = 4  # libraries of one form

# What a text consists of, besides other characters: names, directives and types, whose digits are no numbers; numbers.
_WORDS = re.compile(
    r"#[^\n]*|FL_VECTOR\([^()]*\)|[A-Za-z_]\w*"
    r"|(?P<float>0x[0-9a-f]\.[0-9a-f]+p[+-]\d+|\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)(?P<single>f?)|(?P<int>\d+)(?P<long>LL)?"
)
_PLACE = "(arena + \0"  # before the place of a temporary: several sizes have the same, since places are rounded
_START = "\nint fl_run("
# The end of a piece of text, by the kind of the number after it.
_MARKS = {"int": "\0", "long": "\1", "float": "\2", "single": "\3"}
_WHOLE = ("\0", "\1")
_SUFFIXES = {"\0": "", "\1": "LL", "\2": "", "\3": "f"}


class Numbers:
    """A text in two parts: its form, with a mark in the place of each number, and the numbers.

    Attributes:
        form: the pieces between numbers; each piece ends with the mark of the kind of number that follows it.
        numbers: their texts without suffixes.
        body: the index of the first number in the function ``fl_run``.
    """

    def __init__(self, text: str) -> None:
        start = text.index(_START)
        pieces: list[str] = []
        self.numbers: list[str] = []
        self.body, at = -1, len(PRELUDE)
        for match in _WORDS.finditer(text, at):
            if match.lastgroup is None:
                continue
            if self.body < 0 and match.start() > start:
                self.body = len(self.numbers)
            kind = "single" if match["single"] else "float" if match["float"] else match.lastgroup
            pieces.append(text[at : match.start()] + _MARKS[kind])
            self.numbers.append(match["int"] or match["float"])
            at = match.end()
        pieces.append(text[at:])
        self.body = len(self.numbers) if self.body < 0 else self.body
        self.form = tuple(pieces)


class _Form:
    """The programs of one form, and the text of a library for all of them."""

    def __init__(self, example: Numbers) -> None:
        self.examples = [example.numbers]
        self.text: str | None = None  # with inputs
        self.inputs: list[int] = []  # for each input, a number that it replaces
        self.input_of: dict[int, int] = {}  # number -> its input
        self.rebuilt = 0

    def takes(self, numbers: list[str]) -> bool:
        """Whether the library computes what a text with these numbers does."""
        if self.text is None:
            return False
        first, inputs, input_of = self.examples[0], self.inputs, self.input_of
        return all(
            number == (first[i] if (k := input_of.get(i)) is None else numbers[inputs[k]])
            for i, number in enumerate(numbers)
        )

    def extend(self, example: Numbers, slot: int) -> bool:
        """Let the library take another example; return False if its numbers cannot be inputs."""
        if self.rebuilt == REBUILT:
            return False
        self.rebuilt += 1
        self.examples.append(example.numbers)
        groups: dict[Any, int] = {}
        self.inputs, self.input_of = [], {}
        kinds = [piece[-1] for piece in example.form[:-1]]
        for i, values in enumerate(zip(*self.examples, strict=True)):
            if values.count(values[0]) == len(values) and not example.form[i].endswith(_PLACE):
                continue
            key = kinds[i], values
            if key not in groups:
                groups[key] = len(self.inputs)
                self.inputs.append(i)
            self.input_of[i] = groups[key]
        self.text = _general(example, self.input_of, slot)
        return self.text is not None


class Forms:
    """The programs of a function by their forms.

    Attributes:
        scalars: the number of programs that may still have a variable for each element, and so a library of their own.
        changing: the sizes in the call that is traced which were others before.
    """

    def __init__(self) -> None:
        self.scalars, self.changing = SCALARS, frozenset[int]()
        self._forms: dict[Any, _Form] = {}

    def shared(self, plan: Plan) -> Plan:
        """Return a plan with the library of its form, or the plan itself if it is the first one of it."""
        if plan.level != "-O3":
            self.scalars -= 1
            return plan
        found = Numbers(plan.text)
        key = found.form, len(plan.functions)
        form = self._forms.get(key)
        if form is None:
            self._forms[key] = _Form(found)
            return plan
        if found.numbers == form.examples[0]:
            return plan
        if not form.takes(found.numbers) and not form.extend(found, len(plan.functions)):
            return plan
        kinds = [found.form[i][-1] for i in form.inputs]
        values = [_cell(found.numbers[i], kind) for i, kind in zip(form.inputs, kinds, strict=True)]
        return plan._replace(text=form.text or plan.text, functions=[*plan.functions, b"".join(values)])


def _cell(number: str, kind: str) -> bytes:
    """A number as eight bytes, as a program reads it."""
    if kind in _WHOLE:
        return struct.pack("=q", int(number))
    return struct.pack("=d", float.fromhex(number) if number.startswith("0x") else float(number))


def _general(example: Numbers, input_of: dict[int, int], slot: int) -> str | None:
    """Return a text that reads inputs from the function's argument `slot`; None if another function needs one."""
    parts = [PRELUDE, "#define FL_SIZES const fl_size *restrict h,\n#define FL_GIVEN h,\n"]
    used: dict[int, str] = {}
    takes = False  # whether the function at this place has the inputs as an argument
    for i, piece in enumerate(example.form[:-1]):
        mark = piece[-1]
        if "FL_SIZES" in piece or "\n}" in piece:
            takes = piece.rfind("FL_SIZES") > piece.rfind("\n}")
        parts.append(piece[:-1])
        k = input_of.get(i)
        if k is None:
            parts.append(example.numbers[i] + _SUFFIXES[mark])
        elif i >= example.body:
            used[k] = "fl_size" if mark in _WHOLE else "double"
            parts.append(f"((f32)fl_{k})" if mark == _MARKS["single"] else f"fl_{k}")
        elif takes and mark in _WHOLE:
            parts.append(f"h[{k}]")
        else:
            return None
    text = "".join([*parts, example.form[-1]])
    # Locals, since a store through a pointer could change what `h` points to.
    reads = " ".join(f"const {kind} fl_{k} = ((const {kind} *)h)[{k}];" for k, kind in sorted(used.items()))
    start = text.index("{\n", text.index(_START)) + 2
    return f"{text[:start]}    const fl_size *const h = (const fl_size *)f[{slot}]; (void)h; {reads}\n{text[start:]}"
