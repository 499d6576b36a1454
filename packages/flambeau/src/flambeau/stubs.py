"""Type stubs of the layout: what stands under each of PyTorch's names, for type checkers and editors.

At run time an import hook answers (`_layout`), of which they know nothing. ``python -m flambeau.stubs FOLDER`` writes
them from the same table, and the list of the functions of ``torch`` that ``flambeau_nn`` declares, which has to be
known before that is imported; a test compares.
"""

import re
import sys
import textwrap
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from flambeau import _layout
from flambeau_tensor.not_built import names_of_pytorch

_HERE = Path(__file__).parent
_MARK = '"""Written by flambeau.stubs from the table of the layout; do not edit."""\n'
_OF_AUTOGRAD = (
    "enable_grad",
    "inference_mode",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
)
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


def _modules() -> dict[str, _Module]:
    """What the import hook serves, public modules of packages included, by their names in the layout."""
    found = {}
    for name, target in sorted(_layout.TABLE.items()):
        spec = find_spec(target)
        if name.startswith("_") or name == "ops" or spec is None or spec.origin is None:
            continue
        found[name] = _Module(target, Path(spec.origin))
        folder = Path(spec.origin).parent
        is_package = spec.submodule_search_locations and target not in _WHOLE
        for path in sorted(folder.rglob("*.py")) if is_package else ():
            parts = path.relative_to(folder).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            dotted = ".".join((name, *parts))
            if parts and dotted not in _layout.TABLE and not any(p.startswith("_") or p in _INSIDE for p in parts):
                found[dotted] = _Module(".".join((target, *parts)), path)
    return found


def _own(folder: str) -> set[str]:
    """The public modules that are files of this package, in one of its folders."""
    paths = (*_HERE.glob(f"{folder}/*.py"), *(path.parent for path in _HERE.glob(f"{folder}/*/__init__.py")))
    return {path.stem for path in paths if not path.stem.startswith("_")}


def _import_line(name: str) -> str:
    return f"from . import {name} as {name}"


def _text(place: str, module: _Module, children: list[str]) -> str:
    """The stub of an alias."""
    stub = module.path.with_suffix(".pyi")
    source = (stub if stub.exists() else module.path).read_text(encoding="utf-8")
    anything = "\n" + _ANYTHING in source
    # Of two things of a name it is the module's own: autograd.gradcheck is a function, and the name of its module.
    children = [name for name in children if not re.search(rf"(?m)^from \S+\.{name} import .*\b{name}\b", source)]
    lines = [
        _MARK,
        *(["from typing import Any\n"] if anything else []),
        *map(_import_line, children),
        f"from {module.target} import *",
        *(f"from {module.target} import {name} as {name}" for name in _unlisted(place, module, source)),
        *(["\n" + _ANYTHING] if anything else []),
    ]
    return "\n".join(lines) + "\n"


def _unlisted(place: str, module: _Module, source: str) -> list[str]:
    """Names of PyTorch's that a module has and its ``__all__``, as far as it is written out, leaves out."""
    if "__all__" not in source:
        return []
    listed = source.partition("__all__")[2].partition("]")[0]
    try:
        known = dir(import_module(module.target))
    except ModuleNotFoundError:  # it stands on an extra that is not here
        return []
    names = sorted(name for name in names_of_pytorch().get(f"torch.{place}", ()) if name in known)
    return [name for name in names if f'"{name}"' not in listed]


def _top(children: list[str]) -> str:
    """The stub of `flambeau` itself."""
    names = {**dict.fromkeys(_OF_AUTOGRAD, "flambeau_autograd"), **_layout.NAMES}
    import flambeau_nn

    declared = Path(flambeau_nn.__file__).with_name("functional.pyi").read_text(encoding="utf-8")
    names |= {name: "flambeau_nn.functional" for name in functions_of_nn() if f"def {name}(" in declared}
    names.pop("__version__")
    lines = [
        _MARK,
        "from typing import Any\n",
        "from flambeau_tensor import *",
        *sorted(f"from {module} import {name} as {name}" for name, module in names.items()),
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


def functions_of_nn() -> list[str]:
    """The functions of ``torch`` itself that ``flambeau_nn`` declares."""
    import flambeau_tensor
    from flambeau_tensor.extend import operators

    below = vars(flambeau_tensor)["__all__"]

    # Compiled kernels tell no module; so what is not declared below, nor by flambeau_autograd.
    declared = {op.name for op in operators().values() if op.namespace == "torch" and op.is_function}
    return sorted(declared - {*below, "detach", "detach_"})


_LIST = '''\
"""Written by flambeau.stubs: functions of ``torch`` itself that ``flambeau_nn`` declares, which is imported when one
of them is first used."""

FUNCTIONS_OF_NN = frozenset(
    """
{names}
""".split()
)
'''


def files() -> dict[str, str]:
    """The texts of the stubs and of the list, by file name relative to this package."""
    modules = _modules()
    texts = {}
    for name, module in modules.items():
        children = sorted(other.rpartition(".")[2] for other in modules if other.rpartition(".")[0] == name)
        path = name.replace(".", "/")
        texts[f"{path}/__init__.pyi" if children else f"{path}.pyi"] = _text(name, module, children)
    tops = {name.partition(".")[0] for name in modules}
    # The other folders of this package have files of their own, which a stub would hide.
    utils = _own("utils") | {name.split(".")[1] for name in modules if name.startswith("utils.")}
    texts["utils/__init__.pyi"] = _MARK + "\n" + "\n".join(map(_import_line, sorted(utils))) + "\n"
    own = {name for name in _layout.OWN if not name.startswith("_")}
    texts["__init__.pyi"] = _top(sorted(tops | own))
    texts["_functions_of_nn.py"] = _LIST.format(names=textwrap.fill(" ".join(functions_of_nn()), 120))
    return texts


def main(arguments: list[str]) -> int:
    """Write the stubs; returns the process's exit status."""
    if len(arguments) != 1:
        print("usage: python -m flambeau.stubs FOLDER", file=sys.stderr)
        return 2
    folder, texts = Path(arguments[0]), files()
    for old in folder.rglob("*.pyi"):
        if old.relative_to(folder).as_posix() not in texts and old.read_text(encoding="utf-8").startswith(_MARK):
            old.unlink()
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
