"""``load`` and ``load_inline``: build an extension and import it."""

import importlib.machinery
import importlib.util
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from flambeau_cext import compiler
from flambeau_cext.bindings import binds_directly, direct_module, pybind_module
from flambeau_cext.build import Job, Source, build
from flambeau_cext.compiler import CXX, CYTHON, SANITIZERS, SUFFIXES, C, Switches
from flambeau_cext.declarations import Declaration, find_functions
from flambeau_cext.derivatives import Backward, attach, functions_of, names

_loaded: dict[Path, ModuleType] = {}

_MISSING_SYMBOL = re.compile(r"undefined symbol: (\w+)|symbol not found in flat namespace '_?(\w+)'")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TORCH_LAYER = re.compile(
    r"[<\"](?:torch|ATen|c10|pybind11)/\w+|\b(?:torch|at|c10|pybind11|py)::\w+|\bPYBIND11_MODULE\b|\bTORCH_\w+\("
)
# Code from which functions are not read, that needs pybind11, or that flambeau/functions.hpp does not support.
_PYBIND = re.compile(
    r"(?i)pybind|\b(?:py|nn|optim)\s*::|\bTORCH_EXTENSION_NAME\b|\bPyInit_|^\s*(?:namespace\b|#\s*if)", re.MULTILINE
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_TORCH_HEADER, _DIRECT_HEADER = "torch/extension.h", "flambeau/functions.hpp"
_OUR_HEADERS = {C: "flambeau/tensor.h", CXX: "flambeau/tensor.hpp"}


def load(
    name: str,
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str | os.PathLike[str]] | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: bool | None = None,
    is_python_module: bool = True,
    is_standalone: bool = False,
    keep_intermediates: bool = True,
    *,
    functions: str | Sequence[str] | Mapping[str, str] | None = None,
    backward: Backward | None = None,
    with_openmp: bool = False,
    with_debug: bool = False,
    with_sanitizers: str | Sequence[str] = (),
    native: bool = False,
) -> Any:  # a module, whose functions are only known at run time; a path if requested
    """Compile source files to an extension and import it.

    ``.c`` files go to the C compiler, ``.cpp``, ``.cc`` and ``.cxx`` files to the C++ compiler, a ``.pyx`` file to
    Cython first. The result is cached until a source, an included header, a library of ``extra_ldflags``, a flag, the
    compiler or Python changes. Only sources that depend on a change are recompiled.

    Args:
        name: the module's name, a C identifier.
        sources: the files; relative paths start in the current folder.
        extra_cflags: additional flags for the C and C++ compilers, such as ``["-O2", "-DSIZE=4"]`` or ``["-O2
            -DSIZE=4"]``; they override the default flags. A ``-std=`` applies only to the compiler of its language.
        extra_ldflags: additional flags for the linker, such as ``["-lfftw3"]``.
        extra_include_paths: additional include folders.
        build_directory: the folder for the result, instead of the cache.
        verbose: whether to print the commands and their output to stderr.
        is_python_module: False loads a plain shared library into the process, for example one that only registers
            operators, and returns its path.
        is_standalone: whether to build a program instead and return its path.
        functions: names of functions to be called from Python: one, several, or a dict of names and docstrings. Their
            bindings are generated from the declarations in the sources. Without it the sources define ``PyInit_name``.
        backward: the functions that compute gradients of others, see `load_inline`.
        with_openmp: whether to compile and link with OpenMP.
        with_debug: for a debugger: without optimization, with debugging information and assertions.
        with_sanitizers: ``"address"``, ``"undefined"``, ``"leak"``, ``"thread"``, or several.
        native: whether to use all instructions of this machine's processor. Results may differ in the last digits from
            those of portable code, and the library may not run elsewhere.
        extra_cuda_cflags, extra_sycl_cflags, keep_intermediates: have no effect; accepted for compatibility.
        with_cuda, with_sycl: must not be true.

    Returns:
        The module, or a path.

    Raises:
        CompileError: there is no compiler, or it failed; the message begins with the first error and names the full
            log.
        ValueError: a function's types cannot be bound, or an argument is invalid.
        ImportError: the library was built but cannot be loaded, for example because a symbol is defined nowhere.
        OSError: a source cannot be read, or the cache cannot be written.

    >>> import pathlib
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source = pathlib.Path(folder, "adding.c")
    ...     _ = source.write_text("double add(double a, double b) { return a + b; }")
    ...     adding = load("adding", [source], functions="add", build_directory=folder)
    >>> adding.add(1.0, 2.0)
    3.0
    """
    paths = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    if not paths:
        raise ValueError("load(): argument 'sources' must name at least one file")
    _refuse_devices("load", with_cuda=with_cuda, with_sycl=with_sycl)
    files = [_file_source(Path(path).absolute()) for path in paths]
    derived = functions_of("load", backward or {})
    bound = _named_functions(functions)
    module = _load(
        "load",
        name,
        files,
        bound | {function: "" for function in names(derived) if function not in bound},
        extra_cflags=extra_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=build_directory,
        verbose=verbose,
        is_python_module=is_python_module,
        program=is_standalone,
        switches=_switches("load", with_openmp, native, with_debug, with_sanitizers),
    )
    return _differentiable("load", module, files, derived)


def load_inline(
    name: str,
    cpp_sources: str | Sequence[str] | None = None,
    cuda_sources: str | Sequence[str] | None = None,
    sycl_sources: str | Sequence[str] | None = None,
    functions: str | Sequence[str] | Mapping[str, str] | None = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str | os.PathLike[str]] | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: bool | None = None,
    is_python_module: bool = True,
    with_pytorch_error_handling: bool = True,
    keep_intermediates: bool = True,
    use_pch: bool = False,
    no_implicit_headers: bool = False,
    *,
    c_sources: str | Sequence[str] | None = None,
    cython_sources: str | Sequence[str] | None = None,
    backward: Backward | None = None,
    with_openmp: bool = False,
    with_debug: bool = False,
    with_sanitizers: str | Sequence[str] = (),
    native: bool = False,
) -> Any:  # a module, whose functions are only known at run time; a path if requested
    r"""Compile C, C++ or Cython source given as strings into an extension and import it.

    Like :func:`load`, with the text of the sources instead of files. Several strings of one language are joined. C
    sources include ``flambeau/tensor.h``, C++ sources ``flambeau/tensor.hpp``, or ``torch/extension.h`` if they use any
    of its names, unless ``no_implicit_headers``.

    Args:
        c_sources, cpp_sources, cython_sources: the text.
        functions: names of functions to be called from Python: one, several, or a dict of names and docstrings. A
            Cython source defines its functions itself. Functions of tensors in C++ are bound with pybind11 only if
            their types, or the source, need it.
        backward: the functions that compute gradients: ``{"f": "f_backward"}`` if ``f`` has one tensor parameter,
            ``{"f": {"a": "f_backward_a", "b": "f_backward_b"}}`` if it has several. The parameter names of
            ``f_backward`` determine its arguments: ``grad`` of the result, ``result``, and parameters of ``f``. ``f``
            becomes the operator ``torch.ops.name.f``. To differentiate twice, give ``f_backward`` a backward, too, in
            which the gradient of its result is ``grad_grad``.
        with_pytorch_error_handling: False writes the warnings of ``TORCH_WARN`` to stderr, instead of Python warnings.
        use_pch: whether to precompile ``torch/extension.h`` now, for this source and later ones with the same flags.
            Otherwise this happens after a few sources were compiled.

    The other arguments are those of :func:`load`.

    Raises:
        CompileError: the compiler rejects the sources; the message contains its output.

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
    _refuse_devices("load_inline", cuda_sources=cuda_sources, sycl_sources=sycl_sources)
    _refuse_devices("load_inline", with_cuda=with_cuda, with_sycl=with_sycl)
    bound = _named_functions(functions)
    derived = functions_of("load_inline", backward or {})
    bound |= {function: "" for function in names(derived) if function not in bound}
    texts = {
        C: _joined("c_sources", c_sources),
        CXX: _joined("cpp_sources", cpp_sources),
        CYTHON: _joined("cython_sources", cython_sources),
    }
    headers = {} if no_implicit_headers else dict(_OUR_HEADERS)
    cxx = texts[CXX]
    if cxx is not None and uses_torch_layer(cxx):
        directly = {} if no_implicit_headers else _bound_directly(cxx, bound)
        if not no_implicit_headers:
            headers[CXX] = _DIRECT_HEADER if directly else _TORCH_HEADER
        if bound:
            texts[CXX] = cxx + (direct_module(name, bound, directly) if directly else pybind_module(bound))
            bound = {}
    if not with_pytorch_error_handling:
        extra_cflags = [*(extra_cflags or ()), "-DFLAMBEAU_WARNINGS_TO_STDERR"]
    suffixes = {C: ".c", CXX: ".cpp", CYTHON: ".pyx"}
    inline = [
        Source(Path(f"{name}{suffixes[language]}"), language, text)
        for language, text in texts.items()
        if text is not None
    ]
    if not inline:
        raise ValueError("load_inline(): give c_sources, cpp_sources or cython_sources")
    module = _load(
        "load_inline",
        name,
        inline,
        bound,
        extra_cflags=extra_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=build_directory,
        verbose=verbose,
        is_python_module=is_python_module,
        implicit_headers=headers,
        use_pch=bool(use_pch),
        switches=_switches("load_inline", with_openmp, native, with_debug, with_sanitizers),
    )
    return _differentiable("load_inline", module, inline, derived)


def _differentiable(
    caller: str, module: Any, sources: list[Source], backward: dict[str, dict[str, str]]
) -> Any:  # the module, or another loaded object
    if backward:
        declared: dict[str, Any] = {}
        for source in sources:
            text = _COMMENT.sub(" ", source.content.decode("utf-8", "replace"))
            declared |= find_functions(_DIRECTIVE.sub(" ", text), names(backward), cxx=source.language == CXX)
        attach(caller, module, declared, backward)
    return module


def _load(
    caller: str,
    name: str,
    sources: list[Source],
    functions: str | Sequence[str] | Mapping[str, str] | None,
    *,
    is_python_module: bool,
    extra_cflags: Sequence[str] | None,
    extra_ldflags: Sequence[str] | None,
    extra_include_paths: Sequence[str | os.PathLike[str]] | None,
    **options: Any,
) -> ModuleType | str:
    if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
        raise ValueError(f"{caller}(): argument 'name' (position 1) must be a C identifier, got {name!r}")
    functions = _named_functions(functions)
    modules = [source.path.name for source in sources if source.language == CYTHON]
    if len(modules) > 1:
        raise ValueError(f"{caller}(): {' and '.join(modules)} define separate modules: load them one by one")
    for source in sources:
        _check_torch_layer(caller, source, functions)
    job = Job(
        name,
        tuple(sources),
        {} if modules else functions,
        split_flags(_strings(caller, "extra_cflags", extra_cflags)),
        split_flags(_strings(caller, "extra_ldflags", extra_ldflags)),
        tuple(str(Path(os.fspath(path).strip()).absolute()) for path in extra_include_paths or ()),
        **options,
    )
    library = build(job)
    if job.program:
        return str(library)
    _require_sanitizer(job)
    if not is_python_module:
        try:
            load_plain(str(library), job.name)
        except OSError as error:
            raise _explained(job, library, ImportError(str(error), path=str(library))) from error
        return str(library)
    module = _imported(job, library)
    absent = [function for function in functions if not hasattr(module, function)]
    if absent:
        raise ValueError(f"{caller}(): function '{absent[0]}' is not defined by {modules[0]}, which defines the module")
    return module


def _refuse_devices(caller: str, **arguments: object) -> None:
    for argument, value in arguments.items():
        if value:
            device = "CUDA" if "cuda" in argument else "SYCL"
            raise NotImplementedError(f"{caller}(): argument '{argument}': flambeau has no {device} devices")


def _switches(caller: str, openmp: bool, native: bool, debug: bool, sanitizers: str | Sequence[str]) -> Switches:
    chosen = (sanitizers,) if isinstance(sanitizers, str) else tuple(sanitizers)
    for sanitizer in chosen:
        if sanitizer not in SANITIZERS:
            raise ValueError(
                f"{caller}(): argument 'with_sanitizers' must be of {', '.join(SANITIZERS)}, got {sanitizer!r}"
            )
    return Switches(bool(openmp), bool(native), bool(debug), chosen)


def _file_source(path: Path) -> Source:
    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return Source(path, SUFFIXES[suffix])
    if suffix in (".cu", ".cuh"):
        raise NotImplementedError(f"load(): {path.name}: CUDA sources, and flambeau has no CUDA devices")
    raise ValueError(f"load(): {path.name} is not a C, C++ or Cython source: the name must end in one of "
                     f"{', '.join(SUFFIXES)}")  # fmt: skip


def _joined(argument: str, sources: str | Sequence[str] | None) -> str | None:
    if sources is None or isinstance(sources, str):
        return sources
    texts = _strings("load_inline", argument, sources)
    return "\n".join(texts) if texts else None


def _named_functions(functions: str | Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    if functions is None:
        return {}
    if isinstance(functions, str):
        return {functions: ""}
    if not isinstance(functions, Mapping | Sequence):
        raise ValueError(f"Expected 'functions' to be a list or dict, but was {type(functions)}")
    named = dict(functions) if isinstance(functions, Mapping) else dict.fromkeys(functions, "")
    for function, text in named.items():
        if not isinstance(function, str) or not isinstance(text, str | None):
            wrong = function if not isinstance(function, str) else text
            raise TypeError(f"argument 'functions' must hold names and docstrings, got {wrong!r}")
    return {function: text or "" for function, text in named.items()}


def _strings(caller: str, argument: str, values: Sequence[str] | None) -> tuple[str, ...]:
    if values is None:
        return ()
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(f"{caller}(): argument '{argument}' must be a list of str, not {type(values).__name__}")
    given = tuple(values)
    for position, value in enumerate(given):
        if not isinstance(value, str):
            wrong = f"element {position} is {type(value).__name__}"
            raise TypeError(f"{caller}(): argument '{argument}' must be a list of str, but {wrong}")
    return given


# Flags whose value is the next word.
_WITH_VALUE = {"-I", "-L", "-l", "-D", "-U", "-x", "-include", "-imacros", "-isystem", "-idirafter", "-iquote",
               "-Xlinker", "-framework", "-arch", "-u", "-z", "-T"}  # fmt: skip


def split_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """Split a string of flags into single flags; quoted paths and texts with blanks are not split.

    >>> split_flags(["-O2 -DTWO=2", "-include my.h", "-I/my files", '-DNAME="a b"'])
    ('-O2', '-DTWO=2', '-include', 'my.h', '-I/my files', '-DNAME="a b"')
    """
    found: list[str] = []
    for flag in map(str.strip, flags):
        try:
            words = shlex.split(flag)
        except ValueError:  # a quote without its end
            words = [flag]
        after = zip(words, words[1:], strict=False)
        apart = len(words) > 1 and all(word.startswith("-") or before in _WITH_VALUE for before, word in after)
        found += words if apart else [flag]
    return tuple(found)


def uses_torch_layer(text: str) -> re.Match[str] | None:
    """Find the first use of ``torch/extension.h`` in a C++ source, outside comments; None if there is none."""
    return _TORCH_LAYER.search(_COMMENT.sub(" ", text))


def _bound_directly(text: str, functions: Mapping[str, str]) -> dict[str, Declaration]:
    """Return the declarations of functions that need no pybind11, or none if one of them, or the source, needs it."""
    plain = _COMMENT.sub(" ", text)
    if not functions or _PYBIND.search(plain):
        return {}
    try:
        found = find_functions(_DIRECTIVE.sub(" ", plain), functions, cxx=True)
    except ValueError:  # overloaded: leave the error message to pybind11
        return {}
    return found if len(found) == len(functions) and all(map(binds_directly, found.values())) else {}


def _check_torch_layer(caller: str, source: Source, functions: Mapping[str, str]) -> None:
    """Reject code that the C++ layer does not support, instead of a compiler error of a thousand lines."""
    if source.language != CXX or source.text is not None or not functions:
        return
    if uses_torch_layer(source.content.decode("utf-8", "replace")):
        raise ValueError(
            f"{caller}(): argument 'functions': {source.path.name} uses torch/extension.h, where functions are bound "
            "with PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(...); } in the source"
        )


def _imported(job: Job, library: Path) -> ModuleType:
    """Import the module in ``library``, once in a process. The file's name identifies the version."""
    if library in _loaded:
        return _loaded[library]
    loader = importlib.machinery.ExtensionFileLoader(job.name, str(library))
    spec = importlib.util.spec_from_file_location(job.name, str(library), loader=loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise _explained(job, library, error) from error
    return _loaded.setdefault(library, module)


def load_plain(path: str, name: str | None = None) -> None:
    """Load a shared library that is not a Python module, and run its registrations.

    Errors name it ``name``, or by its file's name.

    Raise OSError if the system cannot load it, ImportError if it was built for another release.
    """
    import ctypes

    try:
        library = ctypes.PyDLL(path)  # keeps the GIL, and raises errors that its functions set
    except OSError as error:
        raise OSError(f"Could not load this library: {path}: {error}") from error
    try:
        enter = library.fl_extension_load
    except AttributeError:
        return  # a library that does not use flambeau
    from flambeau_tensor.c_api import API

    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    text = ctypes.create_string_buffer(1024)
    enter.restype = ctypes.c_int
    enter.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    table = address(API, b"flambeau_tensor.c_api.API")
    if enter(table, (name or Path(path).name).encode(), text, len(text)) != 0:
        raise ImportError(text.value.decode("utf-8", "replace"), path=path)


def _require_sanitizer(job: Job) -> None:
    """Raise an error if a sanitizer is loaded too late; the sanitizer itself would end the process."""
    late = [s for s in job.switches.sanitizers if s != "undefined"]
    if not late or sys.platform == "win32":
        return
    import ctypes

    name = {"address": "asan", "leak": "lsan", "thread": "tsan"}[late[0]]
    if hasattr(ctypes.CDLL(None), f"__{name}_init"):
        return
    library = compiler.sanitizer_library(compiler.find(job.sources[0].compiled_as), late[0])
    raise ImportError(
        f"{job.name}: with_sanitizers={late[0]!r} needs the sanitizer in the process from its start: "
        f"LD_PRELOAD={library} {sys.executable} ...",
        name=job.name,
    )


def _explained(job: Job, library: Path, error: ImportError) -> ImportError:
    found = _MISSING_SYMBOL.search(str(error))  # the linker names it only in its message
    if found:
        symbol = found.group(1) or found.group(2)
        return ImportError(
            f"{job.name}: undefined symbol '{_demangled(symbol)}': it is used, but none of "
            f"{', '.join(s.path.name for s in job.sources)} defines it; add the source that does, or its library with "
            "extra_ldflags=['-l…']",
            name=job.name,
            path=error.path,
        )
    if not _exports(library, f"PyInit_{job.name}"):
        return ImportError(
            f"{job.name}: nothing in it is for Python: {_way_to_bind(job)}",
            name=job.name,
            path=error.path,
        )
    return error


def _exports(library: Path, symbol: str) -> bool:
    """Whether a library exports a symbol; True if the library cannot be loaded."""
    import ctypes

    try:
        return hasattr(ctypes.CDLL(str(library)), symbol)
    except OSError:
        return True


def _way_to_bind(job: Job) -> str:
    """Return a text that says how to bind functions of these sources."""
    texts = [s.content.decode("utf-8", "replace") for s in job.sources if s.language == CXX]
    if any(map(uses_torch_layer, texts)):
        return (
            "bind functions with PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(...); } in the source, or load it "
            "with is_python_module=False when it only registers operators"
        )
    return f"name the functions to be bound with functions=[...], or define PyInit_{job.name}"


def _demangled(symbol: str) -> str:
    """Return the demangled form of a C++ symbol, if c++filt is installed."""
    import shutil

    from flambeau_cext.processes import run

    program = shutil.which("c++filt")
    if program and symbol.startswith("_Z"):
        return run([program, symbol]).output.strip()
    return symbol
