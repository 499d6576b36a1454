"""PyTorch's names in a program, read from its source; ``flambeau check`` prints those that do not work here.

Only the source text is analyzed: names reached through an import of torch, attributes of tensors in PyTorch, and
imports of packages that are compiled against PyTorch.
"""

import ast
import importlib
import importlib.util
import re
import types
from collections.abc import Iterable, Iterator
from pathlib import Path

# Methods that exist and raise an error, since there is no such device.
_RAISING = frozenset({"cuda", "xpu"})
_DEVICE = re.compile(r"(cuda|mps|xpu)(:\d+)?")
_WITHOUT_DEVICE = frozenset({"autocast", "GradScaler", "custom_fwd", "custom_bwd"})  # which warn and do nothing
# The requirements of parts of torch, by name: the distribution, and its module.
_OPTIONAL = {
    "torch.quasirandom.SobolEngine": ("scipy", "scipy"),
    "torch.sparse.mm": ("scipy", "scipy"),
    "torch.sparse.spsolve": ("scipy", "scipy"),
    "torch.onnx.export": ("onnx", "onnx"),
    "torch.utils.tensorboard": ("tensorboardX", "tensorboardX"),
}
# Packages with binaries that are linked against PyTorch.
_LINKED = frozenset(
    "apex bitsandbytes deepspeed detectron2 flash_attn mmcv pyg_lib pytorch3d torch_cluster torch_scatter torch_sparse "
    "torch_spline_conv torchaudio torchtext torchvision xformers".split()
)


class _Names(ast.NodeVisitor):
    """Collects the full names that a file uses, with their lines, and the attributes of possible tensors."""

    def __init__(self) -> None:
        self.aliases: dict[str, str] = {}
        self.used: list[tuple[str, int]] = []
        self.attributes: list[tuple[str, int]] = []
        self.raising: list[tuple[str, int]] = []
        self.linked: list[tuple[str, int]] = []
        self.guarded = 0

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        """Skip code under a check for a device, which does not run without one."""
        self.visit(node.test)
        asks = "is_available" in ast.unparse(node.test)
        self.guarded += asks
        for part in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(part)
        self.guarded -= asks
        for part in node.orelse if isinstance(node.orelse, list) else [node.orelse]:
            self.visit(part)

    visit_IfExp = visit_If

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in _RAISING and not self.guarded:
            self.raising.append((f".{function.attr}()", node.lineno))
        called = ast.unparse(function).rpartition(".")[2]
        for argument in (*node.args, *(k.value for k in node.keywords)):
            text = argument.value if isinstance(argument, ast.Constant) else None
            if isinstance(text, str) and _DEVICE.fullmatch(text) and not self.guarded:
                if called not in _WITHOUT_DEVICE:
                    self.raising.append((f'device "{text}"', node.lineno))
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            self.linked += [(top, node.lineno) for top in {name.name.partition(".")[0]} & _LINKED]
            if name.name.partition(".")[0] == "torch":
                self.aliases[name.asname or "torch"] = name.name if name.asname else "torch"
                self.used.append((name.name, node.lineno))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        top = (node.module or "").partition(".")[0]
        if not node.level and top in _LINKED:
            self.linked.append((top, node.lineno))
        if node.level or top != "torch" or node.module is None:
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
    """Return the names that tensors have only in PyTorch, except for those that lists and strings have, too."""
    from flambeau import Tensor
    from flambeau_tensor.not_built import names_of_pytorch

    return frozenset(
        name
        for name in names_of_pytorch()["torch.Tensor"]
        if (not hasattr(Tensor, name) or getattr(getattr(Tensor, name), "__not_built__", False))
        and not any(hasattr(kind, name) for kind in (str, list, dict, set))
    )


def _not_installed(name: str) -> str | None:
    """The distribution that a name needs and that is not installed; None if nothing is wanting."""
    for whole, (distribution, module) in _OPTIONAL.items():
        if (name == whole or name.startswith(whole + ".")) and importlib.util.find_spec(module) is None:
            return distribution
    return None


def _troubles(names: _Names, methods: frozenset[str]) -> Iterator[tuple[str, int]]:
    """Yield the names that a file uses and that do not work here, with their lines."""
    for name, line in dict.fromkeys(names.used):
        part = missing_part(name)
        if part:
            yield part, line
        elif package := _not_installed(name):
            yield f"{name}, which needs {package} (not installed)", line
    for package, line in names.linked:
        yield f"{package}, which is compiled against PyTorch", line
    if names.aliases:
        for attribute, line in names.attributes:
            if attribute in methods:
                yield f"Tensor.{attribute}, if that is a tensor", line
        for attribute, line in names.raising:
            yield f"{attribute}, which raises: there is only the CPU", line


def _files(paths: Iterable[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def report(paths: Iterable[str]) -> tuple[str, bool]:
    """Return the missing features that files and folders use, as text, and whether there are none.

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
        for node in ast.walk(tree):  # imports first: a function may use names that are defined below it
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names.visit(node)
        names.linked.clear()
        found, names.used = names.used, []
        names.visit(tree)
        names.used = found + names.used
        used.update(name for name, _ in names.used)
        for trouble, line in _troubles(names, methods):
            misses.setdefault(trouble, []).append(f"{path}:{line}")
    verdict = f"missing: {len(misses)}" if misses else "none is missing"
    lines = [f"files: {files}, names from PyTorch: {len(used)}, {verdict}", *skipped]
    for name, places in sorted(misses.items()):
        places = list(dict.fromkeys(places))
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        lines.append(f"  {name}: {', '.join(places[:3])}{more}")
    return "\n".join(lines), not misses
