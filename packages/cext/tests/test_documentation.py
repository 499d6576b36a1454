"""The examples of the README and of the docstrings run as written."""

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import flambeau_cext
import flambeau_tensor


class Torch:
    """What examples call `torch`, as far as this package knows it."""

    ops = flambeau_cext.ops
    library = flambeau_cext.library

    def __getattr__(self, name):
        return getattr(flambeau_tensor, name)


def test_readme():
    results = doctest.testfile(str(Path(__file__).parents[1] / "README.md"), module_relative=False)
    assert results.attempted > 10 and not results.failed


class Finder(doctest.DocTestFinder):
    """Asks for the file of the code: where flambeau is loaded, classes and functions say PyTorch's modules."""

    def _from_module(self, module, object):
        try:
            return inspect.getsourcefile(inspect.unwrap(object)) == module.__file__
        except (TypeError, OSError):
            return super()._from_module(module, object)


LIBRARY = ["library.libraries", "library.opcheck", "library.operators", "library.schema"]
OTHERS = "bindings build compiler cython declarations errors extension load ninja ops".split()


@pytest.mark.parametrize("name", OTHERS + LIBRARY)
def test_docstrings(name):
    run_docstrings(name, Torch())


def run_docstrings(name, torch):
    module = import_module(f"flambeau_cext.{name}")
    runner = doctest.DocTestRunner()
    for example in Finder().find(module, extraglobs={"torch": torch, "np": np}):
        runner.run(example)
    results = runner.summarize(verbose=False)
    assert results.attempted and not results.failed


def test_docstrings_of_derivatives():
    run_docstrings("library.custom_ops", pytest.importorskip("flambeau"))
