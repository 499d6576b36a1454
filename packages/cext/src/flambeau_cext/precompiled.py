"""Precompiled headers: parsing ``torch/extension.h`` takes most of the time to compile a small extension.

gcc can store a parsed header and continue from there. This takes twice as long as compiling one source, and some 200
MB, so it pays after a few sources with the same flags: it is done while the third such source is compiled, or with the
first one if ``use_pch`` is set. The result is stored among the objects of the cache, under the same rules, and is
invalid when one of its headers changes. It never makes a build fail: without it, headers are parsed as usual.
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

# Headers that load_inline includes, and that sources begin with, by the precompiled header that covers them.
_HEADERS = {
    "flambeau/functions.hpp": "flambeau/functions.hpp",
    "torch/extension.h": "torch/extension.h",
    "torch/torch.h": "torch/extension.h",
}
_BEGINS = re.compile(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*#[ \t]*include[ \t]*<([\w/.]+)>", re.DOTALL)
_WITHOUT = 2  # the number of sources compiled before it is created
_SEEN = "seen"


def header_of(text: str, implicit: str | None) -> str | None:
    """Return the header that may be precompiled for a source: the first thing that its compiler reads.

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
        # The extension's name is defined after the header, so all extensions share one.
        self.flags = [flag for flag in flags if not flag.startswith("-DTORCH_EXTENSION_NAME=")]
        environment = [os.environ.get(name) for name in compiler.ENVIRONMENT]
        key = cache.digest(repr(made_by), header, repr(self.flags), repr(environment), makers)
        self.folder = cache.folder_of_object(root, f"{Path(header).stem}-{key}")

    def found(self) -> cache.Entry | None:
        """Return the entry, if its headers are unchanged; pass it to ``include``."""
        entry = self.folder.lookup()
        return entry if entry is not None and self.include(entry)[1].exists() else None

    def include(self, entry: cache.Entry) -> tuple[list[str], Path]:
        """Return the flags for a source that begins with the header, and the file that replaces the header."""
        stands_for = entry.path.with_suffix("")
        return ["-include", str(stands_for), "-include", "torch/csrc/naming.h"], stands_for

    def worthwhile(self) -> bool:
        """Count a source that is compiled without it; return whether there were enough."""
        with contextlib.suppress(OSError):
            cache.make_private(self.folder.path)
            (self.folder.path / ".lock").touch()  # marks a folder of the cache
            with open(self.folder.path / _SEEN, "ab") as seen:
                seen.write(b"+")
                return seen.tell() > _WITHOUT
        return False

    def make(self, run: Callable[[list[str]], int]) -> cache.Entry | None:
        """Compile the header by ``run``, which returns a status, unless another process already did."""
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
            self.folder.write(self.include(entry)[1].name, text)  # read if gcc cannot use the precompiled file
            return entry
        return None


def usable(made_by: Compiler, flags: tuple[str, ...]) -> bool:
    """Return True if the compiler supports precompiled headers as used here, and no flag includes files before them."""
    return (
        made_by.language == CXX and made_by.is_gcc and not any(flag in ("-include", "-imacros", "-x") for flag in flags)
    )
