"""The files that a linker reads in addition to the objects of a build, according to its flags."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

_ENDINGS = {"darwin": (".tbd", ".dylib", ".a"), "win32": (".dll.a", ".a", ".lib")}.get(sys.platform, (".so", ".a"))


def files(flags: Sequence[str], folder: Path) -> tuple[list[Path], list[Path]]:
    """The files that a linker, which runs in ``folder``, may read for these flags, and the places where it would find
    others if they were there.

    These are the files that a flag names (an archive, an object, a script, a response file) and those with the name of
    a library in the folders of ``-L`` and of LIBRARY_PATH. Folders that the linker has of its own are not searched.
    """
    folders: list[str] = []
    libraries: list[str] = []
    named: list[str] = []
    words = _words(flags)
    for word in words:
        if word.startswith(("-L", "-l")):
            value = word[2:] or next(words, "")
            (folders if word[1] == "L" else libraries).append(value)
        else:
            named += [word, word.removeprefix("@"), word.partition("=")[2]]
    folders += filter(None, os.environ.get("LIBRARY_PATH", "").split(os.pathsep))
    looked_for = [
        folder / place / name for library in libraries for name in _names(library) for place in dict.fromkeys(folders)
    ]
    found = [path for path in (*(folder / name for name in named if name), *looked_for) if os.path.isfile(path)]
    return list(dict.fromkeys(found)), [path for path in dict.fromkeys(looked_for) if not path.exists()]


def _words(flags: Sequence[str]) -> Iterator[str]:
    """The words that reach the linker.

    >>> list(_words(["-L/a", "-Wl,-Bstatic,-lfoo", "-Xlinker", "-lbar"]))
    ['-L/a', '-Bstatic', '-lfoo', '-lbar']
    """
    for flag in flags:
        if flag.startswith("-Wl,"):
            yield from flag.split(",")[1:]
        elif flag != "-Xlinker":
            yield flag


def _names(library: str) -> list[str]:
    """The files that may be a library: ``-l:name`` says it itself."""
    return [library[1:]] if library.startswith(":") else [f"lib{library}{ending}" for ending in _ENDINGS]
