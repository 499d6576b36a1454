"""Releases, in a repository of two small packages."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "release.py"
HEADER = "packages/tensor/src/flambeau_tensor/abi.pxd"


def git(folder, *command):
    who = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    return subprocess.run(["git", *who, *command], cwd=folder, capture_output=True, text=True, check=True).stdout


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "change")


@pytest.fixture
def repository(tmp_path):
    for name, needs in (("tensor", []), ("autograd", ["flambeau-tensor>=0.1,<0.2"])):
        folder = tmp_path / "packages" / name
        module = folder / "src" / f"flambeau_{name}"
        module.mkdir(parents=True)
        (module / "__init__.py").write_text('"""A package."""\n__version__ = "0.1.0"\n')
        (folder / "pyproject.toml").write_text(f'[project]\nname = "flambeau-{name}"\ndependencies = {needs}\n')
        (folder / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0 (unreleased)\n\nFirst release.\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/interfaces.lock").write_text(f"# lock\n{HEADER} 7 abc\n")
    (tmp_path / "release.py").write_text(SCRIPT.read_text())
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "config", "user.name", "test")
    git(tmp_path, "config", "user.email", "test@example.org")
    commit(tmp_path)
    return tmp_path


def release(folder, *arguments):
    done = subprocess.run([sys.executable, "release.py", *arguments], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def changed(folder, name="tensor"):
    """A change after a release, told in the changelog."""
    log = folder / "packages" / name / "CHANGELOG.md"
    log.write_text(log.read_text().replace("\n## ", "\n## 0.2.0 (unreleased)\n\n- More.\n\n## ", 1))
    commit(folder)


def test_the_first_and_the_next(repository):
    assert release(repository, "minor", "tensor") == (0, "flambeau-tensor-0.1.0\n")
    log = repository / "packages/tensor/CHANGELOG.md"
    assert "(unreleased)" not in log.read_text() and "## 0.1.0 (20" in log.read_text()
    status, text = release(repository, "patch", "tensor")
    assert status == 1 and "does not begin with an (unreleased) version" in text
    changed(repository)
    assert release(repository, "patch", "tensor") == (0, "flambeau-tensor-0.1.1\n")
    assert '__version__ = "0.1.1"' in (repository / "packages/tensor/src/flambeau_tensor/__init__.py").read_text()
    assert log.read_text().count("\n## 0.1.") == 2
    assert git(repository, "tag").split() == ["flambeau-tensor-0.1.0", "flambeau-tensor-0.1.1"]
    assert not git(repository, "status", "--porcelain")


def test_an_interface_needs_its_number(repository):
    release(repository, "minor", "tensor")
    (repository / "tests/interfaces.lock").write_text(f"{HEADER} 7 def\n")
    changed(repository)
    status, text = release(repository, "patch", "tensor")
    assert status == 1 and f"{HEADER} changed since flambeau-tensor-0.1.0 and still has the number 7" in text
    (repository / "tests/interfaces.lock").write_text(f"{HEADER} 8 def\n")
    commit(repository)
    assert release(repository, "patch", "tensor")[0] == 0


def test_siblings_must_take_the_version(repository):
    release(repository, "minor", "tensor", "autograd")
    changed(repository)
    before = git(repository, "rev-parse", "HEAD")
    status, text = release(repository, "minor", "tensor")
    assert status == 1 and "flambeau-autograd requires flambeau-tensor>=0.1,<0.2" in text
    assert git(repository, "rev-parse", "HEAD") == before and not git(repository, "status", "--porcelain")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "usage"),
        (("huge", "tensor"), "usage"),
        (("minor",), "usage"),
        (("minor", "nothing"), "no package 'nothing'"),
    ],
)
def test_wrong_arguments(repository, arguments, text):
    status, told = release(repository, *arguments)
    assert status == 1 and text in told


def test_changes_must_be_committed(repository):
    (repository / "new").write_text("")
    assert "not committed" in release(repository, "minor", "tensor")[1]
