"""``load`` and ``load_inline``: build an extension and import it."""

import importlib.machinery
import importlib.util
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from flambeau_cext import compiler
from flambeau_cext.build import Job, Source, build
from flambeau_cext.compiler import CXX, SUFFIXES, C

_loaded: dict[Path, ModuleType] = {}

_MISSING_SYMBOL = re.compile(r"undefined symbol: (\w+)|symbol not found in flat namespace '_?(\w+)'")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TORCH_LAYER = re.compile(r"[<\"](?:torch|ATen|c10|pybind11)/\w+|\b(?:torch|at|c10|pybind11)::\w+|\bPYBIND11_MODULE\b")


def load(
    name: str,
    sources: str | os.PathLike | Sequence[str | os.PathLike],
    extra_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str | os.PathLike] | None = None,
    build_directory: str | os.PathLike | None = None,
    verbose: bool = False,
    is_python_module: bool = True,
    *,
    functions: str | Sequence[str] | Mapping[str, str] | None = None,
    with_openmp: bool = False,
    native: bool = False,
) -> ModuleType | Path:
    """Compile source files into an extension and import it.

    ``.c`` files go to the C compiler, ``.cpp``, ``.cc`` and ``.cxx`` files to the C++ compiler. What was built once is
    kept and used again until a source, an included header, a flag, the compiler or Python changes.

    Args:
        name: the module's name, a C identifier.
        sources: the files; relative ones are taken from the current folder.
        extra_cflags: further flags for both compilers, such as ``["-O2", "-DSIZE=4"]``; they follow ours and so win.
        extra_ldflags: further flags for the linker, such as ``["-lfftw3"]``.
        extra_include_paths: folders to look for headers in.
        build_directory: where to build and keep the result, instead of the cache.
        verbose: print the commands and what they say to stderr.
        is_python_module: False only builds, and returns the path of the shared library.
        functions: names of functions to be called from Python: one, several, or a dict of names and docstrings. Their
            bindings are generated from the declarations in the sources. Without it the sources define ``PyInit_name``.
        with_openmp: compile and link with OpenMP.
        native: use every instruction this machine's processor has. Results may differ in the last digits from those of
            portable code, and the library may not run elsewhere.

    Returns:
        The module.

    Raises:
        CompileError: no compiler, or it failed; begins with the first error and says where the full log is.
        ValueError: a function's types cannot be bound, or an argument here is wrong.
        ImportError: the library was built but cannot be loaded, for example because a symbol is defined nowhere.
        OSError: a source cannot be read, or the cache cannot be written.
    """
    paths = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    if not paths:
        raise ValueError("load(): argument 'sources' must name at least one file")
    return _load(
        "load",
        name,
        [_file_source(Path(path).absolute()) for path in paths],
        functions=functions,
        is_python_module=is_python_module,
        extra_cflags=extra_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=build_directory,
        verbose=verbose,
        openmp=with_openmp,
        native=native,
    )


def load_inline(
    name: str,
    cpp_sources: str | Sequence[str] | None = None,
    cuda_sources: str | Sequence[str] | None = None,
    functions: str | Sequence[str] | Mapping[str, str] | None = None,
    extra_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str | os.PathLike] | None = None,
    build_directory: str | os.PathLike | None = None,
    verbose: bool = False,
    is_python_module: bool = True,
    *,
    c_sources: str | Sequence[str] | None = None,
    no_implicit_headers: bool = False,
    with_openmp: bool = False,
    native: bool = False,
) -> ModuleType | Path:
    r"""Compile C or C++ source given as strings into an extension and import it.

    As :func:`load`, with the text of the sources instead of files. Several strings of one language are joined. C
    sources see ``flambeau/tensor.h``, C++ sources ``flambeau/tensor.hpp``, unless ``no_implicit_headers``.

    Example:
        >>> import flambeau_cext
        >>> source = '''
        ... double horner(double x, double a, double b) { return a * x + b; }
        ... '''
        >>> module = flambeau_cext.load_inline(
        ...     "line", c_sources=source, functions=["horner"], no_implicit_headers=True)
        >>> module.horner(2.0, a=3, b=0.5)
        6.5
    """
    if cuda_sources:
        raise NotImplementedError("load_inline(): argument 'cuda_sources': flambeau has no CUDA devices")
    inline = [
        Source(Path(f"{name}{suffix}"), language, text)
        for language, suffix, text in ((C, ".c", _joined(c_sources)), (CXX, ".cpp", _joined(cpp_sources)))
        if text is not None
    ]
    if not inline:
        raise ValueError("load_inline(): give c_sources or cpp_sources")
    return _load(
        "load_inline",
        name,
        inline,
        functions=functions,
        is_python_module=is_python_module,
        extra_cflags=extra_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=build_directory,
        verbose=verbose,
        implicit_header=not no_implicit_headers,
        openmp=with_openmp,
        native=native,
    )


def _load(
    caller: str,
    name: str,
    sources: list[Source],
    *,
    functions: str | Sequence[str] | Mapping[str, str] | None,
    is_python_module: bool,
    extra_cflags: Sequence[str] | None,
    extra_ldflags: Sequence[str] | None,
    extra_include_paths: Sequence[str | os.PathLike] | None,
    **options,
) -> ModuleType | Path:
    if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
        raise ValueError(f"{caller}(): argument 'name' (position 1) must be a C identifier, got {name!r}")
    for source in sources:
        _refuse_torch_layer(caller, source)
    job = Job(
        name,
        tuple(sources),
        _named_functions(functions),
        _strings(caller, "extra_cflags", extra_cflags),
        _strings(caller, "extra_ldflags", extra_ldflags),
        tuple(str(Path(path).absolute()) for path in extra_include_paths or ()),
        **options,
    )
    library = build(job)
    return _imported(job, library) if is_python_module else library


def _file_source(path: Path) -> Source:
    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return Source(path, SUFFIXES[suffix])
    if suffix in (".pyx", ".cu"):
        raise NotImplementedError(f"load(): {path.name}: {'Cython' if suffix == '.pyx' else 'CUDA'} sources")
    raise ValueError(f"load(): {path.name} is no C or C++ source: the name must end in one of {', '.join(SUFFIXES)}")


def _joined(sources: str | Sequence[str] | None) -> str | None:
    if sources is None or isinstance(sources, str):
        return sources
    return "\n".join(sources)


def _named_functions(functions: str | Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    if functions is None:
        return {}
    if isinstance(functions, str):
        return {functions: ""}
    return dict(functions) if isinstance(functions, Mapping) else dict.fromkeys(functions, "")


def _strings(caller: str, argument: str, values: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(values, str):
        raise TypeError(f"{caller}(): argument '{argument}' must be a list of str, not str")
    return tuple(values or ())


def _refuse_torch_layer(caller: str, source: Source) -> None:
    if source.language != CXX:
        return
    text = source.path.read_text(encoding="utf-8", errors="replace") if source.text is None else source.text
    found = _TORCH_LAYER.search(_COMMENT.sub(" ", text))
    if found:
        raise NotImplementedError(
            f"{caller}(): {source.path.name} uses {found.group()}: torch/extension.h (at::Tensor, pybind11) "
            "is not there yet; write the function with fl::tensor or fl_tensor, see flambeau/tensor.hpp"
        )


def _imported(job: Job, library: Path) -> ModuleType:
    """The module in ``library``, loaded once in a process. The file's name tells one version from the next."""
    if library in _loaded:
        return _loaded[library]
    loader = importlib.machinery.ExtensionFileLoader(job.name, str(library))
    spec = importlib.util.spec_from_file_location(job.name, str(library), loader=loader)
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise _explained(job, error) from error
    return _loaded.setdefault(library, module)


def _explained(job: Job, error: ImportError) -> ImportError:
    found = _MISSING_SYMBOL.search(str(error))
    if found:
        symbol = found.group(1) or found.group(2)
        return ImportError(
            f"{job.name}: undefined symbol '{_demangled(symbol)}': it is used, but none of "
            f"{', '.join(s.path.name for s in job.sources)} defines it; add the source that does, or its library with "
            "extra_ldflags=['-l…']",
            name=job.name,
            path=error.path,
        )
    if "does not define module export function" in str(error):
        return ImportError(
            f"{job.name}: nothing in it is for Python: name the functions to be bound with functions=[...], or define "
            f"PyInit_{job.name}",
            name=job.name,
            path=error.path,
        )
    return error


def _demangled(symbol: str) -> str:
    """A C++ symbol as it was written, where c++filt is at hand."""
    import shutil

    program = shutil.which("c++filt")
    if program and symbol.startswith("_Z"):
        return compiler.run([program, symbol]).output.strip()
    return symbol
