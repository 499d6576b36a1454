"""The public names of all packages that are no operators, by module: what tests of documentation go over."""

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from flambeau_tensor.extend import operators

# What the reference lists by module; the documentation's build asks each of their names for an entry.
ROOT = Path(__file__).parents[1]
BY_MODULE = ROOT / "docs" / "reference" / "modules.md"
MODULES = [f"flambeau{name}" for name in re.findall(r"(?m)^   torch(\S*)$", BY_MODULE.read_text())]
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


def told_by(file):
    """What a test file prints last, as JSON, when it runs as a program: in a process of its own, as what it calls
    declares operators and leaves settings behind."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=600, env=environment)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])
