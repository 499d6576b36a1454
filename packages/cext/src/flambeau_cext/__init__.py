"""C and C++ extensions for flambeau: compiled on the fly, cached by content, called like any Python function.

``load_inline`` takes source text, ``load`` takes files. A kernel in C sees tensors through ``flambeau/tensor.h``.
"""

from flambeau_cext.build import include_paths, library_paths
from flambeau_cext.errors import CompileError
from flambeau_cext.load import load, load_inline

__version__ = "0.1.0"

__all__ = ["CompileError", "include_paths", "library_paths", "load", "load_inline"]
