"""An editable install: a compiled module that is older than its source is refused until it is built again."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "cmake"
LISTS = f"""
cmake_minimum_required(VERSION 3.26)
project(flambeau_small LANGUAGES C)
list(PREPEND CMAKE_MODULE_PATH "{FOLDER}")
include(FlambeauCython)
flambeau_cython_modules(flambeau_small)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package of two compiled modules, built beside its sources as an editable install does."""
    folder = tmp_path_factory.mktemp("small")
    source = folder / "src" / "flambeau_small"
    source.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(LISTS)
    (source / "__init__.py").write_text("from flambeau_small import _compiled\n")
    (source / "numbers.pyx").write_text("N = 3\n")
    (source / "words.pyx").write_text("W = 'word'\n")
    options = ["-DSKBUILD_STATE=editable", f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=Debug"]
    subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", *options], check=True)
    build(folder)
    return folder


def build(folder):
    subprocess.run(["cmake", "--build", folder / "build"], check=True)


def use(folder, statement):
    """What a process prints that imports from the package, and the last line of its error."""
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    code = f"from flambeau_small.{statement}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    return done.stdout.strip(), (done.stderr.splitlines() or [""])[-1]


def test_a_module_older_than_its_source_is_refused(package):
    source = package / "src" / "flambeau_small"
    assert (source / f"_compiled{sysconfig.get_config_var('EXT_SUFFIX')}").exists()
    assert use(package, "numbers import N; print(N)") == ("3", "")
    (source / "numbers.pyx").write_text("N = 4\n")
    built = (source / f"_compiled{sysconfig.get_config_var('EXT_SUFFIX')}").stat().st_mtime
    os.utime(source / "numbers.pyx", (built + 2, built + 2))
    reason = f"ImportError: {source}/numbers.pyx is younger than the module that was compiled from it: "
    assert use(package, "numbers import N; print(N)") == ("", f"{reason}cmake --build build/small")
    assert use(package, "words import W; print(W)") == ("word", "")  # whose source did not change
    os.utime(source / "numbers.pyx")  # now, not in two seconds: what is built next has to be younger
    build(package)
    assert use(package, "numbers import N; print(N)") == ("4", "")
