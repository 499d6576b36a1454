"""The headers that a build writes: those that are installed are what the tables say, and lead somewhere."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flambeau_cext import include_paths

SCRIPT = Path(__file__).parents[1] / "forwarding_headers.py"
HEADERS = runpy.run_path(str(SCRIPT))["files"]()


@pytest.fixture(scope="module")
def include():
    (folder,) = (Path(path) for path in include_paths() if Path(path, "ATen", "ATen.h").exists())
    return folder


def test_installed_headers_are_what_the_tables_say(include):
    assert len(HEADERS) > 600
    assert {name: (include / name).read_text(encoding="utf-8") for name in HEADERS} == HEADERS


def test_no_other_header_is_a_mere_include(include):
    mere = "#pragma once\n#include <"
    texts = {str(path.relative_to(include)): path.read_text(encoding="utf-8") for path in include.rglob("*.h")}
    assert {name for name, text in texts.items() if text.startswith(mere) and text.count("\n") == 2} == set(HEADERS)


def test_each_leads_to_a_header_that_is_there(include):
    targets = {text[text.index("<") + 1 : text.index(">")] for text in HEADERS.values()}
    assert [target for target in targets if not (include / target).exists()] == []


@pytest.fixture
def checkout(tmp_path):
    """A copy of what the headers are written from."""
    functions = Path("src", "flambeau_cext", "include", "ATen", "Functions.h")
    (tmp_path / functions).parent.mkdir(parents=True)
    shutil.copy(SCRIPT.parent / functions, tmp_path / functions)
    shutil.copy(SCRIPT, tmp_path)
    return tmp_path


def test_writing_replaces_what_the_tables_no_longer_have(checkout):
    run = [sys.executable, str(checkout / SCRIPT.name)]
    include = checkout / "src" / "flambeau_cext" / "include"
    subprocess.run(run, check=True)
    assert (include / "ATen" / "ops" / "hypot.h").read_text() == HEADERS["ATen/ops/hypot.h"]
    functions = include / "ATen" / "Functions.h"
    functions.write_text(functions.read_text().replace("hypot", "hypotenuse"))
    before = (include / "ATen" / "ops" / "abs.h").stat().st_mtime_ns
    subprocess.run(run, check=True)
    assert not (include / "ATen" / "ops" / "hypot.h").exists()
    assert (include / "ATen" / "ops" / "hypotenuse.h").exists()
    assert (include / "ATen" / "ops" / "abs.h").stat().st_mtime_ns == before  # what is right is not written again


def test_a_header_that_is_now_written_by_hand_stays(checkout):
    run = [sys.executable, str(checkout / SCRIPT.name)]
    subprocess.run(run, check=True)
    header = checkout / "src" / "flambeau_cext" / "include" / "torch" / "script.h"
    assert header.read_text() == HEADERS["torch/script.h"]
    header.write_text("#pragma once\n#include <torch/all.h>\nnamespace torch::jit {}\n")
    script = checkout / SCRIPT.name
    script.write_text(script.read_text().replace(" torch/script", ""))
    subprocess.run(run, check=True)
    assert header.read_text().endswith("namespace torch::jit {}\n")
    assert "script" not in (header.parents[1] / ".gitignore").read_text()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_ignores_what_is_written(checkout):
    subprocess.run(["git", "init", "-q", str(checkout)], check=True)
    subprocess.run([sys.executable, str(checkout / SCRIPT.name)], check=True)
    status = ["git", "-C", str(checkout), "status", "--short", "--untracked-files=all"]
    done = subprocess.run(status, check=True, capture_output=True, text=True)
    assert [line[3:] for line in done.stdout.splitlines()] == [
        SCRIPT.name,
        "src/flambeau_cext/include/ATen/Functions.h",
    ]
