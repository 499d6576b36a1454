"""The files that a linker reads in addition to the objects of a build, according to its flags."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

_ENDINGS = {"darwin": (".tbd", ".dylib", ".a"), "win32": (".dll.a", ".a", ".lib")}.get(sys.platform, (".so", ".a"))


def files(flags: Sequence[str], folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the files that a linker, which runs in ``folder``, may read for these flags, and missing files to watch.

    The former are files that a flag names (an archive, an object, a script, a response file) and files with the name of
    a library in the folders of ``-L`` and of LIBRARY_PATH. The latter would be found before them if they existed. The
    linker's own folders are not searched.
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
    """Return the file names that a library may have; ``-l:name`` contains it."""
    return [library[1:]] if library.startswith(":") else [f"lib{library}{ending}" for ending in _ENDINGS]
