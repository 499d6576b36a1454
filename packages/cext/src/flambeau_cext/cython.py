"""Cython sources: translated to C or C++ by the Cython compiler, if it is installed."""

import functools
import importlib
import importlib.util
import re
import sys
from pathlib import Path

from flambeau_cext.compiler import CXX, C
from flambeau_cext.errors import CompileError

_LANGUAGE = re.compile(r"^#\s*distutils\s*:\s*language\s*=\s*c\+\+\s*$", re.MULTILINE)


def target_language(text: str) -> str:
    """Return the target language of a source: C++ if a comment at its top says ``# distutils: language = c++``, else C.

    >>> target_language("# distutils: language = c++\\nfrom libcpp.vector cimport vector")
    'C++'
    """
    head = []
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            break
        head.append(line.strip())
    return CXX if _LANGUAGE.search("\n".join(head)) else C


@functools.lru_cache
def version() -> str:
    """Cython's version; CompileError when it is not installed."""
    if importlib.util.find_spec("Cython") is None:
        raise CompileError("Cython sources need Cython: pip install cython")
    return str(importlib.import_module("Cython").__version__)


def command(source: Path, target: Path, module: str, language: str, include_paths: list[str]) -> list[str]:
    """Return the command that translates ``source`` and writes a depfile next to it, ``target`` with ``.dep`` added."""
    flags = [f"-I{path}" for path in (str(source.parent), *include_paths)]
    flags += ["--cplus"] if language == CXX else []
    return [sys.executable, "-m", "cython", "-3", "--depfile", "--module-name", module, *flags,
            "--output-file", str(target), str(source)]  # fmt: skip
