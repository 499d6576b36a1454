"""Linear algebra with a library that cannot be called from C: its tests with ``FLAMBEAU_BLAS=numpy``."""

import os
import subprocess
import sys
from pathlib import Path

FILES = ("factorization", "spectral", "indefinite")


def test_all_of_linear_algebra():
    here = Path(__file__).parent
    code = "from flambeau_tensor._kernels import blas; import sys, pytest; assert not blas.uses_blas()\n"
    code += "sys.exit(pytest.main(sys.argv[1:]))"
    files = [str(here / f"test_{name}.py") for name in FILES]
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(here)]
    run = subprocess.run(
        [sys.executable, "-c", code, *options, *files],
        env={**os.environ, "FLAMBEAU_BLAS": "numpy"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
