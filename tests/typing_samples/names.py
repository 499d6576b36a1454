"""Writes a program that names everything public of PyTorch's that is here; `nox -s types` checks that stubs have it."""

import keyword
import runpy
import sys
from importlib import import_module
from pathlib import Path

import flambeau
from flambeau_tensor.not_built import names_of_pytorch


def main() -> None:
    script = Path(__file__).parents[2] / "packages" / "flambeau" / "layout_stubs.py"
    stubs = runpy.run_path(str(script))["files"]()
    places, lines = set(), []
    for place, names in sorted(names_of_pytorch().items()):
        path = place.partition(".")[2].replace(".", "/")
        if place != "torch" and not {f"{path}.pyi", f"{path}/__init__.pyi"} & stubs.keys():
            continue
        module = flambeau if place == "torch" else import_module(f"flambeau.{place.partition('.')[2]}")
        for name in sorted(names):
            if not name.startswith("_") and not keyword.iskeyword(name) and hasattr(module, name):
                places.add(f"import {place.replace('torch', 'flambeau', 1)}")
                lines.append(f"{place.replace('torch', 'flambeau', 1)}.{name}")
    Path(sys.argv[1]).write_text("\n".join([*sorted(places), *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
