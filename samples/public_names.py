"""The public names of all packages that are no operators, by module: what tests of documentation go over."""

import inspect
import re
from pathlib import Path

from flambeau_tensor.extend import operators

# What the reference lists by module; the documentation's build asks each of their names for an entry.
ROOT = Path(__file__).parents[1]
BY_MODULE = ROOT / "docs" / "reference" / "modules.md"
MODULES = [f"flambeau{name}" for name in re.findall(r"names:: torch(\S*)", BY_MODULE.read_text())]
OPERATORS = set(map(id, operators().values()))


def ours(module):
    """The callable public names of a module that our packages define, and that are built and no operators."""
    for name in sorted(set(getattr(module, "__all__", None) or dir(module))):
        value = getattr(module, name)
        home = getattr(value, "__module__", None) or ""
        if name.startswith("_") or getattr(value, "__not_built__", False):
            continue
        if (
            callable(value)
            and not inspect.ismodule(value)
            and home.startswith("flambeau")
            and id(value) not in OPERATORS
        ):
            yield name, value
