"""Writes the programs of README.md into a file, which `nox -s types` checks as an editor would."""

import re
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def main() -> None:
    listings = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if not listings:
        raise SystemExit("README.md has no program")
    Path(sys.argv[1]).write_text("\n".join(listings), encoding="utf-8")


if __name__ == "__main__":
    main()
