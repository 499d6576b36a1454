"""What programs replace while they run: methods, functions of this library, metaclasses, modules, objects."""

import functools
import sys
import types
import weakref

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_compile import compile, explain


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


def test_methods_of_tensors(monkeypatch):
    compiled = compile(lambda x: x.sinh() + x)
    x = ft.ones(2)
    assert [compiled(x).equal(x.sinh() + x) for _ in range(2)] == [True, True]
    monkeypatch.setattr(ft.Tensor, "sinh", lambda self: self * 3)
    assert [compiled(x).tolist() for _ in range(2)] == [[4.0, 4.0]] * 2
    monkeypatch.setattr(ft.Tensor, "__add__", lambda self, other: self - other)
    assert [compiled(x).tolist() for _ in range(2)] == [[2.0, 2.0]] * 2


def test_methods_of_modules(monkeypatch):
    layer = nn.Linear(2, 2)
    compiled = compile(layer)
    assert [compiled(ft.ones(2)).shape for _ in range(2)] == [(2,), (2,)]
    monkeypatch.setattr(nn.Linear, "forward", lambda self, x: x * 5)
    assert [compiled(ft.ones(2)).tolist() for _ in range(2)] == [[5.0, 5.0]] * 2


def test_attributes_of_metaclasses():
    class Meta(type):
        scale = 2.0

    class Setting(metaclass=Meta):
        pass

    compiled = compile(lambda x: x * Setting.scale)
    assert [compiled(ft.ones(1)).item() for _ in range(2)] == [2.0, 2.0]
    Meta.scale = 5.0
    assert compiled(ft.ones(1)).item() == 5.0


def test_modules_that_a_function_imports(monkeypatch):
    def setting(scale):
        module = types.ModuleType("setting_of_mine")
        module.scale = scale
        return module

    def f(x):
        import setting_of_mine

        return x * setting_of_mine.scale

    monkeypatch.setitem(sys.modules, "setting_of_mine", setting(2.0))
    compiled = compile(f)
    assert [compiled(ft.ones(1)).item() for _ in range(2)] == [2.0, 2.0]
    sys.modules["setting_of_mine"].scale = 3.0
    assert compiled(ft.ones(1)).item() == 3.0
    monkeypatch.setitem(sys.modules, "setting_of_mine", setting(5.0))
    assert compiled(ft.ones(1)).item() == 5.0
    assert "sys.modules" in explain(compiled)


def test_which_object_an_argument_is():
    one, two = ft.ones(1), ft.full((1,), 2.0)
    compiled = compile(lambda x: x * 10 if x is one else x * 100 if any(x is t for t in (two,)) else x)
    for _ in range(2):
        assert [compiled(x).item() for x in (ft.ones(1), one, two, ft.ones(1), two, one)] == [1, 10, 200, 1, 200, 10]


@pytest.mark.filterwarnings("ignore:torch.compile")
def test_a_tensor_that_is_only_referred_to():
    held = [ft.ones(1)]
    reference = weakref.ref(held[0])
    compiled = compile(lambda x: x if reference() is None else x + reference())
    assert [compiled(ft.ones(1)).item() for _ in range(3)] == [2.0] * 3
    held.clear()
    assert [compiled(ft.ones(1)).item() for _ in range(3)] == [1.0] * 3


def test_who_calls():
    compiled = compile(lambda x: x * sys._getframe(1).f_locals.get("scale", 1.0))

    def call(scale):
        return compiled(ft.ones(1)).item()

    with pytest.warns(RuntimeWarning, match="_getframe"):
        call(2.0)
    assert [call(scale) for scale in (2.0, 3.0)] == [2.0, 3.0]


def test_functions_that_are_registered_later():
    @functools.singledispatch
    def scaled(x):
        return x

    compiled = compile(lambda x: scaled(x))
    assert [compiled(ft.ones(1)).item() for _ in range(2)] == [1.0, 1.0]
    scaled.register(ft.Tensor, lambda x: x * 5)
    assert [compiled(ft.ones(1)).item() for _ in range(2)] == [5.0, 5.0]
