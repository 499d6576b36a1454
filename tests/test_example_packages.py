"""The packages under examples/: each is built into a wheel, installed apart, and tested by its own tests."""

import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PACKAGES = {  # what a build needs: one of these modules
    "softsign": ["setuptools.command.bdist_wheel", "wheel"],
    "rolling_mean": ["scikit_build_core"],
    "polynomial": ["mesonpy"],
}


def there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package(name, tmp_path):
    if not any(map(there, PACKAGES[name])):
        pytest.skip(f"{PACKAGES[name][0]} is not installed")
    import flambeau_cext

    folder = copied(EXAMPLES / name, tmp_path / "a folder" / name)
    environment = {**os.environ, "flambeau_cext_ROOT": flambeau_cext.get_cmake_dir()}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "wheel", "--no-build-isolation", "--no-deps", "-w", str(tmp_path), str(folder)], env=environment)
    (wheel,) = tmp_path.glob("*.whl")
    oldest = "cp311" if name != "polynomial" else f"cp3{sys.version_info.minor}"  # meson-python: its own
    assert f"-{oldest}-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        assert not [n for n in archive.namelist() if n.endswith((".c", ".cpp", ".pyx", ".o"))]
        for shared in (n for n in archive.namelist() if n.endswith(".so")):
            assert b".debug_info" not in archive.read(shared), f"{shared} has debug information"
    place = tmp_path / "installed"
    run([*pip, "install", "--no-deps", "--no-index", "--target", str(place), str(wheel)])
    environment["PYTHONPATH"] = os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", str(folder / "tests")]
    run(command, env=environment, cwd=tmp_path)


def copied(folder, target):
    """What a checkout of the example has, where builds may leave their files."""
    import shutil

    return shutil.copytree(folder, target, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "*.so"))


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
