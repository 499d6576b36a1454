"""Type stubs of the layout: what stands under each of PyTorch's names, for type checkers and editors.

At run time an import hook answers (`flambeau._layout`), of which they know nothing. The stubs follow from the table of
the layout and from the files of the packages that it names, so they are not committed. Every build of this package
writes them, an editable one beside its modules, and so does ``python packages/flambeau/layout_stubs.py``.
"""

import ast
import re
import runpy
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).absolute().parent
PLACE = "src/flambeau"
PACKAGES = {folder.name: folder for folder in HERE.parent.glob("*/src/flambeau*")}
_MARK = '"""Written by layout_stubs.py from the table of the layout; do not edit."""\n'
# What packages keep for themselves: folders and files that are no modules of PyTorch's.
_INSIDE = {
    *(
        "batching derivatives ops stubs extend trees tangents messages mutation strided threads unbroadcast "
        "attributes finite_differences interception packing fresh declare metadata parameters moments"
    ).split()
}
_WHOLE = {"flambeau_cext", "flambeau_cext.library", "flambeau_tensor.serialization"}  # none of their files is one
_ANYTHING = "def __getattr__(name: str) -> Any: ..."


class _Module(NamedTuple):
    target: str
    path: Path


def _find(target: str) -> Path | None:
    """The file of a module."""
    package, *parts = target.split(".")
    folder = PACKAGES[package].joinpath(*parts)
    return next((path for path in (folder / "__init__.py", folder.with_suffix(".py")) if path.exists()), None)


def _modules(table: dict[str, str]) -> dict[str, _Module]:
    """What the import hook serves, public modules of packages included, by their names in the layout."""
    found = {}
    for name, target in sorted(table.items()):
        path = _find(target)
        if name.startswith("_") or name == "ops" or path is None:
            continue
        found[name] = _Module(target, path)
        folder = path.parent
        is_package = path.name == "__init__.py" and target not in _WHOLE
        for path in sorted(folder.rglob("*.py")) if is_package else ():
            parts = path.relative_to(folder).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            dotted = ".".join((name, *parts))
            if parts and dotted not in table and not any(p.startswith("_") or p in _INSIDE for p in parts):
                found[dotted] = _Module(".".join((target, *parts)), path)
    return found


def _own(folder: str) -> set[str]:
    """The public modules that are files of this package, in one of its folders."""
    place = HERE / PLACE / folder
    paths = (*place.glob("*.py"), *(path.parent for path in place.glob("*/__init__.py")))
    return {path.stem for path in paths if not path.stem.startswith("_")}


def _import_line(name: str) -> str:
    return f"from . import {name} as {name}"


def _text(place: str, module: _Module, children: list[str], names_of_pytorch: set[str]) -> str:
    """The stub of an alias."""
    stub = module.path.with_suffix(".pyi")
    committed = stub.exists() and HERE / PLACE not in stub.parents
    source = (stub if committed else module.path).read_text(encoding="utf-8")
    anything = "\n" + _ANYTHING in source
    # Of two things of a name it is the module's own: autograd.gradcheck is a function, and the name of its module.
    children = [name for name in children if not re.search(rf"(?m)^from \S+\.{name} import .*\b{name}\b", source)]
    lines = [
        _MARK,
        *(["from typing import Any\n"] if anything else []),
        *map(_import_line, children),
        f"from {module.target} import *",
        *(f"from {module.target} import {name} as {name}" for name in _unlisted(place, source, names_of_pytorch)),
        *(["\n" + _ANYTHING] if anything else []),
    ]
    return "\n".join(lines) + "\n"


def _unlisted(place: str, source: str, names_of_pytorch: set[str]) -> list[str]:
    """Names of PyTorch's that a module has and its ``__all__``, as far as it is written out, leaves out."""
    if "__all__" not in source:
        return []
    listed = source.partition("__all__")[2].partition("]")[0]
    names = sorted(n for n in _defined(ast.parse(source).body) if f"torch.{place}.{n}" in names_of_pytorch)
    return [name for name in names if f'"{name}"' not in listed]


def _defined(body: list[ast.stmt]) -> set[str]:
    """The names that a module's statements give to something."""
    names: set[str] = set()
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                names.add(statement.name)
            case ast.Import() | ast.ImportFrom():
                names |= {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
            case ast.Assign() | ast.AnnAssign():
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                names |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
            case ast.If() | ast.Try() | ast.With() | ast.For():
                for part in ("body", "orelse", "finalbody"):
                    names |= _defined(getattr(statement, part, []))
    return names


def _from(place: str, name: str) -> str:
    """The import of a name from a module, or from ``module:name`` where it is called otherwise."""
    module, _, other = place.partition(":")
    return f"from {module} import {other or name} as {name}"


def _top(names: dict[str, Any], children: list[str]) -> str:
    """The stub of `flambeau` itself."""
    found = {**dict.fromkeys(names["OF_AUTOGRAD"], "flambeau_autograd"), **names["NAMES"]}
    declared = (PACKAGES["flambeau_nn"] / "functional.pyi").read_text(encoding="utf-8")
    found |= {name: "flambeau_nn.functional" for name in names["FUNCTIONS_OF_NN"] if f"def {name}(" in declared}
    found.pop("__version__")
    found = {name: place for name, place in found.items() if not place.startswith("flambeau:")}  # its own other names
    lines = [
        _MARK,
        "from typing import Any\n",
        "from flambeau_tensor import *",
        *sorted(_from(module, name) for name, module in found.items()),
        "",
        *map(_import_line, children),
        "",
        "RELEASE: str",
        "__version__: str",
        "ops: Any",
        "",
        "def install_as_torch() -> None: ...",
    ]
    return "\n".join(lines) + "\n"


def files() -> dict[str, str]:
    """The texts of the stubs, by their names under `PLACE`."""
    names = runpy.run_path(str(HERE / PLACE / "_names.py"))
    modules = _modules(names["TABLE"])
    names_of_pytorch = set((PACKAGES["flambeau_tensor"] / "pytorch_names.txt").read_text(encoding="utf-8").split())
    texts = {}
    for name, module in modules.items():
        children = sorted(other.rpartition(".")[2] for other in modules if other.rpartition(".")[0] == name)
        path = name.replace(".", "/")
        place = f"{path}/__init__.pyi" if children else f"{path}.pyi"
        texts[place] = _text(name, module, children, names_of_pytorch)
    tops = {name.partition(".")[0] for name in modules}
    # The other folders of this package have files of their own, which a stub would hide.
    utils = _own("utils") | {name.split(".")[1] for name in modules if name.startswith("utils.")}
    texts["utils/__init__.pyi"] = _MARK + "\n" + "\n".join(map(_import_line, sorted(utils))) + "\n"
    own = {name for name in names["OWN"] if not name.startswith("_")}
    texts["__init__.pyi"] = _top(names, sorted(tops | own))
    return texts


def write() -> None:
    """Bring the stubs beside the modules up to date."""
    texts = files()
    for old in (HERE / PLACE).rglob("*.pyi"):
        if old.relative_to(HERE / PLACE).as_posix() not in texts:
            old.unlink()
    for name, text in texts.items():
        path = HERE / PLACE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def get_build_hook() -> type:
    """What hatchling calls before it collects the files of a wheel or an sdist."""
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    class Hook(BuildHookInterface):
        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            if len(PACKAGES) > 1:  # an sdist has them, and not the other packages
                write()

    return Hook


if __name__ == "__main__":
    write()
