"""What the arguments of operators mean, from arguments.toml: by name, and where a name means something else, by
function or by family."""

import tomllib
from pathlib import Path

PATH = Path(__file__).with_name("arguments.toml")
TOLD = tomllib.loads(PATH.read_text(encoding="utf-8"))
MEANINGS, ELSEWHERE = TOLD["any"], TOLD["elsewhere"]


def meaning(full_name, family, argument):
    """One phrase on an argument; empty where none is written."""
    for place in (full_name.removeprefix("torch."), family):
        if argument in ELSEWHERE.get(place, {}):
            return ELSEWHERE[place][argument]
    return MEANINGS.get(argument, "")
