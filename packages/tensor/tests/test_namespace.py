"""Modules whose names are first looked up in their dictionaries."""

import copyreg
import pickle
import sys
from types import ModuleType

import pytest

import flambeau_tensor as ft
from flambeau_tensor.extend import find_quickly


@pytest.fixture
def module(monkeypatch):
    made = ModuleType("a_namespace", "some documentation")
    made.__spec__ = ft.__spec__
    monkeypatch.setitem(sys.modules, "a_namespace", made)
    exec("first = 1\n_second = 2\ndef __getattr__(name):\n    return 'asked for ' + name", vars(made))
    find_quickly("a_namespace")
    return made


def test_names_are_what_the_dictionary_says_now(module):
    def read():
        return module.first

    for value in (1, 2, 3):
        module.first = value
        assert [read() for _ in range(50)] == [value] * 50
    del module.first
    assert read() == "asked for first"
    vars(module)["first"] = 4
    assert read() == 4
    other = ModuleType("another")
    other.first = 5
    other.__class__ = type(module)
    assert [m.first for m in (module, other) * 20] == [4, 5] * 20


def test_many_names_do_not_take_each_others_places(module):
    names = [f"name_{i}" for i in range(5000)]
    for i, name in enumerate(names):
        setattr(module, name, i)
    for _ in range(3):
        assert [getattr(module, name) for name in names] == list(range(5000))
        assert [getattr(module, "".join(name)) for name in names] == list(range(5000))  # strings that are not interned


def test_what_a_module_has_beside_its_names(module):
    assert isinstance(module, ModuleType)
    assert module.__doc__ == "some documentation"
    assert module.__dict__ is vars(module)
    assert module._second == 2
    assert getattr(module, "") == "asked for "
    assert "first" in dir(module)
    assert repr(module).startswith("<module ")
    with pytest.raises(TypeError, match="attribute name must be string"):
        getattr(module, 1)


@pytest.mark.parametrize("name", ["flambeau_tensor", "flambeau_tensor.linalg", "flambeau_tensor.fft"])
def test_modules_of_operators_pickle_by_name(name):
    __import__(name)
    found = sys.modules[name]
    assert type(found) is not ModuleType
    assert pickle.loads(pickle.dumps(found)) is found
    assert type(found) not in copyreg.dispatch_table


def test_names_of_operators_are_interned():
    # Interned names are found by their addresses; others are compared by characters.
    for names in (vars(ft), vars(ft.linalg), vars(ft.Tensor)):
        assert [name for name in names if sys.intern("".join([name, ""])) is not name] == []
