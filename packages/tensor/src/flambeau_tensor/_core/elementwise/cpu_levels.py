"""Selects the build of the hot loops for this processor: x86-64-v4, v3 or v2, or the only one on other processors.

Released wheels contain every level; a local build has the level of its machine (FLAMBEAU_LEVELS in
cmake/FlambeauCython.cmake). ``FLAMBEAU_CPU_LEVEL=v2`` (or v3, v4, base) overrides the choice, for tests and bug
reports.
"""

import importlib
import os
from importlib.util import find_spec

_NEEDS = {"v2": ("SSE42",), "v3": ("AVX2", "FMA3", "F16C"), "v4": ("AVX512_SKX",), "base": ()}


def built_levels() -> list[str]:
    """Return the levels for which this installation was built, highest first."""
    folders = {
        level: find_spec(f"flambeau_tensor._core.elementwise.hot_{level}") for level in ("v4", "v3", "v2", "base")
    }
    # An earlier build may have left an empty folder.
    return [level for level, folder in folders.items() if folder and find_spec(f"{folder.name}.casts")]


def _choose() -> str:
    """Return the requested level, or the highest level that this processor supports according to NumPy."""
    from numpy._core._multiarray_umath import __cpu_features__ as have

    levels = built_levels()
    asked = os.environ.get("FLAMBEAU_CPU_LEVEL")
    if asked:
        if asked not in levels:
            raise ImportError(
                f"FLAMBEAU_CPU_LEVEL={asked}: there is no such level of instructions in this "
                f"installation; it has {', '.join(levels)}"
            )
        return asked
    for level in levels:
        if all(have.get(feature) for feature in _NEEDS[level]):
            return level
    raise ImportError(
        f"flambeau_tensor was built for processors of the levels {', '.join(levels)} (x86-64-v2 needs "
        "SSE4.2), and this one has none of them. Install it from source for this processor: "
        "pip install --no-binary flambeau-tensor flambeau-tensor"
    )


LEVEL = _choose()


def hot(name: str, folder: str = "flambeau_tensor._kernels"):
    """Return the module ``hot/name`` of a folder, built for this processor.

    >>> sorted(hot("activation_backward").LOOPS)
    ['relu_backward', 'sigmoid_backward', 'tanh_backward']
    """
    try:
        return importlib.import_module(f"{folder}.hot_{LEVEL}.{name}")
    except ModuleNotFoundError as error:
        if find_spec(f"{folder}.hot_{LEVEL}"):
            raise
        raise ImportError(
            f"{folder.partition('.')[0]} was not built for processors of the level {LEVEL}, which "
            "flambeau_tensor uses here: build both on this machine, or both with "
            "-Ccmake.define.FLAMBEAU_LEVELS=all"
        ) from error
