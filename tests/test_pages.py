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


LISTINGS = {
    "what it prints": ("```{testcode}\nprint(1 + 1)\n```\n\n```{testoutput}\n2\n```\n", True),
    "something else": ("```{testcode}\nprint(1 + 1)\n```\n\n```{testoutput}\n3\n```\n", False),
    "an error": ("```python\nimport flambeau as torch\nfrom torch import nn\n```\n", False),
    "a session": ("```{doctest}\n>>> import flambeau as torch\n>>> torch.ones(2)\ntensor([1., 1.])\n```\n", True),
    "a session that is wrong": ("```{doctest}\n>>> len('four')\n5\n```\n", False),
    "names of the listing before": ("```python\nx = 2\n```\n\n```{doctest}\n>>> x\n2\n```\n", True),
}


@pytest.mark.parametrize("name", LISTINGS)
def test_what_the_runner_finds(name, tmp_path):
    text, passes = LISTINGS[name]
    page = tmp_path / "page.md"
    page.write_text(text)
    done = subprocess.run([sys.executable, str(RUNNER), str(page)], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == passes, done.stdout + done.stderr
    assert passes or f"{page}:" in done.stdout or str(page) in done.stdout
