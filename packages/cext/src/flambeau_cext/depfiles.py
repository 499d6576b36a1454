"""Dependency files: the files that a compiler read, and the files that it would have read instead if they existed."""

import os
from pathlib import Path


def overshadowing(inputs: list[Path], folders: list[Path]) -> list[Path]:
    """Return the files that do not exist, but which a compiler would read instead of an input if they did, because it
    searches the folders in order.

    >>> overshadowing([Path("/second/of/all.h")], [Path("/first"), Path("/second"), Path("/third")])
    [PosixPath('/first/of/all.h')]
    """
    found = dict.fromkeys(
        earlier / path.relative_to(folder)
        for path in inputs
        for n, folder in enumerate(folders)
        if path.is_relative_to(folder)
        for earlier in folders[:n]
    )
    return [path for path in found if not path.exists()]


def read_depfile(depfile: Path, folder: Path) -> list[Path]:
    """The files that a compiler, which ran in ``folder``, read, as its dependency file lists them."""
    names = _prerequisites(depfile.read_text(encoding="utf-8", errors="surrogateescape"))
    here = folder.resolve()  # relative paths start in the compiler's folder, with links resolved
    return [Path(name if os.path.isabs(name) else os.path.normpath(here / name)) for name in names]


def _prerequisites(makefile: str) -> list[str]:
    """The files after the colon of a compiler's dependency file.

    >>> _prerequisites("a.o: a.c dir\\\\ b/c.h \\\\\\n  d$$.h")
    ['a.c', 'dir b/c.h', 'd$.h']
    """
    _, _, rest = makefile.replace("\\\n", " ").partition(": ")
    names, current = [], ""
    characters = iter(rest)
    for c in characters:
        if c == "\\":
            following = next(characters, "")
            current += following if following in " #" else c + following
        elif c == "$":
            next(characters, "")
            current += "$"
        elif c.isspace():
            if current:
                names.append(current)
            current = ""
        else:
            current += c
    if current:
        names.append(current)
    return names
