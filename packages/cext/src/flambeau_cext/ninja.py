"""ninja, if it is installed: runs compilers in parallel, and only those whose inputs changed."""

import functools
import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from flambeau_cext.processes import Finished, run


class Step(NamedTuple):
    """One compiler run: it reads ``source`` and the files that ``depfile`` will list, and writes ``target``."""

    command: tuple[str, ...]
    source: Path
    target: Path
    depfile: Path


@functools.lru_cache
def find() -> str | None:
    """The path of ninja, or None."""
    return shutil.which("ninja") or shutil.which("ninja-build")


def is_ninja_available() -> bool:
    """Return True if ninja is installed. flambeau does not need it.

    >>> isinstance(is_ninja_available(), bool)
    True
    """
    return find() is not None


def verify_ninja_availability() -> None:
    """Do nothing if ninja is installed.

    Raises:
        RuntimeError: ninja is not installed.

    >>> if is_ninja_available():
    ...     verify_ninja_availability()
    """
    if not is_ninja_available():
        raise RuntimeError("Ninja is required to load C++ extensions (pip install ninja to get it)")


def build(folder: Path, steps: Sequence[Step]) -> Finished:
    """Run the steps whose inputs changed since the last time; ninja stores its log in ``folder``."""
    lines = ["ninja_required_version = 1.5", f"builddir = {_escaped(folder)}", "rule compile", "  command = $run"]
    lines += ["  depfile = $made", "  deps = gcc", "  description = $out"]
    for step in steps:
        lines += [
            f"build {_escaped(step.target)}: compile {_escaped(step.source)}",
            f"  run = {shlex.join(step.command).replace('$', '$$')}",
            f"  made = {_escaped(step.depfile)}",
        ]
    file = folder / "build.ninja"
    text = "\n".join([*lines, ""])
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
    jobs = ["-j", os.environ["MAX_JOBS"]] if "MAX_JOBS" in os.environ else []
    return run([find() or "ninja", "-v", "-k", "0", "-f", str(file), *jobs])


def _escaped(path: Path) -> str:
    return str(path).replace("$", "$$").replace(" ", "$ ").replace(":", "$:")
