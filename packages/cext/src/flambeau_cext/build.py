"""From sources to a shared library: one compiler run per source, at the same time, then the linker."""

import functools
import importlib.util
import os
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flambeau_cext import cache, compiler
from flambeau_cext.bindings import INCLUDE, write_bindings
from flambeau_cext.compiler import CXX, Compiler
from flambeau_cext.declarations import Declaration, find_functions, user_text
from flambeau_cext.errors import CompileError, first_error

# Modules whose text decides what a build makes.
_MAKERS = ("build", "bindings", "declarations", "compiler")


@dataclass(frozen=True)
class Source:
    """A source file, or text that becomes one in the build's folder (then ``path`` is a bare name)."""

    path: Path
    language: str
    text: str | None = None


@dataclass(frozen=True)
class Job:
    """Everything a build depends on that is known before it runs."""

    name: str
    sources: tuple[Source, ...]
    functions: Mapping[str, str] = field(default_factory=dict)
    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    include_paths: tuple[str, ...] = ()
    build_directory: str | os.PathLike | None = None
    implicit_header: bool = False
    openmp: bool = False
    native: bool = False
    verbose: bool = False


def include_paths() -> list[str]:
    """Folders for the compiler's ``-I``: where ``flambeau/tensor.h`` is, and ``flambeau/tensor.hpp``."""
    return [str(_tensor_include()), str(INCLUDE)]


def library_paths() -> list[str]:
    """Folders for the linker's ``-L``: none, since extensions find the library through a table when they are loaded."""
    return []


@functools.lru_cache
def _tensor_include() -> Path:
    found = importlib.util.find_spec("flambeau_tensor")
    for folder in (found.submodule_search_locations or ()) if found else ():
        if Path(folder, "include", "flambeau", "tensor.h").exists():
            return Path(folder, "include")
    raise ImportError("flambeau/tensor.h is not there: it comes with flambeau-tensor, pip install flambeau-tensor")


def build(job: Job) -> Path:
    """The path of the built library of ``job``, from the cache when nothing it depends on has changed.

    Raises CompileError when a compiler is missing or fails, OSError when the cache cannot be written, ValueError when
    a function to be bound cannot be.
    """
    started = time.time_ns()
    contents = [s.text.encode() if s.text is not None else s.path.read_bytes() for s in job.sources]
    languages = dict.fromkeys(s.language for s in job.sources)
    compilers = {language: compiler.find(language) for language in languages}
    key = cache.digest(
        job.name,
        *(part for s, text in zip(job.sources, contents, strict=True) for part in (str(s.path), s.language, text)),
        *(repr(c) for c in compilers.values()),
        repr((dict(job.functions), job.cflags, job.ldflags, job.include_paths, include_paths())),
        repr((job.implicit_header, job.openmp, job.native)),
        sys.version + sysconfig.get_platform() + (sysconfig.get_config_var("SOABI") or ""),
        _makers(),
    )
    folder = cache.Folder(cache.root(job.build_directory) / f"{job.name}-{key}")
    library = folder.lookup()
    if library is None:
        with folder.building() as scratch:
            library = folder.lookup()  # another process may have built it while this one waited
            if library is None:
                library = _Build(job, folder, scratch, compilers, started).run()
                _say(job, f"built {job.name} in {(time.time_ns() - started) / 1e9:.2f} s: {library}")
                return library
    _say(job, f"{job.name} is in the cache: {library}")
    return library


def _say(job: Job, text: str) -> None:
    if job.verbose:
        print(text, file=sys.stderr, flush=True)


@functools.lru_cache
def _makers() -> str:
    return cache.digest(*(Path(__file__).with_name(f"{name}.py").read_bytes() for name in _MAKERS))


class _Build:
    """One run of the compilers, in a scratch folder."""

    def __init__(self, job: Job, folder: cache.Folder, scratch: Path, compilers: dict[str, Compiler], started: int):
        self.job, self.folder, self.scratch, self.compilers, self.started = job, folder, scratch, compilers, started
        self.log: list[str] = []
        self.objects: list[Path] = []
        self.depfiles: list[Path] = []
        self.link_with = compilers.get(CXX) or next(iter(compilers.values()))

    def run(self) -> Path:
        compiler.require_python_headers()
        job = self.job
        sources = [self._placed(source) for source in job.sources]
        tasks = [functools.partial(self._compile, source, index) for index, source in enumerate(sources)]
        if job.functions:
            tasks.append(functools.partial(self._bind, sources))
        failures = [error for error in _together(tasks) if error is not None]
        # What the user's own source has wrong comes before what the bindings make of it.
        failures.sort(key=lambda error: not isinstance(error, CompileError))
        if failures:
            raise failures[0]
        suffix = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
        built = self.scratch / f"{job.name}{suffix}"
        _, ldflags = compiler.openmp_flags(self.link_with) if job.openmp else ([], [])
        self._run(self.link_with.link(self.objects, built, [*job.ldflags, *ldflags]), "link")
        self.folder.write("build.log", "".join(self.log))
        return self.folder.publish(built, suffix, self._inputs(), self.started)

    def _placed(self, source: Source) -> Source:
        if source.text is None:
            return source
        return Source(self.folder.write(source.path.name, source.text), source.language)

    def _flags(self, language: str) -> list[str]:
        job = self.job
        flags = [f"-I{path}" for path in job.include_paths]
        flags += [f"-isystem{path}" for path in include_paths()]
        flags += compiler.python_flags()
        flags += [f"-DTORCH_EXTENSION_NAME={job.name}"]
        if job.openmp:
            flags += compiler.openmp_flags(self.compilers[language])[0]
        if job.native:
            flags += compiler.native_flags(self.compilers[language])
        return flags

    def _user_flags(self, language: str) -> list[str]:
        header = "flambeau/tensor.hpp" if language == CXX else "flambeau/tensor.h"
        implicit = ["-include", header] if self.job.implicit_header else []
        return [*self._flags(language), *implicit, *self.job.cflags]

    def _compile(self, source: Source, index: int | str, flags: list[str] | None = None) -> None:
        target = self.scratch / f"{index}-{source.path.stem}.o"
        depfile = target.with_suffix(".d")
        flags = self._user_flags(source.language) if flags is None else flags
        self.objects.append(target)
        self.depfiles.append(depfile)
        self._run(self.compilers[source.language].compile(source.path, target, depfile, flags), "compile")

    def _bind(self, sources: list[Source]) -> None:
        """Read the declarations of the functions to be bound, write the bindings and compile them."""
        job = self.job
        declared: dict[str, Declaration] = {}
        with_tensors = False
        for source in sources:
            command = self.compilers[source.language].preprocess(source.path, self._user_flags(source.language))
            done = compiler.run(command, self.folder.path, merge=False)
            if done.status != 0:
                return  # compiling the source says what is wrong with it
            with_tensors = with_tensors or "fl_table" in done.output
            missing = [f for f in job.functions if f not in declared]
            declared |= find_functions(user_text(done.output), missing, cxx=source.language == CXX)
        language = CXX if CXX in self.compilers else next(iter(self.compilers))
        text = write_bindings(job.name, job.functions, declared, language == CXX)
        path = self.scratch / f"{job.name}_bindings{'.cpp' if language == CXX else '.c'}"
        path.write_text(text, encoding="utf-8")
        flags = self._flags(language)
        if not with_tensors:
            flags.append("-DFLB_WITHOUT_TENSORS")
        self._compile(Source(path, language), "bindings", flags)

    def _run(self, command: list[str], doing: str) -> None:
        done = compiler.run(command, self.folder.path)
        self.log.append(str(done))
        _say(self.job, str(done).rstrip())
        if done.status != 0:
            log = self.folder.write("build.log", "".join(self.log))
            found = first_error(done.output) if done.output.strip() else f"exit status {done.status}"
            raise CompileError(f"{found}\nfailed to {doing} {self.job.name}; the full log is in {log}", log)

    def _inputs(self) -> list[Path]:
        """The files outside the build's own folder that the compilers read."""
        found: dict[Path, None] = {}
        for depfile in self.depfiles:
            for name in _prerequisites(depfile.read_text(encoding="utf-8", errors="surrogateescape")):
                path = self.folder.path / name  # compilers ran there
                if self.folder.path not in path.parents:
                    found[path] = None
        return list(found)


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


def _together(tasks: Sequence[Callable[[], None]]) -> list[BaseException | None]:
    """Run tasks in threads, as many at once as there are processors; what each raised, in their order."""
    results: list[BaseException | None] = [None] * len(tasks)
    waiting = iter(enumerate(tasks))
    taking = threading.Lock()

    def work():
        while True:
            with taking:
                index, task = next(waiting, (None, None))
            if task is None:
                return
            try:
                task()
            except BaseException as error:
                results[index] = error

    threads = [threading.Thread(target=work) for _ in range(min(len(tasks), os.cpu_count() or 1) - 1)]
    for thread in threads:
        thread.start()
    work()
    for thread in threads:
        thread.join()
    return results
