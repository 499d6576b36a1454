"""``create_extension``: kernels in C as the first releases of PyTorch built them with ``torch.utils.ffi``.

A header declares the functions, a build script lists headers and sources, and the result is a package next to it:

    ffi = create_extension("_ext.my_lib", headers=["src/my_lib.h"], sources=["src/my_lib.c"], relative_to=__file__)
    ffi.build()

Then ``from _ext import my_lib`` has the functions. Sources can include ``TH/TH.h`` and ``flambeau/tensor.h``.
"""

import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flambeau_cext import compiler
from flambeau_cext.build import Job, Source, base_flags, build
from flambeau_cext.compiler import C
from flambeau_cext.declarations import function_names, user_text
from flambeau_cext.errors import CompileError, first_error
from flambeau_cext.processes import run

__all__ = ["Extension", "create_extension"]


def create_extension(
    name: str,
    headers: str | Sequence[str],
    sources: str | Sequence[str],
    verbose: bool = True,
    with_cuda: bool = False,
    package: bool = False,
    relative_to: str | os.PathLike[str] = ".",
    **kwargs: Any,
) -> "Extension":
    """Describe a C extension; its `build` method builds it.

    Args:
        name: the name of the package to build, such as ``"_ext.my_lib"``.
        headers: files that declare the functions to call from Python. Their parameters are tensors
            (``THFloatTensor *`` and its like, or ``fl_tensor``), numbers and strings.
        sources: the files that define them.
        verbose: whether to print the commands.
        with_cuda: must be false.
        package: True for a package that is installed: see `Extension.setuptools`.
        relative_to: the build script, ``__file__``: paths are relative to its folder, and the package goes there.
        kwargs: ``include_dirs``, ``define_macros``, ``libraries``, ``library_dirs``, ``extra_compile_args``,
            ``extra_link_args``, ``extra_objects`` as for `setuptools.Extension`.

    Raises:
        ValueError: ``name`` is not a dotted name.
        NotImplementedError: ``with_cuda`` is true.
    """
    if with_cuda:
        raise NotImplementedError("create_extension(): argument 'with_cuda': flambeau has no CUDA devices")
    if not all(part.isidentifier() and part.isascii() for part in name.split(".")):
        raise ValueError(f"create_extension(): argument 'name' (position 1) must be a dotted name, got {name!r}")
    unknown = set(kwargs) - set(_OPTIONS)
    if unknown:
        raise TypeError(f"create_extension() got an unexpected keyword argument '{min(unknown)}'")
    return Extension(
        name,
        [headers] if isinstance(headers, str) else list(headers),
        [sources] if isinstance(sources, str) else list(sources),
        Path(relative_to).absolute().parent if relative_to != "." else Path.cwd(),
        verbose,
        package,
        kwargs,
    )


_OPTIONS = ("include_dirs", "define_macros", "libraries", "library_dirs", "extra_compile_args", "extra_link_args",
            "extra_objects")  # fmt: skip


class Extension:
    """An extension, as described by `create_extension`."""

    def __init__(
        self,
        name: str,
        headers: list[str],
        sources: list[str],
        folder: Path,
        verbose: bool,
        package: bool,
        options: dict[str, Any],
    ) -> None:
        self.name, self.headers, self.sources, self.folder = name, headers, sources, folder
        self.verbose, self.package, self.options = verbose, package, options

    def build(self) -> str:
        """Build the package and return its folder.

        Raises:
            CompileError: there is no compiler, or it failed.
            OSError: a file cannot be read, or the package cannot be written.
        """
        *parents, last = self.name.split(".")
        job = Job(
            f"_{last}",
            tuple(Source(path, C) for path in self._paths(self.sources)),
            self._functions(),
            (*self._macros(), *self.options.get("extra_compile_args", ())),
            tuple(self._link_flags()),
            tuple(self._include_dirs()),
            implicit_headers={C: "TH/TH.h"},
            verbose=self.verbose,
        )
        library = build(job)
        target = self.folder
        for part in parents:
            target = target / part
            target.mkdir(exist_ok=True)
            (target / "__init__.py").touch()
        target = target / last
        target.mkdir(exist_ok=True)
        suffix = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
        # Write to another name first: a process that has mapped the old file keeps it.
        scratch = target / f".{last}-{os.getpid()}"
        shutil.copyfile(library, scratch)
        os.replace(scratch, target / f"_{last}{suffix}")
        names = ", ".join(job.functions)
        lines = [f'"""The C functions of {self.name}, built by torch.utils.ffi."""', f"from ._{last} import {names}"]
        listed = ", ".join(f'"{name}"' for name in job.functions)
        text = "\n".join([*lines, "", f"__all__ = [{listed}]", ""])
        (target / "__init__.py").write_text(text, encoding="utf-8")
        if self.verbose:
            print(f"built {self.name} in {target}", file=sys.stderr)
        return str(target)

    def setuptools(self) -> Any:
        """Return the same as an extension for ``setup.py``, which `BuildExtension` builds during installation."""
        from flambeau_cext.extension import CExtension

        parents, _, last = self.name.rpartition(".")
        options = {name: value for name, value in self.options.items() if name != "include_dirs"}
        return CExtension(
            f"{parents}.{last}" if parents else last,
            [os.path.relpath(path) for path in self._paths(self.sources)],
            functions=self._functions(),
            include_dirs=self._include_dirs(),
            **options,
        )

    def _paths(self, files: Sequence[str]) -> list[Path]:
        return [self.folder / file for file in files]

    def _include_dirs(self) -> list[str]:
        return [str(self.folder / folder) for folder in self.options.get("include_dirs", ())]

    def _macros(self) -> list[str]:
        pairs = self.options.get("define_macros", ())
        return [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in pairs]

    def _link_flags(self) -> list[str]:
        options = self.options
        return [
            *(str(self.folder / path) for path in options.get("extra_objects", ())),
            *(f"-L{self.folder / folder}" for folder in options.get("library_dirs", ())),
            *(f"-l{library}" for library in options.get("libraries", ())),
            *options.get("extra_link_args", ()),
        ]

    def _functions(self) -> dict[str, str]:
        """The functions that the headers declare."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "headers.c")
            included = "".join(f'#include "{path}"\n' for path in self._paths(self.headers))
            source.write_text(f"#include <TH/TH.h>\n{included}", encoding="utf-8")
            flags = [*base_flags("headers"), *self._macros(), *(f"-I{path}" for path in self._include_dirs())]
            done = run(compiler.find(C).preprocess(source, flags))
            if done.status != 0:
                raise CompileError(first_error(done.output))
            names = function_names(user_text(done.output))
        if not names:
            raise ValueError(f"create_extension(): no function is declared in {', '.join(self.headers)}")
        return dict.fromkeys(names, "")
