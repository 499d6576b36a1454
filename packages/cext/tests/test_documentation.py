"""The examples of the README and of the docstrings run as written."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest


def test_readme():
    results = doctest.testfile(str(Path(__file__).parents[1] / "README.md"), module_relative=False)
    assert results.attempted > 10 and not results.failed


@pytest.mark.parametrize("name", ["bindings", "build", "declarations", "errors", "load"])
def test_docstrings(name):
    results = doctest.testmod(import_module(f"flambeau_cext.{name}"))
    assert results.attempted and not results.failed
