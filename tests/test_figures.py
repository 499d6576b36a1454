"""Figures of speed in the prose of pages are listed in a file, with the date and the commit that stated each."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STATED = tomllib.loads((ROOT / "benchmarks" / "stated.toml").read_text())["figure"]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("packages/*/README.md"))]
NUMBER = r"\d[\d.,]*(?:(?: to | and )\d[\d.,]*)?"
FIGURE = re.compile(rf"{NUMBER} (?:times (?:as (?:fast|long|slow)|faster|slower)|(?:x|×|%) (?:faster|slower))")
FENCE = re.compile(r"^(`{3,}).*?^\1 *$", re.MULTILINE | re.DOTALL)


def figures(text):
    """The figures of speed in the prose of a page."""
    return set(FIGURE.findall(" ".join(FENCE.sub("", text).split())))


@pytest.mark.parametrize("page", [str(p.relative_to(ROOT)) for p in PAGES if "_build" not in p.parts])
def test_figures_of_a_page_are_in_the_file(page):
    stated = {entry["text"] for entry in STATED if entry["page"] == page}
    assert figures((ROOT / page).read_text("utf-8")) == stated, "list it in benchmarks/stated.toml, or drop the entry"


def test_what_counts_as_a_figure():
    text = "It is 2.5\ntimes as fast, 3 to 4 times faster, 20 % slower.\n\n```\n5 times faster\n```\nThree or 7 times."
    assert figures(text) == {"2.5 times as fast", "3 to 4 times faster", "20 % slower"}
