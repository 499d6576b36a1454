"""What the wheels and sdists in dist/ hold: all that a user needs and nothing else.

`nox -s build` makes them and runs this.
"""

import email
import re
import runpy
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from monorepo import PROJECTS as ALL  # noqa: E402
from monorepo import ROOT, module  # noqa: E402

DIST = ROOT / "dist"
PROJECTS = {ROOT / "packages" / name: project["project"] for name, project in ALL.items()}
STEMS = {folder: module(project["name"]) for folder, project in PROJECTS.items()}
SHIPPED = {".py", ".pyi", ".typed", ".so", ".pxd", ".h", ".hpp", ".txt", ".cmake", ".npz", ".c", ".md"}
LARGEST = 10e6  # bytes: the tensor package's wheel, whatever levels it holds


def found(kind):
    return [(folder, path) for folder, stem in STEMS.items() for path in DIST.glob(f"{stem}-*{kind}")]


def tracked(folder):
    """What git knows of a folder; everything there where the checkout came without git."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return {name for name in done.stdout.split("\0") if name and (folder / name).exists()}
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".gitignore")
    return {str(path.relative_to(folder)) for path in files}


def made(folder):
    """What the package's build hook writes, by the names in the checkout."""
    hooks = ALL[folder.name]["tool"].get("hatch", {}).get("build", {}).get("hooks", {})
    if "custom" not in hooks:
        return {}
    script = runpy.run_path(str(folder / hooks["custom"]["path"]))
    return {f"{script['PLACE']}/{name}": text for name, text in script["files"]().items()}


@pytest.mark.parametrize(("folder", "path"), found(".whl"), ids=lambda p: p.name)
def test_wheel(folder, path):
    stem, project = STEMS[folder], PROJECTS[folder]
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
        (metadata,) = (name for name in names if re.fullmatch(r"[^/]*\.dist-info/METADATA", name))
        told = email.message_from_bytes(wheel.read(metadata))
        shared = [name for name in names if name.startswith(f"{stem}/_compiled.") and name.endswith(".so")]
        compiled = b"".join(wheel.read(name) for name in shared)
        for name, text in made(folder).items():
            assert wheel.read(name.removeprefix("src/")).decode() == text, name
    info = metadata.partition("/")[0]
    assert {f"{info}/licenses/LICENSE", f"{stem}/py.typed"} <= names
    assert told["License-Expression"] == project["license"] and told["Author"] and told["Keywords"]
    assert told.get_payload().startswith(f"# {project['name']}\n")
    code = {name for name in names if not name.startswith(info)}
    assert {name.partition("/")[0] for name in code} == {stem}
    assert {Path(name).suffix for name in code if ".dist-info/" not in name} <= SHIPPED
    assert [name for name in code if name.endswith(".so")] == shared
    sources = [Path(name).relative_to("src") for name in tracked(folder) if name.startswith("src/")]
    for source in sources:
        if source.suffix in (".py", ".pyi"):
            assert str(source) in code
        elif source.suffix == ".pyx":
            module = str(source.with_suffix("")).replace("/", ".")
            modules = [module.replace(".hot.", f".hot_{level}.") for level in ("v2", "v3", "v4", "base")]
            assert any(f"{name}\0".encode() in compiled for name in modules), source
        elif source.suffix == ".pxd":  # private ones stay at home, so that nobody comes to depend on them
            private = any(part.startswith("_") for part in source.parts)
            assert (str(source) in code) is not private, source
    assert path.stat().st_size < LARGEST


@pytest.mark.parametrize(("folder", "path"), found(".tar.gz"), ids=lambda p: p.name)
def test_sdist(folder, path):
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames() if not sdist.getmember(name).isdir()}
    assert tracked(folder) <= names
    added = names - tracked(folder) - {"PKG-INFO"}
    builds = {"cmake/FlambeauCython.cmake", "cmake/translate.py", "cmake/compiled.c.in"}
    assert made(folder).keys() <= names
    assert added <= (builds if (folder / "CMakeLists.txt").exists() else {".gitignore", *made(folder)})
