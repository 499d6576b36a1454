"""``python -m flambeau.stand_in FOLDER`` writes a distribution that pip accepts as PyTorch.

Packages declare that they need ``torch``. If this wheel is installed, pip considers the requirement satisfied, and
``import torch`` imports flambeau in every process without further settings. The wheel contains this import, and stubs
for type checkers and editors. It is for the environment in which it is created: it must not be published, because the
name belongs to others.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

import flambeau
from flambeau.version import __version__

MODULE = Path(__file__).with_name("_under_torch") / "torch/__init__.py"
METADATA = f"""Metadata-Version: 2.1
Name: torch
Version: {{version}}
Summary: flambeau in PyTorch's place, in this environment; not to be published
Requires-Dist: flambeau=={flambeau.RELEASE}
"""
_NOT_PYTORCHS = {"_under_torch", "__main__", "demo", "stand_in", "as_torch"}
WHEEL = """Wheel-Version: 1.0
Generator: flambeau.stand_in
Root-Is-Purelib: true
Tag: py3-none-any
"""


def write(folder: "str | Path" = ".") -> Path:
    """Write the wheel into a folder, and return its path.

    Its version is that of PyTorch whose interface this is, with our own behind a plus sign, so it satisfies
    ``torch>=2`` and ``torch==2.13.*``.
    """
    version = str(__version__)
    info = f"torch-{version}.dist-info"
    files = {
        **_stubs(),
        "torch/__init__.py": MODULE.read_text(),
        f"{info}/METADATA": METADATA.format(version=version),
        f"{info}/WHEEL": WHEEL,
    }
    record = "".join(f"{name},sha256={_digest(text)},{len(text.encode())}\n" for name, text in files.items())
    path = Path(folder) / f"torch-{version}-py3-none-any.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            archive.writestr(name, text)
    return path


def _stubs() -> dict[str, str]:
    """The files of the package ``torch`` that type checkers read: a stub for each module of `flambeau`.

    At run time the import hook answers before anything looks for the files, so the module beside a stub is empty. It is
    there because pyright warns of a stub without a module.
    """
    here = Path(flambeau.__file__).parent
    texts = {}
    for path in [*sorted(here.rglob("*.pyi")), *sorted(here.rglob("*.py"))]:
        relative = path.relative_to(here)
        parts = relative.with_suffix("").parts
        name = f"torch/{relative.with_suffix('').as_posix()}"
        if parts[0] in _NOT_PYTORCHS or f"{name}.pyi" in texts:
            continue
        texts[f"{name}.pyi"] = path.read_text(encoding="utf-8") if path.suffix == ".pyi" else _stub(path, parts)
        texts.setdefault(f"{name}.py", "")
    return {**texts, "torch/py.typed": ""}


def _stub(path: Path, parts: tuple[str, ...]) -> str:
    """The stub of a module that is a file: its names, and for a package those of the modules in it."""
    is_package = parts[-1] == "__init__"
    dotted = ".".join(("flambeau", *(parts[:-1] if is_package else parts)))
    found = [*path.parent.glob("*.py"), *path.parent.glob("*/__init__.py*")] if is_package else []
    children = {(child.parent if child.stem == "__init__" else child).stem for child in found} - {path.parent.stem}
    lines = [f"from . import {child} as {child}" for child in sorted(children) if not child.startswith("__")]
    return "\n".join([*lines, f"from {dotted} import *", ""])


def _digest(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(write(*sys.argv[1:2]))
