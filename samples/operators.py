"""The operators of some packages, whatever else a process of tests has loaded."""

import functools
import subprocess
import sys

from flambeau_tensor.extend import operators

ASK = "import {}; from flambeau_tensor.extend import operators; print(*operators())"


@functools.cache
def operators_of(*packages):
    """Those that a process has which imports these packages alone."""
    command = [sys.executable, "-c", ASK.format(", ".join(packages))]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    found = operators()
    return [found[name] for name in names]
