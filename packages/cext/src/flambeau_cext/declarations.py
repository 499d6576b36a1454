"""Parsing C declarations: as much of the C and C++ grammar as is needed to find the functions to bind and their types.

The input is the preprocessor's output, so functions that macros define are found like any others, and code under
``#if 0`` is not.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      [A-Za-z_]\w*                                  # names
    | \.?\d(?:[eEpP][+-]|[\w.'])*                   # numbers
    | (?:u8|[uUL])?R"(?P<fence>[^()\\\s]*)\((?:.|\n)*?\)(?P=fence)"  # raw strings
    | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'     # strings and characters
    | :: | -> | \.\.\. | [^\s\w]
    """,
    re.VERBOSE,
)
_MARKER = re.compile(r'^#(?:line)? (\d+) "((?:[^"\\]|\\.)*)"([ 1234]*)$')
_NOISE = {"inline", "__inline", "__inline__", "__extension__", "extern", "register", "constexpr", "volatile"}
_NOISE |= {"restrict", "__restrict", "__restrict__", "noexcept", "_Noreturn", '"C"', '"C++"', "__cdecl"}
_ATTRIBUTES = {"__attribute__", "__attribute", "__declspec", "__asm__", "asm", "alignas", "_Alignas"}
_INTEGER_WORDS = {"char", "short", "int", "long", "signed", "unsigned"}


class Parameter(NamedTuple):
    """One parameter: its name and its type, normalised (``const char *``, ``unsigned long``, ``fl_tensor``)."""

    name: str
    type: str


class Declaration(NamedTuple):
    """A function as declared. ``c_linkage``: its symbol is its name, as in C or under ``extern "C"``."""

    name: str
    result: str
    parameters: tuple[Parameter, ...]
    static: bool = False
    c_linkage: bool = True

    def __str__(self) -> str:
        listed = ", ".join(f"{p.type}{'' if p.type[-1] in '*&' else ' '}{p.name}" for p in self.parameters)
        space = "" if self.result.endswith("*") else " "
        return f"{self.result}{space}{self.name}({listed or 'void'})"


def user_text(preprocessed: str) -> str:
    """Return the preprocessor's output without text from system headers and without line markers."""
    kept, system = [], False
    users: set[str] = set()
    for line in preprocessed.splitlines():
        if line.startswith("#"):
            marker = _MARKER.match(line)
            if marker:
                _, file, flags = marker.groups()
                if "3" not in flags:
                    users.add(file)
                # A system header's macro used in a user's file is marked as if that file were the system's.
                system = file not in users
            continue
        if not system:
            kept.append(line)
    return "\n".join(kept)


def find_functions(text: str, names: Iterable[str], *, cxx: bool = False) -> dict[str, Declaration]:
    """Return the declarations of ``names`` at file scope in preprocessed ``text``; undeclared names are omitted.

    A definition replaces an earlier declaration, since its parameters have names. Raises ValueError for a name that
    C++ overloads.

    >>> found = find_functions("double half(double x) { return x / 2; }", ["half"])
    >>> print(found["half"])
    double half(double x)
    """
    wanted = set(names)
    found: dict[str, Declaration] = {}
    defined: set[str] = set()
    for tokens, linkage, body in _statements(text, cxx):
        declaration = _function(tokens, wanted, linkage)
        if declaration is None:
            continue
        before = found.get(declaration.name)
        if before and [p.type for p in before.parameters] != [p.type for p in declaration.parameters]:
            raise ValueError(f"function '{declaration.name}' is overloaded: {before} and {declaration}")
        if before and before.c_linkage and not declaration.c_linkage:
            declaration = declaration._replace(c_linkage=True)
        if declaration.name not in defined:
            found[declaration.name] = declaration
        if body:
            defined.add(declaration.name)
    return found


def function_names(text: str, *, cxx: bool = False) -> list[str]:
    """Return the names of all functions declared at file scope in preprocessed ``text``, except static ones.

    >>> function_names("int half(int); static int own(void); double twice(double x) { return half(2) * x; }")
    ['half', 'twice']
    """
    names: dict[str, None] = {}
    for tokens, _, _ in _statements(text, cxx):
        for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
            if after == "(" and _is_name(token) and before != "::":
                found = None if "static" in tokens else _function(tokens, {token}, True)
                if found is not None:
                    names[found.name] = None
                break
    return list(names)


def _statements(text: str, cxx: bool) -> Iterator[tuple[list[str], bool, bool]]:
    """Generate the tokens of each declaration at file scope without its body; whether it has C linkage; and a body."""
    tokens = [m.group() for m in _TOKEN.finditer(text)]
    current: list[str] = []
    in_c_block = 0
    i, n = 0, len(tokens)
    while i < n:
        token = tokens[i]
        if token == ";":
            yield current, not cxx or bool(in_c_block) or '"C"' in current, False
            current = []
        elif token == "{":
            if current == ["extern", '"C"']:
                in_c_block += 1
            else:
                yield current, not cxx or bool(in_c_block) or '"C"' in current, True
                i = _closing(tokens, i, "{", "}")
            current = []
        elif token == "}":
            in_c_block = max(in_c_block - 1, 0)
        elif token == "(":  # with the braces of default values
            end = _closing(tokens, i, "(", ")")
            current += tokens[i : end + 1]
            i = end
        else:
            current.append(token)
        i += 1


def _closing(tokens: list[str], start: int, left: str, right: str) -> int:
    """The index of the bracket that closes the one at ``start``, or the last index."""
    depth = 0
    for i in range(start, len(tokens)):
        if tokens[i] == left:
            depth += 1
        elif tokens[i] == right:
            depth -= 1
            if depth == 0:
                return i
    return len(tokens) - 1


def _function(tokens: list[str], wanted: set[str], c_linkage: bool) -> Declaration | None:
    if wanted.isdisjoint(tokens) or tokens[0] in ("typedef", "using", "template", "namespace", "class"):
        return None
    tokens = _without_attributes(tokens)
    for i, token in enumerate(tokens[:-1]):
        if token in wanted and tokens[i + 1] == "(" and "=" not in tokens[:i] and i > 0 and tokens[i - 1] != "::":
            break
    else:
        return None
    end = _closing(tokens, i + 1, "(", ")")
    result = [t for t in tokens[:i] if t != "static"]
    if tokens[end + 1 : end + 2] == ["->"]:
        result = tokens[end + 2 :]
    if "(" in result or not result:
        return None
    parameters = []
    for position, group in enumerate(split_at_commas(tokens[i + 2 : end])):
        if group == ["void"] and position == 0:
            continue
        parameters.append(_parameter(group, position))
    return Declaration(token, _spell(result), tuple(parameters), "static" in tokens[:i], c_linkage)


def _without_attributes(tokens: list[str]) -> list[str]:
    kept, i = [], 0
    while i < len(tokens):
        if tokens[i] in _ATTRIBUTES and tokens[i + 1 : i + 2] == ["("]:
            i = _closing(tokens, i + 1, "(", ")")
        elif tokens[i : i + 2] == ["[", "["]:
            i = _closing(tokens, i, "[", "]")
        elif tokens[i] not in _NOISE:
            kept.append(tokens[i])
        i += 1
    return kept


def split_at_commas(tokens: list[str]) -> list[list[str]]:
    """Split a list of parameters, or the characters of a list of types, at its top-level commas."""
    groups: list[list[str]] = [[]] if tokens else []
    depth = 0
    for token in tokens:
        depth += (token in "([{<") - (token in ")]}>")
        if token == "," and depth == 0:
            groups.append([])
        else:
            groups[-1].append(token)
    return groups


def _parameter(tokens: list[str], position: int) -> Parameter:
    if "=" in tokens:  # a default value
        tokens = tokens[: tokens.index("=")]
    if "(" in tokens or not tokens:  # a function pointer or similar: kept as written; no binding accepts it
        return Parameter(f"arg{position}", " ".join(tokens))
    suffix = []
    if "[" in tokens:  # an array is a pointer
        tokens, suffix = tokens[: tokens.index("[")], ["*"]
    words = [t for t in tokens if t not in ("const", "struct", "unsigned", "signed")]
    named = len(words) > 1 and _is_name(tokens[-1]) and tokens[-1] not in _INTEGER_WORDS and tokens[-2] != "::"
    named = named or (len(tokens) > 1 and len(words) == 1 and words[0] == tokens[-1] not in _INTEGER_WORDS
                      and tokens[-2] in ("unsigned", "signed"))  # fmt: skip
    if named:
        return Parameter(tokens[-1], _spell(tokens[:-1] + suffix))
    return Parameter(f"arg{position}", _spell(tokens + suffix))


def _is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] == "_"


def _spell(tokens: list[str]) -> str:
    """Return one spelling for each type: integer words in order, const only if it matters."""
    pointers = [t for t in tokens if t in ("*", "&")]
    constant = "const" in tokens[: tokens.index(pointers[0])] if pointers else False
    words = [t for t in tokens if t not in ("*", "&", "const")]
    if words and set(words) <= _INTEGER_WORDS:
        words = _integer(words)
    text = " ".join(words).replace(" :: ", "::").replace(":: ", "::").replace(" < ", "<").replace(" >", ">")
    text = {"_Bool": "bool"}.get(text, text)
    if pointers:
        return f"{'const ' if constant else ''}{text} {''.join(pointers)}"
    return text


def _integer(words: list[str]) -> list[str]:
    """``long unsigned int`` as ``unsigned long``, and so on."""
    size = [w for w in words if w in ("char", "short", "long")]
    sign = ["unsigned"] if "unsigned" in words else ["signed"] if size == ["char"] and "signed" in words else []
    return sign + (size or ["int"])
