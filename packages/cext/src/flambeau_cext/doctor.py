"""The report of ``python -m flambeau_cext doctor``: the requirements for building extensions, and what is installed.

It is suitable for bug reports: it contains the versions of all components, and no secrets.
"""

import importlib.metadata
import os
import platform
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from flambeau_cext import cache, compiler, cython, ninja
from flambeau_cext.build import Job, Source, build, include_paths
from flambeau_cext.compiler import CXX, CYTHON, C, Switches
from flambeau_cext.processes import run

_PROBE = {
    C: "double probe(double x) { return x + 1; }\n",
    CXX: "#include <string>\ndouble probe(double x) { return x + double(std::string(1, 'x').size()); }\n",
    CYTHON: "def probe(double x):\n    return x + 1\n",
}
_SUFFIX = {C: ".c", CXX: ".cpp", CYTHON: ".pyx"}

_VARIABLES = (
    "CC", "CXX", "CFLAGS", "LDFLAGS", "MAX_JOBS", "FLAMBEAU_EXTENSIONS_DIR", "TORCH_EXTENSIONS_DIR", "XDG_CACHE_HOME",
    "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD", *compiler.ENVIRONMENT,
)  # fmt: skip


def report() -> tuple[str, bool]:
    """The report as text, and whether everything that is needed is there."""
    lines, ok = [], True
    for title, needed, check in _CHECKS:
        try:
            lines += [f"{title:14} {line}" for line in check()]
        except Exception as error:  # a report continues where a build would stop
            ok = ok and not needed
            lines.append(f"{title:14} {'PROBLEM' if needed else 'not there'}: {error}")
    return "\n".join(lines), ok


def _system() -> Iterator[str]:
    yield f"{platform.platform()}, {os.cpu_count()} processors ({_processor()}), libc {' '.join(platform.libc_ver())}"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _python() -> Iterator[str]:
    yield f"{platform.python_version()} ({sys.executable}), {sysconfig.get_config_var('SOABI')}"
    compiler.require_python_headers()
    yield f"headers in {sysconfig.get_paths()['include']}"


def _packages() -> Iterator[str]:
    import flambeau_cext
    import flambeau_tensor

    yield f"flambeau-cext {flambeau_cext.__version__}, flambeau-tensor {flambeau_tensor.__version__}"
    names = {found.metadata["Name"] for found in importlib.metadata.distributions()}
    siblings = sorted(name for name in names if name and name.startswith("flambeau"))
    others = [name for name in siblings if name not in ("flambeau-cext", "flambeau-tensor")]
    others += ["numpy", "pybind11", "cffi", "setuptools", "scikit-build-core", "meson-python"]
    found = []
    for name in others:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    yield ", ".join(found) or "no others"


def _headers() -> Iterator[str]:
    yield from include_paths()


def _cache() -> Iterator[str]:
    root = cache.root()
    cache.check_root(root)
    probe = cache.Folder(root / ".doctor")
    with probe.building():
        pass
    probe.remove()
    sizes = [path.stat().st_size for path in root.rglob("*") if path.is_file()]
    yield f"{root}, {sum(sizes) / 1e6:.1f} MB"


def _environment() -> Iterator[str]:
    found = [f"{name}={os.environ[name]}" for name in _VARIABLES if name in os.environ]
    yield " ".join(found) or "no variable that matters is set"


def _ninja() -> Iterator[str]:
    path = ninja.find()
    if path is None:
        raise RuntimeError("not needed; setup.py builds compile everything each time")
    yield f"{path} {run([path, '--version']).output.strip()}"


def _language(language: str) -> Iterator[str]:
    if language == CYTHON:
        yield f"Cython {cython.version()}"
    else:
        found = compiler.find(language)
        yield f"{' '.join(found.command)}: {found.version.splitlines()[0]}"
    yield f"builds a function in {_time(language, Switches()):.2f} s"


def _openmp() -> Iterator[str]:
    yield f"builds a function in {_time(C, Switches(openmp=True)):.2f} s"


def _time(language: str, switches: Switches) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source = Source(Path(f"probe{_SUFFIX[language]}"), language, _PROBE[language])
        functions = {} if language == CYTHON else {"probe": ""}
        started = time.perf_counter()
        build(Job("probe", (source,), functions, build_directory=folder, switches=switches))
        return time.perf_counter() - started


_CHECKS = (  # title, whether extensions need it, the check
    ("System", True, _system),
    ("Python", True, _python),
    ("Packages", True, _packages),
    ("Include paths", True, _headers),
    ("C compiler", True, lambda: _language(C)),
    ("C++ compiler", True, lambda: _language(CXX)),
    ("OpenMP", False, _openmp),
    ("Cython", False, lambda: _language(CYTHON)),
    ("ninja", False, _ninja),
    ("Cache", True, _cache),
    ("Environment", True, _environment),
)
