"""The examples of the README and of the docstrings run as written."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest


def test_readme():
    results = doctest.testfile(str(Path(__file__).parents[1] / "README.md"), module_relative=False)
    assert results.attempted > 10 and not results.failed


@pytest.mark.parametrize("name", ["coverage", "declare", "metadata", "modes", "registry", "_dispatch", "_thread"])
def test_docstrings(name):
    module = import_module(f"flambeau_overrides.{name}")
    # doctest does not find compiled functions, so their docstrings are passed to it one by one.
    texts = {
        key: value.__doc__
        for key, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and getattr(value, "__doc__", None)
    }
    runner = doctest.DocTestRunner()
    for key, text in texts.items():
        runner.run(doctest.DocTestParser().get_doctest(text, dict(vars(module)), key, module.__file__, 0))
    assert runner.tries and not runner.failures
