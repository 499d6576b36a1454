"""Build failures, with the first error at the top."""

import itertools
import re
from pathlib import Path

# `file:line:column: error: text` of gcc and clang, and `file:line: undefined reference ...` of linkers.
_DIAGNOSTIC = re.compile(r"^(?P<place>.+?:\d+(?::\d+)?): (?:fatal )?error: ", re.MULTILINE)
# The place that uses the template with an error: gcc prints the line above the error, clang below it, as the last of
# several.
_NEEDED = re.compile(r"^.+?:\d+:\d+: +required from here$")
_INSTANCE = re.compile(r"^.+?:\d+:\d+: note: in instantiation of .* requested here$")
# Cython's: the source above, then `file:line:column: text`.
_CYTHON = re.compile(
    r"^(?P<above>(?:.*\n)*?)^-{20,}\n(?P<place>[^\n]+?\.p(?:yx|xd|xi|y):(?P<line>\d+):\d+): (?P<text>.*)$", re.MULTILINE
)
_FOLLOWS = re.compile(r"^\s*(?:\d+\s*)?\|")  # the source line and the caret below it
_CARET = re.compile(r"^ *[~^][~^ ]*$")  # the caret alone, with nothing before it
_LINKER = re.compile(r"^.*(?:undefined reference|cannot find -l|multiple definition|No space left).*$", re.MULTILINE)


class CompileError(RuntimeError):
    """A compiler or linker failed, or is not installed.

    The message begins with the first error (``file:line:column: error: …``), followed by the source line and by the
    path of the full log, which ``log`` holds too (None when nothing was run).

    >>> error = CompileError("sum.c:1:5: error: unknown type name 'doubel'")
    >>> str(error), error.log
    ("sum.c:1:5: error: unknown type name 'doubel'", None)
    """

    def __init__(self, message: str, log: Path | None = None):
        super().__init__(message)
        self.log = log


def first_error(output: str) -> str:
    """Return the first error in a compiler's output with the source line below it and, if it is in a template, the code
    that instantiates it; or the last line if there is no error message.

    >>> print(first_error("a.c: In function 'f':\\na.c:2:1: error: expected ';'\\n    2 | }\\n      | ^\\na.c:3: more"))
    a.c:2:1: error: expected ';'
        2 | }
          | ^
    """
    found = _DIAGNOSTIC.search(output)
    if found:
        head, *rest = output[found.start() :].splitlines()
        shown = [head, *_source(rest)]
        above = [line for line in output[: found.start()].splitlines() if not _FOLLOWS.match(line)][-1:]
        others = next((i for i, line in enumerate(rest) if _DIAGNOSTIC.match(line)), len(rest))
        users = [line for line in rest[:others] if _INSTANCE.match(line)][-1:]
        return "\n".join([*shown, *(line for line in above if _NEEDED.match(line)), *users])
    found = _CYTHON.search(output)
    if found:
        shown = [line for line in found["above"].splitlines() if line.strip()][-2:]
        number = f"{int(found['line']):5} | "
        source = [f"{' ' * (len(number) - 2)}| {line}" if i else number + line for i, line in enumerate(shown)]
        return "\n".join([f"{found['place']}: error: {found['text']}", *source])
    found = _LINKER.search(output)
    if found:
        return found.group().strip()
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "the compiler said nothing"


def _source(lines: list[str]) -> list[str]:
    """The lines below an error that show its place."""
    if len(lines) > 1 and _CARET.match(lines[1]):
        return lines[:2]
    return list(itertools.takewhile(_FOLLOWS.match, lines))
