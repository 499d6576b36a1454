"""Extensions as parts of a package: the classes for a ``setup.py``, and the command that builds them.

    from setuptools import setup
    from flambeau_cext import BuildExtension, CExtension

    setup(ext_modules=[CExtension("mylib._kernels", ["src/kernels.c"], functions=["leaky"])],
          cmdclass={"build_ext": BuildExtension})

The C compiler compiles C, the C++ compiler C++, in parallel; bindings of the named functions are generated.
"""

import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import setuptools
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError as SetupError

from flambeau_cext import compiler, cython, ninja
from flambeau_cext.build import Source, base_flags, failure, generate_bindings, include_paths, library_paths
from flambeau_cext.compiler import CXX, CYTHON, SUFFIXES, C
from flambeau_cext.processes import Finished, Processes

_LIMITED_API = "0x030b0000"


def CExtension(name: str, sources: Sequence[str], *args: Any, functions: Sequence[str] | Mapping[str, str] = (),
               **kwargs: Any) -> setuptools.Extension:  # fmt: skip
    """An extension in C for a ``setup.py``, built by `BuildExtension`.

    Args:
        name: the full name, such as ``"mylib._kernels"``.
        sources: paths of the files, relative to ``setup.py``.
        functions: the names of the functions that Python calls, or a dict of names and docstrings; their bindings are
            generated. Without ``functions``, the sources define ``PyInit_name``.
        args, kwargs: as for `setuptools.Extension`. ``extra_compile_args`` may be a dict with a list for ``"c"`` and
            one for ``"cxx"``. With ``py_limited_api=True`` and generated bindings one binary serves every Python from
            3.11 on.

    Raises:
        TypeError: the name is not a string, or the sources are one string rather than a list.
        NotImplementedError: one of the sources is CUDA.

    >>> extension = CExtension("mylib._kernels", ["kernels.c"], functions=["leaky"], libraries=["m"])
    >>> extension.language, extension.libraries
    ('c', ['m'])
    """
    return _extension("c", name, sources, args, functions, kwargs)


def CppExtension(name: str, sources: Sequence[str], *args: Any, functions: Sequence[str] | Mapping[str, str] = (),
                 **kwargs: Any) -> setuptools.Extension:  # fmt: skip
    """An extension in C++, or in C++ and C, for a ``setup.py``. The arguments are those of `CExtension`.

    Raises:
        TypeError: the name is not a string, or the sources are one string rather than a list.

    >>> CppExtension("mylib", ["mylib.cpp", "kernels.c"]).language
    'c++'
    """
    return _extension("c++", name, sources, args, functions, kwargs)


def CythonExtension(name: str, sources: Sequence[str], *args: Any, **kwargs: Any) -> setuptools.Extension:
    """An extension whose first source is a ``.pyx`` file, for a ``setup.py``; C and C++ files may follow.

    The other arguments are those of `setuptools.Extension`. A ``.pyx`` file that begins with ``# distutils: language =
    c++`` is translated to C++.

    Raises:
        TypeError: the name is not a string, or the sources are one string rather than a list.

    >>> CythonExtension("mylib.fast", ["fast.pyx"]).sources
    ['fast.pyx']
    """
    return _extension(kwargs.pop("language", "c"), name, sources, args, (), kwargs)


def CUDAExtension(name: str, sources: Sequence[str], *args: Any, **kwargs: Any) -> setuptools.Extension:
    """Raise NotImplementedError: there are no CUDA devices. It exists so that a ``setup.py`` that imports it loads.

    Raises:
        NotImplementedError: always; the device is not supported.

    >>> try:
    ...     CUDAExtension("kernels", ["kernels.cu"])
    ... except NotImplementedError as error:
    ...     print("CUDA" in str(error))
    True
    """
    raise NotImplementedError(f"CUDAExtension(): {name}: flambeau has no CUDA devices")


def SyclExtension(name: str, sources: Sequence[str], *args: Any, **kwargs: Any) -> setuptools.Extension:
    """Raise NotImplementedError: there are no SYCL devices; see `CUDAExtension`.

    Raises:
        NotImplementedError: always; the device is not supported.

    >>> try:
    ...     SyclExtension("kernels", ["kernels.sycl"])
    ... except NotImplementedError as error:
    ...     print("SYCL" in str(error))
    True
    """
    raise NotImplementedError(f"SyclExtension(): {name}: flambeau has no SYCL devices")


def _extension(
    language: str,
    name: str,
    sources: Sequence[str],
    args: tuple[Any, ...],
    functions: Sequence[str] | Mapping[str, str],
    kwargs: dict[str, Any],
) -> setuptools.Extension:
    if not isinstance(name, str):  # releases of setuptools raise different errors, and would accept a string as a list
        raise TypeError(f"an extension's name is a string, not {type(name).__name__}")
    if isinstance(sources, str):
        raise TypeError(f"{name}: sources are a list of paths, not the string {sources!r}")
    for source in sources:
        if str(source).endswith((".cu", ".cuh")):
            raise NotImplementedError(f"{name}: {source} is CUDA, and flambeau has no CUDA devices: leave it out")
    kwargs["include_dirs"] = [*kwargs.get("include_dirs", ()), *include_paths()]
    kwargs["library_dirs"] = [*kwargs.get("library_dirs", ()), *library_paths()]
    if kwargs.get("py_limited_api"):
        kwargs["define_macros"] = [*kwargs.get("define_macros", ()), ("Py_LIMITED_API", _LIMITED_API)]
    extension = setuptools.Extension(name, [str(s) for s in sources], *args, language=language, **kwargs)
    extension.functions = dict(functions) if isinstance(functions, Mapping) else dict.fromkeys(functions, "")
    return extension


class BuildExtension(build_ext):
    """The ``build_ext`` command of a ``setup.py`` for extensions of flambeau.

    It compiles all sources of an extension in parallel. With ninja, if that is installed, it compiles only sources that
    have changed, or whose headers or flags have. The error shows the first compiler error first.

    Options, given with `with_options`:
        use_ninja: False does not use ninja even if it is installed.
        no_python_abi_suffix: whether to omit ``cpython-311-x86_64-linux-gnu`` from the file name.

    Raises:
        TypeError: the argument is not a distribution.

    >>> BuildExtension.with_options(use_ninja=False, no_python_abi_suffix=True).__name__
    'BuildExtension'
    """

    _options: Mapping[str, bool] = {}

    @classmethod
    def with_options(cls, **options: bool) -> type["BuildExtension"]:
        """Return this command with other options, for ``cmdclass``."""
        unknown = set(options) - {"use_ninja", "no_python_abi_suffix"}
        if unknown:
            raise TypeError(f"with_options() got an unexpected keyword argument '{min(unknown)}'")
        return type(cls.__name__, (cls,), {"_options": {**cls._options, **options}, "__doc__": cls.__doc__})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        options = {"use_ninja": True, "no_python_abi_suffix": False, **self._options}
        options = {name: kwargs.pop(name, value) for name, value in options.items()}
        super().__init__(*args, **kwargs)
        self.use_ninja = options["use_ninja"] and ninja.is_ninja_available()
        self.no_python_abi_suffix = options["no_python_abi_suffix"]

    def finalize_options(self) -> None:
        super().finalize_options()
        self.force = True  # setuptools does not look at headers; ninja does, and without it everything is compiled

    def get_ext_filename(self, fullname: str) -> str:
        """The file name of a built extension."""
        path = super().get_ext_filename(fullname)
        if self.no_python_abi_suffix:
            folder, name = os.path.split(path)
            parts = name.split(".")
            path = os.path.join(folder, ".".join([*parts[:-2], parts[-1]] if len(parts) > 2 else parts))
        return path

    def build_extensions(self) -> None:
        """Build all extensions, one after another; the sources of each are compiled in parallel."""
        self.parallel = None
        if self.compiler.compiler_type == "unix":
            self.compiler.compile = self._compile
        super().build_extensions()

    def build_extension(self, ext: setuptools.Extension) -> None:
        """Build one extension: translate Cython, generate bindings, compile, link."""
        self._building = ext
        folder = Path(self.build_temp, *ext.name.split("."))
        folder.mkdir(parents=True, exist_ok=True)
        self._processes = Processes()
        self._folder = folder
        given = ext.sources
        try:
            ext.sources = [self._translated(Path(source)) for source in given]
            if getattr(ext, "functions", None):
                ext.sources.append(self._bindings(ext))
            ext.sources = [str(source) for source in ext.sources]
            super().build_extension(ext)
        finally:
            ext.sources = given

    def _translated(self, source: Path) -> Path:
        if SUFFIXES.get(source.suffix) != CYTHON:
            return source
        cython.version()
        language = Source(source, CYTHON).compiled_as
        if self._building.language == "c++":
            language = CXX
        if language == CXX:
            self._building.language = "c++"
        target = self._folder / f"{source.stem}{'.cpp' if language == CXX else '.c'}"
        command = cython.command(source, target, self._building.name, language, self._building.include_dirs)
        self._finish(self._processes.run(command), "translate")
        return target

    def _bindings(self, ext: setuptools.Extension) -> Path:
        def preprocessed(source: Source) -> str:
            command = [*self._command(source.language), *self._macros(ext), "-E", str(source.path)]
            done = self._processes.run(command, merge=False)
            if done.status != 0:
                self._finish(self._processes.run(command), "preprocess")
            return done.output

        sources = [Source(Path(s), SUFFIXES[Path(s).suffix]) for s in ext.sources]
        made = generate_bindings(ext.name.rpartition(".")[2], ext.functions, sources, preprocessed)
        assert made is not None and made.text is not None  # `preprocessed` raises instead
        path = self._folder / made.path
        if not path.exists() or path.read_text(encoding="utf-8") != made.text:
            path.write_text(made.text, encoding="utf-8")
        return path

    def _macros(self, ext: setuptools.Extension) -> list[str]:
        macros = [f"-D{m[0]}" if m[1] is None else f"-D{m[0]}={m[1]}" for m in ext.define_macros]
        return [*macros, *(f"-U{name}" for name in ext.undef_macros), *(f"-I{path}" for path in ext.include_dirs)]

    def _command(self, language: str, given: Sequence[str] | Mapping[str, Sequence[str]] = ()) -> list[str]:
        """The command, as setuptools was configured, and the flags for a source in this language."""
        c = self.compiler
        command = list(c.compiler_so)
        asked = f"{os.environ.get('CFLAGS', '')} {os.environ.get('CXXFLAGS', '')}".split()
        if language == CXX:
            driver = list(c.compiler_cxx)
            command = list(getattr(c, "compiler_so_cxx", None) or [*driver, *command[1:]])
        if "-g" not in asked:  # Python was built with it, and wheels of C++ are five times the size for it
            command = [word for word in command if word != "-g"]
        if isinstance(given, Mapping):
            given = given.get("cxx" if language == CXX else "c", ())
        given = compiler.for_language(language, given)
        standard = ["-std=c++20"] if language == CXX and not any(f.startswith("-std=") for f in given) else []
        return [*command, "-fvisibility=hidden", *base_flags(self._building.name.rpartition(".")[2]), *standard, *given]

    def _compile(self, sources: Any, output_dir: Any = None, macros: Any = None, include_dirs: Any = None,
                 debug: Any = 0, extra_preargs: Any = None, extra_postargs: Any = None,
                 depends: Any = None) -> Any:  # fmt: skip
        """Compile sources to objects; setuptools calls it."""
        _, objects, given, preprocessor, _ = self.compiler._setup_compile(
            output_dir, macros, include_dirs, sources, depends, extra_postargs
        )
        common = [*preprocessor, *(extra_preargs or ()), *(["-g"] if debug else [])]
        steps = []
        for source, target in zip(sources, map(Path, objects), strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            depfile = target.with_suffix(".d")
            command = [*self._command(SUFFIXES.get(Path(source).suffix, C), given or ()), *common]
            command += ["-MD", "-MF", str(depfile), "-c", source, "-o", str(target)]
            steps.append(ninja.Step(tuple(command), Path(source), target, depfile))
        if self.use_ninja:
            self._finish(ninja.build(self._folder, steps), "compile")
        else:
            failures = self._processes.together([functools.partial(self._step, step) for step in steps])
            for error in failures:
                if error is not None:
                    raise error
        return objects

    def _step(self, step: ninja.Step) -> None:
        self._finish(self._processes.run(list(step.command)), "compile")

    def _finish(self, done: Finished, doing: str) -> None:
        """Print the output of a command, and raise an error if it failed."""
        if self.verbose or done.status != 0:
            print(str(done).rstrip(), flush=True)
        if done.status != 0:
            log = self._folder / "build.log"
            log.write_text(str(done), encoding="utf-8")
            error = failure(done, f"{doing} {self._building.name}", log)
            raise SetupError(str(error)) from None
