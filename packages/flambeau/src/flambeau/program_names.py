"""Which of PyTorch's names a program uses, read from its source; ``flambeau check`` prints those that are not here.

Only what the text says is seen: names reached through an import of torch, and attributes that tensors have in PyTorch.
"""

import ast
import importlib
import types
from collections.abc import Iterable, Iterator
from pathlib import Path


class _Names(ast.NodeVisitor):
    """The full names that a file uses, with their lines, and the attributes of what may be tensors."""

    def __init__(self) -> None:
        self.aliases: dict[str, str] = {}
        self.used: list[tuple[str, int]] = []
        self.attributes: list[tuple[str, int]] = []

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            if name.name.partition(".")[0] == "torch":
                self.aliases[name.asname or "torch"] = name.name if name.asname else "torch"
                self.used.append((name.name, node.lineno))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or not node.module or node.module.partition(".")[0] != "torch":
            return
        for name in node.names:
            full = node.module if name.name == "*" else f"{node.module}.{name.name}"
            self.aliases[name.asname or name.name] = full
            self.used.append((full, node.lineno))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts, below = [node.attr], node.value
        while isinstance(below, ast.Attribute):
            parts.append(below.attr)
            below = below.value
        if isinstance(below, ast.Name) and below.id in self.aliases:
            self.used.append((".".join([self.aliases[below.id], *reversed(parts)]), node.lineno))
            return
        self.attributes.append((node.attr, node.lineno))
        self.visit(node.value)


def missing_part(name: str) -> str | None:
    """The name up to the first part that is not here; None if all of it is.

    >>> missing_part("torch.nn.Linear.forward") is missing_part("torch.pi.real") is None
    True
    >>> missing_part("torch.nn.quantizable.LSTM")
    'torch.nn.quantizable'
    """
    parts = name.split(".")
    found: object = importlib.import_module("flambeau")
    for i, part in enumerate(parts[1:], 2):
        if not isinstance(found, (types.ModuleType, type)):
            return None  # an attribute of a value: nothing is known of it
        try:
            found = getattr(found, part)
        except (AttributeError, NotImplementedError, ImportError):
            try:
                found = importlib.import_module(".".join(["flambeau", *parts[1:i]]))
            except ImportError:
                return ".".join(parts[:i])
        if getattr(found, "__not_built__", False):
            return ".".join(parts[:i])
    return None


def _missing_methods() -> frozenset[str]:
    """The names that tensors have in PyTorch and not here, but for those that lists and texts have, too."""
    from flambeau import Tensor
    from flambeau_tensor.not_built import names_of_pytorch

    return frozenset(
        name
        for name in names_of_pytorch()["torch.Tensor"]
        if (not hasattr(Tensor, name) or getattr(getattr(Tensor, name), "__not_built__", False))
        and not any(hasattr(kind, name) for kind in (str, list, dict, set))
    )


def _files(paths: Iterable[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def report(paths: Iterable[str]) -> tuple[str, bool]:
    """What files and folders use that is not here, as text; and whether everything is.

    Raises:
        OSError: A file cannot be read.
    """
    used: set[str] = set()
    misses: dict[str, list[str]] = {}
    skipped, files, methods = [], 0, _missing_methods()
    for path in _files(paths):
        try:
            tree = ast.parse(path.read_bytes(), str(path))
        except (SyntaxError, ValueError) as error:
            skipped.append(f"{path} was left out: {error}")
            continue
        files += 1
        names = _Names()
        for node in ast.walk(tree):  # imports first: a function may use what stands below it
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names.visit(node)
        found, names.used = names.used, []
        names.visit(tree)
        for name, line in dict.fromkeys(found + names.used):
            used.add(name)
            part = missing_part(name)
            if part:
                misses.setdefault(part, []).append(f"{path}:{line}")
        if names.aliases:
            for attribute, line in names.attributes:
                if attribute in methods:
                    misses.setdefault(f"Tensor.{attribute}, if that is a tensor", []).append(f"{path}:{line}")
    verdict = f"not here: {len(misses)}" if misses else "all are here"
    lines = [f"files: {files}, names of PyTorch's: {len(used)}, {verdict}", *skipped]
    for name, places in sorted(misses.items()):
        places = list(dict.fromkeys(places))
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        lines.append(f"  {name}: {', '.join(places[:3])}{more}")
    return "\n".join(lines), not misses
