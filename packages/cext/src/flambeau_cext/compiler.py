"""The C and C++ compilers of this machine: which they are, and their command lines.

Compilers with gcc's command line are driven (gcc, clang, and their relatives), on every platform.
"""

import functools
import os
import platform
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from flambeau_cext.errors import CompileError
from flambeau_cext.processes import run

C, CXX, CYTHON = "C", "C++", "Cython"

SUFFIXES = {".c": C, ".cc": CXX, ".cpp": CXX, ".cxx": CXX, ".c++": CXX, ".pyx": CYTHON}

VARIABLES = {C: "CC", CXX: "CXX"}
_CANDIDATES = {C: ("cc", "gcc", "clang"), CXX: ("c++", "g++", "clang++")}
_FLAGS = {C: ("-Werror=implicit-function-declaration",), CXX: ("-std=c++20",)}
_COMMON = ("-fPIC", "-fvisibility=hidden", "-Wall")

# Environment variables that affect compilers and linkers: search paths, and the results.
ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
               "SDKROOT", "MACOSX_DEPLOYMENT_TARGET")  # fmt: skip

SANITIZERS = ("address", "leak", "thread", "undefined")

INSTALL_HINT = (
    "install one (Debian, Ubuntu: apt install build-essential; Fedora: dnf install gcc gcc-c++; "
    "macOS: xcode-select --install; Windows: winget install LLVM.LLVM)"
)


class Switches(NamedTuple):
    """Variants of compiling and linking: each is a word or two of the user's for several compiler flags."""

    openmp: bool = False
    native: bool = False
    debug: bool = False
    sanitizers: tuple[str, ...] = ()

    def compile_flags(self, compiler: "Compiler") -> list[str]:
        """Flags that every source is compiled with; they begin with the level of optimisation."""
        flags = ["-O0" if self.debug else "-O1" if self.sanitizers else "-O3"]
        if self.debug or self.sanitizers:
            flags += ["-g", "-fno-omit-frame-pointer"]
        flags += ["-UNDEBUG"] if self.debug else []
        flags += openmp_flags(compiler)[0] if self.openmp else []
        flags += native_flags(compiler) if self.native else []
        return flags + self._sanitizing()

    def link_flags(self, compiler: "Compiler") -> list[str]:
        flags = openmp_flags(compiler)[1] if self.openmp else []
        # without this, the loaded library gets no sanitizer runtime; the program provides it
        if self.sanitizers and compiler.is_clang:
            place = os.path.dirname(sanitizer_library(compiler, self.sanitizers[0]))
            flags = [*flags, "-shared-libsan", *([f"-Wl,-rpath,{place}"] if place else [])]
        return [*flags, *self._sanitizing()]

    def _sanitizing(self) -> list[str]:
        return [f"-fsanitize={','.join(self.sanitizers)}"] if self.sanitizers else []


class Compiler(NamedTuple):
    """A compiler for one language, with its name."""

    language: str
    command: tuple[str, ...]
    version: str

    @property
    def is_clang(self) -> bool:
        return "clang" in self.version.lower()

    @property
    def is_gcc(self) -> bool:
        return "Free Software Foundation" in self.version

    def precompile(self, header: Path, target: Path, depfile: Path, flags: list[str]) -> list[str]:
        """Return the command that precompiles a C++ header with gcc."""
        return [*self.command, *self._flags(flags), "-MD", "-MF", str(depfile), "-x", "c++-header", str(header), "-o",
                str(target)]  # fmt: skip

    def compile(self, source: Path, target: Path, depfile: Path, flags: list[str]) -> list[str]:
        return [*self.command, *self._flags(flags), "-MD", "-MF", str(depfile), "-c", str(source), "-o", str(target)]

    def preprocess(self, source: Path, flags: list[str]) -> list[str]:
        return [*self.command, *self._flags(flags), "-E", str(source)]

    def link(self, objects: list[Path], target: Path, flags: list[str]) -> list[str]:
        return [*self.command, "-shared", *map(str, objects), "-o", str(target), *flags, *_platform_link_flags()]

    def link_program(self, objects: list[Path], target: Path, flags: list[str]) -> list[str]:
        return [*self.command, *map(str, objects), "-o", str(target), *flags]

    def _flags(self, flags: list[str]) -> list[str]:
        return [*_COMMON, *self._collecting(), *_FLAGS[self.language], *flags]

    def _collecting(self) -> list[str]:
        """gcc looks for garbage again and again from 128 MB on; with eight times that, C++ takes 10% less time."""
        return ["--param=ggc-min-heapsize=1048576"] if self.language == CXX and self.is_gcc else []


def find(language: str) -> Compiler:
    """Return the compiler for ``"C"`` or ``"C++"``: from CC or CXX, else the one that built Python, else from PATH.

    Raise CompileError, with a list of what was searched, if there is none.
    """
    return _identified(language, *_found(language))


def identity(language: str) -> tuple[str, ...]:
    """Return the identity of the compiler that `find` finds, without running it: command, and the file's size and time.

    Raise CompileError if there is none.
    """
    path, arguments, *stamp = _found(language)
    return (path, *arguments, *map(str, stamp))


def _found(language: str) -> tuple[str, tuple[str, ...], str, int, int]:
    """The path of a compiler, arguments that belong to it, and a stamp of its file."""
    variable = VARIABLES[language]
    chosen = os.environ.get(variable, "").strip()
    if chosen:
        command = shlex.split(chosen)
        path = shutil.which(command[0])
        if path is None:
            raise CompileError(f"no {language} compiler: {variable} is set to {chosen!r}, which is not found")
        return (path, tuple(command[1:]), *_stamp(path))
    built_with = shlex.split(sysconfig.get_config_var(variable) or "")[:1]
    candidates = list(dict.fromkeys((*built_with, *_CANDIDATES[language])))
    for name in candidates:
        path = shutil.which(name)
        if path is not None:
            return (path, (), *_stamp(path))
    raise CompileError(
        f"no {language} compiler: looked for {', '.join(candidates)} in PATH={os.environ.get('PATH', '')!r} "
        f"({variable} is not set); {INSTALL_HINT} or set {variable} to its path"
    )


def for_language(language: str, flags: Sequence[str]) -> list[str]:
    """The flags without a ``-std=`` that is the other language's.

    >>> for_language(C, ["-std=c++20", "-std=c11", "-O2"]), for_language(CXX, ["-std=c++20", "-std=c11", "-O2"])
    (['-std=c11', '-O2'], ['-std=c++20', '-O2'])
    """
    return [f for f in flags if not f.startswith("-std=") or ("++" in f) == (language == CXX)]


def _stamp(path: str) -> tuple[str, int, int]:
    real = os.path.realpath(path)
    status = os.stat(real)
    return real, status.st_size, status.st_mtime_ns


@functools.lru_cache
def _identified(language: str, path: str, arguments: tuple[str, ...], *_stamp: object) -> Compiler:
    done = run([path, *arguments, "--version"])
    if done.status != 0:
        raise CompileError(f"the {language} compiler {path} does not run: {done.output.strip() or done.end}")
    return Compiler(language, (path, *arguments), done.output.strip())


def python_flags() -> list[str]:
    """Compiler flags that find Python.h."""
    paths = sysconfig.get_paths()
    return [f"-isystem{folder}" for folder in dict.fromkeys((paths["include"], paths["platinclude"]))]


def require_python_headers() -> None:
    """Raise CompileError when Python was installed without its C headers."""
    header = Path(sysconfig.get_paths()["include"], "Python.h")
    if not header.exists():
        raise CompileError(
            f"Python's C headers are missing ({header}): install them "
            "(Debian, Ubuntu: apt install python3-dev; Fedora: dnf install python3-devel)"
        )


def _platform_link_flags() -> list[str]:
    if sys.platform == "darwin":
        return ["-undefined", "dynamic_lookup"]
    if sys.platform == "win32":
        return [f"-L{Path(sys.base_exec_prefix, 'libs')}", f"-lpython{sys.version_info[0]}{sys.version_info[1]}"]
    return []


def native_flags(compiler: Compiler) -> list[str]:
    """Flags for code that only this machine's processor need run."""
    arm = sysconfig.get_platform().rpartition("-")[2] in ("arm64", "aarch64")
    return ["-mcpu=native" if arm and compiler.is_clang else "-march=native"]


def sanitizer_library(compiler: Compiler, sanitizer: str) -> str:
    """Return the path of the library for programs with a sanitizer, or only its name if the compiler has none."""
    name = {"address": "asan", "leak": "lsan", "thread": "tsan", "undefined": "ubsan"}[sanitizer]
    if compiler.is_clang:
        name = f"clang_rt.{name}{'_standalone' if name == 'ubsan' else ''}-{platform.machine()}"
    return run([*compiler.command, f"-print-file-name=lib{name}.so"]).output.strip()


def openmp_flags(compiler: Compiler) -> tuple[list[str], list[str]]:
    """Compiler and linker flags for OpenMP."""
    if sys.platform == "darwin" and "apple" in compiler.version.lower():
        return ["-Xpreprocessor", "-fopenmp"], ["-lomp"]
    return ["-fopenmp"], ["-fopenmp"]
