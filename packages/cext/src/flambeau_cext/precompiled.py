"""Headers that are compiled ahead: parsing ``torch/extension.h`` is most of what compiling a small extension takes.

gcc can keep what it made of a header and go on from there. That takes twice as long as compiling one source, and some
200 MB, so it pays once a few sources were compiled with the same flags: the third such source has it done beside
itself, or the first one where ``use_pch`` asks for it. What is kept stands among the objects of the cache, under its
rules, and is no longer used when one of its headers changes. A build never fails for it: without it, headers are read
as ever.
"""

import contextlib
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from flambeau_cext import cache, compiler
from flambeau_cext.compiler import CXX, Compiler
from flambeau_cext.depfiles import read_depfile
from flambeau_cext.errors import CompileError

# What load_inline includes, and what sources of extensions begin with, by the header that stands for it.
_HEADERS = {
    "flambeau/functions.hpp": "flambeau/functions.hpp",
    "torch/extension.h": "torch/extension.h",
    "torch/torch.h": "torch/extension.h",
}
_BEGINS = re.compile(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*#[ \t]*include[ \t]*<([\w/.]+)>", re.DOTALL)
_WITHOUT = 2  # so many sources are compiled without before it is made
_SEEN = "seen"


def header_of(text: str, implicit: str | None) -> str | None:
    """The header that may be compiled ahead for a source: the first thing that its compiler reads.

    >>> header_of("// A kernel.\\n#include <torch/torch.h>\\n", None)
    'torch/extension.h'
    >>> header_of("#define TORCH_ASSERT_NO_OPERATORS\\n#include <torch/torch.h>\\n", None)
    """
    if implicit is None:
        found = _BEGINS.match(text)
        implicit = found.group(1) if found else ""
    return _HEADERS.get(implicit)


class Ahead:
    """One header, compiled ahead by one compiler with some flags."""

    def __init__(self, root: Path, made_by: Compiler, header: str, flags: list[str], makers: str):
        self.compiler, self.header = made_by, header
        # The name of the extension comes after the header, so that one serves all.
        self.flags = [flag for flag in flags if not flag.startswith("-DTORCH_EXTENSION_NAME=")]
        environment = [os.environ.get(name) for name in compiler.ENVIRONMENT]
        key = cache.digest(repr(made_by), header, repr(self.flags), repr(environment), makers)
        self.folder = cache.folder_of_object(root, f"{Path(header).stem}-{key}")

    def found(self) -> cache.Entry | None:
        """What is there, if its headers are as they were; ``include`` it."""
        entry = self.folder.lookup()
        return entry if entry is not None and self.include(entry)[1].exists() else None

    def include(self, entry: cache.Entry) -> tuple[list[str], Path]:
        """Flags for a source that begins with the header, and the file that stands for the header."""
        stands_for = entry.path.with_suffix("")
        return ["-include", str(stands_for), "-include", "torch/csrc/naming.h"], stands_for

    def worthwhile(self) -> bool:
        """Count one more source that is compiled without, and tell whether there were enough."""
        with contextlib.suppress(OSError):
            cache.make_private(self.folder.path)
            (self.folder.path / ".lock").touch()  # by which a folder of the cache is known
            with open(self.folder.path / _SEEN, "ab") as seen:
                seen.write(b"+")
                return seen.tell() > _WITHOUT
        return False

    def make(self, run: Callable[[list[str]], int]) -> cache.Entry | None:
        """Compile the header by ``run``, which gives a status, unless another process did meanwhile."""
        with contextlib.suppress(OSError, CompileError), self.folder.building() as scratch:
            entry = self.found()
            if entry is not None:
                return entry
            started = time.time_ns()
            text = f"#define FL_COMPILED_AHEAD\n#include <{self.header}>\n"
            source, target, depfile = (scratch / f"ahead.h{suffix}" for suffix in ("", ".gch", ".d"))
            source.write_text(text, encoding="utf-8")
            if run(self.compiler.precompile(source, target, depfile, self.flags)) != 0:
                return None
            inputs = [path for path in read_depfile(depfile, scratch) if scratch not in path.parents]
            entry = self.folder.publish(target, ".h.gch", inputs, started)
            self.folder.write(self.include(entry)[1].name, text)  # what is read where gcc cannot use the other
            return entry
        return None


def usable(made_by: Compiler, flags: tuple[str, ...]) -> bool:
    """Return True if the compiler keeps headers in the way that is used here, and nothing comes before them."""
    return (
        made_by.language == CXX and made_by.is_gcc and not any(flag in ("-include", "-imacros", "-x") for flag in flags)
    )
