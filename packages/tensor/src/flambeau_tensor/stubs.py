"""Type stubs, written from the schemas: ``python -m flambeau_tensor.stubs [folder]``.

Without a folder the text goes to standard output; with one, to ``folder/__init__.pyi``.
"""
import re
import sys

import flambeau_tensor
from flambeau_tensor import documentation
from flambeau_tensor._core.dtype import DType
from flambeau_tensor._core.registry import Property, functions, syntax_operators
from flambeau_tensor._core.tensor import Tensor

_HEAD = '''"""Generated from the operators' schemas by flambeau_tensor.stubs."""
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Iterator, Sequence
from typing import Any

import flambeau_tensor as torch
from flambeau_tensor._core.dtype import DType as dtype
from flambeau_tensor._core.storage import Storage
from flambeau_tensor._core.tensor import Size as Size
from flambeau_tensor._kernels.generator import Generator as Generator
from flambeau_tensor.options import device as device, layout as layout, memory_format as memory_format

Number = _bool | _int | _float | _complex
'''
_REFLECTED = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
_RESULTS = {"iter": "Iterator[Tensor]", "bool": "_bool", "int": "_int", "float": "_float", "complex": "_complex",
            "index": "_int", "len": "_int", "contains": "_bool", "setitem": "None"}


def function_stub(op, name=None, *, method=False, indent=""):
    """The ``def`` line of an operator.

    >>> from flambeau_tensor import exp
    >>> function_stub(exp)
    'def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...'
    """
    numbers, parts, starred = op.numbers, [], False
    for i, (public, a) in enumerate(documentation.parameter_names(op)):
        public = "self" if method and i == 0 else public
        if a.kwarg_only and not starred:
            parts.append("*")
            starred = True
        text = public if method and i == 0 else f"{public}: {_spelled(documentation.type_text(a, a.name in numbers))}"
        if i == op.varargs and all(b.kwarg_only for b in op.schema.arguments[i + 1:]):
            text, starred = f"*{public}: Any", True  # one by one, or as one sequence
        elif a.has_default:
            text += f" = {a.default!r}" if isinstance(a.default, (int, str, tuple, type(None))) else " = ..."
        parts.append(text)
    return f"{indent}def {name or op.name}({', '.join(parts)}) -> {_spelled(documentation.result_text(op))}: ..."


def _spelled(text):
    """A type with the built-in ones under names that no dtype or method hides."""
    return re.sub(r"(?<![.\w])(bool|complex|float|int|str)\b", r"_\1", text)


def _members():
    for name, value in sorted(vars(Tensor).items()):
        if isinstance(value, Property):
            yield f"    @property\n    def {name}(self) -> {_spelled(documentation.result_text(value.getter))}: ..."
            if value.setter is not None:
                yield f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ..."
        elif type(value).__name__ == "Method" and not (name.startswith("__") and name[2:-2] in _RESULTS):
            yield function_stub(value.target, name, method=True, indent="    ")


def _syntax():
    for word, op in sorted(syntax_operators().items()):
        result = _RESULTS.get(word, "Tensor")
        other = {"getitem": "index: Any", "setitem": "index: Any, value: Any", "contains": "element: Any"}.get(word)
        if other is None:
            other = "other: Any" if op.schema.arguments[1:] and op.schema.arguments[1].kind == 0 else ""
        ignore = "  # type: ignore[override]" if word in ("eq", "ne") else ""
        yield f"    def __{word}__(self{', ' * bool(other)}{other}) -> {result}: ...{ignore}"
        if word in _REFLECTED:
            yield f"    def __r{word}__(self, other: Any) -> Tensor: ..."


def stub_text():
    """The stub file of `flambeau_tensor`."""
    lines = [_HEAD, "class Tensor:"]
    lines += ["    def __init__(self, *args: Any, device: torch.device | _str | None = None, data: Any = None) -> "
              "None: ..."]
    lines += [*_members(), *_syntax(), ""]
    lines += [f"{name}: dtype" for name, value in sorted(vars(flambeau_tensor).items())
              if isinstance(value, DType) and not name.startswith("_")]
    names = functions("torch")
    lines += [function_stub(op, name) for name, op in sorted(names.items()) if name.isidentifier()]
    return "\n".join(lines) + "\n"


def main(arguments):
    """Write the stubs; returns the process's exit status."""
    if not arguments:
        sys.stdout.write(stub_text())
        return 0
    from pathlib import Path

    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "__init__.pyi").write_text(stub_text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
