"""What the packages in packages/ say of themselves: names, folders, who needs whom; for chores, pages and tests."""

import re
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent
PROJECTS = {f.parent.name: tomllib.loads(f.read_text()) for f in sorted(ROOT.glob("packages/*/pyproject.toml"))}
FOLDERS = {project["project"]["name"]: folder for folder, project in PROJECTS.items()}


def distribution(requirement):
    """The name in a requirement such as ``flambeau-tensor[x]>=0.1``."""
    return re.match(r"[\w.-]+", requirement)[0]


def module(requirement):
    """What it is imported as, if it is one of ours."""
    return distribution(requirement).replace("-", "_")


def extras(folder):
    """What the extras of a package require."""
    return [line for lines in PROJECTS[folder]["project"].get("optional-dependencies", {}).values() for line in lines]


def siblings(folder):
    """The folders of the packages that one declares to need."""
    names = map(distribution, PROJECTS[folder]["project"]["dependencies"])
    return [FOLDERS[name] for name in names if name in FOLDERS]


ORDER = list(TopologicalSorter({folder: siblings(folder) for folder in PROJECTS}).static_order())


def closure(folder):
    """The package and those that it needs, lowest first."""
    needed = {folder}
    for name in reversed(ORDER):
        if name in needed:
            needed.update(siblings(name))
    return [name for name in ORDER if name in needed]
