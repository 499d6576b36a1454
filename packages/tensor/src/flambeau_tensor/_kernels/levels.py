"""Which build of the hot loops this processor runs: x86-64-v4, v3 or v2, or the only one there is elsewhere.

``FLAMBEAU_CPU_LEVEL=v2`` (or v3, v4, base) overrides the choice, for tests and bug reports.
"""
import importlib
import os


def _detect() -> str:
    """The highest level whose instructions this processor has (NumPy already asked it)."""
    from numpy._core._multiarray_umath import __cpu_features__ as have

    if not have.get("SSE42"):
        return "base"
    if have.get("AVX512_SKX"):
        return "v4"
    return "v3" if have.get("AVX2") and have.get("FMA3") and have.get("F16C") else "v2"


LEVEL = os.environ.get("FLAMBEAU_CPU_LEVEL") or _detect()


def hot(name: str, package: str = "flambeau_tensor"):
    """The module ``hot/name`` of a package, built for this processor."""
    try:
        return importlib.import_module(f"{package}._kernels.hot_{LEVEL}.{name}")
    except ModuleNotFoundError:
        return importlib.import_module(f"{package}._kernels.hot_base.{name}")
