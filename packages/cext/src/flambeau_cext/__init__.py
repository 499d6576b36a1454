"""C, C++ and Cython extensions for flambeau: compiled on the fly, cached by content, called like any Python function.

``load_inline`` takes source text, ``load`` takes files; ``CExtension``, ``CppExtension``, ``CythonExtension`` and
``BuildExtension`` are for a package's ``setup.py``. C kernels access tensors through ``flambeau/tensor.h``.
``flambeau_cext.library`` turns functions into operators.
"""

from typing import TYPE_CHECKING, Any

from flambeau_cext.build import include_paths, library_paths
from flambeau_cext.cache import root as _root
from flambeau_cext.errors import CompileError
from flambeau_cext.load import load, load_inline
from flambeau_cext.ninja import is_ninja_available, verify_ninja_availability

if TYPE_CHECKING:
    from flambeau_cext.extension import BuildExtension as BuildExtension
    from flambeau_cext.extension import CExtension as CExtension
    from flambeau_cext.extension import CppExtension as CppExtension
    from flambeau_cext.extension import CUDAExtension as CUDAExtension
    from flambeau_cext.extension import CythonExtension as CythonExtension
    from flambeau_cext.extension import SyclExtension as SyclExtension

__version__ = "0.1.0"

CUDA_HOME = ROCM_HOME = None  # neither is installed; programs test these names

_IN_EXTENSION = ("BuildExtension", "CExtension", "CUDAExtension", "CppExtension", "CythonExtension", "SyclExtension")

__all__ = [
    *_IN_EXTENSION, "CompileError", "get_cmake_dir", "get_cxx_compiler", "get_default_build_root", "include_paths",
    "is_ninja_available", "library_paths", "load", "load_inline", "verify_ninja_availability",
]  # fmt: skip


def get_default_build_root() -> str:
    """The default folder for built extensions.

    >>> import os
    >>> import flambeau_cext
    >>> os.path.isabs(flambeau_cext.get_default_build_root())
    True
    """
    return str(_root())


def get_cxx_compiler() -> str:
    """Return the path of the C++ compiler.

    Raises:
        CompileError: there is no compiler; the message lists what was searched.

    >>> import os
    >>> import flambeau_cext
    >>> os.path.exists(flambeau_cext.get_cxx_compiler())
    True
    """
    from flambeau_cext import compiler

    return compiler.find(compiler.CXX).command[0]


def get_cmake_dir() -> str:
    """The folder of the CMake package, for ``find_package(flambeau_cext)``.

    >>> import os
    >>> import flambeau_cext
    >>> sorted(os.listdir(flambeau_cext.get_cmake_dir()))
    ['flambeau_cextConfig.cmake']
    """
    from pathlib import Path

    return str(Path(__file__).with_name("cmake"))


def __getattr__(name: str) -> Any:
    """Without flambeau-tensor, which extensions need and an installation's ``setup.py`` does not."""
    from importlib import import_module

    if name in _IN_EXTENSION:  # setuptools is slow to import, and only a setup.py needs it
        return getattr(import_module("flambeau_cext.extension"), name)
    if name in ("library", "ops"):
        return import_module(f"flambeau_cext.{name}")
    from flambeau_tensor.not_built import missing

    raise missing("torch.utils.cpp_extension", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "library", "ops"})
