"""Containers of modules and parameters. Printed ones and texts were made with PyTorch 2.13."""

from collections import OrderedDict

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft


def kinds(modules):
    return [type(m).__name__ for m in modules]


def test_sequential_runs_in_order():
    a, b = nn.Linear(2, 3), nn.Linear(3, 1)
    x = ft.ones(4, 2)
    assert (nn.Sequential(a, nn.ReLU(), b)(x) == b(ft.relu(a(x)))).all()
    assert nn.Sequential()(x) is x


def test_sequential_as_a_sequence():
    s = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh(), c=nn.Sigmoid()))
    assert kinds([s[0], s[-1], s.b]) == ["ReLU", "Sigmoid", "Tanh"] and len(s) == 3
    assert repr(s[1:]) == "Sequential(\n  (b): Tanh()\n  (c): Sigmoid()\n)"
    with pytest.raises(IndexError, match="index 3 is out of range"):
        s[3]
    s[0] = nn.ELU()
    assert kinds(s) == ["ELU", "Tanh", "Sigmoid"]
    del s[0]
    assert list(s._modules) == ["0", "1"]
    s.append(nn.ReLU()).extend([nn.Tanh()]).insert(0, nn.GELU())
    assert kinds(s) == ["GELU", "Tanh", "Sigmoid", "ReLU", "Tanh"]
    assert type(s.pop(0)) is nn.GELU and len(s) == 4
    assert kinds(nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh())) == ["ReLU", "Tanh"]
    assert kinds(nn.Sequential(nn.ReLU()) * 2) == kinds(2 * nn.Sequential(nn.ReLU())) == ["ReLU", "ReLU"]
    with pytest.raises(ValueError, match="Non-positive multiplication factor 0"):
        nn.Sequential(nn.ReLU()) * 0
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        nn.Sequential(3)
    s *= 2
    assert len(s) == 8


def test_sequential_with_a_changed_dict():
    class Stops(nn.Module):
        def forward(self, x):
            s._modules.clear()
            return x + 1

    s = nn.Sequential(Stops(), nn.ReLU())
    assert s(1) == 2


def test_module_list():
    m = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])
    assert kinds([m[0], m[-1]]) == ["ReLU", "Sigmoid"] and kinds(m[1:]) == ["Tanh", "Sigmoid"]
    assert kinds(m + [nn.ELU()]) == ["ReLU", "Tanh", "Sigmoid", "ELU"] and len(m) == 3
    m.insert(1, nn.ELU())
    assert kinds(m) == ["ReLU", "ELU", "Tanh", "Sigmoid"] and list(m._modules) == ["0", "1", "2", "3"]
    del m[0:2]
    m[0] = nn.GELU()
    m += [nn.ReLU()]
    assert kinds(m) == ["GELU", "Sigmoid", "ReLU"] and type(m.pop(1)) is nn.Sigmoid
    with pytest.raises(IndexError, match="index 9 is out of range"):
        m[9]
    with pytest.raises(TypeError, match=r"ModuleList\.extend should be called with an iterable, but got int"):
        m.extend(3)
    with pytest.raises(NotImplementedError, match=r"Module \[ModuleList\] is missing the required"):
        m(1)


def test_module_list_is_trained():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1)])

    assert [n for n, _ in Net().named_parameters()] == [f"layers.{i}.{n}" for i in (0, 1) for n in ("weight", "bias")]


def test_module_list_printing():
    assert (
        repr(nn.ModuleList([nn.Linear(1, 2)] * 3 + [nn.ReLU()]))
        == """ModuleList(
  (0-2): 3 x Linear(in_features=1, out_features=2, bias=True)
  (3): ReLU()
)"""
    )
    assert repr(nn.ModuleList()) == "ModuleList()"
    assert (
        repr(nn.ModuleList([None, nn.Sequential(nn.ReLU())]))
        == """ModuleList(
  (0): None
  (1): Sequential(
    (0): ReLU()
  )
)"""
    )


def test_module_dict():
    m = nn.ModuleDict([("a", nn.ReLU()), ("b", nn.Tanh())])
    assert (
        list(m) == list(m.keys()) == ["a", "b"] and "b" in m and len(m) == 2 and kinds(m.values()) == ["ReLU", "Tanh"]
    )
    m["c"] = nn.ELU()
    m.update({"a": nn.GELU()})
    assert type(m.pop("b")) is nn.Tanh
    assert repr(m) == "ModuleDict(\n  (a): GELU(approximate='none')\n  (c): ELU(alpha=1.0)\n)"
    with pytest.raises(KeyError):
        m["zz"]
    with pytest.raises(KeyError, match="attribute 'keys' already exists"):
        m["keys"] = nn.ReLU()
    with pytest.raises(TypeError, match="ModuleDict update sequence element #0 should be Iterable"):
        nn.ModuleDict([1])
    with pytest.raises(ValueError, match="element #0 has length 1; 2 is required"):
        nn.ModuleDict([("a",)])
    del m["a"]
    m.clear()
    assert len(m) == 0


def test_parameter_list():
    p = nn.ParameterList([ft.ones(2), nn.Parameter(ft.zeros(1)), "x"])
    assert [n for n, _ in p.named_parameters()] == ["0", "1"] and type(p[0]) is nn.Parameter and p[-1] == "x"
    assert (
        repr(p)
        == """ParameterList(
    (0): Parameter containing: [torch.float32 of size 2]
    (1): Parameter containing: [torch.float32 of size 1]
    (2): Object of type: str
)"""
    )
    assert len(p[0:2]) == 2 and len(p.append(ft.ones(1))) == 4 and len(p.extend([ft.ones(1)])) == 5
    p[0] = ft.zeros(3)
    assert p[0].shape == (3,) and [type(v).__name__ for v in p] == [
        "Parameter",
        "Parameter",
        "str",
        "Parameter",
        "Parameter",
    ]
    with pytest.raises(RuntimeError, match="ParameterList should not be called"):
        p(1)
    with pytest.raises(TypeError, match="should be called with an iterable, but got int"):
        p.extend(3)
    with pytest.raises(IndexError, match="index 7 is out of range"):
        p[7]


def test_parameter_dict():
    p = nn.ParameterDict({"b": ft.ones(2), "a": 3})
    assert list(p) == ["a", "b"] and type(p["b"]) is nn.Parameter and p.get("q") is None and p.get("a") == 3
    assert [n for n, _ in p.named_parameters()] == ["b"] and dict(p.items())["a"] == 3
    assert p.pop("a") == 3 and len(p) == 1
    assert repr(p) == "ParameterDict(  (b): Parameter containing: [torch.FloatTensor of size 2])"
    assert list((p | nn.ParameterDict({"z": ft.ones(1)})).keys()) == ["b", "z"]
    p |= nn.ParameterDict([("y", ft.ones(1))])
    assert p.popitem()[0] == "y" and p.setdefault("w", ft.ones(1)) is p["w"] and list(reversed(p)) == ["w", "b"]
    p.clear()
    assert len(p) == 0 and not list(p.parameters())
    with pytest.raises(TypeError, match="ParameterDict update sequence element #0 should be Iterable"):
        p.update([1])
    with pytest.raises(TypeError, match="cannot be used as a key as it is not a string"):
        p[3]
