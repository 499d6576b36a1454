"""`cmake/translate.py`: what it makes, when it makes it again, and what is left of sources that Cython refuses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent.parent / "cmake" / "translate.py"


@pytest.fixture
def build(tmp_path):
    """A function that builds a package of two modules, one of which takes a number from the other's .pxd."""
    package = tmp_path / "src" / "package"
    package.mkdir(parents=True)
    for name, text in {
        "__init__.py": "",
        "numbers.pxd": "cdef enum:\n    N = 3\n",
        "numbers.pyx": "",
        "user.pyx": "from package cimport numbers\ndef n(): return numbers.N\n",
    }.items():
        (package / name).write_text(text)
    jobs = [f"{tmp_path}/src/package/{name}.pyx|package.{name}|out/package.{name}.c\n" for name in ("numbers", "user")]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "jobs.txt").write_text("".join(jobs))

    def run(*more):
        options = ["out/jobs.txt", "--depfile", "out/all.dep", "--include", str(tmp_path / "src"), *more]
        done = subprocess.run([sys.executable, PROGRAM, *options], cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, sorted(line.rpartition("] ")[2] for line in done.stdout.splitlines()), done.stderr

    return run


def later(path):
    """Touches a file so that it is younger than all that is there."""
    time = max(os.stat(f).st_mtime_ns for f in path.parents[2].rglob("*")) + 1_000_000
    os.utime(path, ns=(time, time))


def test_only_what_changed_is_made_again(build, tmp_path):
    source = tmp_path / "src" / "package"
    assert build()[:2] == (0, ["package.numbers", "package.user"])
    assert build()[:2] == (0, [])
    later(source / "user.pyx")
    assert build()[:2] == (0, ["package.user"])
    # Cython's own list of what user.pyx is made from does not have this file.
    (source / "numbers.pxd").write_text("cdef enum:\n    N = 12345\n")
    later(source / "numbers.pxd")
    assert build()[:2] == (0, ["package.numbers", "package.user"])
    assert f"{12345:#x}" in (tmp_path / "out" / "package.user.c").read_text().lower()
    assert "numbers.pxd" in (tmp_path / "out" / "all.dep").read_text()


def test_other_directives_make_all_again(build):
    assert build()[0] == 0
    assert build("--directive", "boundscheck=False")[:2] == (0, ["package.numbers", "package.user"])
    assert build("--directive", "boundscheck=False")[:2] == (0, [])


def test_what_cython_refuses(build, tmp_path):
    assert build()[0] == 0
    source = tmp_path / "src" / "package" / "user.pyx"
    source.write_text("cdef int f(: return 1\n")
    later(source)
    code, _, errors = build()
    assert code == 1
    assert "user.pyx:1:11" in errors
    assert not (tmp_path / "out" / "package.user.c").exists()
    source.write_text("def n(): return 1\n")
    assert build()[:2] == (0, ["package.user"])
