"""What packages name of PyTorch is here, or stands in docs/left_out.toml with the reason."""

import importlib
import tomllib
from pathlib import Path

import pytest

import flambeau

HERE = Path(__file__).parent
NAMES = [line for line in (HERE / "names_of_packages.txt").read_text().splitlines() if not line.startswith("#")]
LEFT_OUT = tomllib.loads((HERE.parent / "docs/left_out.toml").read_text())["left_out"]


def is_here(name):
    first, *rest = name.split(".")
    found, path = (flambeau.Tensor if first == "Tensor" else flambeau), "flambeau"
    for part in rest:
        path += f".{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            if first == "Tensor":
                return False
            try:
                found = importlib.import_module(path)
            except ImportError:
                return False
    return not getattr(found, "__not_built__", False)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_packages_is_here_or_left_out_for_a_reason(name):
    reasons = [entry["why"] for entry in LEFT_OUT if name in entry["names"]]
    assert len(reasons) == (0 if is_here(name) else 1)
    assert all(reasons)


def test_only_such_names_are_left_out():
    assert {name for entry in LEFT_OUT for name in entry["names"]} <= set(NAMES)
