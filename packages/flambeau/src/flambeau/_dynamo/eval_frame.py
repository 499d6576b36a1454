"""The class of compiled modules, for ``isinstance``."""

from flambeau_compile import OptimizedModule as OptimizedModule
