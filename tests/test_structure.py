"""The shape of the repository: packages look only downward, and files stay short."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {f.parent: tomllib.loads(f.read_text()) for f in sorted(ROOT.glob("packages/*/pyproject.toml"))}
SOURCES = sorted(f for folder in PACKAGES for f in folder.glob("src/**/*.p*") if f.suffix in {".py", ".pyx", ".pxd"})
MAX_CODE_LINES = 500

def module(distribution):
    """The import name of a requirement such as ``flambeau-tensor[x]>=0.1``."""
    return re.match(r"[\w-]+", distribution)[0].replace("-", "_")


REQUIREMENTS = {
    module(project["project"]["name"]): {
        module(line)
        for lines in [project["project"]["dependencies"], *project["project"].get("optional-dependencies", {}).values()]
        for line in lines
    }
    for project in PACKAGES.values()
}


def allowed(name):
    """The packages of this repository that ``name`` may import: itself and what it declares, directly or not."""
    found, waiting = set(), {name}
    while waiting:
        found |= waiting
        waiting = {r for n in waiting for r in REQUIREMENTS[n] if r in REQUIREMENTS} - found
    return found


def imported(path):
    """The modules that a Python or Cython file imports or cimports, with their lines."""
    text = path.read_text()
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            names = [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            yield from ((name, node.lineno) for name in names)
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if found := re.match(r"\s*(?:from|c?import)\s+([\w.]+)", line):
                yield found[1], number


def cimported(path):
    """The modules whose declarations a Cython file uses, with their lines."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if found := re.match(r"\s*(?:from\s+([\w.]+)\s+cimport|cimport\s+([\w.]+))", line):
            yield found[1] or found[2], number


def code_lines(path):
    """How many lines are neither blank, comments nor docstrings."""
    text = re.sub(r'^\s*[rR]?"""(?:.|\n)*?"""', "", path.read_text(), flags=re.MULTILINE)
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_imports_look_downward(folder):
    name = module(PACKAGES[folder]["project"]["name"])
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {target}"
        for path in SOURCES
        if path.is_relative_to(folder)
        for target, line in imported(path)
        if target.split(".")[0] in REQUIREMENTS and target.split(".")[0] not in allowed(name)
    ]
    assert not wrong, "\n".join(wrong)


def test_cython_shares_only_public_declarations():
    """Declarations in folders that start with _ are not in the wheels: only private files beside them may use them."""
    private = re.compile(r"(flambeau\w*)\.(?:\w+\.)*_\w+\.\w+")
    wrong = []
    for path in SOURCES:
        package, *folders = path.relative_to(ROOT).parts[3:-1]
        shipped = path.suffix == ".pxd" and not any(folder.startswith("_") for folder in folders)
        for target, line in cimported(path) if path.suffix != ".py" else ():
            if (found := private.match(target)) and (shipped or found[1] != package):
                wrong.append(f"{path.relative_to(ROOT)}:{line} uses {target}")
    assert not wrong, "\n".join(wrong)


def test_files_are_short():
    counted = {path.relative_to(ROOT).as_posix(): code_lines(path) for path in SOURCES}
    long = {name: n for name, n in counted.items() if n > MAX_CODE_LINES}
    assert not long, f"files of more than {MAX_CODE_LINES} lines of code: {long}"


def test_every_package_has_the_same_skeleton():
    files = {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "src", "tests"}
    missing = {folder.name: sorted(files - {f.name for f in folder.iterdir()}) for folder in PACKAGES}
    assert not any(missing.values()), missing
