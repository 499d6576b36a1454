"""The listings of the documentation run as a reader copies them: each page in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUNNER = ROOT / "docs" / "run_page.py"
HAS_LISTINGS = ("```python", "```{testcode}", "```{doctest}")
WRITTEN = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [p for p in WRITTEN if "_build" not in p.parts and any(mark in p.read_text("utf-8") for mark in HAS_LISTINGS)]
NO_PROGRAM = {"docs/architecture.md"}  # it shows a declaration that the library has already


@pytest.mark.parametrize("page", [str(p.relative_to(ROOT)) for p in PAGES])
def test_a_page(page, tmp_path):
    if page in NO_PROGRAM:
        return
    command = [sys.executable, "-W", "error", str(RUNNER), str(ROOT / page)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [path.name for path in tmp_path.iterdir()], "the page leaves files where its reader stands"
