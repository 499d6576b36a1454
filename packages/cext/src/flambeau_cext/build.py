"""Building a shared library from sources: one compiler run per source, in parallel, followed by the linker."""

import errno
import functools
import importlib.util
import os
import runpy
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from flambeau_cext import cache, compiler, cython, linker
from flambeau_cext.bindings import INCLUDE, write_bindings
from flambeau_cext.compiler import CXX, CYTHON, C, Compiler, Switches
from flambeau_cext.declarations import Declaration, find_functions, user_text
from flambeau_cext.depfiles import overshadowing, read_depfile
from flambeau_cext.errors import CompileError, first_error
from flambeau_cext.precompiled import Ahead, header_of, usable
from flambeau_cext.processes import Finished, Processes

# Modules whose text affects the result of a build.
_MAKERS = ("build", "bindings", "declarations", "compiler", "cython", "precompiled")


# In Python 3.11, while one thread reads Python's variables for the first time, other threads see only some of them.
_probe_lock = threading.Lock()
if hasattr(os, "register_at_fork"):  # a thread of the parent may hold it
    os.register_at_fork(after_in_child=lambda: globals().update(_probe_lock=threading.Lock()))

# Messages of compilers if a disk is full, or a file too large.
_FULL = {"No space left on device": errno.ENOSPC, "File too large": errno.EFBIG, "File size limit": errno.EFBIG,
         "Disk quota exceeded": errno.EDQUOT if hasattr(errno, "EDQUOT") else errno.ENOSPC}  # fmt: skip


class Source:
    """A source file, or text that becomes one in the build's folder (then ``path`` is a bare name)."""

    def __init__(self, path: Path, language: str, text: str | None = None):
        self.path, self.language, self.text = path, language, text

    @functools.cached_property
    def content(self) -> bytes:
        return self.path.read_bytes() if self.text is None else self.text.encode("utf-8", "surrogateescape")

    @functools.cached_property
    def compiled_as(self) -> str:
        """The language of the compiler for this source."""
        if self.language == CYTHON:
            return cython.target_language(self.content.decode("utf-8", "replace"))
        return self.language


class Job(NamedTuple):
    """The inputs of a build that are known before it runs."""

    name: str
    sources: tuple[Source, ...]
    functions: Mapping[str, str] = {}
    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    include_paths: tuple[str, ...] = ()
    build_directory: str | os.PathLike[str] | None = None
    implicit_headers: Mapping[str, str] = {}
    switches: Switches = Switches()
    program: bool = False
    verbose: bool = False
    use_pch: bool = False


def include_paths(device_type: str = "cpu", torch_include_dirs: bool = True) -> list[str]:
    """The include folders for the compiler: those of ``flambeau/tensor.h``, of the C++ headers, and of pybind11.

    Args:
        device_type: must be ``"cpu"``.
        torch_include_dirs: False returns no folders.

    Raises:
        NotImplementedError: the device is not supported.

    >>> import os
    >>> any(os.path.exists(os.path.join(path, "flambeau", "tensor.h")) for path in include_paths())
    True
    """
    if device_type != "cpu":
        raise NotImplementedError(f"include_paths(): flambeau has no devices of type {device_type!r}")
    if not torch_include_dirs:
        return []
    pybind = _include_folder("pybind11", "pybind11/pybind11.h")
    return [str(_tensor_include()), _own_include(), *([pybind] if pybind else [])]


def library_paths(device_type: str = "cpu", torch_include_dirs: bool = True,
                  cross_target_platform: str | None = None) -> list[str]:  # fmt: skip
    """The library folders for the linker: none, because extensions find the library through a table when they are
    loaded.

    Raises:
        NotImplementedError: the device is not supported.

    >>> library_paths()
    []
    """
    if device_type != "cpu":
        raise NotImplementedError(f"library_paths(): flambeau has no devices of type {device_type!r}")
    return []


@functools.lru_cache
def _include_folder(package: str, header: str, folder: str = "include") -> str | None:
    """The include folder inside an installed package."""
    found = importlib.util.find_spec(package)
    for place in (found.submodule_search_locations or ()) if found else ():
        if Path(place, folder, header).exists():
            return str(Path(place, folder))
    return None


@functools.lru_cache
def _own_include() -> str:
    """The folder of this package's headers; in an editable install, those that a build writes are renewed first."""
    generator = INCLUDE.parents[2] / "forwarding_headers.py"
    if INCLUDE.parents[1].name == "src" and generator.exists():
        runpy.run_path(str(generator), run_name="__main__")
    return str(INCLUDE)


def _tensor_include() -> str:
    found = _include_folder("flambeau_tensor", "flambeau/tensor.h")
    if found is None:
        raise ImportError("flambeau/tensor.h is missing: it comes with flambeau-tensor, pip install flambeau-tensor")
    return found


def base_flags(name: str) -> list[str]:
    """Return the flags for every source of the extension ``name``: the include paths, and the name as a macro."""
    folders = [*include_paths(), _include_folder("numpy", "numpy/arrayobject.h", "_core/include")]
    return [
        *(f"-isystem{folder}" for folder in folders if folder),
        *compiler.python_flags(),
        f"-DTORCH_EXTENSION_NAME={name}",
        "-DTORCH_API_INCLUDE_EXTENSION_H",
    ]


def build(job: Job) -> Path:
    """Build the library of ``job`` and return its path, from the cache if none of its dependencies changed.

    Raises CompileError if a compiler is missing or fails, OSError if the cache cannot be written, and ValueError if
    a function cannot be bound.
    """
    started = time.time_ns()
    with _probe_lock:
        sysconfig.get_config_vars()
    root = cache.root(job.build_directory)
    compilers = {language: compiler.find(language) for language in dict.fromkeys(s.compiled_as for s in job.sources)}
    for source in job.sources:
        if source.language == CYTHON:
            cython.version()
    key = cache.digest(
        job.name,
        *(part for s in job.sources for part in (str(s.path), s.language, s.content)),
        repr((dict(job.functions), job.ldflags, job.program)),
        _setting(job, compilers),
    )
    cache.check_root(root)
    folder = cache.Folder(root / f"{job.name}-{key}")
    entry = folder.lookup()
    if entry is None:
        with folder.building() as scratch:
            entry = folder.lookup()  # another process may have built it while this one waited
            if entry is None:
                entry = _Build(job, root, folder, scratch, compilers, started).run()
                _say(job, f"built {job.name} in {(time.time_ns() - started) / 1e9:.2f} s: {entry.path}")
                if job.build_directory is None:
                    cache.prune_sometimes(root)
                return entry.path
    _say(job, f"{job.name} is in the cache: {entry.path}")
    return entry.path


def _setting(job: Job, compilers: Mapping[str, Compiler]) -> str:
    """All but the sources that compiling depends on, as text."""
    parts = (
        *(repr(c) for c in compilers.values()),
        repr((job.cflags, job.include_paths, base_flags(job.name), dict(job.implicit_headers), job.switches)),
        cython.version() if any(s.language == CYTHON for s in job.sources) else "",
        repr([os.environ.get(name) for name in compiler.ENVIRONMENT]),
        sys.version + sysconfig.get_platform() + (sysconfig.get_config_var("SOABI") or ""),
        _makers(),
    )
    return cache.digest(*parts)


def _say(job: Job, text: str) -> None:
    if job.verbose:
        sys.stderr.write(text + "\n")  # in one piece: others may be writing, too
        sys.stderr.flush()


@functools.lru_cache
def _makers() -> str:
    return cache.digest(*(Path(__file__).with_name(f"{name}.py").read_bytes() for name in _MAKERS))


class _Build:
    """One run of the compilers, in a scratch folder."""

    def __init__(self, job: Job, root: Path, folder: cache.Folder, scratch: Path, compilers: dict[str, Compiler],
                 started: int):  # fmt: skip
        self.job, self.root, self.folder, self.scratch = job, root, folder, scratch
        self.compilers, self.started = compilers, started
        self.processes = Processes(folder.path, scratch)
        self.log: list[str] = []
        self.objects: dict[int, cache.Entry] = {}
        self.link_with = compilers.get(CXX) or next(iter(compilers.values()))
        self.setting = _setting(job, compilers)

    def run(self) -> cache.Entry:
        compiler.require_python_headers()
        job = self.job
        sources = [self._placed(source) for source in job.sources]
        tasks = [functools.partial(self._compile, source, index) for index, source in enumerate(sources)]
        if job.functions:
            tasks.append(functools.partial(self._bind, sources))
        failures = [error for error in self.processes.together(tasks) if error is not None]
        # Errors in the user's own source come before errors in the bindings.
        failures.sort(key=lambda error: not isinstance(error, CompileError))
        if failures:
            raise failures[0]
        suffix = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
        if job.program:
            suffix = ".exe" if sys.platform == "win32" else ""
        built = self.scratch / f"{job.name}{suffix}"
        objects = [self.objects[index].path for index in sorted(self.objects)]
        flags = [*job.ldflags, *job.switches.link_flags(self.link_with)]
        link = self.link_with.link_program if job.program else self.link_with.link
        libraries, elsewhere = linker.files(flags, self.folder.path)
        self._run(link(objects, built, flags), "link", built)
        self.folder.write("build.log", "".join(self.log))
        inputs = dict.fromkeys((*(path for entry in self.objects.values() for path in entry.inputs), *libraries))
        absent = dict.fromkeys((*(path for entry in self.objects.values() for path in entry.absent), *elsewhere))
        return self.folder.publish(built, suffix, list(inputs), self.started, list(absent))

    def _placed(self, source: Source) -> Source:
        if source.text is None:
            return source
        return Source(self.folder.write(source.path.name, source.text), source.language)

    def _flags(self, language: str) -> list[str]:
        job = self.job
        flags = [*job.switches.compile_flags(self.compilers[language]), *(f"-I{path}" for path in job.include_paths)]
        return [*flags, *base_flags(job.name)]

    def _user_flags(self, source: Source, first: list[str] | None = None) -> list[str]:
        """Return the flags for one of the user's sources, including those for a precompiled header."""
        if first is None:
            header = self.job.implicit_headers.get(source.language)
            first = ["-include", header] if header else []
        flags = self._flags(source.compiled_as)
        return [*flags, *first, *compiler.for_language(source.compiled_as, self.job.cflags)]

    def _compile(self, source: Source, index: int, flags: list[str] | None = None) -> None:
        """Make the object file of a source, or find it in the cache."""
        ahead = self._ahead(source) if flags is None else None
        flags = self._user_flags(source) if flags is None else flags
        # Text has its place in a folder that its content names; a file is known by its path.
        place = source.path.name if self.folder.path in source.path.parents else str(source.path)
        key = cache.digest(place, source.language, source.content, repr(flags), self.setting)
        folder = cache.folder_of_object(self.root, f"{source.path.stem}-{key}")
        entry = folder.lookup()
        if entry is None:
            with folder.building() as scratch:
                entry = folder.lookup() or self._make_object(source, flags, folder, scratch, ahead)
        self.objects[index] = entry

    def _ahead(self, source: Source) -> Ahead | None:
        """Return the header with which a source begins, if it may be precompiled."""
        header = self.job.implicit_headers.get(source.language)
        begins = header_of(source.content.decode("utf-8", "replace"), header) if source.language == CXX else None
        if begins is None or not usable(self.compilers[CXX], self.job.cflags):
            return None
        return Ahead(self.root, self.compilers[CXX], begins, self._user_flags(source, []), _makers())

    def _make_object(
        self, source: Source, flags: list[str], folder: cache.Folder, scratch: Path, ahead: Ahead | None = None
    ) -> cache.Entry:
        target = scratch / f"{source.path.stem}.o"
        depfiles = [target.with_suffix(".d")]
        path = source.path
        if source.language == CYTHON:
            path = folder.path / f"{path.stem}{'.cpp' if source.compiled_as == CXX else '.c'}"
            written = scratch / path.name
            command = cython.command(
                source.path, written, self.job.name, source.compiled_as, [*self.job.include_paths, *include_paths()]
            )
            self._run(command, "translate", written)
            os.replace(written, path)
            depfiles.append(written.with_name(written.name + ".dep"))
        kept = None
        if ahead is not None:
            kept = ahead.found() or (ahead.make(self._status) if self.job.use_pch else None)
            if kept is not None:
                flags = self._user_flags(source, ahead.include(kept)[0])
        command = self.compilers[source.compiled_as].compile(path, target, depfiles[0], flags)
        tasks: list[Callable[[], object]] = [functools.partial(self._run, command, "compile", target)]
        if ahead is not None and kept is None and ahead.worthwhile():
            tasks.append(functools.partial(ahead.make, self._status))
        error = self.processes.together(tasks)[0]
        if error is not None:
            raise error
        own = {folder.path.resolve(), self.folder.path.resolve()}
        read = dict.fromkeys(path for depfile in depfiles for path in read_depfile(depfile, self.folder.path))
        if kept is not None:  # gcc does not list these files in this case
            own.add(kept.path.parent.resolve())
            read |= dict.fromkeys(kept.inputs)
        inputs = [path for path in read if own.isdisjoint(path.resolve().parents)]
        absent = overshadowing(inputs, [source.path.parent, *self._searched()])
        return folder.publish(target, ".o", inputs, self.started, absent)

    def _searched(self) -> list[Path]:
        """The folders that the user has headers looked for in, first to last."""
        flags = [flag[2:] for flag in self.job.cflags if flag.startswith("-I")]
        return [Path(folder) for folder in (*self.job.include_paths, *flags)]

    def _bind(self, sources: list[Source]) -> None:
        """Read the declarations of the functions to bind, write the bindings and compile them."""
        job = self.job

        def preprocessed(source: Source) -> str | None:
            command = self.compilers[source.language].preprocess(source.path, self._user_flags(source))
            done = self.processes.run(command, merge=False)
            return done.output if done.status == 0 else None  # compiling the source reports the error

        bindings = generate_bindings(job.name, job.functions, sources, preprocessed)
        if bindings is not None:
            path = self.folder.write(bindings.path.name, bindings.text or "")
            target = [f for f in job.cflags if f.startswith("-DFL_TARGET_MINOR")]  # the ABI that the import requests
            self._compile(Source(path, bindings.language), len(sources), [*self._flags(bindings.language), *target])

    def _status(self, command: list[str]) -> int:
        """Run a command that may fail, and return its status."""
        done = self.processes.run(command)
        self.log.append(str(done))
        _say(self.job, str(done).rstrip())
        return done.status

    def _run(self, command: list[str], doing: str, target: Path) -> None:
        """Run a command that creates ``target``."""
        done = self.processes.run(command)
        self.log.append(str(done))
        _say(self.job, str(done).rstrip())
        if done.status != 0:
            log = self.folder.write("build.log", "".join(self.log))
            raise failure(done, f"{doing} {self.job.name}", log)
        if not target.exists():
            log = self.folder.write("build.log", "".join(self.log))
            raise CompileError(f"{command[0]} ended well and made no {target.name}; the log is in {log}", log)


def generate_bindings(
    name: str,
    functions: Mapping[str, str],
    sources: list[Source],
    preprocessed: Callable[[Source], str | None],
) -> Source | None:
    """Return the source of the Python bindings of ``functions``, which ``sources`` declare.

    ``preprocessed(source)`` returns the preprocessor's output for a source, or None if it fails; then there are no
    bindings, because compiling that source reports the error.
    """
    declared: dict[str, Declaration] = {}
    with_tensors = False
    for source in sources:
        text = preprocessed(source)
        if text is None:
            return None
        with_tensors = with_tensors or "fl_table" in text
        missing = [f for f in functions if f not in declared]
        declared |= find_functions(user_text(text), missing, cxx=source.language == CXX)
    language = CXX if any(source.language == CXX for source in sources) else C
    text = write_bindings(name, functions, declared, language == CXX)
    if not with_tensors:
        text = f"#define FLB_WITHOUT_TENSORS\n{text}"
    return Source(Path(f"{name}_bindings{'.cpp' if language == CXX else '.c'}"), language, text)


def failure(done: Finished, doing: str, log: Path) -> Exception:
    """Return the exception for a failed command; its message begins with the first error and ends with the log path."""
    output = done.output
    for sign, number in _FULL.items():
        if sign in output:
            return cache.cannot_write(number, os.strerror(number), log.parent)
    found = first_error(output) if output.strip() and done.status >= 0 else done.end
    return CompileError(f"{found}\nfailed to {doing}; the full log is in {log}", log)
