"""``pytest --family sorting``: the tests of one family of operators, in every package."""

from pathlib import Path

import pytest

PACKAGES = Path(__file__).parent / "packages"


def pytest_addoption(parser):
    parser.addoption("--family", help="run the tests of one family of operators in every package: --family sorting")


def pytest_configure(config):
    family = config.getoption("family")
    if family is not None and not list(PACKAGES.glob(f"*/tests/test_{family}.py")):
        raise pytest.UsageError(f"--family {family}: no package has tests/test_{family}.py")


def pytest_ignore_collect(collection_path, config):
    family = config.getoption("family")
    name = collection_path.name
    if family is not None and name.startswith("test_") and name.endswith(".py") and name != f"test_{family}.py":
        return True
    return None
