"""The report of ``python -m flambeau_cext doctor``: what building an extension needs, and what is there."""

import os
import platform
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from flambeau_cext import cache, compiler
from flambeau_cext.build import Job, Source, build, include_paths
from flambeau_cext.compiler import CXX, C

_PROBE = {
    C: "double probe(double x) { return x + 1; }\n",
    CXX: "#include <string>\ndouble probe(double x) { return x + double(std::string(1, 'x').size()); }\n",
}


def report() -> tuple[str, bool]:
    """The report as text, and whether everything that is needed is there."""
    lines, ok = [], True
    for title, check in _CHECKS:
        try:
            lines += [f"{title:14} {line}" for line in check()]
        except Exception as error:  # a report goes on where a build would stop
            ok = False
            lines.append(f"{title:14} PROBLEM: {error}")
    return "\n".join(lines), ok


def _python() -> Iterator[str]:
    yield f"{platform.python_version()} ({sys.executable}), {sysconfig.get_config_var('SOABI')}"
    compiler.require_python_headers()
    yield f"headers in {sysconfig.get_paths()['include']}"


def _packages() -> Iterator[str]:
    import flambeau_cext
    import flambeau_tensor

    yield f"flambeau-cext {flambeau_cext.__version__}, flambeau-tensor {flambeau_tensor.__version__}"


def _headers() -> Iterator[str]:
    yield from include_paths()


def _cache() -> Iterator[str]:
    root = cache.root()
    with cache.Folder(root / ".doctor").building():
        pass
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    yield f"{root}, {size / 1e6:.1f} MB"


def _environment() -> Iterator[str]:
    names = ("CC", "CXX", "FLAMBEAU_EXTENSIONS_DIR", "TORCH_EXTENSIONS_DIR", "XDG_CACHE_HOME", "CPATH", "LIBRARY_PATH")
    found = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
    yield " ".join(found) or "no variable that matters is set"


def _language(language: str) -> Iterator[str]:
    found = compiler.find(language)
    yield f"{' '.join(found.command)}: {found.version.splitlines()[0]}"
    with tempfile.TemporaryDirectory() as folder:
        suffix = ".c" if language == C else ".cpp"
        source = Source(Path(f"probe{suffix}"), language, _PROBE[language])
        started = time.perf_counter()
        build(Job("probe", (source,), {"probe": ""}, build_directory=folder))
        yield f"builds a function in {time.perf_counter() - started:.2f} s"


_CHECKS = (
    ("Python", _python),
    ("Packages", _packages),
    ("Include paths", _headers),
    ("C compiler", lambda: _language(C)),
    ("C++ compiler", lambda: _language(CXX)),
    ("Cache", _cache),
    ("Environment", _environment),
)
