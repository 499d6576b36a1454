"""The listings that CONTRIBUTING.md quotes from files stand in those files."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUOTED = re.compile(r"in `(packages/[^`]+)`:\n\n```python\n(.*?)```", re.DOTALL)


def test_quoted_listings_are_the_files_own():
    quotes = QUOTED.findall((ROOT / "CONTRIBUTING.md").read_text())
    assert len(quotes) >= 2
    for path, listing in quotes:
        assert listing in (ROOT / path).read_text(), f"CONTRIBUTING.md quotes {path} wrongly"
