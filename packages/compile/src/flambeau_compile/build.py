"""Building a program's library: one call of the C compiler, with cext's cache.

The text has no ``#include`` and no address of this process, so its hash, with the compiler and the processor, is the
key.
"""

import atexit
import contextlib
import functools
import importlib.util
import platform
import shutil
import sys
import tempfile
import threading
import warnings
from pathlib import Path

from flambeau_cext import cache, compiler
from flambeau_cext.errors import CompileError, first_error
from flambeau_cext.processes import run

# Contraction would change the last digits of results; errno and traps would only prevent vectorization.
FLAGS = ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing", "-fwrapv", "-w",
         "-fno-semantic-interposition", "-fvisibility=default", "-fPIC", "-shared")  # fmt: skip
FAST = ("-ffast-math",)
LONG = 1500  # statements beyond which the compiler's time matters more than its best code

_loaded: dict[str, int] = {}
_own: list[Path] = []  # the temporary cache of this process, if it has one


@functools.lru_cache
def processor() -> str:
    """A key that identifies the processor for which code is built."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        return platform.processor() or platform.machine()
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.machine())


def build(text: str, *, fast: bool = False, level: str = "-O3") -> Path:
    """Return the library for a program's text, from the cache or from the compiler.

    If the cache is not writable, one warning is issued, and the process uses its own cache.

    Raises:
        CompileError: there is no compiler, or it rejects the text.
        OSError: no folder is writable.
    """
    folder = _folder(fast, level, text)
    entry = folder.lookup()
    if entry is not None:
        return entry.path
    command = _command(fast, level)
    try:
        path = _built(folder, command, text)
    except OSError as error:
        return _built(cache.Folder(_own_root(error) / folder.path.name), command, text)
    cache.prune_sometimes(cache.root())
    return path


def _built(folder: cache.Folder, command: list[str], text: str) -> Path:
    """The library, built unless another process was quicker."""
    with folder.building() as scratch:
        entry = folder.lookup()  # another process was faster
        if entry is None:
            source, target = scratch / "program.c", scratch / "program.so"
            source.write_text(text, encoding="utf-8")
            done = run([*command, str(source), "-o", str(target), "-lm"])
            if done.status != 0:
                raise CompileError(f"compiling a program failed: {first_error(done.output) or done.end}")
            folder.write("program.c", text)
            entry = folder.publish(target, ".so", [], 0)
    return entry.path


def _own_root(error: OSError) -> Path:
    """Return a temporary cache of this process, which is removed at its end; `error` is the reason."""
    if not _own:
        _own.append(Path(tempfile.mkdtemp(prefix="flambeau-compile-")))
        atexit.register(shutil.rmtree, _own[0], ignore_errors=True)
        what = f"torch.compile: {error}: programs are built anew in each process"
        warnings.warn(what, RuntimeWarning, stacklevel=2)
    return _own[0]


def _folder(fast: bool, level: str, text: str) -> cache.Folder:
    """The folder of a program in the cache, found without running the compiler."""
    try:
        chosen = compiler.identity(compiler.C)
    except CompileError:
        chosen = (*_compiler().command, _compiler().version)
    options = (level, *FLAGS, *(FAST if fast else ()))
    key = cache.digest("flambeau-compile 3", text, *options, *chosen, processor())
    root = cache.root()
    cache.check_root(root)
    return cache.Folder(root / f"program-{key}")


def _command(fast: bool, level: str) -> list[str]:
    """The command that builds a program."""
    found = _compiler()
    flags = [level, *FLAGS, *(FAST if fast else ()), *compiler.native_flags(found)]
    if "avx512f" in processor():
        flags.append("-mprefer-vector-width=512")  # compilers halve vectors by themselves
    if not found.is_clang:
        flags.append("--param=avoid-fma-max-bits=0")  # tuned for AMD, gcc rounds some products of a sum and not others
    if level == "-O1" and not found.is_clang:
        flags.append("-fira-algorithm=priority")  # gcc's usual way takes half of its time for thousands of statements
    return [*found.command, *flags]


def _compiler() -> compiler.Compiler:
    """The machine's C compiler, else that of the package ziglang."""
    try:
        return compiler.find(compiler.C)
    except CompileError:
        spec = importlib.util.find_spec("ziglang")
        if spec is None:
            raise
        return compiler.Compiler(compiler.C, (sys.executable, "-m", "ziglang", "cc"), f"clang, ziglang {spec.origin}")


class Building(Exception):
    """A program is being built in the background; ``thread`` ends when it is ready."""

    def __init__(self, thread: threading.Thread) -> None:
        super().__init__("it is being built")
        self.thread = thread


def load(text: str, *, fast: bool = False, level: str = "-O3", wait: bool = True) -> int:
    """The address of a program's function, built if need be.

    Raises:
        Building: it is not there yet, and ``wait`` is false.
        CompileError, OSError: as `build`.
    """
    from flambeau_compile._library import open_library

    key = f"{fast}{level}{text}"
    if key not in _loaded:
        if not wait and _folder(fast, level, text).lookup() is None:
            thread = threading.Thread(
                target=_build_quietly, args=(text, fast, level), name="torch.compile", daemon=True
            )
            thread.start()
            raise Building(thread)
        _loaded[key] = open_library(str(build(text, fast=fast, level=level)))
    return _loaded[key]


def _build_quietly(text: str, fast: bool, level: str) -> None:
    """Fill the cache; errors are reported by the build that waits."""
    with contextlib.suppress(CompileError, OSError):
        build(text, fast=fast, level=level)
